//! A verdict as JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Evidence, Exit, ProcessRecord, Shutdown, Timing, Verdict, kept};
use crate::core::json::{Json, Kind, escape_line_breaks};
use crate::core::memory;
use crate::core::remark::{Remark, Remarks};
use crate::core::result::{Icon, Implementation};
use crate::core::rpc_error::RpcError;
use crate::core::transcript::Transcript;

impl Verdict {
    /// The verdict as one line of JSON.
    ///
    /// # Panics
    ///
    /// When there is no memory for it.
    pub fn to_json(&self) -> String {
        self.try_to_json().expect("memory for the JSON")
    }

    /// The verdict as one line of JSON, as it was if it has been read from one; none if there is no memory for it.
    pub fn try_to_json(&self) -> Option<String> {
        if let Some(origin) = &self.origin {
            return memory::has_room_for(origin.json.len()).then(|| origin.json.to_string());
        }
        if !memory::has_room_for(self.to_read()) {
            return None;
        }
        let evidence = self.evidence();
        let mut json = Sink::default();
        serde_json::to_writer(&mut json, &Document::of(self, &evidence)).ok()?;
        let json = String::from_utf8(json.0).ok()?;
        // What is escaped becomes up to three times as long, in a text that doubles as it grows.
        memory::has_room_for(json.len().saturating_mul(6)).then(|| escape_line_breaks(json))
    }
}

/// Bytes that are written, as long as there is memory.
#[derive(Default)]
struct Sink(Vec<u8>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !memory::reserve(&mut self.0, bytes.len()) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An error as an object, which is what readers of the JSON form count on; some servers send a bare text.
fn error_document(json: Json<'_>) -> Option<Box<RawValue>> {
    if json.kind() == Kind::Object {
        return raw(json);
    }
    let error = RpcError::read(json, &mut Remarks::default());
    serde_json::value::to_raw_value(&ErrorDocument {
        code: error.code,
        message: error.message.as_deref(),
        data: raw(json).filter(|data| error.message.is_none() && fits_deeper(data.get())),
    })
    .ok()
}

/// Whether a value can be read where it stands one level deeper in a verdict than it did in a message, in which it may have
/// been as deep as any.
fn fits_deeper(text: &str) -> bool {
    Json::parse(&["[[", text, "]]"].concat()).is_ok()
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    code: i64,
    message: Option<&'a str>,
    data: Option<Box<RawValue>>,
}

/// The members of the JSON form, in its order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema: u32,
    era: &'static str,
    next: &'static str,
    version: Option<&'a str>,
    confirmed: bool,
    storable: bool,
    summary: &'a str,
    discover_outcome: &'static str,
    initialize_outcome: &'static str,
    received_at: Option<i64>,
    supported_versions: &'a [Cow<'a, str>],
    server: Option<ServerDocument<'a>>,
    capabilities: Option<Box<RawValue>>,
    instructions: Option<&'a str>,
    ttl_ms: Option<i64>,
    cache_scope: Option<&'static str>,
    discover: Option<Box<RawValue>>,
    initialize: Option<Box<RawValue>>,
    discover_error: Option<Box<RawValue>>,
    initialize_error: Option<Box<RawValue>>,
    remarks: Vec<RemarkDocument<'a>>,
    processes: Vec<ProcessDocument<'a>>,
    timing: Timing,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<&'a Transcript>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerDocument<'a> {
    name: Option<&'a str>,
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    website_url: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    icons: &'a [Icon<'a>],
}

#[derive(Serialize)]
struct RemarkDocument<'a> {
    code: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProcessDocument<'a> {
    exit: Option<ExitDocument>,
    shutdown: Option<&'static str>,
    bytes_received: u64,
    skipped_lines: u64,
    skipped_sample: &'a [String],
    stderr_tail: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ExitDocument {
    Code(i32),
    Signal(i32),
}

/// What the server wrote, number for number, without the white space between the tokens.
fn raw(json: Json<'_>) -> Option<Box<RawValue>> {
    RawValue::from_string(json.compact().into_owned()).ok()
}

impl<'a> Document<'a> {
    fn of(verdict: &'a Verdict, evidence: &'a Evidence<'a>) -> Self {
        let discover = evidence.discover.as_ref();
        Self {
            schema: 1,
            era: verdict.era.name(),
            next: verdict.next.name(),
            version: verdict.version.as_deref(),
            confirmed: verdict.confirmed,
            storable: verdict.storable(),
            summary: &verdict.summary,
            discover_outcome: verdict.discover_outcome.name(),
            initialize_outcome: verdict.initialize_outcome.name(),
            received_at: verdict.received_at,
            supported_versions: evidence.supported_versions(),
            server: evidence.server().map(ServerDocument::of),
            capabilities: evidence.capabilities().and_then(|c| raw(c.raw)),
            instructions: evidence.instructions(),
            ttl_ms: discover.and_then(|result| result.ttl_ms),
            cache_scope: discover.and_then(|result| Some(result.cache_scope?.name())),
            discover: kept(&verdict.discover).and_then(raw),
            initialize: kept(&verdict.initialize).and_then(raw),
            discover_error: kept(&verdict.discover_error).and_then(error_document),
            initialize_error: kept(&verdict.initialize_error).and_then(error_document),
            remarks: verdict
                .remarks
                .as_slice()
                .iter()
                .map(RemarkDocument::of)
                .collect(),
            processes: verdict.processes.iter().map(ProcessDocument::of).collect(),
            timing: verdict.timing,
            transcript: Some(&verdict.transcript).filter(|transcript| !transcript.is_empty()),
        }
    }
}

impl<'a> ServerDocument<'a> {
    fn of(server: &'a Implementation<'a>) -> Self {
        Self {
            name: server.name.as_deref(),
            version: server.version.as_deref(),
            title: server.title.as_deref(),
            description: server.description.as_deref(),
            website_url: server.website_url.as_deref(),
            icons: &server.icons,
        }
    }
}

impl<'a> RemarkDocument<'a> {
    fn of(remark: &'a Remark) -> Self {
        Self {
            code: remark.code.name(),
            text: &remark.text,
        }
    }
}

impl<'a> ProcessDocument<'a> {
    fn of(process: &'a ProcessRecord) -> Self {
        Self {
            exit: process.exit.map(|exit| match exit {
                Exit::Code(code) => ExitDocument::Code(code),
                Exit::Signal(signal) => ExitDocument::Signal(signal),
            }),
            shutdown: process.shutdown.map(Shutdown::name),
            bytes_received: process.bytes_received,
            skipped_lines: process.skipped_lines,
            skipped_sample: &process.skipped_sample,
            stderr_tail: &process.stderr_tail,
        }
    }
}
