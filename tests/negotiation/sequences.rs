//! All sequences of events up to a length, from each state that they lead to, against what must never happen.

use mcp_discover::core::negotiation::{Deadline, Keep, Negotiation, Settings, Step};
use mcp_discover::core::verdict::{Next, Verdict};
use mcp_discover::core::version::Era;
use serde_json::Value;

use crate::script::{
    EXIT, Event, LEGACY, MODERN, NEWER, SILENCE, STDOUT_CLOSED, TIME_IS_UP, Talk, discover_result,
    error, in_short, initialize_result, refusal, says, says_late, says_unterminated, speaking,
    starts, unusable, without_fallback,
};

/// The longest sequence; late answers and what finishes it come on top.
const LENGTH: usize = 3;

/// What a server may answer to the request of this id.
fn answers_to(id: &str) -> Vec<String> {
    let mut answers = vec![
        refusal(id, &[MODERN]),
        refusal(id, &[LEGACY]),
        error(id, -32021),
        error(id, -32601),
        unusable(id),
    ];
    if id.starts_with("discover") {
        answers.push(discover_result(id, &[MODERN]));
        answers.push(discover_result(id, &[NEWER, LEGACY]));
        answers.push(discover_result(id, &[LEGACY]));
    } else {
        answers.push(initialize_result(id, LEGACY));
    }
    answers
}

/// What may happen while requests of these ids wait for an answer.
fn events(negotiation: &Negotiation, open: &[String]) -> Vec<Event> {
    let mut events = vec![
        EXIT,
        STDOUT_CLOSED,
        says("noise"),
        says(error(None::<&str>, -32601)),
        says(refusal(None::<&str>, &[MODERN])),
    ];
    let deadlines = [Deadline::BetterAnswer, Deadline::Discover, Deadline::Total];
    let awaited = deadlines.into_iter().filter(|d| negotiation.awaits(*d));
    events.extend(awaited.map(Event::Passed));
    for id in open {
        events.extend(answers_to(id).into_iter().map(says));
        events.push(says_unterminated(error(id.as_str(), -32601)));
        events.push(says_unterminated(refusal(id.as_str(), &[MODERN])));
    }
    events
}

/// The requests of a process that no answer with their id has come for.
fn open_requests(talk: &Talk, told: &[Event]) -> Vec<String> {
    let answered = |request: &String| {
        told.iter().any(|event| match event {
            Event::Bytes(bytes) | Event::Late(bytes) => {
                let message: Option<Value> = serde_json::from_slice(bytes).ok();
                message.is_some_and(|message| message["id"] == request.as_str())
            }
            _ => false,
        })
    };
    let sent = talk.sent.last().expect("a process runs");
    let ids = sent.iter().map(|line| id_of(line));
    ids.filter(|id| !answered(id)).collect()
}

fn id_of(line: &str) -> String {
    let short = in_short(line);
    short.split('@').next().unwrap_or_default().to_owned()
}

/// Tells a sequence from the start on.
fn replay(settings: &Settings, told: &[Event]) -> (Talk, Step) {
    let mut talk = Talk::new(settings.clone());
    let mut coming = told.iter();
    let mut step = Step::Wait;
    while let Some(event) = coming.next() {
        step = talk.tell(event, &mut coming);
    }
    (talk, step)
}

/// What was sent is one line each, with ids that count up, and nothing but what this client may send.
fn check_sent(settings: &Settings, talk: &Talk, told: &[Event]) {
    let starts = u32::try_from(talk.sent.len()).expect("few starts");
    let most = settings.max_starts + u32::from(settings.keep == Keep::Process);
    assert!(starts <= most, "{starts} starts\n{told:#?}");
    check_handed_over(settings, talk, told);
    let lines = talk.sent.iter().flatten();
    let lines: Vec<&String> = lines.filter(|line| !is_notification(line)).collect();
    let (mut discovers, mut initializes) = (0, 0);
    let mut asked = Vec::new();
    for line in lines {
        assert_eq!(line.find('\n'), Some(line.len() - 1), "{line:?}");
        let id = id_of(line);
        match id.split_once('-') {
            Some(("discover", number)) => {
                discovers += 1;
                assert_eq!(number, discovers.to_string(), "{told:#?}");
                asked.push(in_short(line).replace(&id, ""));
            }
            Some(("initialize", number)) => {
                initializes += 1;
                assert_eq!(number, initializes.to_string(), "{told:#?}");
            }
            _ => panic!("sent {line}"),
        }
    }
    // The first version is asked with once by itself, and each version once more.
    let first = format!("@{}", settings.versions.first_modern());
    for version in &asked {
        let times = asked.iter().filter(|other| *other == version).count();
        let most = if *version == first { 2 } else { 1 };
        assert!(times <= most, "{times} discovers {version}\n{told:#?}");
    }
    if settings.versions.first_legacy().is_none() {
        assert_eq!(initializes, 0, "a modern-only client asks no initialize");
    }
}

fn is_notification(line: &str) -> bool {
    in_short(line) == "initialized"
}

/// What was sent to the process that was handed over, and whether it is one that can be used.
fn check_handed_over(settings: &Settings, talk: &Talk, told: &[Event]) {
    let notifications = talk.sent.iter().flatten().filter(|l| is_notification(l));
    let notifications = notifications.count();
    if talk.unread.is_none() {
        assert_eq!(notifications, 0, "{told:#?}");
        return;
    }
    assert_ne!(settings.keep, Keep::No, "{told:#?}");
    let last = talk.sent.last().expect("a process");
    if notifications == 0 {
        let is_discover = |line: &String| id_of(line).starts_with("discover-");
        assert!(last.iter().all(is_discover), "{last:?}\n{told:#?}");
    } else {
        assert_eq!(notifications, 1, "{told:#?}");
        assert_eq!(last.len(), 2, "{last:?}\n{told:#?}");
        assert!(id_of(&last[0]).starts_with("initialize-"), "{told:#?}");
        assert!(is_notification(&last[1]), "{told:#?}");
    }
}

/// Whether the last of these events proves a modern server, as the answer to a request that was open.
fn proves_modern(event: &Event, open: &[String]) -> bool {
    let Event::Bytes(bytes) = event else {
        return false;
    };
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else {
        return false;
    };
    let is_ours = open.iter().any(|id| message["id"] == id.as_str());
    let error = &message["error"];
    let names_modern = |list: &Value| {
        let mut versions = list.as_array().into_iter().flatten();
        versions.any(|version| version == MODERN || version == NEWER)
    };
    let is_line = bytes.ends_with(b"\n");
    is_line
        && is_ours
        && (error["code"] == -32021
            || error["code"] == -32022 && names_modern(&error["data"]["supported"])
            || names_modern(&message["result"]["supportedVersions"]))
}

fn initializes(talk: &Talk) -> usize {
    let lines = talk.sent.iter().flatten();
    lines.filter(|line| line.contains("initialize-")).count()
}

fn check_verdict(verdict: &Verdict, was_proved_modern: bool, told: &[Event]) {
    if verdict.storable() {
        assert!(verdict.confirmed, "{told:#?}");
        assert!(verdict.discover_outcome.is_answer(), "{told:#?}");
    }
    if was_proved_modern {
        assert_eq!(verdict.era, Era::Modern, "{told:#?}");
    }
    if verdict.era == Era::Modern {
        assert!(verdict.confirmed, "{told:#?}");
    }
    let needs_version = matches!(verdict.next, Next::UseModern | Next::Initialize);
    assert_eq!(verdict.version.is_some(), needs_version, "{told:#?}");
    assert!(verdict.summary.ends_with('.'), "{told:#?}");
    serde_json::from_str::<Value>(&verdict.to_json()).expect("the verdict is JSON");
}

/// What is true of a sequence so far, and carries over to those that go on from it.
#[derive(Clone, Default)]
struct Known {
    told: Vec<Event>,
    /// How many initializes had been sent when the server was proved to be modern.
    initializes_at_proof: Option<usize>,
}

/// Tells every sequence up to the length; gives their number.
fn explore(settings: &Settings, known: &Known, left: usize) -> usize {
    let (talk, step) = replay(settings, &known.told);
    check_sent(settings, &talk, &known.told);
    if let Some(before) = known.initializes_at_proof {
        // But for the one that opens a connection in a legacy version that the server has named.
        let most = before + usize::from(settings.keep == Keep::Process);
        let after = initializes(&talk);
        assert!(
            (before..=most).contains(&after),
            "initialize to a modern server\n{:#?}",
            known.told
        );
    }
    if step == Step::Finish {
        let verdict = talk.negotiation.into_verdict();
        check_verdict(&verdict, known.initializes_at_proof.is_some(), &known.told);
        return 1;
    }
    let open = open_requests(&talk, &known.told);
    let has_rest_to_come =
        matches!(known.told.last(), Some(Event::Bytes(b)) if !b.ends_with(b"\n"));
    assert!(
        !open.is_empty() || has_rest_to_come,
        "waits for nothing\n{:#?}",
        known.told
    );
    assert!(talk.negotiation.awaits(Deadline::Total), "waits for ever");
    check_ends(settings, known);
    if left == 0 {
        return 1;
    }
    let mut count = 1;
    for event in events(&talk.negotiation, &open) {
        let mut longer = known.clone();
        if longer.initializes_at_proof.is_none() && proves_modern(&event, &open) {
            longer.initializes_at_proof = Some(initializes(&talk));
        }
        longer.told.push(event);
        count += explore(settings, &longer, left - 1);
        count += explore_late(settings, &longer, &talk, left - 1);
    }
    count
}

/// If the last event made the process be ended, tells what may still come from it.
fn explore_late(settings: &Settings, known: &Known, before: &Talk, left: usize) -> usize {
    let (after, step) = replay(settings, &known.told);
    if step != Step::Finish && after.sent.len() == before.sent.len() {
        return 0;
    }
    let mut count = 0;
    for id in open_requests(before, &known.told) {
        for answer in answers_to(&id) {
            let mut longer = known.clone();
            longer.told.push(says_late(answer));
            count += explore(settings, &longer, left);
        }
    }
    count
}

/// Whatever came before, the end of time and the end of the processes lead to a verdict.
fn check_ends(settings: &Settings, known: &Known) {
    let was_proved_modern = known.initializes_at_proof.is_some();
    let mut out_of_time = known.told.clone();
    out_of_time.push(TIME_IS_UP);
    let (talk, step) = replay(settings, &out_of_time);
    assert_eq!(step, Step::Finish, "{out_of_time:#?}");
    check_verdict(
        &talk.negotiation.into_verdict(),
        was_proved_modern,
        &out_of_time,
    );

    let mut dying = known.told.clone();
    for _ in 0..=settings.max_starts + 1 {
        dying.push(EXIT);
        let (talk, step) = replay(settings, &dying);
        check_sent(settings, &talk, &dying);
        if step == Step::Finish {
            check_verdict(&talk.negotiation.into_verdict(), was_proved_modern, &dying);
            return;
        }
    }
    panic!("no verdict after the end of every process\n{dying:#?}");
}

#[track_caller]
fn explore_all(settings: &Settings) {
    explore_from(settings, &[]);
}

/// Tells every sequence that starts with these events, which prove nothing.
#[track_caller]
fn explore_from(settings: &Settings, start: &[Event]) {
    let known = Known {
        told: start.to_vec(),
        initializes_at_proof: None,
    };
    let count = explore(settings, &known, LENGTH);
    println!("{count} sequences");
    assert!(count > 500, "only {count} sequences");
}

#[test]
fn the_default_client() {
    explore_all(&Settings::default());
}

#[test]
fn a_client_that_starts_once() {
    explore_all(&starts(1));
}

#[test]
fn a_client_that_may_start_three_times() {
    explore_all(&starts(3));
}

#[test]
fn a_client_without_fallback() {
    explore_all(&without_fallback());
}

#[test]
fn a_modern_only_client() {
    explore_all(&speaking(&[MODERN], &[]));
}

#[test]
fn a_client_of_two_modern_versions() {
    explore_all(&speaking(&["2027-01-01", MODERN], &[LEGACY]));
}

fn keeping(keep: Keep, settings: Settings) -> Settings {
    Settings { keep, ..settings }
}

#[test]
fn a_client_that_keeps_the_server() {
    explore_all(&keeping(Keep::Process, Settings::default()));
}

#[test]
fn a_client_that_keeps_a_transport() {
    explore_all(&keeping(Keep::Transport, starts(1)));
}

#[test]
fn after_a_silence() {
    explore_from(&Settings::default(), &[SILENCE]);
}

#[test]
fn after_an_end() {
    explore_from(&Settings::default(), &[EXIT]);
}
