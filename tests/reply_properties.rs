//! Whatever a server writes, reading it never panics and never loses what is well formed; whatever a caller passes
//! in, a request is one line that reads back as it was meant. Judged against serde_json, which had no part in it.

use std::borrow::Cow;
use std::slice;

use mcp_discover::core::json::{Fault, Json, repair_surrogates};
use mcp_discover::core::negotiation::{Deadline, Negotiation, Settings, Step};
use mcp_discover::core::remark::Remarks;
use mcp_discover::core::reply::{self, Incoming, Open, Reply};
use mcp_discover::core::request::{Client, Fragment, Id, Method, Request};
use mcp_discover::core::result::CacheScope;
use mcp_discover::core::verdict::{ReadError, Verdict};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

// Texts

/// Numbers in every form that JSON has, and in some that it has not.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "0.5",
    "-0.0",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "0e0",
    "0.0e-0",
    "1.25E+2",
    "1e999",
    "-1e999",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "00",
    "01",
    "-01",
    "1.",
    ".5",
    "-",
    "-.5",
    "+1",
    "1e",
    "1e+",
    "1e+-5",
    "1.e5",
    "0x1",
    "1_0",
    "--1",
    "1.5.5",
    "1e5.5",
    "Infinity",
    "-Infinity",
    "NaN",
    "1f",
    "1 2",
];

/// Pieces of JSON and of what is almost JSON.
fn piece() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"a\":",
        "\"\"",
        "true",
        "false",
        "null",
        "nul",
        "True",
        " ",
        "\t",
        "\n",
        "\r",
        "\u{b}",
        "\u{a0}",
        "\u{feff}",
        "é",
        "😀",
        "\\u0041",
        "\\uD83D\\uDE00",
        "\\u12",
        "\\u+123",
        "\\x",
        "\\/",
        "\u{0}",
        "\u{1f}",
        "\u{7f}",
        "//",
        "'",
    ];
    prop_oneof![
        select(PIECES).prop_map(str::to_owned),
        select(NUMBERS).prop_map(str::to_owned),
        value().prop_map(|value| value.to_string()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A value as text, with white space of all kinds between its tokens.
fn spaced(value: &Value, space: &str) -> String {
    let join = |parts: Vec<String>| parts.join(&format!("{space},{space}"));
    match value {
        Value::Array(elements) => {
            let parts = elements.iter().map(|element| spaced(element, space));
            format!("[{space}{}{space}]", join(parts.collect()))
        }
        Value::Object(members) => {
            let parts = members.iter().map(|(name, value)| {
                format!("{}{space}:{space}{}", json!(name), spaced(value, space))
            });
            format!("{{{space}{}{space}}}", join(parts.collect()))
        }
        leaf => leaf.to_string(),
    }
}

/// A text with a few of its bytes removed, replaced, doubled or cut off, still UTF-8.
fn mutated(text: String) -> impl Strategy<Value = String> {
    vec((0..4, any::<Index>(), piece()), 0..4).prop_map(move |mutations| {
        let mut chars: Vec<char> = text.chars().collect();
        for (kind, at, piece) in mutations {
            let at = at.index(chars.len() + 1);
            match kind {
                0 => chars.truncate(at),
                1 if at < chars.len() => drop(chars.remove(at)),
                2 => drop(chars.splice(at..at, piece.chars())),
                _ if at < chars.len() => chars.insert(at, chars[at]),
                _ => {}
            }
        }
        chars.into_iter().collect()
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(piece(), 0..12).prop_map(|pieces| pieces.concat()),
        value()
            .prop_map(|value| value.to_string())
            .prop_flat_map(mutated),
        any::<String>(),
    ]
}

/// The inside of a string, as it may be written.
fn string_inside() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "\\n",
        "\\r",
        "\\t",
        "\\b",
        "\\f",
        "\\/",
        "\\\\",
        "\\\"",
        "\\u0000",
        "\\u0041",
        "\\u00e9",
        "\\uFFFF",
        "\\ud83d\\ude00",
        "\\uD83D",
        "\\ude00",
        "\\udbff",
        "\\\\ud83d",
        "ud83d",
    ];
    let part = prop_oneof![
        select(PARTS).prop_map(str::to_owned),
        "[^\"\\\\\u{0}-\u{1f}]{0,3}",
    ];
    vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn white_space_outside_strings(text: &str) -> bool {
    let (mut in_string, mut escaped) = (false, false);
    text.chars().any(|char| {
        match (in_string, char) {
            (true, _) if escaped => escaped = false,
            (true, '\\') => escaped = true,
            (_, '"') => in_string = !in_string,
            _ => {}
        }
        !in_string && char.is_whitespace()
    })
}

#[test]
fn numbers_are_read_exactly_as_serde_json_reads_them() {
    for number in NUMBERS {
        assert_eq!(Json::parse(number).is_ok(), is_json(number), "{number}");
        let Ok(ours) = Json::parse(number) else {
            continue;
        };
        // serde_json's own numbers end where doubles end.
        let Ok(theirs) = serde_json::from_str::<Value>(number) else {
            assert!(ours.as_f64().is_some_and(f64::is_infinite), "{number}");
            continue;
        };
        assert_eq!(ours.as_f64(), theirs.as_f64(), "{number}");
        if *number != "-0" {
            assert_eq!(ours.as_integer(), theirs.as_i64(), "{number}");
        }
    }
}

proptest! {
    #[test]
    fn a_text_is_json_for_us_if_it_is_for_serde_json(text in text()) {
        match Json::parse(&text) {
            Ok(json) => {
                prop_assert!(is_json(&text), "accepted {text:?}");
                prop_assert_eq!(json.text(), text.trim_matches([' ', '\t', '\n', '\r']));
            }
            Err(error) => {
                prop_assert!(!is_json(&text) || error.fault == Fault::TooDeep, "refused {text:?}: {error}");
                prop_assert!(error.offset <= text.len());
                prop_assert!(text.is_char_boundary(error.offset), "{error} in {text:?}");
            }
        }
    }

    #[test]
    fn a_value_is_walked_without_loss(value in value(), space in "[ \t\r\n]{0,2}") {
        fn rebuilt(json: Json<'_>) -> Value {
            use mcp_discover::core::json::Kind;
            match json.kind() {
                Kind::Object => Value::Object(json.members().map(|(name, value)| (name.into_owned(), rebuilt(value))).collect()),
                Kind::Array => json.elements().map(rebuilt).collect(),
                Kind::String => json.as_str().map(String::from).into(),
                Kind::Bool => json.as_bool().into(),
                Kind::Number => json.as_integer().map_or_else(|| json.as_f64().into(), Value::from),
                Kind::Null => Value::Null,
            }
        }
        let text = spaced(&value, &space);
        prop_assert_eq!(&rebuilt(Json::parse(&text).unwrap()), &value);
    }

    #[test]
    fn a_compact_text_means_the_same_on_one_line(value in value(), space in "[ \t\r\n]{0,2}") {
        let text = spaced(&value, &space);
        let compact = Json::parse(&text).unwrap().compact();
        prop_assert_eq!(serde_json::from_str::<Value>(&compact).unwrap(), value);
        prop_assert!(!white_space_outside_strings(&compact), "{}", compact);
    }

    #[test]
    fn a_string_is_unescaped_as_serde_json_does_it(inside in string_inside()) {
        let text = format!("\"{inside}\"");
        let ours = Json::parse(&text).unwrap().as_str().unwrap();
        match serde_json::from_str::<String>(&text) {
            Ok(theirs) => prop_assert_eq!(ours, theirs),
            Err(_) => prop_assert!(ours.contains('\u{fffd}'), "only lone surrogates differ: {text}"),
        }
    }

    #[test]
    fn repaired_strings_are_valid_and_valid_ones_stay(inside in string_inside()) {
        let text = format!("{{\"a\":[\"{inside}\"]}}");
        let repaired = repair_surrogates(&text);
        let theirs = serde_json::from_str::<Value>(&repaired);
        prop_assert!(theirs.is_ok(), "{}", repaired);
        let theirs = theirs.unwrap();
        prop_assert_eq!(repair_surrogates(&repaired), repaired.as_ref());
        if serde_json::from_str::<Value>(&text).is_ok() {
            prop_assert_eq!(repaired.as_ref(), &text);
        }
        let ours = Json::parse(&text).unwrap().members().next().unwrap().1.elements().next().unwrap();
        prop_assert_eq!(ours.as_str().unwrap(), theirs["a"][0].as_str().unwrap());
    }

    #[test]
    fn repairing_what_is_no_json_changes_no_length_and_ends(text in text(), inside in string_inside()) {
        for text in [&text, &inside, &format!("{inside}{text}"), &format!("{text}\\u{inside}")] {
            let repaired = repair_surrogates(text);
            prop_assert_eq!(repaired.len(), text.len());
            prop_assert_eq!(repair_surrogates(&repaired), repaired.as_ref());
        }
    }
}

// Replies

/// A member that is there in its right form, there in a wrong one, or not there.
#[derive(Debug, Clone)]
enum Field {
    Good(Value),
    Wrong(Value),
    Absent,
}

impl Field {
    fn value(&self) -> Option<&Value> {
        match self {
            Field::Good(value) | Field::Wrong(value) => Some(value),
            Field::Absent => None,
        }
    }

    fn good(&self) -> Option<&Value> {
        match self {
            Field::Good(value) => Some(value),
            _ => None,
        }
    }

    fn good_str(&self) -> Option<&str> {
        self.good()?.as_str()
    }
}

/// A field whose right values come from a strategy and are told by `is_right` from wrong ones.
fn field(
    right: impl Strategy<Value = Value> + 'static,
    is_right: fn(&Value) -> bool,
) -> BoxedStrategy<Field> {
    let wrong = value().prop_filter("of the right form", move |value| !is_right(value));
    prop_oneof![
        3 => right.prop_map(Field::Good),
        1 => wrong.prop_map(Field::Wrong),
        1 => Just(Field::Absent),
    ]
    .boxed()
}

fn text_field() -> BoxedStrategy<Field> {
    field(any::<String>().prop_map(Value::from), Value::is_string)
}

fn object_of(fields: Vec<(&'static str, BoxedStrategy<Field>)>) -> BoxedStrategy<Fields> {
    let (names, fields): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    fields
        .prop_map(move |fields| Fields(names.iter().copied().zip(fields).collect()))
        .boxed()
}

#[derive(Debug, Clone)]
struct Fields(Vec<(&'static str, Field)>);

impl Fields {
    fn get(&self, name: &str) -> &Field {
        let found = self.0.iter().find(|(other, _)| *other == name);
        &found.expect("a field of this name").1
    }

    fn to_value(&self) -> Value {
        let members = self
            .0
            .iter()
            .filter_map(|(name, field)| Some(((*name).to_owned(), field.value()?.clone())));
        Value::Object(members.collect())
    }
}

fn server_info() -> BoxedStrategy<Fields> {
    object_of(vec![
        ("name", text_field()),
        ("version", text_field()),
        ("title", text_field()),
        ("description", text_field()),
        ("websiteUrl", text_field()),
    ])
}

fn capability() -> BoxedStrategy<Field> {
    let flags = btree_map(
        select(&["listChanged", "subscribe", "other"][..]),
        any::<bool>(),
        0..3,
    )
    .prop_map(|flags| json!(flags));
    field(flags, Value::is_object)
}

fn capabilities() -> BoxedStrategy<Fields> {
    object_of(vec![
        ("tools", capability()),
        ("resources", capability()),
        ("prompts", capability()),
        ("completions", capability()),
        ("logging", capability()),
        ("extensions", capability()),
        ("experimental", capability()),
        ("newer", capability()),
    ])
}

/// A DiscoverResult that can be used; its nested objects are given apart.
fn discover_fields() -> BoxedStrategy<Fields> {
    let ttl = (0..=i64::MAX).prop_map(Value::from);
    let scope = select(&["public", "private"][..]).prop_map(Value::from);
    object_of(vec![
        ("instructions", text_field()),
        ("ttlMs", field(ttl, Value::is_number)),
        ("cacheScope", field(scope, Value::is_string)),
    ])
}

/// Members as the text of an object, in an order of the strategy's, with others between them, and with earlier
/// duplicates that do not count.
fn object_text(members: Vec<(String, Value)>) -> impl Strategy<Value = String> {
    let known: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let others = btree_map("x[a-z]{0,3}", value(), 0..3);
    let duplicates = vec((select(known), value()), 0..3);
    (Just(members), others, duplicates, "[ \t]{0,2}")
        .prop_flat_map(|(mut members, others, duplicates, space)| {
            members.extend(others);
            (Just(members).prop_shuffle(), Just(duplicates), Just(space))
        })
        .prop_map(|(members, duplicates, space)| {
            let parts: Vec<String> = duplicates
                .iter()
                .chain(&members)
                .map(|(name, value)| format!("{}{space}:{}", json!(name), spaced(value, &space)))
                .collect();
            format!("{{{}}}", parts.join(&format!(",{space}")))
        })
}

/// What a discover is answered with, and its parts.
#[derive(Debug, Clone)]
struct Sent {
    versions: Vec<Value>,
    fields: Fields,
    server: Fields,
    capabilities: Fields,
    reply: String,
}

fn discover_reply() -> impl Strategy<Value = Sent> {
    let some_version = prop_oneof![
        4 => select(&["2026-07-28", "2025-11-25", "2030-01-01"][..]).prop_map(Value::from),
        1 => value(),
    ];
    let versions =
        vec(some_version, 1..4).prop_filter("no version", |list| list.iter().any(Value::is_string));
    (
        versions,
        discover_fields(),
        server_info(),
        capabilities(),
        option::of(Just("complete")),
    )
        .prop_flat_map(|(versions, fields, server, capabilities, result_type)| {
            let mut members: Vec<(String, Value)> = vec![
                ("supportedVersions".to_owned(), json!(versions)),
                ("capabilities".to_owned(), capabilities.to_value()),
                (
                    "_meta".to_owned(),
                    json!({"io.modelcontextprotocol/serverInfo": server.to_value()}),
                ),
                // Always there, so that no duplicate before it counts.
                ("resultType".to_owned(), json!(result_type)),
            ];
            for (name, field) in &fields.0 {
                members.push((
                    (*name).to_owned(),
                    field.value().cloned().unwrap_or_default(),
                ));
            }
            let sent = Sent {
                versions,
                fields,
                server,
                capabilities,
                reply: String::new(),
            };
            (Just(sent), object_text(members))
        })
        .prop_flat_map(|(sent, result)| {
            let envelope = [
                r#""jsonrpc":"2.0""#.to_owned(),
                r#""id":"discover-1""#.to_owned(),
                format!(r#""result":{result}"#),
                r#""error":null"#.to_owned(),
            ];
            (Just(sent), Just(envelope.to_vec()).prop_shuffle())
        })
        .prop_map(|(sent, members)| Sent {
            reply: format!("{{{}}}", members.join(",")),
            ..sent
        })
}

fn open_discover() -> [Open<'static>; 1] {
    [Open {
        id: Some(Id::Text("discover-1".into())),
        method: Method::Discover,
    }]
}

/// The verdict on a server that writes these bytes and then says no more.
fn verdict_on<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Verdict {
    let mut negotiation = Negotiation::new(Settings::default());
    negotiation.started();
    while let Step::Send(_) = negotiation.next_step() {}
    for piece in pieces {
        negotiation.receive(piece);
    }
    negotiation.passed(Deadline::Total);
    negotiation.into_verdict()
}

/// Reads a verdict's JSON back, and checks that nothing was lost on the way.
fn read_back(verdict: &Verdict) -> Result<(), TestCaseError> {
    let json = verdict.to_json();
    prop_assert!(is_json(&json), "{}", json);
    let mut read = Verdict::from_json(&json)
        .map_err(|error| TestCaseError::fail(format!("{error} in {json}")))?;
    prop_assert_eq!(read.storable(), verdict.storable());
    prop_assert_eq!(read.to_json(), json.as_str());
    // Neither does it depend on the text that is kept.
    read.origin = None;
    prop_assert_eq!(read.to_json(), json);
    Ok(())
}

proptest! {
    #[test]
    fn no_well_formed_field_is_lost(sent in discover_reply()) {
        let (incoming, ..) =
            reply::read_first(&sent.reply, &open_discover(), &mut Remarks::default()).unwrap();
        let Incoming::Reply(0, Reply::Discover(result)) = incoming else {
            return Err(TestCaseError::fail(format!("{incoming:?}")));
        };
        let versions: Vec<&str> = sent.versions.iter().filter_map(Value::as_str).collect();
        prop_assert_eq!(&result.supported_versions, &versions);
        prop_assert_eq!(result.instructions.as_deref(), sent.fields.get("instructions").good_str());
        if let Some(ttl) = sent.fields.get("ttlMs").good() {
            prop_assert_eq!(result.ttl_ms, ttl.as_i64());
        }
        match sent.fields.get("cacheScope").good_str() {
            Some("public") => prop_assert_eq!(result.cache_scope, Some(CacheScope::Public)),
            Some(_) => prop_assert_eq!(result.cache_scope, Some(CacheScope::Private)),
            None => prop_assert_eq!(result.cache_scope, None),
        }
        let server = result.server.unwrap();
        for (name, ours) in [
            ("name", &server.name),
            ("version", &server.version),
            ("title", &server.title),
            ("description", &server.description),
            ("websiteUrl", &server.website_url),
        ] {
            prop_assert_eq!(ours.as_deref(), sent.server.get(name).good_str(), "{}", name);
        }
        let capabilities = result.capabilities.unwrap();
        let flag = |name: &str, flag: &str| {
            sent.capabilities.get(name).good().is_some_and(|value| value[flag] == true)
        };
        let offered = |name: &str| sent.capabilities.get(name).good().is_some();
        let names = |name: &str| -> Vec<String> {
            let members = sent.capabilities.get(name).good().and_then(Value::as_object);
            members.into_iter().flat_map(|members| members.keys().cloned()).collect()
        };
        prop_assert_eq!(capabilities.tools, offered("tools"));
        prop_assert_eq!(capabilities.tools_list_changed, flag("tools", "listChanged"));
        prop_assert_eq!(capabilities.resources, offered("resources"));
        prop_assert_eq!(capabilities.resources_subscribe, flag("resources", "subscribe"));
        prop_assert_eq!(capabilities.resources_list_changed, flag("resources", "listChanged"));
        prop_assert_eq!(capabilities.prompts, offered("prompts"));
        prop_assert_eq!(capabilities.prompts_list_changed, flag("prompts", "listChanged"));
        prop_assert_eq!(capabilities.completions, offered("completions"));
        prop_assert_eq!(capabilities.logging, offered("logging"));
        for (ours, name) in [(&capabilities.extensions, "extensions"), (&capabilities.experimental, "experimental")] {
            let ours: Vec<&str> = ours.iter().map(|(name, _)| name.as_ref()).collect();
            prop_assert_eq!(ours, names(name));
        }
        // Nothing at all is lost from the text.
        let raw: Value = serde_json::from_str(result.raw.text()).unwrap();
        let whole: Value = serde_json::from_str(&sent.reply).unwrap();
        prop_assert_eq!(&raw, &whole["result"]);
    }

    #[test]
    fn a_message_ends_or_is_refused_where_its_json_is(
        text in prop_oneof![discover_reply().prop_flat_map(|sent| mutated(sent.reply)), text()],
    ) {
        let json = Json::parse_first(&text);
        let message = reply::read_first(&text, &open_discover(), &mut Remarks::default());
        prop_assert_eq!(message.map(|(_, json, rest)| (json, rest)), json);
    }

    #[test]
    fn a_result_is_read_for_the_request_that_the_id_names(sent in discover_reply(), id_first in any::<bool>()) {
        let Value::Object(message) = serde_json::from_str(&sent.reply).unwrap() else { unreachable!() };
        let result = message["result"].to_string();
        let text = match id_first {
            true => format!(r#"{{"jsonrpc":"2.0","id":"discover-1","result":{result}}}"#),
            false => format!(r#"{{"result":{result},"id":"discover-1","jsonrpc":"2.0"}}"#),
        };
        let initialize = Open { id: Some(Id::Text("initialize-1".into())), method: Method::Initialize };
        let [discover] = open_discover();
        let (mut alone, mut beside) = (Remarks::default(), Remarks::default());
        let (expected, ..) = reply::read_first(&text, slice::from_ref(&discover), &mut alone).unwrap();
        let (found, ..) = reply::read_first(&text, &[initialize, discover.clone()], &mut beside).unwrap();
        let (Incoming::Reply(0, expected), Incoming::Reply(1, found)) = (expected, found) else {
            return Err(TestCaseError::fail(text));
        };
        prop_assert_eq!(found, expected);
        prop_assert_eq!(beside, alone);
    }

    #[test]
    fn a_broken_reply_panics_nowhere_and_ends_in_a_verdict(
        text in discover_reply().prop_flat_map(|sent| mutated(sent.reply)),
        at in any::<Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = text.into_bytes();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.push(b'\n');
        let whole = verdict_on([&bytes[..]]);
        prop_assert_eq!(&verdict_on(bytes.chunks(1)), &whole);
        let (head, tail) = bytes.split_at(at.index(bytes.len()));
        prop_assert_eq!(&verdict_on([head, tail]), &whole);
        read_back(&whole)?;
    }

    #[test]
    fn anything_else_panics_nowhere_either(bytes in vec(any::<u8>(), 0..200), text in text()) {
        for bytes in [&bytes[..], text.as_bytes()] {
            let whole = verdict_on([bytes]);
            prop_assert_eq!(&verdict_on(bytes.chunks(1)), &whole);
            read_back(&whole)?;
        }
    }

    #[test]
    fn a_broken_verdict_is_refused_at_a_place_or_read(
        text in discover_reply()
            .prop_map(|sent| verdict_on([format!("{}\n", sent.reply).as_bytes()]).to_json())
            .prop_flat_map(mutated),
    ) {
        match Verdict::from_json(&text) {
            Ok(read) => {
                prop_assert!(is_json(&read.to_json()));
                prop_assert_eq!(Verdict::from_json(&read.to_json()), Ok(read));
            }
            Err(ReadError::Syntax(error)) => prop_assert!(text.is_char_boundary(error.offset), "{error}"),
            Err(ReadError::Form { offset, problem }) => {
                prop_assert!(text.is_char_boundary(offset) && is_json(&text), "{}", problem);
            }
            Err(ReadError::OutOfMemory) => prop_assert!(false, "{}", text),
        }
    }

    #[test]
    fn noise_before_a_reply_hides_nothing_of_it(noise in vec(text(), 0..4), sent in discover_reply()) {
        let quiet = verdict_on([format!("{}\n", sent.reply).as_bytes()]);
        let mut lines = noise.iter().map(|line| line.replace('\n', " ")).collect::<Vec<_>>();
        lines.push(sent.reply);
        let noisy = verdict_on([format!("{}\n", lines.join("\n")).as_bytes()]);
        prop_assert_eq!(noisy.era, quiet.era);
        prop_assert_eq!(noisy.next, quiet.next);
        prop_assert_eq!(noisy.version, quiet.version);
        prop_assert_eq!(noisy.discover, quiet.discover);
    }
}

#[test]
fn a_message_nests_as_deeply_as_any_json_wherever_that_is() {
    for place in [
        "other",
        "supportedVersions",
        "capabilities",
        "_meta",
        "instructions",
    ] {
        for depth in 120..=130 {
            let value = "[".repeat(depth) + &"]".repeat(depth);
            let result =
                format!(r#"{{"supportedVersions":["2026-07-28"],"{place}":{{"a":{value}}}}}"#);
            let text = format!(r#"{{"jsonrpc":"2.0","id":"discover-1","result":{result}}}"#);
            let json = Json::parse_first(&text);
            let message = reply::read_first(&text, &open_discover(), &mut Remarks::default());
            assert_eq!(
                message.map(|(_, json, rest)| (json, rest)),
                json,
                "{place} {depth}"
            );
            assert_eq!(json.is_ok(), depth <= 125, "{place} {depth}");
        }
    }
}

// Requests

/// Texts that have tempted others to write more than one line.
fn hostile_text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\n",
        "\r\n",
        "\"",
        "\\",
        "\u{2028}",
        "\u{2029}",
        "\u{85}",
        "\0",
        "\u{1b}[0m",
        "}",
        "é",
        "😀",
    ];
    let piece = prop_oneof![select(PIECES).prop_map(str::to_owned), any::<String>()];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// Where some reader or other ends a line.
const BREAKS: [char; 8] = [
    '\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}', '\0',
];

fn client() -> impl Strategy<Value = (Client<'static>, Value)> {
    let text = hostile_text;
    let members = btree_map(text(), value(), 0..3).prop_map(|members| json!(members));
    (
        text(),
        text(),
        option::of(text()),
        option::of(text()),
        option::of(text()),
        option::of(members),
    )
        .prop_map(
            |(name, version, title, description, website_url, capabilities)| {
                let expected = json!({
                    "name": name, "version": version, "title": title, "description": description,
                    "websiteUrl": website_url, "capabilities": capabilities,
                });
                let fragment =
                    |value: &Value| Fragment::capabilities(&spaced(value, "\n")).unwrap();
                let client = Client {
                    name: name.into(),
                    version: version.into(),
                    title: title.map(Cow::Owned),
                    description: description.map(Cow::Owned),
                    website_url: website_url.map(Cow::Owned),
                    icons: None,
                    capabilities: capabilities.as_ref().map(fragment),
                };
                (client, expected)
            },
        )
}

fn id() -> impl Strategy<Value = Id<'static>> {
    prop_oneof![
        hostile_text().prop_map(|text| Id::Text(text.into())),
        any::<i64>().prop_map(Id::Integer),
    ]
}

/// The members that a client is made of, as they stand in a request.
fn without_absent(client: &Value) -> Value {
    let members = client.as_object().expect("an object").iter();
    let told = members.filter(|(name, value)| *name != "capabilities" && !value.is_null());
    Value::Object(
        told.map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

proptest! {
    #[test]
    fn a_request_is_one_line_that_says_what_was_meant(
        (client, expected) in client(),
        id in id(),
        version in hostile_text(),
        log_level in option::of(hostile_text()),
        meta in option::of(btree_map("[^/]*", value(), 0..4)),
    ) {
        let meta: Option<Map<String, Value>> = meta.map(|meta| meta.into_iter().collect());
        let fragment = meta.as_ref().map(|meta| {
            Fragment::meta(&spaced(&Value::Object(meta.clone()), " \n")).unwrap()
        });
        for method in [Method::Discover, Method::Initialize] {
            let request = Request {
                method, id: id.clone(), version: &version, client: &client,
                log_level: log_level.as_deref(), meta: fragment.as_ref(),
            };
            let line = request.to_json();
            prop_assert!(!line.contains(BREAKS), "{}", line);
            let message: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            prop_assert_eq!(&message["method"], method.name());
            match &id {
                Id::Text(text) => prop_assert_eq!(&message["id"], text.as_ref()),
                Id::Integer(number) => prop_assert_eq!(&message["id"], number),
            }
            let capabilities = match &expected["capabilities"] {
                Value::Null => json!({}),
                capabilities => capabilities.clone(),
            };
            let mut wanted = meta.clone().unwrap_or_default();
            let params = match method {
                Method::Discover => {
                    let mut insert = |name: &str, value: Value| {
                        wanted.insert(format!("io.modelcontextprotocol/{name}"), value);
                    };
                    insert("protocolVersion", json!(version));
                    insert("clientInfo", without_absent(&expected));
                    insert("clientCapabilities", capabilities);
                    if let Some(level) = &log_level {
                        insert("logLevel", json!(level));
                    }
                    json!({"_meta": wanted})
                }
                Method::Initialize => {
                    let mut params = json!({
                        "protocolVersion": version,
                        "clientInfo": without_absent(&expected),
                        "capabilities": capabilities,
                    });
                    if meta.is_some() {
                        params["_meta"] = Value::Object(wanted);
                    }
                    params
                }
            };
            prop_assert_eq!(&message["params"], &params);
        }
    }
}
