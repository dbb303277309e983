//! Each row of the verdict's table, by name, as data.

use crate::script::{
    ANCIENT, EXIT, Event, LEGACY, MODERN, NEWER, NOTHING_BETTER, OLDER, SILENCE, STDOUT_CLOSED,
    TIME_IS_UP, Talk, discover_result, error, has_remark, initialize_result, outcome, refusal,
    says, says_at_once, says_late, says_unterminated, speaking, starts, unusable, without_fallback,
};
use mcp_discover::core::negotiation::Settings;
use mcp_discover::core::verdict::Verdict;

#[track_caller]
fn check_with(settings: Settings, script: &[Event], expected: &str) -> Verdict {
    let (verdict, sent) = Talk::run(settings, script);
    assert_eq!(outcome(&verdict, &sent), expected, "\n{script:#?}");
    assert_eq!(
        verdict.processes.len(),
        sent.len(),
        "one record for each process"
    );
    assert!(
        verdict.summary.ends_with('.') && !verdict.summary.contains('\n'),
        "one sentence"
    );
    verdict
}

#[track_caller]
fn check(script: &[Event], expected: &str) -> Verdict {
    check_with(Settings::default(), script, expected)
}

// What an answer to discover means

#[test]
fn row_a_a_common_modern_version_is_used() {
    check(
        &[says(discover_result("discover-1", &[MODERN]))],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    // Whatever else is listed, and in whatever order.
    check(
        &[says(discover_result(
            "discover-1",
            &[OLDER, LEGACY, NEWER, MODERN],
        ))],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_a_the_clients_order_decides() {
    let both = [says(discover_result("discover-1", &[MODERN, NEWER]))];
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &both,
        "modern use_modern 2026-10-01, confirmed, storable | result, not_asked | discover-1@2026-10-01",
    );
    check_with(
        speaking(&[MODERN, NEWER], &[LEGACY]),
        &both,
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_b_modern_but_only_a_legacy_version_is_common() {
    check(
        &[says(discover_result("discover-1", &[NEWER, OLDER]))],
        "modern initialize 2024-11-05, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_c_modern_and_nothing_common() {
    check(
        &[says(discover_result("discover-1", &[NEWER]))],
        "modern give_up, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check(
        &[says(discover_result("discover-1", &[NEWER, ANCIENT]))],
        "modern give_up, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check(
        &[says(discover_result("discover-1", &["draft"]))],
        "modern give_up, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_d_legacy_versions_only() {
    check(
        &[says(discover_result("discover-1", &[OLDER, LEGACY]))],
        "legacy initialize 2025-11-25, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check(
        &[says(discover_result("discover-1", &[ANCIENT]))],
        "legacy give_up, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_e_discover_is_asked_again_with_the_version_that_the_server_named() {
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &[
            says(refusal("discover-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-10-01 discover-2@2026-07-28",
    );
}

#[test]
fn row_e_each_version_is_asked_with_once_more_and_then_it_ends() {
    check(
        &[
            says(refusal("discover-1", &[MODERN])),
            says(refusal("discover-2", &[MODERN])),
        ],
        "modern give_up, confirmed, storable | error, not_asked | discover-1@2026-07-28 discover-2@2026-07-28",
    );
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &[
            says(refusal("discover-1", &[NEWER, MODERN])),
            says(refusal("discover-2", &[NEWER, MODERN])),
            says(refusal("discover-3", &[NEWER, MODERN])),
        ],
        "modern give_up, confirmed, storable | error, not_asked | discover-1@2026-10-01 discover-2@2026-10-01 discover-3@2026-07-28",
    );
}

#[test]
fn row_e_a_failed_retry_ends_as_modern() {
    let failures = [
        (says(error("discover-2", -32601)), "error"),
        (says(unusable("discover-2")), "unusable"),
        (SILENCE, "error"),
        (TIME_IS_UP, "error"),
        (EXIT, "error"),
        (STDOUT_CLOSED, "error"),
    ];
    for (failure, outcome) in failures {
        let verdict = check(
            &[says(refusal("discover-1", &[MODERN])), failure],
            &format!(
                "modern give_up, confirmed, storable | {outcome}, not_asked | discover-1@2026-07-28 discover-2@2026-07-28"
            ),
        );
        assert!(has_remark(&verdict, "retry_failed"));
        // What proved it modern is what is kept.
        assert!(verdict.discover_error.unwrap().contains("-32022"));
    }
}

#[test]
fn row_f_a_refusal_counts_by_what_it_names() {
    let named = [
        (
            &[NEWER, OLDER][..],
            "modern initialize 2024-11-05, confirmed, storable",
        ),
        (&[NEWER], "modern give_up, confirmed, storable"),
        (
            &[LEGACY],
            "legacy initialize 2025-11-25, confirmed, storable",
        ),
        (&[ANCIENT], "legacy give_up, confirmed, storable"),
        (&[], "modern give_up, confirmed, storable"),
    ];
    for (versions, expected) in named {
        check(
            &[says(refusal("discover-1", versions))],
            &format!("{expected} | error, not_asked | discover-1@2026-07-28"),
        );
    }
    // No usable list at all.
    for data in [
        "null",
        "5",
        "{}",
        r#"{"supported": "2026-07-28"}"#,
        r#"{"supported": [1]}"#,
    ] {
        let message = format!(
            r#"{{"jsonrpc": "2.0", "id": "discover-1", "error": {{"code": -32022, "message": "no", "data": {data}}}}}"#
        );
        check(
            &[says(message)],
            "modern give_up, confirmed, storable | error, not_asked | discover-1@2026-07-28",
        );
    }
}

#[test]
fn row_g_a_modern_server_that_wants_another_request() {
    for code in [-32020, -32021] {
        check(
            &[says(error("discover-1", code))],
            "modern correct_request, confirmed, storable | error, not_asked | discover-1@2026-07-28",
        );
    }
}

#[test]
fn row_h_any_other_error_asks_initialize() {
    for code in [
        -32004, -32600, -32601, -32602, -32603, -32000, -32700, -32019, -32023, 0, 1,
    ] {
        let verdict = check(
            &[
                says(error("discover-1", code)),
                says(initialize_result("initialize-1", LEGACY)),
            ],
            "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25",
        );
        let kept = verdict.discover_error.expect("what it said is kept");
        assert!(kept.contains(&code.to_string()));
    }
}

#[test]
fn row_h_an_early_drafts_code_is_not_read_as_a_refusal() {
    let message = r#"{"jsonrpc": "2.0", "id": "discover-1", "error": {"code": -32004, "message": "no", "data": {"supported": ["2026-07-28"]}}}"#;
    check(
        &[
            says(message),
            says(initialize_result("initialize-1", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

#[test]
fn row_i_an_unusable_answer_asks_initialize() {
    let result = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":"discover-1",{result}}}"#);
    for answer in [
        r#""result":{}"#,
        r#""result":{"supportedVersions":[]}"#,
        r#""result":{"supportedVersions":"2026-07-28"}"#,
        r#""result":{"supportedVersions":[null,7]}"#,
        r#""result":{"resultType":"input_required","supportedVersions":["2026-07-28"]}"#,
        r#""result":{"resultType":5,"supportedVersions":["2026-07-28"]}"#,
        r#""result":[]"#,
        r#""result":null"#,
        r#""result":null,"error":null"#,
        r#""result":{"supportedVersions":["2026-07-28"]},"error":{"code":1,"message":""}"#,
        r#""other":1"#,
    ] {
        check(
            &[
                says(result(answer)),
                says(initialize_result("initialize-1", OLDER)),
            ],
            "legacy initialize 2024-11-05, confirmed, storable | unusable, result | discover-1@2026-07-28 initialize-1@2025-11-25",
        );
    }
    // `null` is absence.
    for answer in [
        r#""result":{"resultType":null,"supportedVersions":[null,"2026-07-28",7]},"error":null"#,
        r#""result":{"supportedVersions":["2026-07-28"],"_meta":null}"#,
    ] {
        check(
            &[says(result(answer))],
            "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
        );
    }
}

#[test]
fn row_j_silence_asks_initialize_and_goes_on_listening() {
    check(
        &[SILENCE, says(initialize_result("initialize-1", LEGACY))],
        "legacy initialize 2025-11-25, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    let verdict = check(
        &[SILENCE, says(discover_result("discover-1", &[MODERN]))],
        "modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "late_reply"));
}

#[test]
fn row_j_a_late_answer_that_tells_nothing_is_kept_and_waiting_goes_on() {
    for late in [error("discover-1", -32601), unusable("discover-1")] {
        let (verdict, _) = Talk::run(
            Settings::default(),
            &[
                SILENCE,
                says(late),
                says(initialize_result("initialize-1", LEGACY)),
            ],
        );
        assert!(verdict.storable(), "discover was answered after all");
        assert!(has_remark(&verdict, "late_reply"));
    }
}

#[test]
fn row_k_an_end_without_an_answer_asks_initialize_in_a_fresh_process() {
    for (end, outcome) in [(EXIT, "exit"), (STDOUT_CLOSED, "stdout_closed")] {
        check(
            &[end, says(initialize_result("initialize-1", LEGACY))],
            &format!(
                "legacy initialize 2025-11-25, confirmed | {outcome}, result | discover-1@2026-07-28 / initialize-1@2025-11-25"
            ),
        );
    }
}

#[test]
fn row_k_an_answer_before_the_end_is_what_counts() {
    check(
        &[
            says(error("discover-1", -32000)),
            EXIT,
            says(initialize_result("initialize-2", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25",
    );
    // The last line needs no line feed; nothing is asked of the process that is gone.
    for max_starts in [1, 2] {
        let last_words = [
            says_unterminated(error("discover-1", -32000)),
            EXIT,
            says(initialize_result("initialize-1", LEGACY)),
        ];
        check_with(
            starts(max_starts),
            &last_words[..1 + max_starts as usize],
            match max_starts {
                1 => "unknown give_up | error, not_asked | discover-1@2026-07-28",
                _ => {
                    "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 / initialize-1@2025-11-25"
                }
            },
        );
    }
    let verdict = check(
        &[
            says_unterminated(discover_result("discover-1", &[MODERN])),
            EXIT,
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    assert!(has_remark(&verdict, "unterminated_reply"));
    assert!(!has_remark(&verdict, "late_reply"));
}

#[test]
fn row_k_a_silence_stays_a_silence_when_the_process_ends_later() {
    check(
        &[
            SILENCE,
            EXIT,
            says(initialize_result("initialize-2", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25",
    );
}

// What an answer to initialize means

#[test]
fn row_l_the_version_of_the_initialize_result_has_to_be_the_clients() {
    for (version, expected) in [
        (OLDER, "legacy initialize 2024-11-05"),
        (ANCIENT, "legacy give_up"),
        (MODERN, "legacy give_up"),
        ("", "legacy give_up"),
    ] {
        check(
            &[SILENCE, says(initialize_result("initialize-1", version))],
            &format!(
                "{expected}, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25"
            ),
        );
    }
}

#[test]
fn row_m_a_refused_initialize_proves_a_modern_server() {
    let asked = "discover-1@2026-07-28 initialize-1@2025-11-25 discover-2@2026-07-28";
    check(
        &[
            SILENCE,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        &format!("modern use_modern 2026-07-28, confirmed, storable | result, error | {asked}"),
    );
    check(
        &[
            SILENCE,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[NEWER])),
        ],
        &format!("modern give_up, confirmed, storable | result, error | {asked}"),
    );
    // It is the answer to the first discover that comes, after all.
    check(
        &[
            SILENCE,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-1", &[MODERN])),
        ],
        &format!("modern use_modern 2026-07-28, confirmed, storable | result, error | {asked}"),
    );
    for end in [SILENCE, TIME_IS_UP, EXIT, STDOUT_CLOSED] {
        let (verdict, sent) = Talk::run(
            Settings::default(),
            &[SILENCE, says(refusal("initialize-1", &[MODERN])), end],
        );
        assert!(
            outcome(&verdict, &sent).starts_with("modern give_up, confirmed |"),
            "not storable, for discover was never answered: {}",
            outcome(&verdict, &sent)
        );
    }
}

#[test]
fn row_m_without_a_common_modern_version_it_counts_by_what_it_names() {
    let named = [
        (&[NEWER, OLDER][..], "modern initialize 2024-11-05"),
        (&[NEWER], "modern give_up"),
        (&[OLDER], "legacy initialize 2024-11-05"),
        (&[ANCIENT], "legacy give_up"),
        (&[], "modern give_up"),
    ];
    for (versions, expected) in named {
        check(
            &[SILENCE, says(refusal("initialize-1", versions))],
            &format!(
                "{expected}, confirmed | silence, error | discover-1@2026-07-28 initialize-1@2025-11-25"
            ),
        );
    }
}

#[test]
fn row_m_holds_in_a_fresh_process_too() {
    check(
        &[
            EXIT,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-07-28 / initialize-1@2025-11-25 discover-2@2026-07-28",
    );
}

#[test]
fn row_n_initialize_gets_an_error_that_only_modern_servers_have() {
    for code in [-32020, -32021] {
        check(
            &[
                says(error("discover-1", -32601)),
                says(error("initialize-1", code)),
            ],
            "modern correct_request, confirmed, storable | error, error | discover-1@2026-07-28 initialize-1@2025-11-25",
        );
    }
}

#[test]
fn row_o_a_failed_initialize_gets_a_fair_trial_in_a_fresh_process() {
    let failures = [
        says(error("initialize-1", -32602)),
        says(unusable("initialize-1")),
        EXIT,
        STDOUT_CLOSED,
    ];
    for failure in failures {
        check(
            &[
                says(error("discover-1", -32601)),
                failure,
                says(initialize_result("initialize-2", LEGACY)),
            ],
            "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25",
        );
    }
}

#[test]
fn row_p_no_start_is_left() {
    let failures = [
        (says(error("initialize-1", -32602)), "error"),
        (says(unusable("initialize-1")), "unusable"),
        (EXIT, "exit"),
        (STDOUT_CLOSED, "stdout_closed"),
    ];
    for (failure, outcome) in failures {
        check_with(
            starts(1),
            &[says(error("discover-1", -32601)), failure],
            &format!(
                "unknown give_up | error, {outcome} | discover-1@2026-07-28 initialize-1@2025-11-25"
            ),
        );
    }
    check_with(
        starts(1),
        &[EXIT],
        "unknown give_up | exit, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn row_p_a_process_that_saw_no_discover_was_the_fair_trial() {
    let failures = [
        (says(error("initialize-1", -32602)), "error"),
        (says(unusable("initialize-1")), "unusable"),
        (EXIT, "exit"),
        (STDOUT_CLOSED, "stdout_closed"),
    ];
    for max_starts in [2, 3] {
        for (failure, outcome) in failures.clone() {
            check_with(
                starts(max_starts),
                &[EXIT, failure],
                &format!(
                    "unknown give_up | exit, {outcome} | discover-1@2026-07-28 / initialize-1@2025-11-25"
                ),
            );
        }
    }
}

#[test]
fn row_q_silence_to_the_end() {
    check(
        &[SILENCE, TIME_IS_UP],
        "unknown give_up | silence, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    check(
        &[EXIT, TIME_IS_UP],
        "unknown give_up | exit, silence | discover-1@2026-07-28 / initialize-1@2025-11-25",
    );
    // All of the time passed at once, as on a machine that slept.
    check(
        &[TIME_IS_UP],
        "unknown give_up | silence, not_asked | discover-1@2026-07-28",
    );
}

// Other clients

#[test]
fn without_fallback_no_initialize_is_sent() {
    let nothing_proved = [
        (
            says(error("discover-1", -32601)),
            "legacy initialize 2025-11-25 | error",
        ),
        (
            says(unusable("discover-1")),
            "legacy initialize 2025-11-25 | unusable",
        ),
        (SILENCE, "legacy initialize 2025-11-25 | silence"),
        (TIME_IS_UP, "legacy initialize 2025-11-25 | silence"),
        (EXIT, "unknown initialize 2025-11-25 | exit"),
        (
            STDOUT_CLOSED,
            "unknown initialize 2025-11-25 | stdout_closed",
        ),
    ];
    for (event, expected) in nothing_proved {
        check_with(
            without_fallback(),
            &[event],
            &format!("{expected}, not_asked | discover-1@2026-07-28"),
        );
    }
    check_with(
        without_fallback(),
        &[says(discover_result("discover-1", &[LEGACY]))],
        "legacy initialize 2025-11-25, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check_with(
        without_fallback(),
        &[says(refusal("discover-1", &[MODERN])), TIME_IS_UP],
        "modern give_up, confirmed, storable | error, not_asked | discover-1@2026-07-28 discover-2@2026-07-28",
    );
}

#[test]
fn a_modern_only_client_never_sends_initialize() {
    let legacy_server = [
        (says(error("discover-1", -32601)), "legacy give_up | error"),
        (says(unusable("discover-1")), "legacy give_up | unusable"),
        (SILENCE, "legacy give_up | silence"),
        (TIME_IS_UP, "legacy give_up | silence"),
        (EXIT, "unknown give_up | exit"),
        (STDOUT_CLOSED, "unknown give_up | stdout_closed"),
        (
            says(discover_result("discover-1", &[LEGACY])),
            "legacy give_up, confirmed, storable | result",
        ),
        (
            says(refusal("discover-1", &[LEGACY])),
            "legacy give_up, confirmed, storable | error",
        ),
        (
            says(discover_result("discover-1", &[NEWER, LEGACY])),
            "modern give_up, confirmed, storable | result",
        ),
        (
            says(discover_result("discover-1", &[LEGACY, MODERN])),
            "modern use_modern 2026-07-28, confirmed, storable | result",
        ),
    ];
    for (event, expected) in legacy_server {
        check_with(
            speaking(&[MODERN], &[]),
            &[event],
            &format!("{expected}, not_asked | discover-1@2026-07-28"),
        );
    }
}

// Modern is sticky

#[test]
fn nothing_makes_a_modern_server_legacy_any_more() {
    let proofs = [
        says(refusal("discover-1", &[MODERN])),
        says(refusal("initialize-1", &[MODERN])),
    ];
    let legacy_signs = [
        says(initialize_result("initialize-1", LEGACY)),
        says(error("initialize-1", -32601)),
        says(unusable("initialize-1")),
        says(discover_result("discover-2", &[LEGACY])),
        says(refusal("discover-2", &[LEGACY])),
        says(error("discover-2", -32601)),
        says(unusable("discover-2")),
        SILENCE,
        EXIT,
    ];
    for proof in &proofs {
        for first in &legacy_signs {
            for second in &legacy_signs {
                let script = [
                    SILENCE,
                    proof.clone(),
                    first.clone(),
                    second.clone(),
                    TIME_IS_UP,
                ];
                let (verdict, sent) = Talk::run(Settings::default(), &script);
                let out = outcome(&verdict, &sent);
                assert!(out.starts_with("modern "), "{out}\n{script:#?}");
                assert!(verdict.confirmed, "{out}\n{script:#?}");
                assert_eq!(sent.concat().len(), 3, "{out}\n{script:#?}");
            }
        }
    }
}

#[test]
fn a_proof_wins_in_every_order_of_two_answers() {
    let answers = [
        discover_result("discover-1", &[MODERN]),
        initialize_result("initialize-1", LEGACY),
    ];
    let [discover, initialize] = answers;
    for script in [
        vec![SILENCE, says(&discover), says_late(&initialize)],
        vec![SILENCE, says(&initialize), says_late(&discover)],
        vec![
            SILENCE,
            says_at_once(&[discover.clone(), initialize.clone()]),
        ],
        vec![
            SILENCE,
            says_at_once(&[initialize.clone(), discover.clone()]),
        ],
    ] {
        check(
            &script,
            "modern use_modern 2026-07-28, confirmed, storable | result, result | discover-1@2026-07-28 initialize-1@2025-11-25",
        );
    }
}

#[test]
fn while_a_retry_is_open_older_answers_do_not_end_it() {
    let settings = || speaking(&[NEWER, MODERN], &[LEGACY]);
    let expected = "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-10-01 initialize-1@2025-11-25 discover-2@2026-07-28";
    // A slow server refuses both requests of the client, and both refusals name the same version.
    for (first, second) in [
        ("discover-1", "initialize-1"),
        ("initialize-1", "discover-1"),
    ] {
        let refusals = [refusal(first, &[MODERN]), refusal(second, &[MODERN])];
        check_with(
            settings(),
            &[
                SILENCE,
                says_at_once(&refusals),
                says(discover_result("discover-2", &[MODERN])),
            ],
            expected,
        );
    }
    // The first discover is refused in other ways, after initialize led to a second one.
    for late in [error("discover-1", -32601), unusable("discover-1")] {
        check_with(
            settings(),
            &[
                SILENCE,
                says(refusal("initialize-1", &[MODERN])),
                says(late),
                says(discover_result("discover-2", &[MODERN])),
            ],
            expected,
        );
    }
}

#[test]
fn an_older_answer_does_not_undo_the_outcome_of_a_retry() {
    check(
        &[
            SILENCE,
            says(refusal("initialize-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
            says_late(error("discover-1", -32601)),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-07-28 initialize-1@2025-11-25 discover-2@2026-07-28",
    );
}

// Errors without an id

#[test]
fn an_error_without_an_id_is_the_answer_if_nothing_better_comes() {
    let no_id = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#.to_owned();
    for stray in [error(None::<&str>, -32700), no_id] {
        for end_of_patience in [NOTHING_BETTER, SILENCE] {
            let verdict = check(
                &[
                    says(&stray),
                    end_of_patience,
                    says(initialize_result("initialize-1", LEGACY)),
                ],
                "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25",
            );
            assert!(has_remark(&verdict, "null_id"));
        }
    }
    check(
        &[says(error(None::<&str>, -32700)), TIME_IS_UP],
        "unknown give_up | error, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn a_better_answer_wins_over_an_error_without_an_id() {
    check(
        &[
            says(error(None::<&str>, -32700)),
            says(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    // Also if its line feed has not come when patience ends.
    check(
        &[
            says(error(None::<&str>, -32700)),
            says_unterminated(discover_result("discover-1", &[MODERN])),
            NOTHING_BETTER,
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn an_error_without_an_id_proves_as_much_as_one_with_it() {
    check(
        &[says(error(None::<&str>, -32021)), NOTHING_BETTER],
        "modern correct_request, confirmed, storable | error, not_asked | discover-1@2026-07-28",
    );
    // The retry has a deadline of its own, even if the refusal counts only at that of the first.
    for end_of_patience in [NOTHING_BETTER, SILENCE] {
        check(
            &[
                says(refusal(None::<&str>, &[MODERN])),
                end_of_patience,
                says(discover_result("discover-2", &[MODERN])),
            ],
            "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28 discover-2@2026-07-28",
        );
    }
}

#[test]
fn an_error_without_an_id_counts_when_the_process_ends() {
    for end in [EXIT, STDOUT_CLOSED] {
        check(
            &[
                says(error(None::<&str>, -32700)),
                end,
                says(initialize_result("initialize-1", LEGACY)),
            ],
            "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 / initialize-1@2025-11-25",
        );
    }
}

#[test]
fn the_real_answer_counts_even_after_the_error_without_an_id_did() {
    let stray = || says(error(None::<&str>, -32700));
    check(
        &[
            stray(),
            NOTHING_BETTER,
            says(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    check(
        &[
            says(error("discover-1", -32601)),
            stray(),
            NOTHING_BETTER,
            says_late(initialize_result("initialize-1", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    // It is answered all the same: the next one is for the only request that is left.
    check_with(
        starts(1),
        &[stray(), NOTHING_BETTER, stray(), NOTHING_BETTER],
        "unknown give_up | error, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

#[test]
fn with_two_requests_open_an_error_without_an_id_is_only_a_remark() {
    let verdict = check(
        &[
            SILENCE,
            says(error(None::<&str>, -32700)),
            NOTHING_BETTER,
            says(initialize_result("initialize-1", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "null_id"));
}

#[test]
fn an_error_without_an_id_has_to_be_well_formed() {
    for stray in [
        r#"{"id":null,"error":{"code":-32700,"message":"no"}}"#,
        r#"{"jsonrpc":"1.0","id":null,"error":{"code":-32700}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":"-32700"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"code":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"x","error":{"code":-32700}}"#,
    ] {
        check(
            &[
                says(stray),
                NOTHING_BETTER,
                says(discover_result("discover-1", &[MODERN])),
            ],
            "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
        );
    }
}

// Late answers

#[test]
fn an_answer_during_the_shutdown_of_the_first_process_spares_the_second() {
    let verdict = check(
        &[
            SILENCE,
            says(error("initialize-1", -32600)),
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "late_reply"));
    check(
        &[
            SILENCE,
            says(error("initialize-1", -32600)),
            says_late(discover_result("discover-1", &[LEGACY])),
        ],
        "legacy initialize 2025-11-25, confirmed, storable | result, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    check(
        &[
            SILENCE,
            says(error("initialize-1", -32600)),
            says_late(error("discover-1", -32021)),
        ],
        "modern correct_request, confirmed, storable | error, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

#[test]
fn an_error_during_the_shutdown_of_the_first_process_does_not_stop_the_second() {
    check(
        &[
            SILENCE,
            says(error("initialize-1", -32600)),
            says_late(error("discover-1", -32601)),
            says(initialize_result("initialize-2", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed, storable | error, result | discover-1@2026-07-28 initialize-1@2025-11-25 / initialize-2@2025-11-25",
    );
}

#[test]
fn a_refusal_during_the_shutdown_of_the_first_process_makes_the_second_be_asked_discover() {
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &[
            SILENCE,
            says(error("initialize-1", -32600)),
            says_late(refusal("discover-1", &[MODERN])),
            says(discover_result("discover-2", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, error | discover-1@2026-10-01 initialize-1@2025-11-25 / discover-2@2026-07-28",
    );
}

#[test]
fn an_answer_of_the_first_process_is_foreign_to_the_second() {
    let verdict = check(
        &[
            EXIT,
            says(discover_result("discover-1", &[MODERN])),
            says(initialize_result("initialize-1", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed | exit, result | discover-1@2026-07-28 / initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "foreign_id"));
}

#[test]
fn a_server_that_flushes_when_its_input_ends_is_heard() {
    let verdict = check(
        &[
            SILENCE,
            TIME_IS_UP,
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    assert!(has_remark(&verdict, "late_reply"));
    // Without its line feed, and with nothing but an error without an id.
    check(
        &[
            TIME_IS_UP,
            Event::Late(discover_result("discover-1", &[MODERN]).into_bytes()),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check(
        &[TIME_IS_UP, says_late(error(None::<&str>, -32021))],
        "modern correct_request, confirmed, storable | error, not_asked | discover-1@2026-07-28",
    );
    check(
        &[
            SILENCE,
            TIME_IS_UP,
            says_late(initialize_result("initialize-1", LEGACY)),
        ],
        "legacy initialize 2025-11-25, confirmed | silence, result | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    check_with(
        without_fallback(),
        &[
            TIME_IS_UP,
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    check_with(
        speaking(&[MODERN], &[]),
        &[
            TIME_IS_UP,
            says_late(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn a_late_answer_replaces_a_retry_that_had_failed() {
    let retry_failed = [says(refusal("discover-1", &[MODERN])), SILENCE];
    for (late, expected) in [
        (
            discover_result("discover-2", &[MODERN]),
            "modern use_modern 2026-07-28, confirmed, storable | result",
        ),
        (
            discover_result("discover-2", &[NEWER, LEGACY]),
            "modern initialize 2025-11-25, confirmed, storable | result",
        ),
        (
            error("discover-2", -32021),
            "modern correct_request, confirmed, storable | error",
        ),
        (
            error("discover-2", -32601),
            "modern give_up, confirmed, storable | error",
        ),
    ] {
        let mut script = retry_failed.to_vec();
        script.push(says_late(late));
        check(
            &script,
            &format!("{expected}, not_asked | discover-1@2026-07-28 discover-2@2026-07-28"),
        );
    }
}

#[test]
fn a_refusal_that_comes_too_late_to_ask_again() {
    // The version it names was never refused, so it is the one to use.
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &[TIME_IS_UP, says_late(refusal("discover-1", &[MODERN]))],
        "modern use_modern 2026-07-28, confirmed, storable | error, not_asked | discover-1@2026-10-01",
    );
    check(
        &[
            SILENCE,
            TIME_IS_UP,
            says_late(refusal("initialize-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed | silence, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    // A version that the server has just refused is not worth using, even if it names it.
    check(
        &[TIME_IS_UP, says_late(refusal("discover-1", &[MODERN]))],
        "modern give_up, confirmed, storable | error, not_asked | discover-1@2026-07-28",
    );
    // It also comes too late as a line without its end when time is up.
    check_with(
        speaking(&[NEWER, MODERN], &[LEGACY]),
        &[
            says_unterminated(refusal("discover-1", &[MODERN])),
            TIME_IS_UP,
        ],
        "modern use_modern 2026-07-28, confirmed, storable | error, not_asked | discover-1@2026-10-01",
    );
}

// Deadlines

#[test]
fn an_answer_without_its_line_feed_counts_at_the_deadline() {
    let verdict = check(
        &[
            says_unterminated(discover_result("discover-1", &[MODERN])),
            SILENCE,
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    assert!(has_remark(&verdict, "unterminated_reply"));
    assert!(!has_remark(&verdict, "late_reply"));
    // Also behind another message on the same line.
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let reply = discover_result("discover-1", &[MODERN]);
    check(
        &[says_unterminated(format!("{notification}{reply}")), SILENCE],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
}

#[test]
fn half_an_answer_at_the_deadline_may_still_be_completed() {
    let reply = discover_result("discover-1", &[MODERN]);
    let (head, tail) = reply.split_at(reply.len() / 2);
    check(
        &[says_unterminated(head), SILENCE, says(tail)],
        "modern use_modern 2026-07-28, confirmed, storable | result, silence | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

#[test]
fn a_retry_is_given_time_of_its_own() {
    let settings = || speaking(&[NEWER, MODERN], &[LEGACY]);
    // The refusal is read at the deadline of the first discover.
    check_with(
        settings(),
        &[
            says_unterminated(refusal("discover-1", &[MODERN])),
            SILENCE,
            says(discover_result("discover-2", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-10-01 discover-2@2026-07-28",
    );
}

#[test]
fn no_process_is_started_when_time_is_up() {
    // The failure of initialize is read only at the deadline of everything.
    check(
        &[
            says(error("discover-1", -32601)),
            says_unterminated(error("initialize-1", -32600)),
            TIME_IS_UP,
        ],
        "unknown give_up | error, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
    check(
        &[
            says(error("discover-1", -32601)),
            says(error(None::<&str>, -32600)),
            TIME_IS_UP,
        ],
        "unknown give_up | error, error | discover-1@2026-07-28 initialize-1@2025-11-25",
    );
}

// What is written down about the stream

#[test]
fn a_line_past_the_limit_is_told_of_even_if_it_never_ends() {
    let settings = Settings {
        max_line_bytes: 1000,
        ..Settings::default()
    };
    let endless = says_unterminated("x".repeat(5000));
    let verdict = check_with(
        settings,
        &[endless, TIME_IS_UP],
        "unknown give_up | silence, not_asked | discover-1@2026-07-28",
    );
    assert!(has_remark(&verdict, "line_too_long"));
    let process = &verdict.processes[0];
    assert_eq!((process.bytes_received, process.skipped_lines), (5000, 1));
    assert_eq!(process.skipped_sample, ["x".repeat(200)]);
}

#[test]
fn a_servers_text_does_not_flood_the_summary() {
    let version = "9".repeat(100_000);
    let (verdict, _) = Talk::run(
        Settings::default(),
        &[SILENCE, says(initialize_result("initialize-1", &version))],
    );
    assert!(
        verdict.summary.len() < 500,
        "{} bytes",
        verdict.summary.len()
    );
    assert!(verdict.initialize.unwrap().contains(&version));
}

#[test]
fn what_is_no_message_is_counted_sampled_and_never_answered() {
    let noise = [
        "\u{1b}[32mready\u{1b}[0m",
        "[02/11] INFO start",
        r#"{"status":200}"#,
        "42",
        "null",
        "",
        "   \r",
        "Content-Length: 10\r",
    ];
    let mut script: Vec<Event> = noise.iter().map(says).collect();
    script.push(says(discover_result("discover-1", &[MODERN])));
    let verdict = check(
        &script,
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    let process = &verdict.processes[0];
    assert_eq!(process.skipped_lines, 6, "blank lines are not counted");
    assert_eq!(process.skipped_sample.len(), 5);
    assert!(has_remark(&verdict, "noise"));
    assert!(has_remark(&verdict, "content_length"));
}

#[test]
fn a_message_with_a_method_is_never_a_reply() {
    let echo = r#"{"jsonrpc":"2.0","id":"discover-1","method":"server/discover","params":{}}"#;
    let request =
        r#"{"jsonrpc":"2.0","id":"discover-1","method":"ping","result":{},"error":{"code":1}}"#;
    let odd = r#"{"jsonrpc":"2.0","id":"discover-1","method":7,"error":{"code":1}}"#;
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let verdict = check(
        &[
            says(echo),
            says(request),
            says(odd),
            says(notification),
            says(discover_result("discover-1", &[MODERN])),
        ],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    assert!(has_remark(&verdict, "echoed_request"));
    assert!(has_remark(&verdict, "server_request"));
}

#[test]
fn ids_are_compared_by_type_and_value() {
    for id in [
        r#""""#,
        "0",
        "1",
        r#""discover-2""#,
        r#""initialize-1""#,
        r#"["discover-1"]"#,
        "{}",
        "true",
    ] {
        let foreign = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601}}}}"#);
        let verdict = check(
            &[
                says(foreign),
                says(discover_result("discover-1", &[MODERN])),
            ],
            "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
        );
        let remarks = verdict.remarks.as_slice();
        let remark = remarks
            .iter()
            .find(|remark| remark.code.name() == "foreign_id")
            .expect("a remark");
        assert!(remark.text.contains(id), "{}", remark.text);
    }
}

#[test]
fn a_batch_of_one_holds_the_reply_and_a_longer_one_does_not() {
    let reply = discover_result("discover-1", &[MODERN]);
    let verdict = check(
        &[says(format!("[{reply}]"))],
        "modern use_modern 2026-07-28, confirmed, storable | result, not_asked | discover-1@2026-07-28",
    );
    assert!(has_remark(&verdict, "batch"));
    check(
        &[says(format!("[{reply},{reply}]")), says("[]"), TIME_IS_UP],
        "unknown give_up | silence, not_asked | discover-1@2026-07-28",
    );
}
