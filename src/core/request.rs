//! Builds the requests that a client opens with: `server/discover` and the legacy `initialize`.

use std::borrow::Cow;
use std::fmt;

use super::json::{Json, Kind, escape_line_breaks, needs_no_escape, repair_surrogates};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// An integer.
    Integer(i64),
}

impl Id<'_> {
    /// Whether a value is this id.
    pub fn is(&self, value: Json<'_>) -> bool {
        match self {
            Id::Text(id) => value.as_str().is_some_and(|text| text == *id),
            Id::Integer(id) => value.as_integer() == Some(*id),
        }
    }
}

/// Who the client says it is (`Implementation` in the schema).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client<'a> {
    /// The program's name.
    pub name: Cow<'a, str>,
    /// The program's version.
    pub version: Cow<'a, str>,
    /// A name for people.
    pub title: Option<Cow<'a, str>>,
    /// What the program does.
    pub description: Option<Cow<'a, str>>,
    /// The program's home page.
    pub website_url: Option<Cow<'a, str>>,
    /// The program's icons: a JSON array of objects with `src`.
    pub icons: Option<Fragment>,
    /// The client's capabilities: a JSON object.
    pub capabilities: Option<Fragment>,
}

impl Default for Client<'_> {
    /// This library.
    fn default() -> Self {
        Self::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
    }
}

impl<'a> Client<'a> {
    /// A client of this name and version.
    pub fn new(name: &'a str, version: &'a str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            version: Cow::Borrowed(version),
            title: None,
            description: None,
            website_url: None,
            icons: None,
            capabilities: None,
        }
    }

    /// The same with texts of its own.
    pub fn into_owned(self) -> Client<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Client {
            name: own(self.name),
            version: own(self.version),
            title: self.title.map(own),
            description: self.description.map(own),
            website_url: self.website_url.map(own),
            icons: self.icons,
            capabilities: self.capabilities,
        }
    }
}

/// A checked piece of JSON from the caller, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment(String);

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
        Ok((json, Self(json.compact().into_owned())))
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
    pub client: &'a Client<'a>,
    /// The least severe log messages wanted; only discover has a place for it.
    pub log_level: Option<&'a str>,
    /// Further members of `_meta`.
    pub meta: Option<&'a Fragment>,
}

impl Request<'_> {
    /// The request as one line of JSON, without the line feed.
    pub fn to_json(&self) -> String {
        let mut json = Writer::with_room(512);
        json.raw(r#"{"jsonrpc":"2.0","id":"#);
        match &self.id {
            Id::Text(text) => json.string(text),
            Id::Integer(number) => json.raw(&number.to_string()),
        }
        json.raw(r#","method":""#);
        json.raw(self.method.name());
        match self.method {
            Method::Discover => self.write_discover(&mut json),
            Method::Initialize => self.write_initialize(&mut json),
        }
        escape_line_breaks(json.0)
    }

    fn write_discover(&self, json: &mut Writer) {
        json.raw(r#"","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"#);
        json.string(self.version);
        json.raw(r#","io.modelcontextprotocol/clientInfo":"#);
        json.client(self.client);
        json.raw(r#","io.modelcontextprotocol/clientCapabilities":"#);
        json.raw(self.capabilities());
        json.optional(r#","io.modelcontextprotocol/logLevel":"#, self.log_level);
        // A fragment has no white space, so between its brackets are members or nothing.
        match self.meta.map(|meta| &meta.0[1..meta.0.len() - 1]) {
            None | Some("") => {}
            Some(members) => {
                json.raw(",");
                json.raw(members);
            }
        }
        json.raw("}}}");
    }

    fn write_initialize(&self, json: &mut Writer) {
        json.raw(r#"","params":{"protocolVersion":"#);
        json.string(self.version);
        json.raw(r#","capabilities":"#);
        json.raw(self.capabilities());
        json.raw(r#","clientInfo":"#);
        json.client(self.client);
        if let Some(meta) = self.meta {
            json.raw(r#","_meta":"#);
            json.raw(&meta.0);
        }
        json.raw("}}");
    }

    fn capabilities(&self) -> &str {
        let capabilities = self.client.capabilities.as_ref();
        capabilities.map_or("{}", |capabilities| &capabilities.0)
    }
}

/// JSON in the making. What is written around strings and fragments is fixed text, so nothing else needs a serializer.
struct Writer(String);

impl Writer {
    /// With room for so many bytes, which most requests do not exceed.
    fn with_room(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn string(&mut self, text: &str) {
        if needs_no_escape(text) {
            self.0.push('"');
            self.0.push_str(text);
            self.0.push('"');
        } else {
            // Serializing a string into memory has no way to fail.
            self.raw(&serde_json::to_string(text).unwrap_or_default());
        }
    }

    /// A member's name, with what stands around it, and its value, if there is one.
    fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(name);
            self.string(value);
        }
    }

    fn client(&mut self, client: &Client<'_>) {
        self.raw(r#"{"name":"#);
        self.string(&client.name);
        self.raw(r#","version":"#);
        self.string(&client.version);
        self.optional(r#","title":"#, client.title.as_deref());
        self.optional(r#","description":"#, client.description.as_deref());
        self.optional(r#","websiteUrl":"#, client.website_url.as_deref());
        if let Some(icons) = &client.icons {
            self.raw(r#","icons":"#);
            self.raw(&icons.0);
        }
        self.raw("}");
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
