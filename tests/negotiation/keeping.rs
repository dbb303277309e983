//! What is handed over, and what was sent to it before.

use mcp_discover::core::negotiation::{Keep, Negotiation, Settings};
use mcp_discover::core::verdict::{Shutdown, Verdict};

use crate::script::{
    ANCIENT, EXIT, Event, LEGACY, MODERN, NEWER, NOTHING_BETTER, OLDER, SILENCE, STDOUT_CLOSED,
    TIME_IS_UP, Talk, discover_result, error, has_remark, initialize_result, outcome, refusal,
    says, says_late, says_unterminated, speaking, starts, unusable, without_fallback,
};

fn keeping(settings: Settings) -> Settings {
    Settings {
        keep: Keep::Process,
        ..settings
    }
}

fn over_a_transport() -> Settings {
    Settings {
        keep: Keep::Transport,
        ..starts(1)
    }
}

/// The outcome, and behind it what was not read of a server that was handed over.
#[track_caller]
fn check_talk(negotiation: Negotiation, script: &[Event], expected: &str) -> Verdict {
    let talk = Talk::of(negotiation).through(script);
    let verdict = talk.negotiation.into_verdict();
    let mut told = outcome(&verdict, &talk.sent);
    if let Some(unread) = &talk.unread {
        told += &format!(" | kept {:?}", String::from_utf8_lossy(unread));
    }
    assert_eq!(told, expected, "\n{script:#?}");
    verdict
}

#[track_caller]
fn check_with(settings: Settings, script: &[Event], expected: &str) -> Verdict {
    let is_process = settings.keep == Keep::Process;
    let verdict = check_talk(Negotiation::new(settings), script, expected);
    let last = verdict.processes.last().expect("a process");
    let is_kept = last.shutdown == Some(Shutdown::Kept);
    assert_eq!(is_kept, is_process && expected.contains("kept"));
    verdict
}

#[track_caller]
fn check(script: &[Event], expected: &str) -> Verdict {
    check_with(keeping(Settings::default()), script, expected)
}

#[track_caller]
fn check_prior(settings: Settings, prior: &Verdict, script: &[Event], expected: &str) -> Verdict {
    check_talk(Negotiation::with_prior(settings, prior), script, expected)
}

/// The verdict of a probe that went this way.
fn verdict(script: &[Event]) -> Verdict {
    Talk::run(Settings::default(), script).0
}

fn modern_verdict() -> Verdict {
    verdict(&[says(discover_result("discover-1", &[MODERN]))])
}

fn legacy_verdict() -> Verdict {
    verdict(&[
        says(error("discover-1", -32601)),
        says(initialize_result("initialize-1", LEGACY)),
    ])
}

#[test]
fn a_modern_server_is_handed_over_as_it_is() {
    check(
        &[says(discover_result("discover-1", &[MODERN]))],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 | kept """#,
    );
    check_with(
        keeping(speaking(&[NEWER, MODERN], &[LEGACY])),
        &[
            says(refusal("discover-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-10-01 discover-2@2026-07-28 | kept """#,
    );
}

#[test]
fn a_legacy_server_is_opened_in_a_process_that_has_seen_no_discover() {
    let opened = r#"initialize-1@2025-11-25 initialized | kept """#;
    for (answer, outcome) in [
        (error("discover-1", -32601), "error"),
        (unusable("discover-1"), "unusable"),
    ] {
        check(
            &[
                says(answer),
                says(initialize_result("initialize-1", LEGACY)),
            ],
            &format!(
                "legacy initialize 2025-11-25, confirmed, storable | {outcome}, result | discover-1@2026-07-28 / {opened}"
            ),
        );
    }
    for (end, outcome) in [(EXIT, "exit"), (STDOUT_CLOSED, "stdout_closed")] {
        check(
            &[end, says(initialize_result("initialize-1", LEGACY))],
            &format!(
                "legacy initialize 2025-11-25, confirmed | {outcome}, result | discover-1@2026-07-28 / {opened}"
            ),
        );
    }
    check(
        &[
            says(error(None::<&str>, -32700)),
            NOTHING_BETTER,
            says(initialize_result("initialize-1", OLDER)),
        ],
        r#"legacy initialize 2024-11-05, confirmed, storable | error, result | discover-1@2026-07-28 / initialize-1@2025-11-25 initialized | kept """#,
    );
}

#[test]
fn a_silent_server_is_asked_on_and_then_opened_anew() {
    let kept = check(
        &[
            SILENCE,
            says(initialize_result("initialize-1", LEGACY)),
            says(initialize_result("initialize-2", LEGACY)),
        ],
        r#"legacy initialize 2025-11-25, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25 initialized | kept """#,
    );
    assert_eq!(kept.processes[0].shutdown, Some(Shutdown::StdinClosed));
    // It was only slow, and is modern; what has seen initialize is not handed over.
    check(
        &[SILENCE, says(discover_result("discover-1", &[MODERN]))],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25 /  | kept """#,
    );
    // As late as in the end of its process.
    check(
        &[
            SILENCE,
            says(initialize_result("initialize-1", LEGACY)),
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, result | discover-1@2026-07-28 initialize-1@2025-11-25 /  | kept """#,
    );
}

#[test]
fn a_server_that_listed_a_legacy_version_is_opened_with_it() {
    for (named, era) in [(&[NEWER, OLDER][..], "modern"), (&[OLDER][..], "legacy")] {
        check(
            &[
                says(discover_result("discover-1", named)),
                says(initialize_result("initialize-1", OLDER)),
            ],
            &format!(
                r#"{era} initialize 2024-11-05, confirmed, storable | result, result | discover-1@2026-07-28 / initialize-1@2024-11-05 initialized | kept """#
            ),
        );
    }
    // The version of the connection is the one that was agreed on.
    check(
        &[
            says(discover_result("discover-1", &[OLDER])),
            says(initialize_result("initialize-1", LEGACY)),
        ],
        r#"legacy initialize 2025-11-25, confirmed, storable | result, result | discover-1@2026-07-28 / initialize-1@2024-11-05 initialized | kept """#,
    );
}

#[test]
fn a_server_that_proves_modern_on_initialize_is_started_anew() {
    check_with(
        keeping(speaking(&[NEWER, MODERN], &[LEGACY])),
        &[
            EXIT,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-10-01 / initialize-1@2025-11-25 discover-2@2026-07-28 /  | kept """#,
    );
}

#[test]
fn the_start_for_the_hand_over_comes_on_top() {
    check_with(
        keeping(starts(1)),
        &[
            says(error("discover-1", -32601)),
            says(initialize_result("initialize-1", LEGACY)),
            says(initialize_result("initialize-2", LEGACY)),
        ],
        r#"legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25 initialized | kept """#,
    );
    check_with(
        keeping(starts(1)),
        &[EXIT],
        "unknown give_up | exit, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn what_is_of_no_use_is_not_kept() {
    check(
        &[says(discover_result("discover-1", &[NEWER]))],
        "modern give_up, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check(
        &[says(error("discover-1", -32021))],
        "modern correct_request, confirmed, storable | error, not_asked | discover-1@2026-07-28",
    );
    check(
        &[EXIT, says(initialize_result("initialize-1", ANCIENT))],
        "legacy give_up, confirmed | exit, result | discover-1@2026-07-28 / initialize-1@2025-11-25",
    );
    check(
        &[
            says(error("discover-1", -32601)),
            says(error("initialize-1", -32601)),
        ],
        "unknown give_up | error, error | discover-1@2026-07-28 / initialize-1@2025-11-25",
    );
    check(
        &[SILENCE, TIME_IS_UP],
        "unknown give_up | silence, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

#[test]
fn without_fallback_no_initialize_is_sent() {
    check_with(
        keeping(without_fallback()),
        &[says(error("discover-1", -32601))],
        "legacy initialize 2025-11-25 | error, not_asked | discover-1@2026-07-28",
    );
    check_with(
        keeping(without_fallback()),
        &[says(discover_result("discover-1", &[OLDER]))],
        "legacy initialize 2024-11-05, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check_with(
        keeping(without_fallback()),
        &[says(discover_result("discover-1", &[MODERN]))],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 | kept """#,
    );
}

#[test]
fn a_verdict_stands_where_the_hand_over_fails() {
    for (event, outcome) in [
        (says(error("initialize-1", -32603)), "error"),
        (says(unusable("initialize-1")), "unusable"),
        (says(initialize_result("initialize-1", ANCIENT)), "result"),
        (EXIT, "exit"),
        (STDOUT_CLOSED, "stdout_closed"),
        (TIME_IS_UP, "silence"),
    ] {
        let verdict = check(
            &[says(discover_result("discover-1", &[OLDER])), event],
            &format!(
                "legacy initialize 2024-11-05, confirmed, storable | result, {outcome} | discover-1@2026-07-28 / initialize-1@2024-11-05"
            ),
        );
        assert!(has_remark(&verdict, "not_handed_over"));
    }
    // What proves it modern counts all the same.
    let verdict = check(
        &[
            says(discover_result("discover-1", &[OLDER])),
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-07-28 / initialize-1@2024-11-05 discover-2@2026-07-28",
    );
    assert!(has_remark(&verdict, "not_handed_over"));
    // The process that was started for it has no more time to be asked.
    let verdict = check(
        &[
            SILENCE,
            TIME_IS_UP,
            says_late(discover_result("discover-1", &[OLDER])),
        ],
        "legacy initialize 2024-11-05, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "not_handed_over"));
    // A modern one needs none.
    check(
        &[
            SILENCE,
            TIME_IS_UP,
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25 /  | kept """#,
    );
}

#[test]
fn what_stands_behind_the_answer_is_left_to_others() {
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let answer = discover_result("discover-1", &[MODERN]);
    let before = format!("ready\n{log}\n{answer}\n");
    for (behind, unread) in [
        (format!("{log}\n{log}"), format!("{log}\n{log}")),
        ("\n{".to_owned(), "\n{".to_owned()),
    ] {
        let all = format!("{before}{behind}");
        for at in 0..=all.len() {
            let mut talk = Talk::new(keeping(Settings::default()));
            let mut coming = [].iter();
            talk.tell(&says_unterminated(&all[..at]), &mut coming);
            let mut got = talk.unread.take();
            match &mut got {
                // What was not asked for yet is still in the pipe.
                Some(got) => got.extend_from_slice(&all.as_bytes()[at..]),
                None => {
                    talk.tell(&says_unterminated(&all[at..]), &mut coming);
                    got = talk.unread.take();
                }
            }
            assert_eq!(
                got.map(|bytes| String::from_utf8(bytes).unwrap()),
                Some(unread.clone()),
                "split at {at}"
            );
            let verdict = talk.negotiation.into_verdict();
            assert_eq!(verdict.processes[0].skipped_lines, 1, "split at {at}");
        }
    }
}

#[test]
fn what_stands_behind_the_answer_on_its_line_is_left_to_others() {
    let answer = discover_result("discover-1", &[MODERN]);
    let kept = r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 | kept "#;
    check(
        &[says(format!(r#"{answer} {{"a":1}}"#))],
        &format!(r#"{kept}"{{\"a\":1}}\n""#),
    );
    check_with(
        keeping(without_fallback()),
        &[
            says_unterminated(format!(r#"{answer}{{"jsonrpc""#)),
            TIME_IS_UP,
        ],
        &format!(r#"{kept}"{{\"jsonrpc\"""#),
    );
    check(&[says(format!("{answer} \r"))], &format!(r#"{kept}"""#));
}

#[test]
fn a_process_that_has_ended_by_then_is_replaced() {
    let mut negotiation = Negotiation::new(keeping(Settings::default()));
    negotiation.started();
    negotiation.next_step();
    negotiation.receive(format!("{}\n", discover_result("discover-1", &[MODERN])).as_bytes());
    let mut steps = Vec::new();
    for _ in 0..2 {
        steps.push(format!("{:?}", negotiation.next_step()));
        negotiation.ended(mcp_discover::core::negotiation::Ended::Exit);
        steps.push(format!("{:?}", negotiation.next_step()));
        negotiation.started();
    }
    assert_eq!(steps, ["HandOver", "Start", "HandOver", "Finish"]);
    assert!(has_remark(&negotiation.into_verdict(), "not_handed_over"));
}

#[test]
fn a_modern_verdict_from_before_spares_the_probe() {
    let mut prior = modern_verdict();
    prior.received_at = Some(7);
    let verdict = check_prior(
        keeping(Settings::default()),
        &prior,
        &[],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked |  | kept """#,
    );
    assert_eq!(verdict.received_at, Some(7));
    assert_eq!(verdict.discover, prior.discover);
    assert_eq!(verdict.processes.len(), 1);
}

#[test]
fn a_legacy_verdict_from_before_is_proved_by_initialize() {
    let verdict = check_prior(
        keeping(Settings::default()),
        &legacy_verdict(),
        &[says(initialize_result("initialize-1", OLDER))],
        r#"legacy initialize 2024-11-05, confirmed, storable | error, result | initialize-1@2025-11-25 initialized | kept """#,
    );
    assert!(!has_remark(&verdict, "stale_verdict"));
    assert!(verdict.initialize.unwrap().contains(OLDER));
    // A modern server that is spoken to in a legacy version stays modern.
    let prior = self::verdict(&[says(discover_result("discover-1", &[NEWER, OLDER]))]);
    check_prior(
        keeping(Settings::default()),
        &prior,
        &[says(initialize_result("initialize-1", OLDER))],
        r#"modern initialize 2024-11-05, confirmed, storable | result, result | initialize-1@2024-11-05 initialized | kept """#,
    );
}

#[test]
fn a_verdict_from_before_that_proves_wrong_leads_to_a_probe() {
    let now_modern = [says(discover_result("discover-1", &[MODERN]))];
    for event in [
        says(error("initialize-1", -32601)),
        says(refusal("initialize-1", &[MODERN])),
        says(unusable("initialize-1")),
        says(initialize_result("initialize-1", ANCIENT)),
        SILENCE,
        EXIT,
        STDOUT_CLOSED,
    ] {
        let script: Vec<Event> = [event].into_iter().chain(now_modern.clone()).collect();
        let verdict = check_prior(
            keeping(starts(1)),
            &legacy_verdict(),
            &script,
            r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | initialize-1@2025-11-25 / discover-1@2026-07-28 | kept """#,
        );
        assert!(has_remark(&verdict, "stale_verdict"));
        assert!(verdict.initialize_error.is_none() && verdict.discover_error.is_none());
    }
    // Such a probe has all the starts that there are.
    check_prior(
        keeping(Settings::default()),
        &legacy_verdict(),
        &[
            EXIT,
            says(error("discover-1", -32601)),
            says(initialize_result("initialize-2", LEGACY)),
        ],
        r#"legacy initialize 2025-11-25, confirmed, storable | error, result | initialize-1@2025-11-25 / discover-1@2026-07-28 / initialize-2@2025-11-25 initialized | kept """#,
    );
    check_prior(
        keeping(Settings::default()),
        &legacy_verdict(),
        &[TIME_IS_UP],
        "unknown give_up | not_asked, not_asked | initialize-1@2025-11-25",
    );
}

#[test]
fn a_verdict_from_before_that_these_settings_do_not_allow_is_as_good_as_none() {
    let probed = r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 | kept """#;
    let answer = [says(discover_result("discover-1", &[MODERN]))];
    let give_up = verdict(&[says(discover_result("discover-1", &[NEWER]))]);
    let correct = verdict(&[says(error("discover-1", -32020))]);
    let newer = Talk::run(
        speaking(&[NEWER], &[]),
        &[says(discover_result("discover-1", &[NEWER]))],
    );
    for prior in [give_up, correct, newer.0] {
        check_prior(keeping(Settings::default()), &prior, &answer, probed);
    }
    let settings = [
        keeping(speaking(&[MODERN], &[])),
        keeping(speaking(&[MODERN], &[OLDER])),
        keeping(without_fallback()),
    ];
    for settings in settings {
        check_prior(settings, &legacy_verdict(), &answer, probed);
    }
    // Where nothing is kept there is nothing to open.
    check_prior(
        Settings::default(),
        &modern_verdict(),
        &answer,
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn over_a_transport_nothing_is_asked_after_discover() {
    let transport = over_a_transport;
    check_with(
        transport(),
        &[says(discover_result("discover-1", &[MODERN]))],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 | kept """#,
    );
    check_with(
        transport(),
        &[says(error("discover-1", -32601))],
        "legacy initialize 2025-11-25 | error, not_asked | discover-1@2026-07-28",
    );
    check_with(
        transport(),
        &[TIME_IS_UP],
        "legacy initialize 2025-11-25 | silence, not_asked | discover-1@2026-07-28",
    );
    check_with(
        transport(),
        &[STDOUT_CLOSED],
        "unknown initialize 2025-11-25 | stdout_closed, not_asked | discover-1@2026-07-28",
    );
    check_with(
        transport(),
        &[says(discover_result("discover-1", &[OLDER]))],
        "legacy initialize 2024-11-05, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn over_a_new_transport_the_conclusion_is_proved() {
    for (first, began, storable) in [
        (says(error("discover-1", -32601)), "error", ", storable"),
        (TIME_IS_UP, "silence", ""),
        (STDOUT_CLOSED, "stdout_closed", ""),
    ] {
        let prior = Talk::new(over_a_transport()).through(&[first]);
        let prior = prior.negotiation.into_verdict();
        check_prior(
            over_a_transport(),
            &prior,
            &[says(initialize_result("initialize-1", LEGACY))],
            &format!(
                r#"legacy initialize 2025-11-25, confirmed{storable} | {began}, result | initialize-1@2025-11-25 initialized | kept """#
            ),
        );
        for (event, expected) in [
            (
                says(error("initialize-1", -32601)),
                "unknown give_up | not_asked, error | initialize-1@2025-11-25",
            ),
            (
                says(refusal("initialize-1", &[NEWER])),
                "modern give_up, confirmed | not_asked, error | initialize-1@2025-11-25",
            ),
            (
                STDOUT_CLOSED,
                "unknown give_up | not_asked, stdout_closed | initialize-1@2025-11-25",
            ),
            (
                TIME_IS_UP,
                "unknown give_up | not_asked, silence | initialize-1@2025-11-25",
            ),
        ] {
            check_prior(over_a_transport(), &prior, &[event], expected);
        }
    }
    check_prior(
        over_a_transport(),
        &modern_verdict(),
        &[],
        r#"modern use_modern 2026-07-28, confirmed, storable | result, not_asked |  | kept """#,
    );
}
