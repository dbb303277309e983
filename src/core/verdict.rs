//! The verdict on a server, with its evidence, and its form as JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::json::{Json, Kind, escape_line_breaks};
use super::memory;
use super::remark::{Remark, Remarks};
use super::result::{DiscoverResult, Icon, Implementation, InitializeResult, ServerCapabilities};
use super::rpc_error::RpcError;
use super::transcript::Transcript;
use super::version::Era;

/// What the client should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send modern requests with the verdict's version.
    UseModern,
    /// Send `initialize` with the verdict's version, as the first message of a process that has seen no discover.
    Initialize,
    /// The server is modern but refuses the request as it was; its error says what to correct.
    CorrectRequest,
    /// Client and server have no version in common, or nothing is known.
    GiveUp,
}

impl Next {
    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Next::UseModern => "use_modern",
            Next::Initialize => "initialize",
            Next::CorrectRequest => "correct_request",
            Next::GiveUp => "give_up",
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was not sent.
    NotAsked,
    /// A result that can be used.
    Result,
    /// A response that answers nothing.
    Unusable,
    /// An error.
    Error,
    /// No answer up to the deadline.
    Silence,
    /// The server ended without an answer.
    Exit,
    /// The server closed its standard output without an answer and lived on.
    StdoutClosed,
}

impl Outcome {
    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::NotAsked => "not_asked",
            Outcome::Result => "result",
            Outcome::Unusable => "unusable",
            Outcome::Error => "error",
            Outcome::Silence => "silence",
            Outcome::Exit => "exit",
            Outcome::StdoutClosed => "stdout_closed",
        }
    }

    /// Whether the server answered, with whatever.
    pub fn is_answer(self) -> bool {
        matches!(self, Outcome::Result | Outcome::Unusable | Outcome::Error)
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// What it took to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// Nothing: it ended by itself before it was asked to.
    Exited,
    /// The end of its standard input.
    StdinClosed,
    /// SIGTERM to its process group.
    Terminated,
    /// SIGKILL to its process group.
    Killed,
    /// It outlived SIGKILL and was left behind.
    Abandoned,
    /// Nothing was done: it was handed over to the caller.
    Kept,
}

impl Shutdown {
    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Shutdown::Exited => "exited",
            Shutdown::StdinClosed => "stdin_closed",
            Shutdown::Terminated => "terminated",
            Shutdown::Killed => "killed",
            Shutdown::Abandoned => "abandoned",
            Shutdown::Kept => "kept",
        }
    }
}

/// What is known of a process that was started for the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessRecord {
    /// How it ended; none where that is unknown.
    pub exit: Option<Exit>,
    /// What it took to end it; none where there was no process, but a transport of the caller's.
    pub shutdown: Option<Shutdown>,
    /// Bytes read from its standard output.
    pub bytes_received: u64,
    /// Lines that were no JSON-RPC messages.
    pub skipped_lines: u64,
    /// The heads of the first of them.
    pub skipped_sample: Vec<String>,
    /// The end of what it wrote to standard error.
    pub stderr_tail: String,
}

/// How long it took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// From the start of the first process to the return.
    pub elapsed_ms: f64,
    /// From the start of the first process to the last answer that counted.
    pub reply_ms: Option<f64>,
}

/// What a server is, what to do next, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// How the server is spoken to.
    pub era: Era,
    /// What to do next.
    pub next: Next,
    /// The version to do it with.
    pub version: Option<String>,
    /// The server said so itself, by a result or by an error that only modern servers have.
    pub confirmed: bool,
    /// One sentence saying why.
    pub summary: String,
    /// What came of `server/discover`.
    pub discover_outcome: Outcome,
    /// What came of `initialize`.
    pub initialize_outcome: Outcome,
    /// When the last answer that counted came, in milliseconds since 1970.
    pub received_at: Option<i64>,
    /// The DiscoverResult as it came, as JSON.
    pub discover: Option<Box<str>>,
    /// The InitializeResult as it came, as JSON.
    pub initialize: Option<Box<str>>,
    /// The error that answered discover, as JSON; the first that proved the server modern, if one did.
    pub discover_error: Option<Box<str>>,
    /// The error that answered initialize, as JSON.
    pub initialize_error: Option<Box<str>>,
    /// Everything odd.
    pub remarks: Remarks,
    /// The processes started, in order.
    pub processes: Vec<ProcessRecord>,
    /// How long it took.
    pub timing: Timing,
    /// What was said, as far as that was asked for.
    pub transcript: Transcript,
}

/// The server's answers, read anew from the text that the verdict keeps of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence<'a> {
    /// The answer to `server/discover`.
    pub discover: Option<DiscoverResult<'a>>,
    /// The answer to `initialize`.
    pub initialize: Option<InitializeResult<'a>>,
    /// The error that answered `server/discover`.
    pub discover_error: Option<RpcError<'a>>,
    /// The error that answered `initialize`.
    pub initialize_error: Option<RpcError<'a>>,
}

impl<'a> Evidence<'a> {
    /// Who the server says it is, in whichever era it answered.
    pub fn server(&self) -> Option<&Implementation<'a>> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.server.as_ref(),
            (None, Some(initialize)) => initialize.server.as_ref(),
            (None, None) => None,
        }
    }

    /// What the server can do, in whichever era it answered.
    pub fn capabilities(&self) -> Option<&ServerCapabilities<'a>> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.capabilities.as_ref(),
            (None, Some(initialize)) => initialize.capabilities.as_ref(),
            (None, None) => None,
        }
    }

    /// How to use the server, in whichever era it answered.
    pub fn instructions(&self) -> Option<&str> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.instructions.as_deref(),
            (None, Some(initialize)) => initialize.instructions.as_deref(),
            (None, None) => None,
        }
    }

    /// The versions the server listed, in a DiscoverResult or in an unsupported-version error.
    pub fn supported_versions(&self) -> &[Cow<'a, str>] {
        if let Some(discover) = &self.discover {
            return &discover.supported_versions;
        }
        [&self.discover_error, &self.initialize_error]
            .into_iter()
            .flatten()
            .map(|error| error.supported.as_slice())
            .find(|supported| !supported.is_empty())
            .unwrap_or_default()
    }
}

impl Verdict {
    /// Whether the verdict may be stored for later: confirmed, and discover was answered, so that
    /// a start that failed by chance never becomes a stored verdict.
    pub fn storable(&self) -> bool {
        self.confirmed && self.discover_outcome.is_answer()
    }

    /// The server's answers.
    pub fn evidence(&self) -> Evidence<'_> {
        // What is odd about the answers was remarked when they came.
        let unheard = &mut Remarks::default();
        Evidence {
            discover: kept(&self.discover).and_then(|raw| DiscoverResult::read(raw, unheard)),
            initialize: kept(&self.initialize).and_then(|raw| InitializeResult::read(raw, unheard)),
            discover_error: kept(&self.discover_error).map(|raw| RpcError::read(raw, unheard)),
            initialize_error: kept(&self.initialize_error).map(|raw| RpcError::read(raw, unheard)),
        }
    }

    /// How much memory reading the server's answers may take.
    pub fn to_read(&self) -> usize {
        let texts = [
            &self.discover,
            &self.initialize,
            &self.discover_error,
            &self.initialize_error,
        ];
        let texts = texts.into_iter().flatten();
        texts.map(|text| memory::to_read(text.as_bytes())).sum()
    }

    /// The verdict as one line of JSON.
    ///
    /// # Panics
    ///
    /// When there is no memory for it.
    pub fn to_json(&self) -> String {
        self.try_to_json().expect("memory for the JSON")
    }

    /// The verdict as one line of JSON; none if there is no memory for it.
    pub fn try_to_json(&self) -> Option<String> {
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
        data: raw(json).filter(|_| error.message.is_none()),
    })
    .ok()
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    code: i64,
    message: Option<&'a str>,
    data: Option<Box<RawValue>>,
}

/// An answer that the verdict keeps.
fn kept(text: &Option<Box<str>>) -> Option<Json<'_>> {
    Json::parse(text.as_deref()?).ok()
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    icons: Vec<IconDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IconDocument<'a> {
    src: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sizes: &'a [Cow<'a, str>],
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<&'a str>,
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
            icons: server.icons.iter().map(IconDocument::of).collect(),
        }
    }
}

impl<'a> IconDocument<'a> {
    fn of(icon: &'a Icon<'a>) -> Self {
        Self {
            src: &icon.src,
            mime_type: icon.mime_type.as_deref(),
            sizes: &icon.sizes,
            theme: icon.theme.as_deref(),
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
