//! The negotiation as a state machine: events in; sends, starts and a verdict out. No I/O, no clock.
//!
//! Whoever drives it asks [`Negotiation::next_step`] after each event and does what it says:
//!
//! - [`Step::Start`]: end the process that runs, if one does, telling it [`Negotiation::closing`] and all that still
//!   comes; if the next step is still to start, start a process and tell it [`Negotiation::started`];
//! - [`Step::Send`]: write these bytes to the server;
//! - [`Step::Wait`]: wait for bytes, for the end of the process, or for a deadline, and tell it;
//! - [`Step::HandOver`]: once all is written, let go of the process that runs and tell it [`Negotiation::handed_over`]; if
//!   the process has ended, tell [`Negotiation::ended`] instead;
//! - [`Step::Finish`]: end the process as above, if one runs, then take the verdict.

mod asking;
mod deciding;
mod exchange;
mod handing_over;
mod judging;
mod listening;

use std::collections::VecDeque;
use std::mem;

use super::framing::{Framing, Line};
use super::remark::{RemarkCode, Remarks};
use super::reply::Open;
use super::request::{Client, Id, Method};
use super::transcript::Transcript;
use super::verdict::{Exit, Outcome, ProcessRecord, Shutdown, Timing, Verdict};
use super::version::Preference;
use deciding::Decision;
use handing_over::HandOver;

/// What to do where discover proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// Ask `initialize` for proof.
    #[default]
    Initialize,
    /// Conclude without proof.
    None,
}

/// What becomes of a server that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// It is ended.
    #[default]
    No,
    /// It is handed over, by a process that was started for that where the one that runs has been asked too much.
    Process,
    /// It is handed over if it has not been asked too much; it cannot be started anew, and so is asked no more than it
    /// has to be.
    Transport,
}

/// How to negotiate.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who asks.
    pub client: Client<'static>,
    /// The versions the client speaks.
    pub versions: Preference,
    /// What to do where discover proves nothing.
    pub fallback: Fallback,
    /// The most processes to start and ask. One that is started to be handed over, or by a stored verdict, comes on top.
    pub max_starts: u32,
    /// What becomes of a server that can be used.
    pub keep: Keep,
    /// The longest line that is read, in bytes.
    pub max_line_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            client: Client::default(),
            versions: Preference::default(),
            fallback: Fallback::default(),
            max_starts: 2,
            keep: Keep::default(),
            max_line_bytes: 10 * 1024 * 1024,
        }
    }
}

/// What the driver has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Start a process, after the end of the one that runs.
    Start,
    /// Write these bytes to the server.
    Send(Vec<u8>),
    /// Wait for an event.
    Wait,
    /// Let go of the process that runs: its caller goes on with it.
    HandOver,
    /// End the process and take the verdict.
    Finish,
}

/// A deadline that the driver watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// 100 ms after an error without id: nothing better came.
    BetterAnswer,
    /// The time for an answer to the discover that was sent last, or to what is asked on a stored verdict's word.
    Discover,
    /// The time for everything.
    Total,
}

/// How a stream of answers ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The process exited.
    Exit,
    /// Standard output was closed; the process lives on.
    StdoutClosed,
}

#[derive(Debug)]
enum Phase {
    /// A process is to be started, to be asked this first.
    Starting(Method, String),
    Asking,
    Decided(Decision),
}

/// A negotiation with one server.
#[derive(Debug)]
pub struct Negotiation {
    settings: Settings,
    phase: Phase,
    /// Lines to be sent.
    outbox: VecDeque<Vec<u8>>,
    /// Requests of this process without an answer.
    open: Vec<Open<'static>>,
    /// Ids of requests whose deadline has passed.
    overdue: Vec<Id<'static>>,
    /// Ids of requests that an error without id was taken to answer; an answer with the id still counts.
    presumed_answered: Vec<Id<'static>>,
    /// An error without id, as JSON, that counts unless something better comes.
    pending_error: Option<String>,
    /// Versions that discover was asked with again.
    asked_again: Vec<String>,
    discovers: u32,
    initializes: u32,
    /// Requests with the discover deadline.
    trials: u32,
    starts: u32,
    /// Starts that do not count against the most.
    extra_starts: u32,
    /// This process has been sent a discover.
    saw_discover: bool,
    /// This process has been sent an initialize.
    saw_initialize: bool,
    stdin_open: bool,
    /// This process will say no more.
    silent: bool,
    /// The server has proved to be modern: nothing makes it legacy any more.
    modern: bool,
    time_is_up: bool,
    hand_over: HandOver,
    /// The decision is that of a stored verdict, which has yet to prove true.
    by_prior: bool,
    framing: Framing,
    /// Bytes behind the answer that decided; whoever the process is handed over to reads them.
    unread: Vec<u8>,
    answers: u32,
    /// When the answers of a stored verdict came.
    received_at: Option<i64>,
    discover_outcome: Outcome,
    initialize_outcome: Outcome,
    discover: Option<Box<str>>,
    initialize: Option<Box<str>>,
    discover_error: Option<ErrorText>,
    initialize_error: Option<ErrorText>,
    remarks: Remarks,
    processes: Vec<ProcessRecord>,
}

/// An error as it came.
#[derive(Debug)]
struct ErrorText {
    json: Box<str>,
    is_modern: bool,
}

impl Negotiation {
    /// A negotiation whose first step is to start.
    pub fn new(settings: Settings) -> Self {
        let first = settings.versions.first_modern().to_owned();
        Self {
            framing: Framing::new(settings.max_line_bytes),
            settings,
            phase: Phase::Starting(Method::Discover, first),
            outbox: VecDeque::new(),
            open: Vec::new(),
            overdue: Vec::new(),
            presumed_answered: Vec::new(),
            pending_error: None,
            asked_again: Vec::new(),
            discovers: 0,
            initializes: 0,
            trials: 0,
            starts: 0,
            extra_starts: 0,
            saw_discover: false,
            saw_initialize: false,
            stdin_open: false,
            silent: false,
            modern: false,
            time_is_up: false,
            hand_over: HandOver::Open,
            by_prior: false,
            unread: Vec::new(),
            answers: 0,
            received_at: None,
            discover_outcome: Outcome::NotAsked,
            initialize_outcome: Outcome::NotAsked,
            discover: None,
            initialize: None,
            discover_error: None,
            initialize_error: None,
            remarks: Remarks::default(),
            processes: Vec::new(),
        }
    }

    /// What to do now.
    pub fn next_step(&mut self) -> Step {
        match self.phase {
            Phase::Starting(..) => Step::Start,
            Phase::Asking => self.outbox.pop_front().map_or(Step::Wait, Step::Send),
            Phase::Decided(_) => self.next_step_of_hand_over(),
        }
    }

    /// How it negotiates.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the next step is to start.
    pub fn wants_start(&self) -> bool {
        matches!(self.phase, Phase::Starting(..))
    }

    /// Whether this deadline is being waited for.
    pub fn awaits(&self, deadline: Deadline) -> bool {
        match deadline {
            Deadline::BetterAnswer => self.pending_error.is_some(),
            Deadline::Discover => {
                self.open_in_time(Method::Discover).is_some() || self.tries_prior()
            }
            Deadline::Total => {
                matches!(self.phase, Phase::Asking) || self.hand_over == HandOver::Asking
            }
        }
    }

    /// How many requests with the discover deadline were sent; it runs anew from each.
    pub fn trials(&self) -> u32 {
        self.trials
    }

    /// How many processes were started.
    pub fn starts(&self) -> u32 {
        self.starts
    }

    /// How many answers have counted so far.
    pub fn answers(&self) -> u32 {
        self.answers
    }

    /// A process has started.
    pub fn started(&mut self) {
        let first = match mem::replace(&mut self.phase, Phase::Asking) {
            Phase::Starting(method, version) => Some((method, version)),
            Phase::Decided(decision) => {
                self.phase = Phase::Decided(decision);
                None
            }
            Phase::Asking => return,
        };
        self.starts += 1;
        self.processes.push(ProcessRecord::default());
        self.framing.drop_partial();
        self.outbox.clear();
        self.open.clear();
        self.pending_error = None;
        self.saw_discover = false;
        self.saw_initialize = false;
        self.stdin_open = true;
        self.silent = false;
        match first {
            Some((method, version)) => self.ask(method, version),
            None => self.begin_hand_over(),
        }
    }

    /// Bytes have come from the server.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.process().bytes_received += bytes.len() as u64;
        let mut framing = mem::replace(&mut self.framing, Framing::new(0));
        let mut rest = bytes;
        while !rest.is_empty() && !self.will_hand_over() {
            let line;
            (line, rest) = framing.take(rest);
            match line {
                Some(Line::Whole(line)) => self.read_line(line, b"\n"),
                Some(Line::TooLong(head)) => self.skip_too_long(head),
                None => {}
            }
        }
        self.framing = framing;
        self.unread.extend_from_slice(rest);
    }

    /// A message has come from the server, over a transport that keeps messages apart.
    pub fn receive_message(&mut self, message: &[u8]) {
        self.process().bytes_received += message.len() as u64;
        match message.len() <= self.settings.max_line_bytes {
            true => self.read_line(message, b"\n"),
            false => self.skip_too_long(message),
        }
    }

    /// A deadline has passed.
    pub fn passed(&mut self, deadline: Deadline) {
        self.time_is_up |= deadline == Deadline::Total;
        // What is asked only now, in consequence of an answer that counts at the deadline, has time of its own.
        let waited_for = self.open_in_time(Method::Discover);
        self.read_partial_answer();
        self.accept_pending_error();
        if deadline == Deadline::BetterAnswer {
            return;
        }
        if self.hand_over == HandOver::Asking && (deadline == Deadline::Total || self.tries_prior())
        {
            self.hand_over_failed("stayed silent");
        }
        if let Some(id) =
            waited_for.filter(|id| self.open_in_time(Method::Discover).as_ref() == Some(id))
        {
            self.overdue.push(id);
            self.discover_failed("stayed silent");
        }
        if deadline == Deadline::Total && !matches!(self.phase, Phase::Decided(_)) {
            self.decide(self.out_of_time());
        }
    }

    /// The server will say no more, or was never there to be asked again.
    pub fn ended(&mut self, how: Ended) {
        self.silent = true;
        self.read_last_line();
        self.accept_pending_error();
        let outcome = match how {
            Ended::Exit => Outcome::Exit,
            Ended::StdoutClosed => Outcome::StdoutClosed,
        };
        self.hand_over_ended(outcome);
        if !matches!(self.phase, Phase::Asking) {
            return;
        }
        let asked_initialize = self.is_outstanding(Method::Initialize);
        if self.open_in_time(Method::Discover).is_some() && !self.discover_outcome.is_answer() {
            self.discover_outcome = outcome;
        }
        if asked_initialize {
            self.initialize_outcome = outcome;
        }
        self.open.clear();
        self.outbox.clear();
        let what = match how {
            Ended::Exit => "ended without an answer",
            Ended::StdoutClosed => "closed its standard output without an answer",
        };
        if self.modern {
            self.discover_failed(what);
        } else if asked_initialize {
            self.initialize_failed(what);
        } else {
            self.ended_on_discover(what);
        }
    }

    /// A server that only the caller can end will say no more.
    pub fn left(&mut self, how: Ended) {
        if how == Ended::Exit && self.stdin_open {
            self.remarks.note(RemarkCode::ExitedEarly);
        }
        self.ended(how);
    }

    /// The process is being ended: nothing can be sent to it any more, but answers still count.
    pub fn closing(&mut self) {
        self.stdin_open = false;
    }

    /// The process that was being ended is gone.
    pub fn process_ended(&mut self, end: ProcessEnd) {
        self.read_last_line();
        self.accept_pending_error();
        match end.shutdown {
            Shutdown::Exited => self.remarks.note(RemarkCode::ExitedEarly),
            Shutdown::Terminated if end.had_time => self.remarks.note(RemarkCode::Terminated),
            Shutdown::Killed if end.had_time => self.remarks.note(RemarkCode::Killed),
            Shutdown::Abandoned => self.remarks.note(RemarkCode::Abandoned),
            Shutdown::StdinClosed
            | Shutdown::Terminated
            | Shutdown::Killed
            | Shutdown::Kept
            | Shutdown::Unrecognized => {}
        }
        if end.stderr_truncated {
            self.remarks.note(RemarkCode::StderrTruncated);
        }
        let process = self.process();
        process.exit = end.exit;
        process.shutdown = Some(end.shutdown);
        process.stderr_tail = end.stderr_tail;
    }

    /// The verdict; before the step is to finish, the one on a server that did not answer in time.
    pub fn into_verdict(mut self) -> Verdict {
        let decision = match mem::replace(&mut self.phase, Phase::Asking) {
            Phase::Decided(decision) => decision,
            Phase::Starting(..) | Phase::Asking => self.out_of_time(),
        };
        Verdict {
            era: decision.era,
            next: decision.next,
            version: decision.version,
            confirmed: decision.confirmed,
            summary: decision.summary,
            discover_outcome: self.discover_outcome,
            initialize_outcome: self.initialize_outcome,
            received_at: self.received_at,
            discover: self.discover,
            initialize: self.initialize,
            discover_error: self.discover_error.map(|error| error.json),
            initialize_error: self.initialize_error.map(|error| error.json),
            remarks: self.remarks,
            processes: self.processes,
            timing: Timing::default(),
            transcript: Transcript::default(),
            origin: None,
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit status; none where that is unknown.
    pub exit: Option<Exit>,
    /// What it took.
    pub shutdown: Shutdown,
    /// It was given time to leave by itself.
    pub had_time: bool,
    /// The end of what it wrote to standard error.
    pub stderr_tail: String,
    /// It wrote more to standard error than is kept.
    pub stderr_truncated: bool,
}
