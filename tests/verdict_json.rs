//! The JSON form of a verdict: which members it has, in which order, that it is one line of valid JSON whatever the server
//! said, and that it reads back.

use std::ffi::{CStr, c_char};

use mcp_discover::capi::direction::mcpd_direction_name;
use mcp_discover::capi::era::mcpd_era_name;
use mcp_discover::capi::next::mcpd_next_name;
use mcp_discover::capi::outcome::mcpd_outcome_name;
use mcp_discover::capi::shutdown::mcpd_shutdown_name;
use mcp_discover::core::negotiation::{Deadline, Ended, Negotiation, ProcessEnd, Settings, Step};
use mcp_discover::core::remark::RemarkCode;
use mcp_discover::core::transcript::{Direction, Transcript};
use mcp_discover::core::verdict::{
    Exit, Next, Outcome, ReadError, Shutdown, Timing, Verdict, is_fresh,
};
use mcp_discover::core::version::Era;
use serde_json::{Value, json};

/// The members of the form, in order.
const MEMBERS: &[&str] = &[
    "schema",
    "era",
    "next",
    "version",
    "confirmed",
    "storable",
    "summary",
    "discoverOutcome",
    "initializeOutcome",
    "receivedAt",
    "supportedVersions",
    "server",
    "capabilities",
    "instructions",
    "ttlMs",
    "cacheScope",
    "discover",
    "initialize",
    "discoverError",
    "initializeError",
    "remarks",
    "processes",
    "timing",
];

/// Where some reader or other ends a line.
const BREAKS: [char; 5] = ['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}'];

/// A negotiation that waits for the answer to its discover.
fn asked() -> Negotiation {
    let mut negotiation = Negotiation::new(Settings::default());
    negotiation.started();
    while let Step::Send(_) = negotiation.next_step() {}
    negotiation
}

/// The verdict on a server that writes these lines, the next each time it has been asked something, and is ended then.
fn verdict_on(lines: &[&str]) -> Verdict {
    let mut negotiation = asked();
    for line in lines {
        negotiation.receive(line.as_bytes());
        negotiation.receive(b"\n");
        while let Step::Send(_) = negotiation.next_step() {}
    }
    negotiation.passed(Deadline::Total);
    negotiation.closing();
    negotiation.process_ended(ProcessEnd {
        exit: Some(Exit::Code(0)),
        shutdown: Shutdown::StdinClosed,
        had_time: true,
        stderr_tail: "ready\n\u{1b}[0m\u{0}".to_owned(),
        stderr_truncated: false,
    });
    negotiation.into_verdict()
}

/// The JSON form, after checking what is true of every one.
#[track_caller]
fn checked(verdict: &Verdict) -> Value {
    let json = verdict.to_json();
    assert!(!json.contains(BREAKS), "{json:?}");
    let value: Value = serde_json::from_str(&json).expect("valid JSON");
    assert_eq!(names_in_order(&json), MEMBERS);
    assert_eq!(value["schema"], 1);
    for name in [
        "era",
        "next",
        "summary",
        "discoverOutcome",
        "initializeOutcome",
    ] {
        assert!(value[name].is_string(), "{name}");
    }
    for name in ["confirmed", "storable"] {
        assert!(value[name].is_boolean(), "{name}");
    }
    for name in ["supportedVersions", "remarks", "processes"] {
        assert!(value[name].is_array(), "{name}");
    }
    assert!(value["timing"]["elapsedMs"].is_number());
    for remark in value["remarks"].as_array().expect("an array") {
        let members = remark.as_object().expect("an object");
        assert_eq!(members.len(), 2);
        assert!(remark["code"].is_string() && remark["text"].is_string());
    }
    let mut read = Verdict::from_json(&json).expect("what was just written");
    assert_eq!(read.to_json(), json);
    assert_eq!(read.storable(), verdict.storable());
    // The parts say the same as the text that is kept.
    read.origin = None;
    assert_eq!(read.to_json(), json);
    value
}

/// The names of the members of an object, in the order of the text.
fn names_in_order(text: &str) -> Vec<String> {
    let json = mcp_discover::core::json::Json::parse(text).expect("valid JSON");
    json.members().map(|(name, _)| name.into_owned()).collect()
}

#[test]
fn a_modern_server_fills_the_form() {
    let result = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25"],
        "capabilities": {"tools": {"listChanged": true}, "x": [1.0]},
        "instructions": "Ask.",
        "ttlMs": 3600000,
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {
            "name": "n", "version": "1", "title": "t", "websiteUrl": "https://example.com",
            "icons": [{"src": "data:,", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"}, {"src": "a"}],
        }},
        "unknown": null,
    });
    let reply = json!({"jsonrpc": "2.0", "id": "discover-1", "result": result}).to_string();
    let mut verdict = verdict_on(&[&reply]);
    verdict.received_at = Some(1_796_000_000_000);
    verdict.timing = Timing {
        elapsed_ms: 12.5,
        reply_ms: Some(9.25),
    };
    let value = checked(&verdict);
    let process = json!({
        "exit": {"code": 0},
        "shutdown": "stdin_closed",
        "bytesReceived": reply.len() + 1,
        "skippedLines": 0,
        "skippedSample": [],
        "stderrTail": "ready\n\u{1b}[0m\u{0}",
    });
    let expected = json!({
        "schema": 1,
        "era": "modern",
        "next": "use_modern",
        "version": "2026-07-28",
        "confirmed": true,
        "storable": true,
        "summary": value["summary"],
        "discoverOutcome": "result",
        "initializeOutcome": "not_asked",
        "receivedAt": 1_796_000_000_000_i64,
        "supportedVersions": ["2026-07-28", "2025-11-25"],
        "server": {
            "name": "n", "version": "1", "title": "t", "websiteUrl": "https://example.com",
            "icons": [{"src": "data:,", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"}, {"src": "a"}],
        },
        "capabilities": {"tools": {"listChanged": true}, "x": [1.0]},
        "instructions": "Ask.",
        "ttlMs": 3600000,
        "cacheScope": "public",
        "discover": result,
        "initialize": null,
        "discoverError": null,
        "initializeError": null,
        "remarks": [],
        "processes": [process],
        "timing": {"elapsedMs": 12.5, "replyMs": 9.25},
    });
    assert_eq!(value, expected);
}

#[test]
fn a_server_of_which_nothing_is_known_leaves_the_form_empty() {
    let value = checked(&verdict_on(&[]));
    for name in [
        "version",
        "receivedAt",
        "server",
        "capabilities",
        "instructions",
        "ttlMs",
        "cacheScope",
        "discover",
        "initialize",
        "discoverError",
        "initializeError",
    ] {
        assert!(value[name].is_null(), "{name}");
    }
    assert_eq!(value["era"], "unknown");
    assert_eq!(value["next"], "give_up");
    assert_eq!(value["discoverOutcome"], "silence");
    assert_eq!(value["supportedVersions"], json!([]));
    assert!(value["timing"]["replyMs"].is_null());
}

#[test]
fn a_legacy_server_is_shown_with_both_of_its_answers() {
    let error = json!({"code": -32601, "message": "Method not found", "data": {"method": "server/discover"}});
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"prompts": {}},
        "serverInfo": {"name": "n", "version": "1"},
        "instructions": "Ask.",
    });
    let verdict = verdict_on(&[
        &json!({"jsonrpc": "2.0", "id": "discover-1", "error": error}).to_string(),
        &json!({"jsonrpc": "2.0", "id": "initialize-1", "result": result}).to_string(),
    ]);
    let value = checked(&verdict);
    assert_eq!(value["era"], "legacy");
    assert_eq!(value["next"], "initialize");
    assert_eq!(value["version"], "2025-11-25");
    assert_eq!(value["storable"], true);
    assert_eq!(value["discoverError"], error);
    assert_eq!(value["initialize"], result);
    assert_eq!(value["discover"], Value::Null);
    assert_eq!(value["server"], result["serverInfo"]);
    assert_eq!(value["capabilities"], result["capabilities"]);
    assert_eq!(value["instructions"], "Ask.");
    assert_eq!(value["ttlMs"], Value::Null);
}

#[test]
fn a_refused_version_shows_what_the_server_speaks() {
    let error = json!({"code": -32022, "message": "no", "data": {"supported": ["2030-01-01"]}});
    let reply = json!({"jsonrpc": "2.0", "id": "discover-1", "error": error}).to_string();
    let value = checked(&verdict_on(&[&reply]));
    assert_eq!(value["supportedVersions"], json!(["2030-01-01"]));
    assert_eq!(value["discoverError"], error);
}

#[test]
fn each_end_of_a_process_has_its_form() {
    let ends = [
        (
            Some(Exit::Code(127)),
            Shutdown::Exited,
            json!({"code": 127}),
            "exited",
        ),
        (
            Some(Exit::Signal(15)),
            Shutdown::Terminated,
            json!({"signal": 15}),
            "terminated",
        ),
        (
            Some(Exit::Signal(9)),
            Shutdown::Killed,
            json!({"signal": 9}),
            "killed",
        ),
        (None, Shutdown::Abandoned, Value::Null, "abandoned"),
        (None, Shutdown::StdinClosed, Value::Null, "stdin_closed"),
    ];
    for (exit, shutdown, exit_form, shutdown_form) in ends {
        let mut negotiation = Negotiation::new(Settings {
            max_starts: 1,
            ..Settings::default()
        });
        negotiation.started();
        negotiation.receive(b"one\ntwo");
        negotiation.ended(Ended::Exit);
        negotiation.closing();
        negotiation.process_ended(ProcessEnd {
            exit,
            shutdown,
            had_time: true,
            stderr_tail: String::new(),
            stderr_truncated: false,
        });
        let value = checked(&negotiation.into_verdict());
        let process = json!({
            "exit": exit_form,
            "shutdown": shutdown_form,
            "bytesReceived": 7,
            "skippedLines": 2,
            "skippedSample": ["one", "two"],
            "stderrTail": "",
        });
        assert_eq!(value["processes"], json!([process]));
    }
}

#[test]
fn hostile_text_stays_inside_of_its_string() {
    // As it may stand in JSON text, and what it means.
    let texts = [
        (r"a\u0000b", "a\0b"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ude00\ud83d\ud83d\ude00", "\u{fffd}\u{fffd}😀"),
        (r#"\"},{\"schema\":2"#, r#""},{"schema":2"#),
        (r"\n\r\u2028\u2029\u0085", "\n\r\u{2028}\u{2029}\u{85}"),
        ("\u{2028}\u{2029}\u{85}", "\u{2028}\u{2029}\u{85}"),
        (r"\u001b[31m", "\u{1b}[31m"),
        ("\u{7f}\u{9b}\u{202e}", "\u{7f}\u{9b}\u{202e}"),
        (r"\\", "\\"),
        ("", ""),
    ];
    for (written, meant) in texts {
        let result = format!(
            r#"{{"supportedVersions":["2026-07-28","{written}"],"instructions":"{written}","capabilities":{{"{written}":"{written}"}},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"{written}","version":"{written}","title":"{written}"}}}}}}"#
        );
        let reply = format!(r#"{{"jsonrpc":"2.0","id":"discover-1","result":{result}}}"#);
        let value = checked(&verdict_on(&[&reply]));
        assert_eq!(value["era"], "modern");
        assert_eq!(value["instructions"], meant);
        assert_eq!(value["supportedVersions"][1], meant);
        assert_eq!(
            value["server"],
            json!({"name": meant, "version": meant, "title": meant})
        );
        assert_eq!(value["capabilities"], json!({meant: meant}));
        assert_eq!(value["discover"]["instructions"], meant);

        let error = format!(r#"{{"code":-32020,"message":"{written}","data":["{written}"]}}"#);
        let reply = format!(r#"{{"jsonrpc":"2.0","id":"discover-1","error":{error}}}"#);
        let foreign = format!(r#"{{"jsonrpc":"2.0","id":"{written}!","result":{{}}}}"#);
        let noise = format!("noise {meant}").replace('\n', " ");
        let value = checked(&verdict_on(&[&noise, &foreign, &reply]));
        assert_eq!(value["discoverError"]["message"], meant);
        assert_eq!(value["discoverError"]["data"][0], meant);
        assert_eq!(value["processes"][0]["skippedSample"][0], noise);

        let version = format!(
            r#"{{"jsonrpc":"2.0","id":"initialize-1","result":{{"protocolVersion":"{written}"}}}}"#
        );
        let value = checked(&verdict_on(&[
            r#"{"jsonrpc":"2.0","id":"discover-1","result":{}}"#,
            &version,
        ]));
        assert_eq!(value["initialize"]["protocolVersion"], meant);
    }
}

#[test]
fn white_space_between_the_servers_tokens_breaks_no_line() {
    let reply = "{\"jsonrpc\":\"2.0\",\r\"id\":\"discover-1\",\r\"result\":{\r\t\"supportedVersions\": [\r\"2026-07-28\"],\r\"capabilities\":\r{ \r}}}";
    let value = checked(&verdict_on(&[reply]));
    assert_eq!(
        value["discover"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    // A verdict is also made of texts that came by other ways than lines.
    let mut verdict = verdict_on(&[]);
    verdict.discover = Some("{\n  \"supportedVersions\": [\n    \"2026-07-28\"\n  ]\n}".into());
    verdict.discover_error = Some("{\n  \"code\": 1\n}".into());
    let value = checked(&verdict);
    assert_eq!(value["discoverError"], json!({"code": 1}));
}

#[test]
fn bytes_of_another_encoding_are_replaced() {
    let mut negotiation = asked();
    negotiation.receive(b"caf\xe9 \xff\n");
    negotiation.receive(b"{\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"instructions\":\"caf\xe9\"}}\n");
    let value = checked(&negotiation.into_verdict());
    assert_eq!(value["instructions"], "caf\u{fffd}");
    assert_eq!(
        value["processes"][0]["skippedSample"],
        json!(["caf\u{fffd} \u{fffd}"])
    );
}

#[test]
fn numbers_are_told_as_the_server_wrote_them() {
    let reply = r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"capabilities":{"a":1.0,"b":123456789012345678901234567890,"c":1e400},"ttlMs":60000.0}}"#;
    let json = verdict_on(&[reply]).to_json();
    assert!(json.contains(r#"{"a":1.0,"b":123456789012345678901234567890,"c":1e400}"#));
    assert!(json.contains(r#""ttlMs":60000,"#));
}

#[test]
fn an_error_is_an_object_even_if_the_server_sent_something_else() {
    for (error, expected) in [
        (
            r#""boom""#,
            json!({"code": 0, "message": "boom", "data": null}),
        ),
        ("5", json!({"code": 0, "message": null, "data": 5})),
        (
            r#"{"code":-32601,"extra":[1]}"#,
            json!({"code": -32601, "extra": [1]}),
        ),
    ] {
        let reply = format!(r#"{{"jsonrpc":"2.0","id":"discover-1","error":{error}}}"#);
        assert_eq!(checked(&verdict_on(&[&reply]))["discoverError"], expected);
    }
}

#[test]
fn an_error_that_nests_as_deeply_as_a_message_may_reads_back() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for (depth, is_kept) in [(126, true), (127, false)] {
        let error = deep(depth);
        let reply = format!(r#"{{"jsonrpc":"2.0","id":"discover-1","error":{error}}}"#);
        let json = verdict_on(&[&reply]).to_json();
        assert!(json.contains(r#""discoverError":{"code":0,"message":null,"data":"#));
        assert_eq!(json.contains(&error), is_kept, "{depth}");
        assert_eq!(Verdict::from_json(&json).unwrap().to_json(), json);
    }
}

#[test]
fn a_transcript_reads_back() {
    let mut verdict = verdict_on(&[]);
    verdict.transcript = Transcript::new(7);
    for (direction, bytes) in [
        (Direction::ToServer, &b"a\n"[..]),
        (Direction::FromServer, b"\xff\x1b"),
        (Direction::FromServer, b"too much"),
    ] {
        verdict.transcript.add(1.25, 0, direction, bytes);
    }
    let json = verdict.to_json();
    let mut read = Verdict::from_json(&json).unwrap();
    assert!(read.transcript.truncated);
    assert_eq!(read.transcript.entries[0], verdict.transcript.entries[0]);
    assert_eq!(
        read.transcript.entries[1].bytes,
        "\u{fffd}\u{1b}".as_bytes()
    );
    read.origin = None;
    assert_eq!(read.to_json(), json);
}

/// A stored verdict with what a later version may have changed; the text is written again as it is.
#[track_caller]
fn read(changes: &[(&str, Value)]) -> Verdict {
    let result =
        json!({"supportedVersions": ["2026-07-28"], "ttlMs": 1000, "cacheScope": "public"});
    let reply = json!({"jsonrpc": "2.0", "id": "discover-1", "result": result}).to_string();
    let mut value = checked(&verdict_on(&[&reply]));
    for (name, change) in changes {
        value[name] = change.clone();
    }
    let read = Verdict::from_json(&format!("{value:#}\r\n")).unwrap();
    assert_eq!(read.to_json(), value.to_string());
    read
}

#[test]
fn what_a_later_version_wrote_is_read_and_kept() {
    let later = read(&[
        ("schema", json!(2)),
        ("initializeOutcome", json!("deferred")),
        ("weather", json!({"sunny": true})),
        (
            "remarks",
            json!([{"code": "too_polite", "text": "Please?", "mood": 1}, {"code": "noise"}]),
        ),
        (
            "processes",
            json!([{"shutdown": "dissolved", "exit": {"oom": true}}, {"exit": {"code": 3}}, {}]),
        ),
        (
            "transcript",
            json!({"entries": [{"direction": "sideways", "text": "x"}]}),
        ),
    ]);
    assert_eq!((later.era, later.next), (Era::Modern, Next::UseModern));
    assert!(later.storable());
    assert_eq!(later.discover_outcome, Outcome::Result);
    assert_eq!(later.initialize_outcome, Outcome::Unrecognized);
    let remarks: Vec<_> = later
        .remarks
        .as_slice()
        .iter()
        .map(|r| (r.code, &*r.text))
        .collect();
    assert_eq!(
        remarks,
        [
            (RemarkCode::Unrecognized, "Please?"),
            (RemarkCode::Noise, "")
        ]
    );
    let ends: Vec<_> = later
        .processes
        .iter()
        .map(|p| (p.exit, p.shutdown))
        .collect();
    let expected = [
        (None, Some(Shutdown::Unrecognized)),
        (Some(Exit::Code(3)), None),
        (None, None),
    ];
    assert_eq!(ends, expected);
    assert_eq!(
        later.transcript.entries[0].direction,
        Direction::Unrecognized
    );
    assert_eq!(later.evidence().discover.unwrap().ttl_ms, Some(1000));
}

#[test]
fn what_is_read_is_the_same_however_its_json_is_laid_out() {
    let result =
        json!({"supportedVersions": ["2026-07-28"], "instructions": "\u{85}\u{2028}\u{2029}?"});
    let reply = json!({"jsonrpc": "2.0", "id": "discover-1", "result": result}).to_string();
    let json = format!("{:#}", checked(&verdict_on(&[&reply])));
    // Whatever another program's writer may have made of it.
    let laid_out = json
        .replace("\\u0085", "\u{85}")
        .replace("\\u2028", "\u{2028}")
        .replace('?', "\\ud83d");
    let read = Verdict::from_json(&laid_out).unwrap();
    assert_eq!(Verdict::from_json(&read.to_json()).as_ref(), Ok(&read));
    let discover = read.discover.unwrap();
    assert!(
        discover.contains(r#""\u0085\u2028\u2029\ufffd""#) && !discover.contains([' ', '\n']),
        "{discover}"
    );
}

#[test]
fn every_code_that_c_names_is_read() {
    fn assert_known<T: Copy + PartialEq>(
        in_c: extern "C" fn(i32) -> *const c_char,
        all: &[T],
        name: fn(T) -> &'static str,
    ) {
        for code in 0..1000 {
            // SAFETY: the function gives a static text.
            let c = unsafe { CStr::from_ptr(in_c(code)) }.to_str().unwrap();
            let not_in_json = c == "unrecognized" || c == "none";
            assert!(
                not_in_json || all.iter().any(|known| name(*known) == c),
                "{c}"
            );
        }
    }
    assert_known(mcpd_era_name, Era::ALL, Era::name);
    assert_known(mcpd_next_name, Next::ALL, Next::name);
    assert_known(mcpd_outcome_name, Outcome::ALL, Outcome::name);
    assert_known(mcpd_shutdown_name, Shutdown::ALL, Shutdown::name);
    assert_known(mcpd_direction_name, Direction::ALL, Direction::name);
}

#[test]
fn nobody_acts_on_what_only_a_later_version_understands() {
    assert!(read(&[]).storable());
    for (name, change) in [
        ("era", json!("postmodern")),
        ("next", json!("knock")),
        ("discoverOutcome", json!("shrug")),
        // Whoever wrote it knew why not.
        ("storable", json!(false)),
        ("storable", Value::Null),
        // It can't be by any version's rules.
        ("confirmed", json!(false)),
    ] {
        assert!(!read(&[(name, change)]).storable(), "{name}");
    }
    let later = read(&[("era", json!("postmodern")), ("next", json!("knock"))]);
    assert_eq!(
        (later.era, later.next),
        (Era::Unrecognized, Next::Unrecognized)
    );
}

#[test]
fn what_is_missing_is_absent() {
    let bare = Verdict::from_json(r#"{"schema":1,"era":"legacy","next":"initialize"}"#).unwrap();
    assert_eq!(
        (bare.era, bare.next, bare.version.as_deref()),
        (Era::Legacy, Next::Initialize, None)
    );
    assert_eq!(
        (bare.discover_outcome, bare.received_at),
        (Outcome::NotAsked, None)
    );
    assert!(!bare.storable() && bare.processes.is_empty() && bare.transcript.is_empty());
}

#[test]
fn what_is_no_verdict_is_refused_at_its_place() {
    for (text, offset, problem) in [
        ("", 0, "the JSON text ends too early"),
        ("{\"schema\":1", 11, "the JSON text ends too early"),
        ("{} x", 3, "expected the end of the text"),
        (" []", 1, "the verdict: expected an object, found an array"),
        ("{}", 0, "schema: expected 1, or a later one, found none"),
        (
            r#"{"schema":"1"}"#,
            10,
            "schema: expected an integer in range, found a string",
        ),
        (
            r#"{"schema":0}"#,
            10,
            "schema: expected 1, or a later one, found a number",
        ),
        (r#"{"schema":1}"#, 0, "era: expected a string, found none"),
        (
            r#"{"schema":1,"era":5}"#,
            18,
            "era: expected a string, found a number",
        ),
        (
            r#"{"schema":1,"era":"modern"}"#,
            0,
            "next: expected a string, found none",
        ),
    ] {
        let error = Verdict::from_json(text).unwrap_err();
        let at = match &error {
            ReadError::Syntax(error) => error.offset,
            ReadError::Form { offset, .. } => *offset,
            ReadError::OutOfMemory => panic!("{text}"),
        };
        assert_eq!(at, offset, "{text}: {error}");
        let message = error.to_string();
        assert!(
            message.starts_with(problem) && message.ends_with(&format!(" at byte {offset}")),
            "{message}"
        );
    }
    let head = r#"{"schema":1,"era":"modern","next":"give_up","#;
    for (tail, name, expected) in [
        (r#""version":1}"#, "version", "a string"),
        (r#""storable":"yes"}"#, "storable", "a boolean"),
        (r#""receivedAt":1.5}"#, "receivedAt", "an integer in range"),
        (
            r#""receivedAt":9223372036854775808}"#,
            "receivedAt",
            "an integer in range",
        ),
        (r#""receivedAt":"1"}"#, "receivedAt", "an integer in range"),
        (r#""discover":[]}"#, "discover", "an object"),
        (r#""discoverError":"boom"}"#, "discoverError", "an object"),
        (r#""remarks":{}}"#, "remarks", "an array"),
        (r#""remarks":[null]}"#, "remarks", "an object"),
        (
            r#""processes":[{"bytesReceived":-1}]}"#,
            "bytesReceived",
            "an integer in range",
        ),
        (
            r#""processes":[{"exit":{"code":2147483648}}]}"#,
            "code",
            "an integer in range",
        ),
        (
            r#""timing":{"elapsedMs":1e400}}"#,
            "elapsedMs",
            "a number in range",
        ),
        (
            r#""transcript":{"entries":[{"process":-1}]}}"#,
            "process",
            "an integer in range",
        ),
    ] {
        let error = Verdict::from_json(&format!("{head}{tail}"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("{name}: expected {expected}, found ")),
            "{error}"
        );
    }
}

#[test]
fn a_result_is_fresh_from_its_arrival_until_its_time_has_passed() {
    const NOW: i64 = 1_796_000_000_000;
    for (received, ttl, now, expected) in [
        (Some(NOW), Some(1000), NOW, true),
        (Some(NOW), Some(1000), NOW + 999, true),
        (Some(NOW), Some(1000), NOW + 1000, false),
        (Some(NOW), Some(0), NOW, false),
        (Some(NOW), None, NOW, false),
        (None, Some(1000), NOW, false),
        // The clock was set back.
        (Some(NOW), Some(1000), NOW - 1, false),
        (Some(NOW), Some(i64::MAX), NOW + 1, true),
        (Some(i64::MIN), Some(i64::MAX), i64::MAX, false),
        (Some(i64::MAX), Some(i64::MAX), i64::MIN, false),
        (Some(0), Some(i64::MAX), i64::MAX - 1, true),
    ] {
        assert_eq!(
            is_fresh(received, ttl, now),
            expected,
            "{received:?} {ttl:?} {now}"
        );
    }
}
