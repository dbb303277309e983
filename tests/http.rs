//! Answers over HTTP and the verdict that each must get: the cases of `tests/http`, in the core and in a C program,
//! cut into pieces in any way.

mod workshop;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_discover::core::http::{Http, Outcome};
use mcp_discover::core::request::Client;
use mcp_discover::core::verdict::Verdict;
use mcp_discover::core::version::Preference;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use workshop::expectation::differs;
use workshop::{Workshop, in_repository};

const LIMIT: usize = 10 << 20;

fn cases() -> Vec<Value> {
    let text = fs::read(in_repository("tests/http/cases.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&text).unwrap();
    assert!(cases.len() > 100);
    cases
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?.iter();
    Some(list.map(|text| text.as_str().unwrap().to_owned()).collect())
}

fn body(response: &Value) -> Vec<u8> {
    match &response["body"] {
        Value::String(text) => text.clone().into_bytes(),
        json => json.to_string().into_bytes(),
    }
}

/// What came of a case.
#[derive(Debug, PartialEq)]
struct Seen {
    asked: Vec<String>,
    enough: bool,
    verdict: Value,
}

fn begin(options: &Value) -> Http {
    let versions = Preference::new(
        strings(&options["modernVersions"]),
        strings(&options["legacyVersions"]),
    );
    let limit = options["maxBodyBytes"].as_u64().unwrap_or(LIMIT as u64);
    Http::new(Client::default(), versions.unwrap(), limit as usize)
}

/// Plays a case; `cut` says where each body ends and goes on.
fn play(case: &Value, cut: impl Fn(&[u8]) -> Vec<usize>) -> Seen {
    let mut http = begin(&case["options"]);
    let mut asked = Vec::new();
    let responses = case["responses"].as_array().unwrap();
    for (i, response) in responses.iter().enumerate() {
        let headers = &http.post().headers;
        assert_eq!(headers[2].0, "MCP-Protocol-Version");
        asked.push(headers[2].1.to_string());
        let status = response["status"].as_u64().unwrap();
        http.answered(status as u16, response["contentType"].as_str());
        let body = body(response);
        let mut enough = false;
        let mut start = 0;
        for end in cut(&body).into_iter().chain([body.len()]) {
            enough = enough || http.feed(&body[start..end]);
            start = end;
        }
        match http.ended() {
            Outcome::Verdict(verdict) => {
                assert_eq!(i + 1, responses.len(), "{}: asked too little", case["name"]);
                let json = verdict.to_json();
                let read = Verdict::from_json(&json).unwrap();
                assert_eq!(read.to_json(), json);
                let verdict = serde_json::from_str(&json).unwrap();
                return Seen {
                    asked,
                    enough,
                    verdict,
                };
            }
            Outcome::AskAgain(again) => http = again,
        }
    }
    panic!("{}: asked too much", case["name"]);
}

/// What is not as the case expects it.
fn faults(case: &Value, seen: &Seen) -> String {
    let mut faults = String::new();
    let remarks: Vec<&str> = seen.verdict["remarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|remark| remark["code"].as_str().unwrap())
        .collect();
    let name = case["name"].as_str().unwrap();
    let mut fault = |text: String| writeln!(faults, "{name}: {text}").unwrap();
    differs("verdict", &case["expect"], &seen.verdict)
        .into_iter()
        .for_each(&mut fault);
    for (member, wanted) in [("remarks", true), ("noRemarks", false)] {
        for code in strings(&case[member]).unwrap_or_default() {
            if remarks.contains(&code.as_str()) != wanted {
                fault(format!("{member} {code}, seen {remarks:?}"));
            }
        }
    }
    if let Some(asked) = strings(&case["asked"])
        && asked != seen.asked
    {
        fault(format!("asked {:?}", seen.asked));
    }
    if let Some(enough) = case["enough"].as_bool()
        && enough != seen.enough
    {
        fault(format!("enough is {}", seen.enough));
    }
    faults
}

#[test]
fn every_case_gets_its_verdict() {
    let faults: String = cases()
        .iter()
        .map(|case| faults(case, &play(case, |_| Vec::new())))
        .collect();
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn byte_for_byte_the_verdict_is_the_same() {
    for case in cases() {
        let whole = play(&case, |_| Vec::new());
        assert_eq!(play(&case, |body| (0..body.len()).collect()), whole);
    }
}

#[test]
fn the_request_is_what_the_specification_wants() {
    let http = begin(&Value::Null);
    let headers: Vec<(&str, &str)> = http
        .post()
        .headers
        .iter()
        .map(|(name, value)| (*name, value.as_ref()))
        .collect();
    assert_eq!(
        headers,
        [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "server/discover"),
        ]
    );
    let body: Value = serde_json::from_str(&http.post().body).unwrap();
    assert_eq!(body["method"], "server/discover");
    assert_eq!(
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
}

#[test]
fn no_response_that_is_ended_early_proves_anything() {
    for content_type in ["application/json", "text/event-stream"] {
        let mut http = begin(&Value::Null);
        http.answered(200, Some(content_type));
        http.feed(b": still alive\n\n");
        let Outcome::Verdict(verdict) = http.ended() else {
            panic!("asked again");
        };
        assert_eq!(
            (verdict.era.name(), verdict.next.name()),
            ("unknown", "give_up")
        );
    }
}

/// The cases as a C program meets them, in one piece and in small ones.
#[test]
fn a_c_program_gets_the_same_verdicts() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["tests/c/http_json.c"]);
    let mut all = String::new();
    for case in cases() {
        let mut arguments = Vec::new();
        for (name, option) in [
            ("modernVersions", "--modern_versions"),
            ("legacyVersions", "--legacy_versions"),
        ] {
            let versions = strings(&case["options"][name]);
            let none = versions.as_ref().is_some_and(Vec::is_empty);
            let versions = versions.unwrap_or_default().into_iter();
            for version in versions.chain(none.then(|| "none".to_owned())) {
                arguments.extend([option.to_owned(), version]);
            }
        }
        if let Some(limit) = case["options"]["maxBodyBytes"].as_u64() {
            arguments.extend(["--max_body_bytes".to_owned(), limit.to_string()]);
        }
        let files = responses(&case, &workshop);
        for piece in ["1000000", "7"] {
            let seen = host(&workshop, &program, &arguments, piece, &files);
            all += &faults(&case, &seen);
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// Writes the responses of a case as files.
fn responses(case: &Value, workshop: &Workshop) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (i, response) in case["responses"].as_array().unwrap().iter().enumerate() {
        let content_type = response["contentType"].as_str().unwrap_or_default();
        let mut text = format!("{}\n{content_type}\n", response["status"]).into_bytes();
        text.extend(body(response));
        files.push(workshop.path(&format!("response-{i}")));
        fs::write(&files[i], text).unwrap();
    }
    files
}

fn host(
    workshop: &Workshop,
    program: &Path,
    options: &[String],
    piece: &str,
    files: &[PathBuf],
) -> Seen {
    let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
    arguments.extend(["--piece", piece]);
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = workshop.run(program, &arguments, None);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let behind = |start: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(start));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    Seen {
        asked: behind("asked "),
        enough: behind("enough ").last().unwrap() == "1",
        verdict: serde_json::from_str(text.lines().last().unwrap()).unwrap(),
    }
}

/// A stream of events that holds these messages, and comments and events of other types between them.
fn stream(messages: &[Value], ends: &[&str], breaks: bool) -> String {
    let mut ends = ends.iter().cycle();
    let mut stream = String::new();
    for message in messages {
        let text = match breaks {
            true => serde_json::to_string_pretty(message).unwrap(),
            false => message.to_string(),
        };
        let data = text.lines().map(|line| format!("data: {line}"));
        let other = [
            ": comment",
            "",
            "event: other",
            "data: {\"a\":1}",
            "",
            "id: 1",
        ]
        .map(str::to_owned);
        for line in other.into_iter().chain(data).chain([String::new()]) {
            stream += &line;
            stream += ends.next().unwrap();
        }
    }
    stream
}

fn judged(status: u16, content_type: &str, pieces: &[&[u8]]) -> Verdict {
    let mut http = begin(&Value::Null);
    http.answered(status, Some(content_type));
    for piece in pieces {
        http.feed(piece);
    }
    match http.ended() {
        Outcome::Verdict(verdict) => verdict,
        Outcome::AskAgain(_) => panic!("asked again"),
    }
}

fn reply() -> impl Strategy<Value = Value> {
    let result = vec(
        select(&["2026-07-28", "2025-11-25", "2027-01-01"][..]),
        0..3,
    )
    .prop_map(|versions| json!({"supportedVersions": versions, "capabilities": {}, "ttlMs": 5}));
    let error = select(&[-32020, -32021, -32601, -32000, 0][..])
        .prop_map(|code| json!({"code": code, "message": "no\r\n: data"}));
    prop_oneof![
        result.prop_map(|result| json!({"jsonrpc": "2.0", "id": "discover-1", "result": result})),
        error.prop_map(|error| json!({"jsonrpc": "2.0", "id": "discover-1", "error": error})),
    ]
}

/// The text in pieces that end at these places.
fn pieces<'a>(text: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    places.sort_unstable();
    places.push(text.len());
    let mut start = 0;
    places
        .into_iter()
        .map(|end| &text[std::mem::replace(&mut start, end)..end])
        .collect()
}

proptest! {
    /// Whether an answer comes as JSON or in a stream, with whatever line endings, broken and cut anywhere, does not matter.
    #[test]
    fn a_stream_and_json_say_the_same(
        reply in reply(),
        status in select(&[200_u16, 400, 404, 500][..]),
        ends in vec(select(&["\n", "\r", "\r\n"][..]), 1..8),
        breaks in any::<bool>(),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
        let plain = judged(status, "application/json", &[reply.to_string().as_bytes()]);
        // A lone carriage return before a line feed would be one ending, not two.
        let ends: Vec<&str> = match ends.contains(&"\r") && ends.contains(&"\n") {
            true => vec!["\r\n"],
            false => ends,
        };
        let stream = stream(&[notification, reply], &ends, breaks);
        let streamed = judged(status, "text/event-stream", &pieces(stream.as_bytes(), &cuts));
        prop_assert_eq!(plain.to_json(), streamed.to_json());
    }

    /// Nothing that a server sends makes it panic, and no cut changes the verdict.
    #[test]
    fn no_cut_changes_the_verdict(
        body in vec(
            prop_oneof![
                select(&["data: ", "data", ":", "event: x\n", "\n\n", "\r", "\r\n", "\u{feff}", "{", "[", "null", "\"",
                    r#"{"jsonrpc":"2.0","id":"discover-1","error":{"code":1,"message":"no"}}"#,
                    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32021,"message":"no"}}"#,
                ][..]).prop_map(|text| text.as_bytes().to_vec()),
                vec(any::<u8>(), 0..8),
            ],
            0..12,
        ),
        status in 200_u16..600,
        content_type in select(&["application/json", "text/event-stream", "text/html"][..]),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let body = body.concat();
        let whole = judged(status, content_type, &[&body]);
        prop_assert_eq!(judged(status, content_type, &pieces(&body, &cuts)), whole);
    }
}
