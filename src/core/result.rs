//! The results that tell who a server is: `DiscoverResult` and the legacy `InitializeResult`.
//!
//! Reading is lenient: only what a verdict cannot do without is required, a member of the wrong type counts as
//! absent and costs a remark, and nothing that a server adds is a reason to refuse. `null` is absence.

use std::borrow::Cow;

use serde::Serialize;

use super::json::{Field, Json, Reader};
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
#[derive(Debug, Clone, PartialEq, Default)]
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

impl<'a> DiscoverResult<'a> {
    /// Reads the result that the reader stands at. None if it is unusable: of a type other than complete, or without a
    /// version; the remarks say which.
    pub fn read(reader: &mut Reader<'a>, remarks: &mut Remarks) -> Option<Self> {
        let mut result_type = Field::Absent;
        let mut versions = Field::Absent;
        let mut capabilities = Field::Absent;
        let mut instructions = Field::Absent;
        let mut ttl = Field::Absent;
        let mut scope = Field::Absent;
        let mut meta = Field::Absent;
        let mut placed = Field::Absent;
        let mut misplaced = Field::Absent;
        let raw = reader.object_json(|reader, name| match name.as_ref() {
            "resultType" => result_type = reader.string(),
            "supportedVersions" => versions = Strings::read(reader),
            "capabilities" => capabilities = FoundCapabilities::read(reader),
            "instructions" => instructions = reader.string(),
            "ttlMs" => ttl = reader.number(),
            "cacheScope" => scope = reader.string(),
            "_meta" => {
                placed = Field::Absent;
                meta = reader.object_json(|reader, name| match name.as_ref() {
                    SERVER_INFO => placed = FoundServer::read(reader),
                    _ => reader.skip(),
                });
            }
            "serverInfo" => misplaced = FoundServer::read(reader),
            _ => reader.skip(),
        });
        Some(Self {
            result_type: conclude_result_type(result_type, remarks)?,
            supported_versions: conclude_versions(versions, remarks)?,
            capabilities: conclude_capabilities(capabilities, remarks),
            instructions: noted(instructions, RemarkCode::MalformedInstructions, remarks),
            ttl_ms: conclude_ttl(ttl, remarks),
            cache_scope: conclude_cache_scope(scope, remarks),
            meta: noted(meta, RemarkCode::MalformedMeta, remarks),
            server: conclude_server(placed, misplaced, remarks),
            raw: raw.right()?,
        })
    }
}

impl<'a> InitializeResult<'a> {
    /// Reads the result that the reader stands at. None if it is unusable for want of a protocol version.
    pub fn read(reader: &mut Reader<'a>, remarks: &mut Remarks) -> Option<Self> {
        let mut version = Field::Absent;
        let mut capabilities = Field::Absent;
        let mut server = Field::Absent;
        let mut instructions = Field::Absent;
        let mut meta = Field::Absent;
        let raw = reader.object_json(|reader, name| match name.as_ref() {
            "protocolVersion" => version = reader.string(),
            "capabilities" => capabilities = FoundCapabilities::read(reader),
            "serverInfo" => server = FoundServer::read(reader),
            "instructions" => instructions = reader.string(),
            "_meta" => meta = reader.object_json(|reader, _| reader.skip()),
            _ => reader.skip(),
        });
        let Field::Right(protocol_version) = version else {
            remarks.note(RemarkCode::MissingProtocolVersion);
            return None;
        };
        Some(Self {
            protocol_version,
            capabilities: conclude_capabilities(capabilities, remarks),
            server: conclude_server(server, Field::Absent, remarks),
            instructions: noted(instructions, RemarkCode::MalformedInstructions, remarks),
            meta: noted(meta, RemarkCode::MalformedMeta, remarks),
            raw: raw.right()?,
        })
    }
}

/// What is there; a remark of this code where it is something else.
fn noted<T>(field: Field<T>, code: RemarkCode, remarks: &mut Remarks) -> Option<T> {
    if let Field::Wrong = field {
        remarks.note(code);
    }
    field.right()
}

/// The type as sent; the outer none if it makes the result unusable.
fn conclude_result_type<'a>(
    field: Field<Cow<'a, str>>,
    remarks: &mut Remarks,
) -> Option<Option<Cow<'a, str>>> {
    match field {
        Field::Absent => {
            remarks.note(RemarkCode::MissingResultType);
            Some(None)
        }
        Field::Right(result_type) if result_type == "complete" => Some(Some(result_type)),
        Field::Right(_) | Field::Wrong => {
            remarks.note(RemarkCode::UnknownResultType);
            None
        }
    }
}

/// An array of strings.
#[derive(Default)]
pub(super) struct Strings<'a> {
    strings: Vec<Cow<'a, str>>,
    /// There is something else among them.
    others: bool,
}

impl<'a> Strings<'a> {
    pub(super) fn read(reader: &mut Reader<'a>) -> Field<Self> {
        let mut found = Self::default();
        let array = reader.array(|reader| match reader.string() {
            Field::Right(string) => found.strings.push(string),
            Field::Absent | Field::Wrong => found.others = true,
        });
        array.map(|()| found)
    }

    /// The strings; a remark of this code if there is anything else.
    pub(super) fn noted(self, code: RemarkCode, remarks: &mut Remarks) -> Vec<Cow<'a, str>> {
        if self.others {
            remarks.note(code);
        }
        self.strings
    }
}

fn conclude_versions<'a>(
    field: Field<Strings<'a>>,
    remarks: &mut Remarks,
) -> Option<Vec<Cow<'a, str>>> {
    let versions = match field {
        Field::Right(versions) => versions,
        Field::Absent => {
            remarks.note(RemarkCode::MissingVersions);
            return None;
        }
        Field::Wrong => {
            remarks.note(RemarkCode::MalformedVersions);
            return None;
        }
    };
    if versions.strings.is_empty() && !versions.others {
        remarks.note(RemarkCode::EmptyVersions);
    }
    let versions = versions.noted(RemarkCode::MalformedVersions, remarks);
    (!versions.is_empty()).then_some(versions)
}

fn conclude_ttl(field: Field<Json<'_>>, remarks: &mut Remarks) -> Option<i64> {
    if let Field::Absent = field {
        remarks.note(RemarkCode::MissingTtl);
    }
    let number = noted(field, RemarkCode::MalformedTtl, remarks)?;
    // Integers are read as such: a double would round the large ones.
    let (ttl, is_negative) = match number.as_integer() {
        Some(ttl) => (ttl, ttl < 0),
        None => {
            let number = number.as_f64()?;
            if number >= i64::MAX as f64 {
                remarks.note(RemarkCode::HugeTtl);
            } else if number.is_finite() && number.fract() != 0.0 {
                remarks.note(RemarkCode::FractionalTtl);
            }
            (number as i64, number < 0.0)
        }
    };
    if is_negative {
        remarks.note(RemarkCode::NegativeTtl);
    }
    Some(ttl.max(0))
}

fn conclude_cache_scope(field: Field<Cow<'_, str>>, remarks: &mut Remarks) -> Option<CacheScope> {
    if let Field::Absent = field {
        remarks.note(RemarkCode::MissingCacheScope);
    }
    match noted(field, RemarkCode::MalformedCacheScope, remarks)?.as_ref() {
        "public" => Some(CacheScope::Public),
        "private" => Some(CacheScope::Private),
        _ => {
            remarks.note(RemarkCode::UnknownCacheScope);
            Some(CacheScope::Private)
        }
    }
}

/// A server's identity as it was found.
struct FoundServer<'a> {
    server: Implementation<'a>,
    is_malformed: bool,
}

impl<'a> FoundServer<'a> {
    fn read(reader: &mut Reader<'a>) -> Field<Self> {
        let mut name = Field::Absent;
        let mut version = Field::Absent;
        let mut title = Field::Absent;
        let mut description = Field::Absent;
        let mut website_url = Field::Absent;
        let mut icons = Icons::default();
        let object = reader.object(|reader, member| match member.as_ref() {
            "name" => name = reader.string(),
            "version" => version = reader.string(),
            "title" => title = reader.string(),
            "description" => description = reader.string(),
            "websiteUrl" => website_url = reader.string(),
            "icons" => icons = Icons::read(reader),
            _ => reader.skip(),
        });
        let is_missing = |field: &Field<_>| !matches!(field, Field::Right(_));
        let is_wrong = |field: &Field<_>| matches!(field, Field::Wrong);
        object.map(|()| Self {
            is_malformed: is_missing(&name)
                || is_missing(&version)
                || [&title, &description, &website_url]
                    .into_iter()
                    .any(is_wrong)
                || icons.is_malformed,
            server: Implementation {
                name: name.right(),
                version: version.right(),
                title: title.right(),
                description: description.right(),
                website_url: website_url.right(),
                icons: icons.icons,
            },
        })
    }
}

/// The server's identity from its place, or else from the second choice.
fn conclude_server<'a>(
    placed: Field<FoundServer<'a>>,
    misplaced: Field<FoundServer<'a>>,
    remarks: &mut Remarks,
) -> Option<Implementation<'a>> {
    let mut conclude = |field| {
        let found: FoundServer<'a> = noted(field, RemarkCode::MalformedServerInfo, remarks)?;
        if found.is_malformed {
            remarks.note(RemarkCode::MalformedServerInfo);
        }
        Some(found.server)
    };
    if let Some(server) = conclude(placed) {
        return Some(server);
    }
    let server = conclude(misplaced);
    remarks.note(match server {
        Some(_) => RemarkCode::MisplacedServerInfo,
        None => RemarkCode::MissingServerInfo,
    });
    server
}

/// A program's icons as they were found.
#[derive(Default)]
struct Icons<'a> {
    icons: Vec<Icon<'a>>,
    is_malformed: bool,
}

impl<'a> Icons<'a> {
    fn read(reader: &mut Reader<'a>) -> Self {
        let mut found = Self::default();
        let array = reader.array(|reader| {
            let icon = Icon::read(reader, &mut found.is_malformed);
            found.is_malformed |= icon.is_none();
            found.icons.extend(icon);
        });
        found.is_malformed |= matches!(array, Field::Wrong);
        found
    }
}

impl<'a> Icon<'a> {
    /// Reads an icon; none if it has no source.
    fn read(reader: &mut Reader<'a>, is_malformed: &mut bool) -> Option<Self> {
        let mut src = Field::Absent;
        let mut mime_type = Field::Absent;
        let mut theme = Field::Absent;
        let mut sizes = Field::Absent;
        let _ = reader.object(|reader, name| match name.as_ref() {
            "src" => src = reader.string(),
            "mimeType" => mime_type = reader.string(),
            "theme" => theme = reader.string(),
            "sizes" => sizes = Strings::read(reader),
            _ => reader.skip(),
        });
        let is_wrong = |field: &Field<_>| matches!(field, Field::Wrong);
        *is_malformed |= is_wrong(&mime_type)
            || is_wrong(&theme)
            || match &sizes {
                Field::Right(sizes) => sizes.others,
                sizes => matches!(sizes, Field::Wrong),
            };
        Some(Self {
            src: src.right()?,
            mime_type: mime_type.right(),
            theme: theme.right(),
            sizes: sizes.right().unwrap_or_default().strings,
        })
    }
}

/// A server's capabilities as they were found.
#[derive(Default)]
struct FoundCapabilities<'a> {
    capabilities: ServerCapabilities<'a>,
    is_malformed: bool,
}

impl<'a> FoundCapabilities<'a> {
    fn read(reader: &mut Reader<'a>) -> Field<Self> {
        let mut found = ServerCapabilities::default();
        let mut is_malformed = false;
        let odd = &mut is_malformed;
        let object = reader.object_json(|reader, name| match name.as_ref() {
            "tools" => {
                (found.tools, [found.tools_list_changed]) = offered(reader, ["listChanged"], odd);
            }
            "resources" => {
                let flags = ["subscribe", "listChanged"];
                (
                    found.resources,
                    [found.resources_subscribe, found.resources_list_changed],
                ) = offered(reader, flags, odd);
            }
            "prompts" => {
                (found.prompts, [found.prompts_list_changed]) =
                    offered(reader, ["listChanged"], odd);
            }
            "completions" => (found.completions, []) = offered(reader, [], odd),
            "logging" => (found.logging, []) = offered(reader, [], odd),
            "extensions" => found.extensions = read_members(reader, odd),
            "experimental" => found.experimental = read_members(reader, odd),
            _ => reader.skip(),
        });
        object.map(|raw| Self {
            capabilities: ServerCapabilities { raw, ..found },
            is_malformed,
        })
    }
}

/// Reads one capability: whether it is there, and its flags, which are off where they are absent.
fn offered<const N: usize>(
    reader: &mut Reader<'_>,
    names: [&str; N],
    is_malformed: &mut bool,
) -> (bool, [bool; N]) {
    let mut flags = [Field::Absent; N];
    let object = reader.object(
        |reader, name| match names.iter().position(|flag| *flag == name) {
            Some(i) => flags[i] = reader.boolean(),
            None => reader.skip(),
        },
    );
    *is_malformed |= object == Field::Wrong || flags.contains(&Field::Wrong);
    let is_there = matches!(object, Field::Right(_));
    (is_there, flags.map(|flag| flag == Field::Right(true)))
}

fn read_members<'a>(reader: &mut Reader<'a>, is_malformed: &mut bool) -> Vec<Member<'a>> {
    let mut members = Vec::new();
    let object = reader.object(|reader, name| members.push((name, reader.value())));
    *is_malformed |= object == Field::Wrong;
    members
}

fn conclude_capabilities<'a>(
    field: Field<FoundCapabilities<'a>>,
    remarks: &mut Remarks,
) -> Option<ServerCapabilities<'a>> {
    if let Field::Absent = field {
        remarks.note(RemarkCode::MissingCapabilities);
    }
    let found = noted(field, RemarkCode::MalformedCapabilities, remarks)?;
    if found.is_malformed {
        remarks.note(RemarkCode::MalformedCapabilities);
    }
    Some(found.capabilities)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a DiscoverResult of one version and these members; gives it and the names of the remarks that none but
    /// these members cause.
    fn read(members: &str) -> (DiscoverResult<'_>, Vec<&'static str>) {
        let mut remarks = Remarks::default();
        let mut reader = Reader::new(members);
        let result = DiscoverResult::read(&mut reader, &mut remarks).unwrap();
        assert_eq!(reader.rest(), Ok(""));
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
    fn a_member_of_the_server_that_has_the_wrong_type_costs_a_remark_if_it_counts() {
        for (member, is_odd) in [
            (r#""title":null,"icons":null"#, false),
            (r#""title":5"#, true),
            (r#""icons":{}"#, true),
            (r#""icons":[5]"#, true),
            (r#""icons":[{"sizes":[]}]"#, true),
            (r#""icons":[{"src":"a","mimeType":1}]"#, true),
            (r#""icons":[{"src":"a","sizes":[1]}]"#, true),
            (r#""icons":[{"src":"a","sizes":"48x48"}]"#, true),
            (r#""icons":[{"src":"a","sizes":null,"theme":null}]"#, false),
            // Of duplicates the last one counts.
            (r#""title":5,"title":"t","icons":5,"icons":[]"#, false),
            (r#""title":"t","title":5"#, true),
        ] {
            let server = format!(r#"{{"name":"n","version":"1",{member}}}"#);
            let text =
                format!(r#"{{"supportedVersions":["v"],"_meta":{{"{SERVER_INFO}":{server}}}}}"#);
            let expected: &[&str] = match is_odd {
                true => &["malformed_server_info"],
                false => &[],
            };
            assert_eq!(read(&text).1, expected, "{member}");
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
