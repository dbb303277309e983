//! The results that tell who a server is: `DiscoverResult` and the legacy `InitializeResult`.
//!
//! Reading is lenient: only what a verdict cannot do without is required, a member of the wrong type counts as
//! absent and costs a remark, and nothing that a server adds is a reason to refuse. `null` is absence.

use std::borrow::Cow;

use serde::Serialize;

use super::json::{Json, Kind};
use super::remark::{RemarkCode, Remarks};

/// The key of the server's identity in a result's `_meta`.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The answer to `server/discover`.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscoverResult<'a> {
    /// The result's type as sent.
    pub result_type: Option<Cow<'a, str>>,
    /// The versions the server speaks, in its order; at least one.
    pub supported_versions: Vec<Cow<'a, str>>,
    /// What the server can do.
    pub capabilities: Option<ServerCapabilities<'a>>,
    /// Who the server says it is.
    pub server: Option<Implementation<'a>>,
    /// How to use the server, for a language model.
    pub instructions: Option<Cow<'a, str>>,
    /// How long the result stays fresh, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// Who may share the result; an unknown scope is private.
    pub cache_scope: Option<CacheScope>,
    /// The result's `_meta`.
    pub meta: Option<Json<'a>>,
    /// The whole result.
    pub raw: Json<'a>,
}

/// The answer to `initialize`.
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeResult<'a> {
    /// The version the server chose.
    pub protocol_version: Cow<'a, str>,
    /// What the server can do.
    pub capabilities: Option<ServerCapabilities<'a>>,
    /// Who the server says it is.
    pub server: Option<Implementation<'a>>,
    /// How to use the server, for a language model.
    pub instructions: Option<Cow<'a, str>>,
    /// The result's `_meta`.
    pub meta: Option<Json<'a>>,
    /// The whole result.
    pub raw: Json<'a>,
}

/// Who may share a cached result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheScope {
    /// Anyone.
    Public,
    /// The same authorization context.
    Private,
}

impl CacheScope {
    /// The name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

/// What a server can do.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCapabilities<'a> {
    /// It offers tools.
    pub tools: bool,
    /// It tells when its list of tools changes.
    pub tools_list_changed: bool,
    /// It offers resources.
    pub resources: bool,
    /// It tells when a resource changes.
    pub resources_subscribe: bool,
    /// It tells when its list of resources changes.
    pub resources_list_changed: bool,
    /// It offers prompts.
    pub prompts: bool,
    /// It tells when its list of prompts changes.
    pub prompts_list_changed: bool,
    /// It completes arguments.
    pub completions: bool,
    /// It sends log messages.
    pub logging: bool,
    /// Its extensions, with their settings.
    pub extensions: Vec<Member<'a>>,
    /// What it can do outside of the standard.
    pub experimental: Vec<Member<'a>>,
    /// The whole object, unknown capabilities included.
    pub raw: Json<'a>,
}

/// A member of an object: its name and its value.
pub type Member<'a> = (Cow<'a, str>, Json<'a>);

/// Who a program says it is. Nobody has checked it: for display, logs and debugging only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Implementation<'a> {
    /// The program's name.
    pub name: Option<Cow<'a, str>>,
    /// The program's version.
    pub version: Option<Cow<'a, str>>,
    /// A name for people.
    pub title: Option<Cow<'a, str>>,
    /// What the program does.
    pub description: Option<Cow<'a, str>>,
    /// The program's home page.
    pub website_url: Option<Cow<'a, str>>,
    /// The program's icons.
    pub icons: Vec<Icon<'a>>,
}

/// An icon of a program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon<'a> {
    /// A URI, `data:` included.
    pub src: Cow<'a, str>,
    /// The picture's type, if it is not the source's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<Cow<'a, str>>,
    /// Sizes such as `48x48`, or `any`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Cow<'a, str>>,
    /// `light` or `dark`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<Cow<'a, str>>,
}

/// The object's member of this name; of duplicates the last, as JSON readers do it.
fn member<'a>(object: Json<'a>, name: &str) -> Option<Json<'a>> {
    let (_, value) = object.members().filter(|(key, _)| key == name).last()?;
    (!value.is_null()).then_some(value)
}

/// The string that a member is; a remark of this code where it is something else.
fn string<'a>(value: Json<'a>, code: RemarkCode, remarks: &mut Remarks) -> Option<Cow<'a, str>> {
    let string = value.as_str();
    if string.is_none() && !value.is_null() {
        remarks.note(code);
    }
    string
}

/// The value, if it is an object; a remark of this code where it is something else.
fn object<'a>(value: Json<'a>, code: RemarkCode, remarks: &mut Remarks) -> Option<Json<'a>> {
    let is_object = value.kind() == Kind::Object;
    if !is_object && !value.is_null() {
        remarks.note(code);
    }
    is_object.then_some(value)
}

impl<'a> DiscoverResult<'a> {
    /// Reads a result. None if it is unusable: of a type other than complete, or without a version;
    /// the remarks say which.
    pub fn read(raw: Json<'a>, remarks: &mut Remarks) -> Option<Self> {
        let mut result = Self {
            result_type: None,
            supported_versions: Vec::new(),
            capabilities: None,
            server: None,
            instructions: None,
            ttl_ms: None,
            cache_scope: None,
            meta: None,
            raw,
        };
        let mut result_type = None;
        let mut versions = None;
        let mut capabilities = None;
        let mut instructions = None;
        let mut ttl = None;
        let mut scope = None;
        let mut meta = None;
        let mut misplaced = None;
        for (name, value) in raw.members() {
            match name.as_ref() {
                "resultType" => result_type = Some(value),
                "supportedVersions" => versions = Some(value),
                "capabilities" => capabilities = Some(value),
                "instructions" => instructions = Some(value),
                "ttlMs" => ttl = Some(value),
                "cacheScope" => scope = Some(value),
                "_meta" => meta = Some(value),
                "serverInfo" => misplaced = Some(value),
                _ => {}
            }
        }
        result.result_type = read_result_type(result_type, remarks)?;
        result.supported_versions = read_versions(versions, remarks)?;
        result.capabilities = read_capabilities(capabilities, remarks);
        result.instructions = read_instructions(instructions, remarks);
        result.ttl_ms = read_ttl(ttl, remarks);
        result.cache_scope = read_cache_scope(scope, remarks);
        result.meta = read_meta(meta, remarks);
        let placed = result.meta.and_then(|meta| member(meta, SERVER_INFO));
        result.server = read_server(placed, misplaced, remarks);
        Some(result)
    }
}

impl<'a> InitializeResult<'a> {
    /// Reads a result. None if it is unusable for want of a protocol version.
    pub fn read(raw: Json<'a>, remarks: &mut Remarks) -> Option<Self> {
        let mut version = None;
        let mut capabilities = None;
        let mut server = None;
        let mut instructions = None;
        let mut meta = None;
        for (name, value) in raw.members() {
            match name.as_ref() {
                "protocolVersion" => version = value.as_str(),
                "capabilities" => capabilities = Some(value),
                "serverInfo" => server = Some(value),
                "instructions" => instructions = Some(value),
                "_meta" => meta = Some(value),
                _ => {}
            }
        }
        let Some(protocol_version) = version else {
            remarks.note(RemarkCode::MissingProtocolVersion);
            return None;
        };
        Some(Self {
            protocol_version,
            capabilities: read_capabilities(capabilities, remarks),
            server: read_server(server, None, remarks),
            instructions: read_instructions(instructions, remarks),
            meta: read_meta(meta, remarks),
            raw,
        })
    }
}

/// The type as sent; the outer none if it makes the result unusable.
fn read_result_type<'a>(
    value: Option<Json<'a>>,
    remarks: &mut Remarks,
) -> Option<Option<Cow<'a, str>>> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        remarks.note(RemarkCode::MissingResultType);
        return Some(None);
    };
    let complete = value
        .as_str()
        .filter(|result_type| result_type == "complete");
    if complete.is_none() {
        remarks.note(RemarkCode::UnknownResultType);
        return None;
    }
    Some(complete)
}

fn read_versions<'a>(value: Option<Json<'a>>, remarks: &mut Remarks) -> Option<Vec<Cow<'a, str>>> {
    let Some(list) = value.filter(|value| !value.is_null()) else {
        remarks.note(RemarkCode::MissingVersions);
        return None;
    };
    if list.kind() != Kind::Array {
        remarks.note(RemarkCode::MalformedVersions);
        return None;
    }
    if list.elements().next().is_none() {
        remarks.note(RemarkCode::EmptyVersions);
        return None;
    }
    let versions = strings(list, RemarkCode::MalformedVersions, remarks);
    (!versions.is_empty()).then_some(versions)
}

/// The strings of an array; a remark of this code if it holds anything else.
pub(super) fn strings<'a>(
    list: Json<'a>,
    code: RemarkCode,
    remarks: &mut Remarks,
) -> Vec<Cow<'a, str>> {
    let mut strings = Vec::new();
    for element in list.elements() {
        match element.as_str() {
            Some(string) => strings.push(string),
            None => remarks.note(code),
        }
    }
    strings
}

fn read_instructions<'a>(value: Option<Json<'a>>, remarks: &mut Remarks) -> Option<Cow<'a, str>> {
    string(value?, RemarkCode::MalformedInstructions, remarks)
}

fn read_meta<'a>(value: Option<Json<'a>>, remarks: &mut Remarks) -> Option<Json<'a>> {
    object(value?, RemarkCode::MalformedMeta, remarks)
}

fn read_ttl(value: Option<Json<'_>>, remarks: &mut Remarks) -> Option<i64> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        remarks.note(RemarkCode::MissingTtl);
        return None;
    };
    let Some(number) = value.as_f64() else {
        remarks.note(RemarkCode::MalformedTtl);
        return None;
    };
    // Integers are read as such: a double would round the large ones.
    let ttl = value.as_integer().unwrap_or_else(|| {
        if number >= i64::MAX as f64 {
            remarks.note(RemarkCode::HugeTtl);
        } else if number.is_finite() && number.fract() != 0.0 {
            remarks.note(RemarkCode::FractionalTtl);
        }
        number as i64
    });
    if number < 0.0 {
        remarks.note(RemarkCode::NegativeTtl);
    }
    Some(ttl.max(0))
}

fn read_cache_scope(value: Option<Json<'_>>, remarks: &mut Remarks) -> Option<CacheScope> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        remarks.note(RemarkCode::MissingCacheScope);
        return None;
    };
    match string(value, RemarkCode::MalformedCacheScope, remarks)?.as_ref() {
        "public" => Some(CacheScope::Public),
        "private" => Some(CacheScope::Private),
        _ => {
            remarks.note(RemarkCode::UnknownCacheScope);
            Some(CacheScope::Private)
        }
    }
}

/// The server's identity from its place, or else from the second choice.
fn read_server<'a>(
    placed: Option<Json<'a>>,
    misplaced: Option<Json<'a>>,
    remarks: &mut Remarks,
) -> Option<Implementation<'a>> {
    let mut read = |value: Option<Json<'a>>| {
        object(value?, RemarkCode::MalformedServerInfo, remarks)
            .map(|object| Implementation::read(object, remarks))
    };
    if let Some(server) = read(placed) {
        return Some(server);
    }
    let server = read(misplaced);
    match server {
        Some(_) => remarks.note(RemarkCode::MisplacedServerInfo),
        None => remarks.note(RemarkCode::MissingServerInfo),
    }
    server
}

impl<'a> Implementation<'a> {
    fn read(object: Json<'a>, remarks: &mut Remarks) -> Self {
        let mut server = Self::default();
        for (name, value) in object.members() {
            let mut text = || string(value, RemarkCode::MalformedServerInfo, remarks);
            match name.as_ref() {
                "name" => server.name = text(),
                "version" => server.version = text(),
                "title" => server.title = text(),
                "description" => server.description = text(),
                "websiteUrl" => server.website_url = text(),
                "icons" => server.icons = read_icons(value, remarks),
                _ => {}
            }
        }
        if server.name.is_none() || server.version.is_none() {
            remarks.note(RemarkCode::MalformedServerInfo);
        }
        server
    }
}

fn read_icons<'a>(value: Json<'a>, remarks: &mut Remarks) -> Vec<Icon<'a>> {
    if value.kind() != Kind::Array && !value.is_null() {
        remarks.note(RemarkCode::MalformedServerInfo);
    }
    let mut icons = Vec::new();
    for element in value.elements() {
        match Icon::read(element, remarks) {
            Some(icon) => icons.push(icon),
            None => remarks.note(RemarkCode::MalformedServerInfo),
        }
    }
    icons
}

impl<'a> Icon<'a> {
    fn read(object: Json<'a>, remarks: &mut Remarks) -> Option<Self> {
        let mut text = |name| {
            string(
                member(object, name)?,
                RemarkCode::MalformedServerInfo,
                remarks,
            )
        };
        Some(Self {
            src: text("src")?,
            mime_type: text("mimeType"),
            theme: text("theme"),
            sizes: member(object, "sizes").map_or_else(Vec::new, |sizes| {
                strings(sizes, RemarkCode::MalformedServerInfo, remarks)
            }),
        })
    }
}

fn read_capabilities<'a>(
    value: Option<Json<'a>>,
    remarks: &mut Remarks,
) -> Option<ServerCapabilities<'a>> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        remarks.note(RemarkCode::MissingCapabilities);
        return None;
    };
    object(value, RemarkCode::MalformedCapabilities, remarks)
        .map(|object| ServerCapabilities::read(object, remarks))
}

impl<'a> ServerCapabilities<'a> {
    fn read(raw: Json<'a>, remarks: &mut Remarks) -> Self {
        let mut capabilities = Self {
            tools: false,
            tools_list_changed: false,
            resources: false,
            resources_subscribe: false,
            resources_list_changed: false,
            prompts: false,
            prompts_list_changed: false,
            completions: false,
            logging: false,
            extensions: Vec::new(),
            experimental: Vec::new(),
            raw,
        };
        for (name, value) in raw.members() {
            let mut object = || object(value, RemarkCode::MalformedCapabilities, remarks);
            match name.as_ref() {
                "tools" => {
                    let tools = object();
                    capabilities.tools = tools.is_some();
                    capabilities.tools_list_changed = flag(tools, "listChanged", remarks);
                }
                "resources" => {
                    let resources = object();
                    capabilities.resources = resources.is_some();
                    capabilities.resources_subscribe = flag(resources, "subscribe", remarks);
                    capabilities.resources_list_changed = flag(resources, "listChanged", remarks);
                }
                "prompts" => {
                    let prompts = object();
                    capabilities.prompts = prompts.is_some();
                    capabilities.prompts_list_changed = flag(prompts, "listChanged", remarks);
                }
                "completions" => capabilities.completions = object().is_some(),
                "logging" => capabilities.logging = object().is_some(),
                "extensions" => capabilities.extensions = members(object()),
                "experimental" => capabilities.experimental = members(object()),
                _ => {}
            }
        }
        capabilities
    }
}

fn members(object: Option<Json<'_>>) -> Vec<Member<'_>> {
    object.map_or_else(Vec::new, |object| object.members().collect())
}

/// A capability's flag; absent means no.
fn flag(capability: Option<Json<'_>>, name: &str, remarks: &mut Remarks) -> bool {
    let Some(value) = capability.and_then(|object| member(object, name)) else {
        return false;
    };
    value.as_bool().unwrap_or_else(|| {
        remarks.note(RemarkCode::MalformedCapabilities);
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a DiscoverResult of one version and these members; gives it and the names of the remarks that none but
    /// these members cause.
    fn read(members: &str) -> (DiscoverResult<'_>, Vec<&'static str>) {
        let mut remarks = Remarks::default();
        let raw = Json::parse(members).unwrap();
        let result = DiscoverResult::read(raw, &mut remarks).unwrap();
        let names = remarks.as_slice().iter().map(|remark| remark.code.name());
        let caused = names.filter(|name| !name.starts_with("missing"));
        (result, caused.collect())
    }

    #[test]
    fn a_ttl_is_taken_from_whatever_number_it_is() {
        for (written, ttl, remarks) in [
            ("60000", Some(60_000), &[][..]),
            ("60000.0", Some(60_000), &[]),
            ("6e4", Some(60_000), &[]),
            ("0", Some(0), &[]),
            ("-0.0", Some(0), &[]),
            ("1.5", Some(1), &["fractional_ttl"]),
            ("-5", Some(0), &["negative_ttl"]),
            ("-0.5", Some(0), &["fractional_ttl", "negative_ttl"]),
            ("9223372036854775807", Some(i64::MAX), &[]),
            ("18446744073709551616", Some(i64::MAX), &["huge_ttl"]),
            ("1e21", Some(i64::MAX), &["huge_ttl"]),
            ("1e999", Some(i64::MAX), &["huge_ttl"]),
            ("-1e999", Some(0), &["negative_ttl"]),
            ("null", None, &[]),
            ("\"60\"", None, &["malformed_ttl"]),
            ("[60]", None, &["malformed_ttl"]),
        ] {
            let text = format!(r#"{{"supportedVersions":["v"],"ttlMs":{written}}}"#);
            let (result, caused) = read(&text);
            assert_eq!(result.ttl_ms, ttl, "{written}");
            assert_eq!(caused, remarks, "{written}");
        }
    }

    #[test]
    fn a_cache_scope_is_private_unless_it_is_public() {
        for (written, scope, remarks) in [
            ("\"public\"", Some(CacheScope::Public), &[][..]),
            ("\"private\"", Some(CacheScope::Private), &[]),
            (
                "\"shared\"",
                Some(CacheScope::Private),
                &["unknown_cache_scope"],
            ),
            ("1", None, &["malformed_cache_scope"]),
            ("null", None, &[]),
        ] {
            let text = format!(r#"{{"supportedVersions":["v"],"cacheScope":{written}}}"#);
            let (result, caused) = read(&text);
            assert_eq!(result.cache_scope, scope, "{written}");
            assert_eq!(caused, remarks, "{written}");
        }
    }

    #[test]
    fn a_server_is_known_by_its_place_or_else_by_the_second_choice() {
        const KEY: &str = r#""io.modelcontextprotocol/serverInfo""#;
        let placed = r#"{"name":"placed","version":"1"}"#;
        let body = r#""serverInfo":{"name":"body","version":"1"}"#;
        for (members, name, remarks) in [
            (
                format!(r#""_meta":{{{KEY}:{placed}}}"#),
                Some("placed"),
                &[][..],
            ),
            (
                format!(r#"{body},"_meta":{{{KEY}:{placed}}}"#),
                Some("placed"),
                &[],
            ),
            (body.to_owned(), Some("body"), &["misplaced_server_info"]),
            (
                format!(r#""_meta":null,{body}"#),
                Some("body"),
                &["misplaced_server_info"],
            ),
            (
                format!(r#""_meta":[],{body}"#),
                Some("body"),
                &["malformed_meta", "misplaced_server_info"],
            ),
            (
                format!(r#""_meta":{{{KEY}:"x"}},{body}"#),
                Some("body"),
                &["malformed_server_info", "misplaced_server_info"],
            ),
            (
                format!(r#""_meta":{{{KEY}:{{"name":7,"version":"1"}}}}"#),
                None,
                &["malformed_server_info"],
            ),
            (
                format!(r#""_meta":{{{KEY}:{{"name":"old","version":"1","name":"last"}}}}"#),
                Some("last"),
                &[],
            ),
            (String::from("\"_meta\":{}"), None, &[]),
        ] {
            let text = format!(r#"{{"supportedVersions":["v"],{members}}}"#);
            let (result, caused) = read(&text);
            let server = result.server.and_then(|server| server.name);
            assert_eq!(server.as_deref(), name, "{members}");
            assert_eq!(caused, remarks, "{members}");
        }
    }

    #[test]
    fn icons_without_a_source_are_left_out() {
        let text = r#"{"supportedVersions":["v"],"serverInfo":{"name":"n","version":"1","icons":[
            {"src":"a","mimeType":"image/png","sizes":["48x48",1],"theme":"dark"},{"sizes":[]},5,{"src":"b","theme":2}]}}"#;
        let icons = read(text).0.server.unwrap().icons;
        let sources: Vec<_> = icons.iter().map(|icon| icon.src.as_ref()).collect();
        assert_eq!(sources, ["a", "b"]);
        assert_eq!(icons[0].mime_type.as_deref(), Some("image/png"));
        assert_eq!(icons[0].sizes, ["48x48"]);
        assert_eq!(icons[0].theme.as_deref(), Some("dark"));
        assert_eq!(icons[1].theme, None);
    }
}
