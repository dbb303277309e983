//! However the bytes of a conversation arrive, the verdict is the same.

use mcp_discover::core::negotiation::Settings;

use crate::script::{
    Event, LEGACY, MODERN, NEWER, NOTHING_BETTER, SILENCE, TIME_IS_UP, Talk, discover_result,
    error, initialize_result, outcome, refusal, says, says_unterminated, speaking, unusable,
};

/// Conversations, each with the settings it is held in.
fn conversations() -> Vec<(Settings, Vec<Event>)> {
    let two_versions = || speaking(&[NEWER, MODERN], &[LEGACY]);
    let default = Settings::default;
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\ud83d\ude00 \ud83d"}}"#;
    let modern = discover_result("discover-1", &[MODERN]);
    vec![
        (default(), vec![says(&modern)]),
        (default(), vec![says(format!("\u{feff}{modern}\r"))]),
        (
            default(),
            vec![says(format!("[{modern}]")), says("late noise")],
        ),
        (
            default(),
            vec![says(log), says("\u{1b}[1mhé\u{1b}[0m"), says(&modern)],
        ),
        (default(), vec![says(format!("{log}{modern}"))]),
        (default(), vec![says_unterminated(&modern), SILENCE]),
        (default(), vec![says(error(None::<&str>, 1)), says(&modern)]),
        (
            default(),
            vec![
                says(error(None::<&str>, -32700)),
                NOTHING_BETTER,
                says(initialize_result("initialize-1", LEGACY)),
            ],
        ),
        (
            default(),
            vec![
                says(error("discover-1", -32601)),
                says(unusable("initialize-1")),
                says(initialize_result("initialize-2", LEGACY)),
            ],
        ),
        (
            two_versions(),
            vec![
                says(refusal("discover-1", &[MODERN])),
                says(discover_result("discover-2", &[MODERN])),
            ],
        ),
        (
            two_versions(),
            vec![
                SILENCE,
                says(refusal("initialize-1", &[MODERN])),
                says(discover_result("discover-2", &[MODERN])),
            ],
        ),
        (
            default(),
            vec![SILENCE, says("{"), says("  \"id\":"), TIME_IS_UP],
        ),
    ]
}

/// All that the verdict tells, the text of the remarks included.
fn told(settings: &Settings, script: &[Event]) -> String {
    let (verdict, sent) = Talk::run(settings.clone(), script);
    format!("{}\n{}", outcome(&verdict, &sent), verdict.to_json())
}

/// The script with the bytes of each event in pieces.
fn in_pieces(script: &[Event], pieces: impl Fn(&[u8]) -> Vec<&[u8]>) -> Vec<Event> {
    let mut pieced = Vec::new();
    for event in script {
        match event {
            Event::Bytes(bytes) => {
                pieced.extend(pieces(bytes).into_iter().map(|p| Event::Bytes(p.to_vec())));
            }
            other => pieced.push(other.clone()),
        }
    }
    pieced
}

#[test]
fn a_message_split_at_any_byte_gives_the_same_verdict() {
    for (settings, script) in conversations() {
        let whole = told(&settings, &script);
        let longest = script.iter().map(|event| match event {
            Event::Bytes(bytes) => bytes.len(),
            _ => 0,
        });
        for at in 0..longest.max().unwrap_or(0) {
            let split = in_pieces(&script, |bytes| {
                let (head, tail) = bytes.split_at(at.min(bytes.len()));
                vec![head, tail]
            });
            assert_eq!(told(&settings, &split), whole, "split at {at}");
        }
    }
}

#[test]
fn one_byte_at_a_time_gives_the_same_verdict() {
    for (settings, script) in conversations() {
        let bytewise = in_pieces(&script, |bytes| bytes.chunks(1).collect());
        assert_eq!(told(&settings, &bytewise), told(&settings, &script));
    }
}

#[test]
fn noise_between_the_lines_changes_nothing_but_the_record_of_it() {
    let noise = [
        "",
        "ready",
        r#"{"level":"info"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        "[1, 2",
    ];
    for (settings, script) in conversations() {
        let (verdict, sent) = Talk::run(settings.clone(), &script);
        let quiet = outcome(&verdict, &sent);
        for line in noise {
            let mut noisy = Vec::new();
            for event in &script {
                noisy.push(says(line));
                noisy.push(event.clone());
            }
            let (verdict, sent) = Talk::run(settings.clone(), &noisy);
            assert_eq!(outcome(&verdict, &sent), quiet, "with {line:?}");
        }
    }
}

#[test]
fn bytes_that_are_not_utf8_cost_at_most_their_own_line() {
    let reply = discover_result("discover-1", &[MODERN]).replace("\"server\"", "\"s\u{e9}rver\"");
    let latin1: Vec<u8> = reply.chars().map(|c| c as u8).collect();
    let mut line = latin1;
    line.push(b'\n');
    let script = [
        Event::Bytes(b"\xff\xfe\x00\n\xc3\n".to_vec()),
        Event::Bytes(line),
    ];
    let (verdict, _) = Talk::run(Settings::default(), &script);
    let evidence = verdict.evidence();
    let server = evidence.server().expect("a server");
    assert_eq!(server.name.as_deref(), Some("s\u{fffd}rver"));
    assert_eq!(verdict.version.as_deref(), Some(MODERN));
}
