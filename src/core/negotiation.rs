//! The negotiation as a state machine: events in; sends, starts and a verdict out. No I/O, no clock.
//!
//! Whoever drives it asks [`Negotiation::next_step`] after each event and does what it says:
//!
//! - [`Step::Start`]: end the process that runs, if one does, telling it [`Negotiation::closing`] and all that still
//!   comes; if the next step is still to start, start a process and tell it [`Negotiation::started`];
//! - [`Step::Send`]: write these bytes to the server;
//! - [`Step::Wait`]: wait for bytes, for the end of the process, or for a deadline, and tell it;
//! - [`Step::Finish`]: end the process as above, then take the verdict.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::mem;

use super::framing::{Framing, Line};
use super::json::Json;
use super::memory;
use super::remark::{RemarkCode, Remarks};
use super::reply::{self, Incoming, Open, Reply};
use super::request::{Client, Id, Method, Request};
use super::rpc_error::{
    HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, RpcError, UNSUPPORTED_PROTOCOL_VERSION,
};
use super::transcript::Transcript;
use super::verdict::{Next, Outcome, ProcessRecord, Shutdown, Timing, Verdict};
use super::version::{Era, Preference};

/// How many skipped lines are kept to show them, and how many bytes of each.
const SAMPLED_LINES: usize = 5;
const SAMPLED_BYTES: usize = 200;

/// What to do where discover proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// Ask `initialize` for proof.
    #[default]
    Initialize,
    /// Conclude without proof.
    None,
}

/// How to negotiate.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who asks.
    pub client: Client,
    /// The versions the client speaks.
    pub versions: Preference,
    /// What to do where discover proves nothing.
    pub fallback: Fallback,
    /// The most processes to start.
    pub max_starts: u32,
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
    /// End the process and take the verdict.
    Finish,
}

/// A deadline that the driver watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// 100 ms after an error without id: nothing better came.
    BetterAnswer,
    /// The time for an answer to the discover that was sent last.
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

#[derive(Debug)]
struct Decision {
    era: Era,
    next: Next,
    version: Option<String>,
    confirmed: bool,
    summary: String,
}

impl Decision {
    /// Nothing proves what the server is, and there is nothing left to ask.
    fn unknown(summary: String) -> Self {
        Self {
            era: Era::Unknown,
            next: Next::GiveUp,
            version: None,
            confirmed: false,
            summary,
        }
    }

    /// The server is modern, and there is no version to go on with.
    fn give_up_on_modern(summary: &str) -> Self {
        Self {
            era: Era::Modern,
            next: Next::GiveUp,
            version: None,
            confirmed: true,
            summary: summary.to_owned(),
        }
    }

    /// Whether this one replaces another that was taken earlier: modern beats all, proof beats none, and a way on
    /// beats giving up.
    fn beats(&self, earlier: &Decision) -> bool {
        self.weight() > earlier.weight()
    }

    fn weight(&self) -> (bool, bool, u8) {
        let way_on = match self.next {
            Next::UseModern => 2,
            Next::Initialize | Next::CorrectRequest => 1,
            Next::GiveUp => 0,
        };
        (self.era == Era::Modern, self.confirmed, way_on)
    }
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
    starts: u32,
    /// This process has been sent a discover.
    saw_discover: bool,
    stdin_open: bool,
    /// This process will say no more.
    silent: bool,
    /// The server has proved to be modern: nothing makes it legacy any more.
    modern: bool,
    time_is_up: bool,
    framing: Framing,
    answers: u32,
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

/// Keeps an error, unless the earlier one is the proof of a modern server.
fn keep_error(place: &mut Option<ErrorText>, error: &RpcError<'_>) {
    if !place.as_ref().is_some_and(|earlier| earlier.is_modern) {
        *place = Some(ErrorText {
            json: error.raw.text().into(),
            is_modern: error.is_modern(),
        });
    }
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
            starts: 0,
            saw_discover: false,
            stdin_open: false,
            silent: false,
            modern: false,
            time_is_up: false,
            answers: 0,
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
            Phase::Decided(_) => Step::Finish,
        }
    }

    /// Whether this deadline is being waited for.
    pub fn awaits(&self, deadline: Deadline) -> bool {
        match deadline {
            Deadline::BetterAnswer => self.pending_error.is_some(),
            Deadline::Discover => self.open_in_time(Method::Discover).is_some(),
            Deadline::Total => matches!(self.phase, Phase::Asking),
        }
    }

    /// How many discovers were sent; the discover deadline runs anew from each.
    pub fn discovers(&self) -> u32 {
        self.discovers
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
        let (method, version) = match mem::replace(&mut self.phase, Phase::Asking) {
            Phase::Starting(method, version) => (method, version),
            other => {
                self.phase = other;
                return;
            }
        };
        self.starts += 1;
        self.processes.push(ProcessRecord::default());
        self.framing.drop_partial();
        self.outbox.clear();
        self.open.clear();
        self.pending_error = None;
        self.saw_discover = false;
        self.stdin_open = true;
        self.silent = false;
        self.ask(method, version);
    }

    /// Bytes have come from the server.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.process().bytes_received += bytes.len() as u64;
        let mut framing = mem::replace(&mut self.framing, Framing::new(0));
        let mut rest = bytes;
        while !rest.is_empty() {
            let line;
            (line, rest) = framing.take(rest);
            match line {
                Some(Line::Whole(line)) => self.read_line(line),
                Some(Line::TooLong(head)) => self.skip_too_long(head),
                None => {}
            }
        }
        self.framing = framing;
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
        if !matches!(self.phase, Phase::Asking) {
            return;
        }
        let outcome = match how {
            Ended::Exit => Outcome::Exit,
            Ended::StdoutClosed => Outcome::StdoutClosed,
        };
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
            Shutdown::StdinClosed => {}
            Shutdown::Terminated => self.remarks.note(RemarkCode::Terminated),
            Shutdown::Killed => self.remarks.note(RemarkCode::Killed),
            Shutdown::Abandoned => self.remarks.note(RemarkCode::Abandoned),
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
            received_at: None,
            discover: self.discover,
            initialize: self.initialize,
            discover_error: self.discover_error.map(|error| error.json),
            initialize_error: self.initialize_error.map(|error| error.json),
            remarks: self.remarks,
            processes: self.processes,
            timing: Timing::default(),
            transcript: Transcript::default(),
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit status; none where that is unknown.
    pub exit: Option<super::verdict::Exit>,
    /// What it took.
    pub shutdown: Shutdown,
    /// The end of what it wrote to standard error.
    pub stderr_tail: String,
    /// It wrote more to standard error than is kept.
    pub stderr_truncated: bool,
}

/// Reading what comes.
impl Negotiation {
    fn process(&mut self) -> &mut ProcessRecord {
        if self.processes.is_empty() {
            self.processes.push(ProcessRecord::default());
        }
        let last = self.processes.len() - 1;
        &mut self.processes[last]
    }

    fn read_line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if !memory::has_room_to_read(line) {
            return self.skip_too_long(line);
        }
        let text = reply::text_of(line, &mut self.remarks);
        let mut rest = text.as_ref();
        let mut messages = 0;
        while !rest.is_empty() {
            match reply::read_first(rest, &self.open, &mut self.remarks) {
                Ok((Incoming::Noise, _)) => return self.skip(line),
                Ok((incoming, behind)) => {
                    self.take(incoming);
                    messages += 1;
                    rest = behind;
                }
                Err(error) => {
                    reply::note_broken(rest, error, &mut self.remarks);
                    return self.skip(line);
                }
            }
            if messages == 2 {
                self.remarks.note(RemarkCode::SeveralMessages);
            }
        }
    }

    /// A last line counts without its line feed.
    fn read_last_line(&mut self) {
        if let Some(head) = self.framing.overlong().map(<[u8]>::to_vec) {
            self.framing.drop_partial();
            return self.skip_too_long(&head);
        }
        let Some(line) = self.framing.take_partial() else {
            return;
        };
        if self.answers_open(&line) {
            self.remarks.note(RemarkCode::UnterminatedReply);
        }
        self.read_line(&line);
    }

    /// At a deadline a line that has not ended counts if it is an answer; else it may still go on.
    fn read_partial_answer(&mut self) {
        if self
            .framing
            .partial()
            .is_some_and(|line| self.answers_open(line))
        {
            self.read_last_line();
        }
    }

    fn answers_open(&self, line: &[u8]) -> bool {
        if !memory::has_room_to_read(line) {
            return false;
        }
        let unheard = &mut Remarks::default();
        let text = reply::text_of(line, unheard);
        let mut rest = text.trim();
        while !rest.is_empty() {
            match reply::read_first(rest, &self.open, unheard) {
                Ok((Incoming::Reply(..) | Incoming::NullIdError(_), _)) => return true,
                Ok((Incoming::Unrelated, behind)) => rest = behind,
                Ok((Incoming::Noise, _)) | Err(_) => return false,
            }
        }
        false
    }

    fn skip_too_long(&mut self, head: &[u8]) {
        self.remarks.note(RemarkCode::LineTooLong);
        self.skip(head);
    }

    fn skip(&mut self, line: &[u8]) {
        self.remarks.note(RemarkCode::Noise);
        let process = self.process();
        process.skipped_lines += 1;
        if process.skipped_sample.len() < SAMPLED_LINES {
            let head = &line[..line.len().min(SAMPLED_BYTES)];
            process
                .skipped_sample
                .push(String::from_utf8_lossy(head).into_owned());
        }
    }

    fn take(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Reply(index, reply) => {
                let request = self.open.remove(index);
                if request.id.is_some_and(|id| self.overdue.contains(&id)) || !self.stdin_open {
                    self.remarks.note(RemarkCode::LateReply);
                }
                self.accept(request.method, reply);
            }
            // With several requests open nobody can tell which one failed.
            Incoming::NullIdError(error) if self.outstanding().count() == 1 => {
                let text = error.raw.text();
                self.pending_error.get_or_insert_with(|| text.to_owned());
            }
            Incoming::NullIdError(_) | Incoming::Unrelated | Incoming::Noise => {}
        }
    }

    /// Nothing better came: the error without an id is the answer.
    fn accept_pending_error(&mut self) {
        let Some(text) = self.pending_error.take() else {
            return;
        };
        let request = self.outstanding().next().cloned();
        let (Some(request), Ok(json)) = (request, Json::parse(&text)) else {
            return;
        };
        self.presumed_answered.extend(request.id);
        let error = RpcError::read(json, &mut self.remarks);
        self.accept(request.method, Reply::Error(error));
    }

    fn accept(&mut self, method: Method, reply: Reply<'_>) {
        self.pending_error = None;
        self.answers += 1;
        match method {
            Method::Discover => self.discover_answered(reply),
            Method::Initialize => self.initialize_answered(reply),
        }
    }

    /// The open requests that no error without id was taken to answer.
    fn outstanding(&self) -> impl Iterator<Item = &Open<'static>> {
        let presumed = |id: &Id<'static>| self.presumed_answered.contains(id);
        self.open
            .iter()
            .filter(move |request| !request.id.as_ref().is_some_and(presumed))
    }

    fn is_outstanding(&self, method: Method) -> bool {
        self.outstanding().any(|request| request.method == method)
    }

    /// The id of an outstanding request whose deadline has not passed.
    fn open_in_time(&self, method: Method) -> Option<Id<'static>> {
        self.outstanding()
            .filter(|request| request.method == method)
            .filter_map(|request| request.id.as_ref())
            .find(|id| !self.overdue.contains(id))
            .cloned()
    }
}

/// Asking.
impl Negotiation {
    fn ask(&mut self, method: Method, version: String) {
        let (name, count, outcome) = match method {
            Method::Discover => ("discover", &mut self.discovers, &mut self.discover_outcome),
            Method::Initialize => (
                "initialize",
                &mut self.initializes,
                &mut self.initialize_outcome,
            ),
        };
        *count += 1;
        // An answer to discover stays told; an initialize is a trial of its own.
        if method == Method::Initialize || !outcome.is_answer() {
            *outcome = Outcome::Silence;
        }
        let id = Id::Text(Cow::Owned(format!("{name}-{count}")));
        let request = Request {
            method,
            id: id.clone(),
            version: &version,
            client: &self.settings.client,
            log_level: None,
            meta: None,
        };
        let mut line = request.to_json().into_bytes();
        line.push(b'\n');
        self.outbox.push_back(line);
        self.open.push(Open {
            id: Some(id),
            method,
        });
        self.saw_discover |= method == Method::Discover;
        self.phase = Phase::Asking;
    }

    /// Whether a request could still be answered by the process that runs.
    fn can_ask(&self) -> bool {
        self.stdin_open && !self.silent && !self.time_is_up
    }

    /// Discover proves nothing: asks initialize for proof, where that is wanted and has not been done.
    fn fall_back(&mut self, what: &str) {
        if self.initialize_outcome != Outcome::NotAsked {
            return;
        }
        match (self.first_legacy(), self.settings.fallback) {
            (None, _) => self.decide(Decision {
                era: Era::Legacy,
                next: Next::GiveUp,
                version: None,
                confirmed: false,
                summary: format!(
                    "On server/discover the server {what}, as legacy servers do, and the client speaks no legacy version."
                ),
            }),
            (version, Fallback::None) => self.decide(Decision {
                era: Era::Legacy,
                next: Next::Initialize,
                version,
                confirmed: false,
                summary: format!(
                    "On server/discover the server {what}, as legacy servers do; initialize was not asked for proof."
                ),
            }),
            (Some(version), Fallback::Initialize) if self.can_ask() => {
                self.ask(Method::Initialize, version);
            }
            (Some(_), Fallback::Initialize) if self.silent => self.ended_on_discover(what),
            _ => {}
        }
    }

    fn first_legacy(&self) -> Option<String> {
        self.settings.versions.first_legacy().map(str::to_owned)
    }

    fn can_start_again(&self) -> bool {
        self.starts < self.settings.max_starts && !self.time_is_up
    }
}

/// What an answer means.
impl Negotiation {
    fn discover_answered(&mut self, reply: Reply<'_>) {
        match reply {
            Reply::Discover(result) => {
                self.discover_outcome = Outcome::Result;
                self.discover = Some(result.raw.text().into());
                self.decide_by_versions(&result.supported_versions, "the DiscoverResult");
            }
            Reply::Error(error) => {
                self.note_discover_outcome(Outcome::Error);
                keep_error(&mut self.discover_error, &error);
                if !self.modern_error(&error, Method::Discover) {
                    self.discover_failed(&format!("answered with error {}", error.code));
                }
            }
            Reply::Initialize(_) | Reply::Unusable => {
                self.note_discover_outcome(Outcome::Unusable);
                self.discover_failed("gave an answer that cannot be used");
            }
        }
    }

    /// A result stays the outcome, whatever still comes for older requests.
    fn note_discover_outcome(&mut self, outcome: Outcome) {
        if self.discover_outcome != Outcome::Result {
            self.discover_outcome = outcome;
        }
    }

    fn initialize_answered(&mut self, reply: Reply<'_>) {
        match reply {
            Reply::Initialize(result) => {
                self.initialize_outcome = Outcome::Result;
                self.initialize = Some(result.raw.text().into());
                self.decide_by_initialize(&result.protocol_version);
            }
            Reply::Error(error) => {
                self.initialize_outcome = Outcome::Error;
                keep_error(&mut self.initialize_error, &error);
                if !self.modern_error(&error, Method::Initialize) {
                    self.initialize_failed(&format!("answered with error {}", error.code));
                }
            }
            Reply::Discover(_) | Reply::Unusable => {
                self.initialize_outcome = Outcome::Unusable;
                self.initialize_failed("gave an answer that cannot be used");
            }
        }
    }

    /// Handles an error that only modern servers have; tells whether it was one.
    fn modern_error(&mut self, error: &RpcError<'_>, answered: Method) -> bool {
        match error.code {
            UNSUPPORTED_PROTOCOL_VERSION => self.version_refused(&error.supported, answered),
            HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY => {
                self.decide(Decision {
                    era: Era::Modern,
                    next: Next::CorrectRequest,
                    version: None,
                    confirmed: true,
                    summary: format!(
                        "The server answered with error {}, which only modern servers have; it says what the request lacks.",
                        error.code
                    ),
                });
            }
            _ => return false,
        }
        true
    }

    /// The server does not speak the version it was asked with, and may have named others.
    fn version_refused(&mut self, supported: &[Cow<'_, str>], answered: Method) {
        if self.retry_is_open() {
            return;
        }
        if !self.asked_again.is_empty() {
            self.remarks.note(RemarkCode::RetryFailed);
        }
        let versions = &self.settings.versions;
        let again = versions
            .common_modern(supported)
            .find(|version| !self.asked_again.iter().any(|asked| asked == version))
            .map(str::to_owned);
        if let Some(version) = again {
            self.ask_again(version, answered);
        } else if versions.common_modern(supported).next().is_some() {
            self.decide(Decision::give_up_on_modern(
                "The server refuses every version, those it names included.",
            ));
        } else if supported.is_empty() {
            self.decide(Decision::give_up_on_modern(
                "The server refuses the version with the error that only modern servers have, and names no other."));
        } else {
            self.decide_by_versions(supported, "the unsupported-version error");
        }
    }

    fn ask_again(&mut self, version: String, answered: Method) {
        if matches!(&self.phase, Phase::Decided(decision) if decision.era == Era::Modern) {
            return;
        }
        self.modern = true;
        let asked_with = self.asked_again.last().map(String::as_str);
        let asked_with = asked_with.unwrap_or(self.settings.versions.first_modern());
        let just_refused = answered == Method::Discover && asked_with == version;
        self.asked_again.push(version.clone());
        if self.can_ask() {
            self.ask(Method::Discover, version);
        } else if matches!(self.phase, Phase::Starting(..)) {
            self.phase = Phase::Starting(Method::Discover, version);
        } else if just_refused {
            self.decide(Decision::give_up_on_modern(&format!(
                "The server refuses {version} and yet names it, too late to be asked again."
            )));
        } else {
            self.decide(Decision {
                era: Era::Modern,
                next: Next::UseModern,
                summary: format!(
                    "The server named {version} in its unsupported-version error, too late to be asked again."
                ),
                version: Some(version),
                confirmed: true,
            });
        }
    }

    /// The server proved to be modern and was asked anew; that answer tells more than those to older requests.
    fn retry_is_open(&self) -> bool {
        self.modern && self.open_in_time(Method::Discover).is_some()
    }

    /// Discover was not answered in a way that tells anything.
    fn discover_failed(&mut self, what: &str) {
        if !matches!(self.phase, Phase::Asking) || self.retry_is_open() {
            return;
        }
        if self.modern {
            self.remarks.note(RemarkCode::RetryFailed);
            self.decide(Decision::give_up_on_modern(&format!(
                "The server named a version that it speaks, and then {what} when asked with it."
            )));
        } else {
            self.fall_back(what);
        }
    }

    /// The process ended, or can't be heard any more, with discover as the only thing asked.
    fn ended_on_discover(&mut self, what: &str) {
        let (next, version) = match (self.first_legacy(), self.settings.fallback) {
            (Some(version), Fallback::Initialize) if self.can_start_again() => {
                self.phase = Phase::Starting(Method::Initialize, version);
                return;
            }
            (Some(version), Fallback::None) => (Next::Initialize, Some(version)),
            _ => (Next::GiveUp, None),
        };
        self.decide(Decision {
            era: Era::Unknown,
            next,
            version,
            confirmed: false,
            summary: format!(
                "On server/discover the server {what}, and initialize was not asked in a fresh process."
            ),
        });
    }

    /// Initialize was not answered in a way that tells anything; a process that has seen discover is no fair trial.
    fn initialize_failed(&mut self, what: &str) {
        if self.modern || !matches!(self.phase, Phase::Asking) {
            return;
        }
        match self.first_legacy() {
            Some(version) if self.saw_discover && self.can_start_again() => {
                self.phase = Phase::Starting(Method::Initialize, version);
            }
            _ => self.decide(Decision::unknown(format!(
                "Neither server/discover nor initialize got a result; on the last initialize the server {what}."
            ))),
        }
    }

    fn out_of_time(&self) -> Decision {
        match self.modern {
            true => Decision::give_up_on_modern(
                "The server proved to be modern, but did not answer in time.",
            ),
            false => Decision::unknown("The server did not answer in time.".to_owned()),
        }
    }
}

/// Deciding.
impl Negotiation {
    fn decide(&mut self, decision: Decision) {
        self.modern |= decision.era == Era::Modern;
        if self.modern && decision.era != Era::Modern {
            return;
        }
        match &self.phase {
            Phase::Decided(earlier) if !decision.beats(earlier) => {}
            _ => self.phase = Phase::Decided(decision),
        }
    }

    /// The server listed its versions: which one to go on with, and what the list proves.
    fn decide_by_versions(&mut self, named: &[Cow<'_, str>], source: &str) {
        let versions = &self.settings.versions;
        let modern = versions.common_modern(named).next().map(str::to_owned);
        let legacy = versions.common_legacy(named).next().map(str::to_owned);
        let names_modern = named.iter().any(|version| Era::of(version) == Era::Modern);
        let era = match self.modern || names_modern {
            true => Era::Modern,
            false => Era::Legacy,
        };
        let (next, version) = match (modern, legacy) {
            (Some(version), _) => (Next::UseModern, Some(version)),
            (None, Some(version)) => (Next::Initialize, Some(version)),
            (None, None) => (Next::GiveUp, None),
        };
        let summary = match (next, &version) {
            (Next::UseModern, Some(version)) => {
                format!(
                    "{source} names {version}, the client's first choice of the common versions."
                )
            }
            (_, Some(version)) if era == Era::Modern => format!(
                "The server is modern, but {source} names no modern version of the client's; the legacy version {version} is common."
            ),
            (_, Some(version)) => {
                format!("{source} names legacy versions only; {version} is common.")
            }
            (_, None) => format!("{source} names none of the client's versions."),
        };
        self.decide(Decision {
            era,
            next,
            version,
            confirmed: true,
            summary: capitalized(summary),
        });
    }

    fn decide_by_initialize(&mut self, version: &str) {
        let common = self.settings.versions.common_legacy(&[version]).next();
        let (next, version, summary) = match common {
            Some(version) => (
                Next::Initialize,
                Some(version.to_owned()),
                format!("The server answered initialize with {version}."),
            ),
            None => (
                Next::GiveUp,
                None,
                format!(
                    "The server answered initialize with {:?}, which is none of the client's legacy versions.",
                    reply::shortened(version)
                ),
            ),
        };
        self.decide(Decision {
            era: Era::Legacy,
            next,
            version,
            confirmed: true,
            summary,
        });
    }
}

fn capitalized(mut sentence: String) -> String {
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}
