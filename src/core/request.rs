//! Builds the requests that a client opens with: `server/discover` and the legacy `initialize`.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::ser::{Error as _, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{Json, Kind, escape_line_breaks, repair_surrogates};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `server/discover` of revision 2026-07-28.
    Discover,
    /// `initialize` of the revisions up to 2025-11-25.
    Initialize,
}

impl Method {
    /// The method's name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Method::Discover => "server/discover",
            Method::Initialize => "initialize",
        }
    }
}

/// The id of a request. Ids are equal if type and value are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Id<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// An integer.
    Integer(i64),
}

impl<'a> Id<'a> {
    /// The id that a value is; none if it is neither a string nor an integer.
    pub fn of(value: Json<'a>) -> Option<Self> {
        match value.kind() {
            Kind::String => value.as_str().map(Id::Text),
            _ => value.as_integer().map(Id::Integer),
        }
    }
}

/// Who the client says it is (`Implementation` in the schema).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Client {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the program does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The program's home page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// The program's icons: a JSON array of objects with `src`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Fragment>,
    /// The client's capabilities: a JSON object.
    #[serde(skip)]
    pub capabilities: Option<Fragment>,
}

impl Default for Client {
    /// This library.
    fn default() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title: None,
            description: None,
            website_url: None,
            icons: None,
            capabilities: None,
        }
    }
}

/// A checked piece of JSON from the caller, on one line.
#[derive(Debug, Clone)]
pub struct Fragment(Box<RawValue>);

impl PartialEq for Fragment {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for Fragment {}

impl Serialize for Fragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Why a request can't be built: a piece of JSON from the caller that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentError {
    /// What is wrong, without the name of the option.
    pub problem: String,
    /// Where in the text, in bytes, if the fault has a place.
    pub offset: Option<usize>,
}

impl fmt::Display for FragmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl FragmentError {
    fn new(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            offset: None,
        }
    }
}

impl Fragment {
    fn parse(text: &str, kind: Kind) -> Result<(Json<'_>, Self), FragmentError> {
        let json = Json::parse(text).map_err(|error| FragmentError {
            problem: error.to_string(),
            offset: Some(error.offset),
        })?;
        if json.kind() != kind {
            let problem = format!("expected {kind}, found {}", json.kind());
            return Err(FragmentError::new(problem));
        }
        if let Cow::Owned(_) = repair_surrogates(text) {
            return Err(FragmentError::new(
                "expected whole surrogate pairs, found a \\u escape that is half of one",
            ));
        }
        let raw = RawValue::from_string(json.compact().into_owned())
            .map_err(|error| FragmentError::new(error.to_string()))?;
        Ok((json, Self(raw)))
    }

    /// Client capabilities: any object.
    pub fn capabilities(text: &str) -> Result<Self, FragmentError> {
        Ok(Self::parse(text, Kind::Object)?.1)
    }

    /// Icons: an array of objects, each with a string `src`.
    pub fn icons(text: &str) -> Result<Self, FragmentError> {
        let (json, icons) = Self::parse(text, Kind::Array)?;
        for (i, icon) in json.elements().enumerate() {
            let has_src =
                |(name, value): (Cow<str>, Json)| name == "src" && value.kind() == Kind::String;
            if !icon.members().any(has_src) {
                return Err(FragmentError::new(format!(
                    "expected an object with a string member \"src\" at index {i}"
                )));
            }
        }
        Ok(icons)
    }

    /// Further members of `_meta`: an object without keys that are the protocol's own.
    pub fn meta(text: &str) -> Result<Self, FragmentError> {
        let (json, meta) = Self::parse(text, Kind::Object)?;
        for (name, _) in json.members() {
            if is_reserved(&name) {
                return Err(FragmentError::new(format!(
                    "the key {name:?} is reserved for the protocol (basic/index, _meta)"
                )));
            }
        }
        Ok(meta)
    }
}

/// Whether a `_meta` key's prefix is reserved: its second label is `modelcontextprotocol` or `mcp`.
fn is_reserved(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else {
        return false;
    };
    matches!(
        prefix.split('.').nth(1),
        Some("modelcontextprotocol" | "mcp")
    )
}

/// The severities of RFC 5424 that a server's log messages have (`LoggingLevel` in the schema).
pub const LOG_LEVELS: &[&str] = &[
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// A request to be built.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// What is asked.
    pub method: Method,
    /// The request's id.
    pub id: Id<'a>,
    /// The protocol version it is asked with.
    pub version: &'a str,
    /// Who asks.
    pub client: &'a Client,
    /// The least severe log messages wanted; only discover has a place for it.
    pub log_level: Option<&'a str>,
    /// Further members of `_meta`.
    pub meta: Option<&'a Fragment>,
}

impl Request<'_> {
    /// The request as one line of JSON, without the line feed.
    pub fn to_json(&self) -> String {
        // Serializing strings and checked fragments into memory has no way to fail.
        let json = serde_json::to_string(&Envelope(self)).unwrap_or_default();
        escape_line_breaks(json)
    }
}

struct Envelope<'a>(&'a Request<'a>);

impl Serialize for Envelope<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_map(Some(4))?;
        message.serialize_entry("jsonrpc", "2.0")?;
        message.serialize_entry("id", &self.0.id)?;
        message.serialize_entry("method", self.0.method.name())?;
        match self.0.method {
            Method::Discover => message.serialize_entry("params", &DiscoverParams(self.0))?,
            Method::Initialize => message.serialize_entry("params", &InitializeParams(self.0))?,
        }
        message.end()
    }
}

#[derive(Serialize)]
struct Empty {}

/// The client's capabilities as an entry; an empty object where it told none.
fn capabilities_entry<M: SerializeMap>(
    map: &mut M,
    name: &str,
    client: &Client,
) -> Result<(), M::Error> {
    match &client.capabilities {
        Some(capabilities) => map.serialize_entry(name, capabilities),
        None => map.serialize_entry(name, &Empty {}),
    }
}

/// The members of the caller's `_meta`, as entries of the one that is written.
fn meta_entries<M: SerializeMap>(map: &mut M, meta: Option<&Fragment>) -> Result<(), M::Error> {
    let Some(meta) = meta else { return Ok(()) };
    let json = Json::parse(meta.0.get()).map_err(M::Error::custom)?;
    for (name, value) in json.members() {
        let value: &RawValue = serde_json::from_str(value.text()).map_err(M::Error::custom)?;
        map.serialize_entry(name.as_ref(), value)?;
    }
    Ok(())
}

struct DiscoverParams<'a>(&'a Request<'a>);

impl Serialize for DiscoverParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut params = serializer.serialize_map(Some(1))?;
        params.serialize_entry("_meta", &DiscoverMeta(self.0))?;
        params.end()
    }
}

struct DiscoverMeta<'a>(&'a Request<'a>);

impl Serialize for DiscoverMeta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Request {
            version,
            client,
            log_level,
            ..
        } = self.0;
        let mut meta = serializer.serialize_map(None)?;
        meta.serialize_entry("io.modelcontextprotocol/protocolVersion", version)?;
        meta.serialize_entry("io.modelcontextprotocol/clientInfo", client)?;
        capabilities_entry(
            &mut meta,
            "io.modelcontextprotocol/clientCapabilities",
            client,
        )?;
        if let Some(level) = log_level {
            meta.serialize_entry("io.modelcontextprotocol/logLevel", level)?;
        }
        meta_entries(&mut meta, self.0.meta)?;
        meta.end()
    }
}

struct InitializeParams<'a>(&'a Request<'a>);

impl Serialize for InitializeParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Request {
            version, client, ..
        } = self.0;
        let mut params = serializer.serialize_map(None)?;
        params.serialize_entry("protocolVersion", version)?;
        capabilities_entry(&mut params, "capabilities", client)?;
        params.serialize_entry("clientInfo", client)?;
        if let Some(meta) = self.0.meta {
            params.serialize_entry("_meta", meta)?;
        }
        params.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(result: Result<Fragment, FragmentError>, problem: &str, offset: Option<usize>) {
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), problem);
        assert_eq!(error.offset, offset);
    }

    #[test]
    fn a_piece_of_json_that_does_not_fit_is_refused() {
        refused(
            Fragment::capabilities("[]"),
            "expected an object, found an array",
            None,
        );
        refused(
            Fragment::capabilities("{\"a\" 1}"),
            "expected ':' at byte 5",
            Some(5),
        );
        refused(
            Fragment::icons("{}"),
            "expected an array, found an object",
            None,
        );
        for icons in [
            r#"[{"src":"a"},{"sizes":[]}]"#,
            r#"[{"src":"a"},{"src":1}]"#,
        ] {
            refused(
                Fragment::icons(icons),
                "expected an object with a string member \"src\" at index 1",
                None,
            );
        }
        // Many servers would refuse the whole request for it.
        refused(
            Fragment::capabilities(r#"{"a":"\ud83d"}"#),
            "expected whole surrogate pairs, found a \\u escape that is half of one",
            None,
        );
        assert!(Fragment::capabilities(r#"{"a":"\ud83d\ude00 \\ud83d"}"#).is_ok());
    }

    #[test]
    fn the_protocols_own_keys_are_refused_in_meta() {
        for key in [
            "io.modelcontextprotocol/clientInfo",
            "io.modelcontextprotocol/anything",
            "io\\u002emodelcontextprotocol/x",
            "dev.mcp/x",
            "org.modelcontextprotocol.api/x",
            "com.mcp.tools/x",
        ] {
            assert!(
                Fragment::meta(&format!("{{\"{key}\":1}}")).is_err(),
                "{key}"
            );
        }
        for key in [
            "progressToken",
            "traceparent",
            "com.example/x",
            "com.example.mcp/x",
            "mcp",
            "",
        ] {
            assert!(Fragment::meta(&format!("{{\"{key}\":1}}")).is_ok(), "{key}");
        }
    }
}
