//! A tiny language for talks between a negotiation and a server: what the server says, what the clock says, and how
//! it ends, told in the order in which a driver would tell it.

use std::fmt;

use mcp_discover::core::negotiation::{
    Deadline, Ended, Fallback, Negotiation, ProcessEnd, Settings, Step,
};
use mcp_discover::core::verdict::{Exit, Shutdown, Verdict};
use mcp_discover::core::version::Preference;
use serde_json::{Value, json};

/// The only modern version of the default client, and its best legacy one.
pub const MODERN: &str = "2026-07-28";
pub const LEGACY: &str = "2025-11-25";
/// A legacy version that the default client speaks too, and one of each era that it does not.
pub const OLDER: &str = "2024-11-05";
pub const NEWER: &str = "2026-10-01";
pub const ANCIENT: &str = "2023-01-01";

pub const SILENCE: Event = Event::Passed(Deadline::Discover);
pub const NOTHING_BETTER: Event = Event::Passed(Deadline::BetterAnswer);
pub const TIME_IS_UP: Event = Event::Passed(Deadline::Total);
pub const EXIT: Event = Event::Ended(Ended::Exit);
pub const STDOUT_CLOSED: Event = Event::Ended(Ended::StdoutClosed);

/// What came out, in short: `era next version, confirmed, storable | discover's outcome, initialize's outcome |
/// what was sent / what was sent to the next process`.
pub fn outcome(verdict: &Verdict, sent: &[Vec<String>]) -> String {
    let mut parts = format!("{} {}", verdict.era.name(), verdict.next.name());
    if let Some(version) = &verdict.version {
        parts += &format!(" {version}");
    }
    if verdict.confirmed {
        parts += ", confirmed";
    }
    if verdict.storable() {
        parts += ", storable";
    }
    let sent: Vec<String> = sent
        .iter()
        .map(|lines| {
            let lines: Vec<String> = lines.iter().map(|line| in_short(line)).collect();
            lines.join(" ")
        })
        .collect();
    format!(
        "{parts} | {}, {} | {}",
        verdict.discover_outcome.name(),
        verdict.initialize_outcome.name(),
        sent.join(" / ")
    )
}

/// Whether the verdict has a remark of this code.
pub fn has_remark(verdict: &Verdict, code: &str) -> bool {
    let remarks = verdict.remarks.as_slice();
    remarks.iter().any(|remark| remark.code.name() == code)
}

/// Something that happens to the negotiation.
#[derive(Clone)]
pub enum Event {
    /// These bytes come from the server.
    Bytes(Vec<u8>),
    /// These bytes come while the process is being ended, be it before the next start or before the verdict.
    Late(Vec<u8>),
    /// A deadline passes.
    Passed(Deadline),
    /// The server will say no more.
    Ended(Ended),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Bytes(bytes) => write!(f, "says {}", bytes.escape_ascii()),
            Event::Late(bytes) => write!(f, "says late {}", bytes.escape_ascii()),
            Event::Passed(deadline) => write!(f, "{deadline:?} passes"),
            Event::Ended(how) => write!(f, "{how:?}"),
        }
    }
}

/// The server writes a line.
pub fn says(message: impl ToString) -> Event {
    Event::Bytes(line(message))
}

/// The server writes several lines at once.
pub fn says_at_once(messages: &[String]) -> Event {
    Event::Bytes(messages.iter().flat_map(line).collect())
}

/// The server writes something and no line feed behind it.
pub fn says_unterminated(message: impl ToString) -> Event {
    Event::Bytes(message.to_string().into_bytes())
}

/// The server writes a line while it is being ended.
pub fn says_late(message: impl ToString) -> Event {
    Event::Late(line(message))
}

fn line(message: impl ToString) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// A DiscoverResult that lists these versions.
pub fn discover_result(id: &str, versions: &[&str]) -> String {
    let result = json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "server", "version": "1"}},
        "ttlMs": 0,
        "cacheScope": "private",
    });
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// An InitializeResult with this version.
pub fn initialize_result(id: &str, version: &str) -> String {
    let result = json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "server", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// A result that answers neither request.
pub fn unusable(id: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()
}

/// An error.
pub fn error(id: impl Into<Value>, code: i64) -> String {
    let id = id.into();
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}}).to_string()
}

/// The unsupported-version error, naming these versions.
pub fn refusal(id: impl Into<Value>, supported: &[&str]) -> String {
    let id = id.into();
    let error = json!({"code": -32022, "message": "no", "data": {"supported": supported}});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

/// Settings with this many starts.
pub fn starts(max_starts: u32) -> Settings {
    Settings {
        max_starts,
        ..Settings::default()
    }
}

/// Settings of a client that does not ask initialize for proof.
pub fn without_fallback() -> Settings {
    Settings {
        fallback: Fallback::None,
        ..Settings::default()
    }
}

/// Settings of a client that speaks these modern versions and these legacy ones.
pub fn speaking(modern: &[&str], legacy: &[&str]) -> Settings {
    let list = |versions: &[&str]| Some(versions.iter().map(ToString::to_string).collect());
    Settings {
        versions: Preference::new(list(modern), list(legacy)).expect("two lists of versions"),
        ..Settings::default()
    }
}

/// A negotiation and all that was sent in it, driven as its contract wants it.
pub struct Talk {
    pub negotiation: Negotiation,
    /// The lines sent, by start.
    pub sent: Vec<Vec<String>>,
    /// What was not read of the output of a process that was handed over.
    pub unread: Option<Vec<u8>>,
    running: bool,
}

impl Talk {
    /// A talk whose first process has started and been asked.
    pub fn new(settings: Settings) -> Self {
        Self::of(Negotiation::new(settings))
    }

    /// A talk that does what the negotiation wants first.
    pub fn of(negotiation: Negotiation) -> Self {
        let mut talk = Self {
            negotiation,
            sent: Vec::new(),
            unread: None,
            running: false,
        };
        talk.go_on(&mut [].iter());
        talk
    }

    /// Tells one event; what comes late, if the process is ended in consequence, is taken from `coming`.
    pub fn tell(&mut self, event: &Event, coming: &mut std::slice::Iter<'_, Event>) -> Step {
        match event {
            Event::Bytes(bytes) | Event::Late(bytes) => self.negotiation.receive(bytes),
            Event::Passed(deadline) => self.negotiation.passed(*deadline),
            Event::Ended(how) => self.negotiation.ended(*how),
        }
        self.go_on(coming)
    }

    /// Does what the negotiation wants until it waits or has finished.
    fn go_on(&mut self, coming: &mut std::slice::Iter<'_, Event>) -> Step {
        loop {
            match self.negotiation.next_step() {
                Step::Send(bytes) => {
                    let text = String::from_utf8(bytes).expect("requests are UTF-8");
                    self.sent.last_mut().expect("a process runs").push(text);
                }
                Step::Start if self.running => self.end_process(coming),
                Step::Start => {
                    self.negotiation.started();
                    self.sent.push(Vec::new());
                    self.running = true;
                }
                Step::HandOver => {
                    self.unread = Some(self.negotiation.handed_over(String::new()));
                    self.running = false;
                }
                Step::Finish if self.running => self.end_process(coming),
                step @ (Step::Wait | Step::Finish) => return step,
            }
        }
    }

    fn end_process(&mut self, coming: &mut std::slice::Iter<'_, Event>) {
        self.negotiation.closing();
        while let Some(Event::Late(bytes)) = coming.as_slice().first() {
            self.negotiation.receive(bytes);
            coming.next();
        }
        self.negotiation.process_ended(ProcessEnd {
            exit: Some(Exit::Code(0)),
            shutdown: Shutdown::StdinClosed,
            had_time: true,
            stderr_tail: String::new(),
            stderr_truncated: false,
        });
        self.running = false;
    }

    /// Runs a whole script, which has to end in a verdict.
    pub fn run(settings: Settings, script: &[Event]) -> (Verdict, Vec<Vec<String>>) {
        let talk = Self::new(settings).through(script);
        (talk.negotiation.into_verdict(), talk.sent)
    }

    /// Goes through a whole script, which has to end in a verdict.
    pub fn through(mut self, script: &[Event]) -> Self {
        let mut coming = script.iter();
        while let Some(event) = coming.next() {
            self.tell(event, &mut coming);
        }
        let step = self.go_on(&mut coming);
        assert_eq!(step, Step::Finish, "the script ends before the verdict");
        self
    }
}

/// A request that was sent, in short: `discover-1@2026-07-28`.
pub fn in_short(line: &str) -> String {
    let message: Value = serde_json::from_str(line).expect("a request is JSON");
    if message["method"] == "notifications/initialized" {
        return "initialized".to_owned();
    }
    let params = &message["params"];
    let version = match message["method"].as_str() {
        Some("server/discover") => &params["_meta"]["io.modelcontextprotocol/protocolVersion"],
        Some("initialize") => &params["protocolVersion"],
        other => panic!("sent {other:?}"),
    };
    let (id, version) = (message["id"].as_str(), version.as_str());
    format!("{}@{}", id.expect("an id"), version.expect("a version"))
}
