//! Handing over a server that can be used: a process that was asked nothing which stands in the way, opened as its era
//! wants it.

use super::deciding::Decision;
use super::judging::keep_error;
use super::{ErrorText, Fallback, Keep, Negotiation, Phase, Settings, Step};
use crate::core::remark::{RemarkCode, Remarks};
use crate::core::reply::Reply;
use crate::core::request::Method;
use crate::core::verdict::{Next, Outcome, Shutdown, Verdict};
use crate::core::version::Era;

/// What opens a legacy connection once initialize is answered.
const INITIALIZED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

impl ErrorText {
    fn of_prior(json: &Option<Box<str>>) -> Option<ErrorText> {
        let json = json.clone()?;
        Some(ErrorText {
            json,
            is_modern: false,
        })
    }
}

/// How far the hand-over is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandOver {
    /// Nothing was done for it.
    Open,
    /// A process was started for it, and asked initialize.
    Asking,
    /// The process that runs is the one, once all is sent.
    Ready {
        /// It was started for this.
        fresh: bool,
    },
    /// It is done, or has failed.
    Over,
}

impl Negotiation {
    /// A negotiation that takes a verdict's word for what the server is, and only opens it; where that fails it is
    /// probed. A verdict that tells no way on, or none that these settings allow, is as good as none.
    pub fn with_prior(settings: Settings, prior: &Verdict) -> Self {
        let versions = &settings.versions;
        let speaks = |version: &String| match prior.next {
            Next::UseModern => versions.common_modern(&[version]).next().is_some(),
            Next::Initialize => versions.common_legacy(&[version]).next().is_some(),
            _ => false,
        };
        if prior.era == Era::Unrecognized || !prior.version.as_ref().is_some_and(speaks) {
            return Self::new(settings);
        }
        let by_prior = Self {
            phase: Phase::Decided(Decision {
                era: prior.era,
                next: prior.next,
                version: prior.version.clone(),
                confirmed: prior.confirmed,
                summary: prior.summary.clone(),
            }),
            by_prior: true,
            modern: prior.era == Era::Modern,
            discover_outcome: prior.discover_outcome,
            initialize_outcome: prior.initialize_outcome,
            discover: prior.discover.clone(),
            initialize: prior.initialize.clone(),
            discover_error: ErrorText::of_prior(&prior.discover_error),
            initialize_error: ErrorText::of_prior(&prior.initialize_error),
            remarks: prior.remarks.clone(),
            received_at: prior.received_at,
            ..Self::new(settings)
        };
        match by_prior.wants_hand_over() {
            true => by_prior,
            false => Self::new(by_prior.settings),
        }
    }

    /// What to do once there is a decision.
    pub(super) fn next_step_of_hand_over(&mut self) -> Step {
        if self.hand_over == HandOver::Open && self.will_hand_over() {
            self.outbox.clear();
            self.make_ready(false);
        }
        match self.hand_over {
            HandOver::Asking => self.outbox.pop_front().map_or(Step::Wait, Step::Send),
            HandOver::Ready { .. } => self.outbox.pop_front().map_or(Step::HandOver, Step::Send),
            HandOver::Open if self.wants_hand_over() && self.can_start_for_it() => {
                if self.time_is_up && self.decided_on(Next::Initialize) {
                    self.not_handed_over("there was no time left to ask it initialize");
                    return Step::Finish;
                }
                Step::Start
            }
            HandOver::Open | HandOver::Over => Step::Finish,
        }
    }

    /// The process for it has started.
    pub(super) fn begin_hand_over(&mut self) {
        let Phase::Decided(decision) = &self.phase else {
            return;
        };
        match (decision.next, decision.version.clone()) {
            (Next::Initialize, Some(version)) => {
                self.hand_over = HandOver::Asking;
                self.trials += u32::from(self.by_prior);
                let before = self.initialize_outcome;
                self.write_request(Method::Initialize, &version);
                if before == Outcome::Result {
                    self.initialize_outcome = before;
                }
            }
            _ => self.make_ready(true),
        }
    }

    /// The process was handed over; what of its output was read, and was no part of an answer, goes with it.
    pub fn handed_over(&mut self, stderr_tail: String) -> Vec<u8> {
        self.hand_over = HandOver::Over;
        let is_process = self.settings.keep == Keep::Process;
        let process = self.process();
        process.shutdown = is_process.then_some(Shutdown::Kept);
        process.stderr_tail = stderr_tail;
        std::mem::take(&mut self.unread)
    }

    /// Whether the process that runs is going to be handed over, so that what it says now is for others.
    pub(super) fn will_hand_over(&self) -> bool {
        match self.hand_over {
            HandOver::Open => self.wants_hand_over() && self.suits(),
            HandOver::Ready { .. } => true,
            HandOver::Asking | HandOver::Over => false,
        }
    }

    /// Whether a server is being asked on a stored verdict's word, and could be probed instead.
    pub(super) fn tries_prior(&self) -> bool {
        self.by_prior && self.hand_over == HandOver::Asking && self.settings.keep == Keep::Process
    }

    /// Keeps what stands behind the deciding answer on its line.
    pub(super) fn leave_unread(&mut self, rest: &str, ending: &[u8]) {
        if !rest.trim().is_empty() {
            self.unread.extend_from_slice(rest.as_bytes());
            self.unread.extend_from_slice(ending);
        }
    }

    /// The initialize that opens the connection was answered.
    pub(super) fn hand_over_answered(&mut self, reply: Reply<'_>) {
        if let Reply::Initialize(result) = &reply {
            let named = [result.protocol_version.as_ref()];
            let common = self.settings.versions.common_legacy(&named).next();
            if let Some(version) = common.map(str::to_owned) {
                self.initialize_outcome = Outcome::Result;
                self.initialize = Some(result.raw.text().into());
                self.answers += u32::from(self.discover.is_none());
                return self.opened_with(version);
            }
        }
        if self.by_prior {
            self.forget_prior();
            if matches!(self.phase, Phase::Asking) {
                self.initialize_answered(reply);
            }
            return;
        }
        match &reply {
            Reply::Initialize(result) => {
                self.initialize_outcome = Outcome::Result;
                self.initialize = Some(result.raw.text().into());
                self.not_handed_over("answered with a version that the client does not speak");
            }
            Reply::Error(error) => {
                self.note_initialize_outcome(Outcome::Error);
                keep_error(&mut self.initialize_error, error);
                self.not_handed_over(&format!("answered with error {}", error.code));
                // The verdict may have been another.
                self.modern_error(error, Method::Initialize);
            }
            Reply::Discover(_) | Reply::Unusable => {
                self.note_initialize_outcome(Outcome::Unusable);
                self.not_handed_over("gave an answer that cannot be used");
            }
        }
    }

    /// The process that runs has ended; if it was to be handed over, that has failed.
    pub(super) fn hand_over_ended(&mut self, outcome: Outcome) {
        match self.hand_over {
            // It did answer; another process may do better.
            HandOver::Ready { fresh: false } => self.hand_over = HandOver::Open,
            HandOver::Ready { fresh: true } => self.hand_over_failed("ended"),
            HandOver::Asking => {
                self.note_initialize_outcome(outcome);
                self.hand_over_failed("ended");
            }
            HandOver::Open | HandOver::Over => {}
        }
    }

    pub(super) fn hand_over_failed(&mut self, what: &str) {
        match self.by_prior {
            true => self.forget_prior(),
            false => self.not_handed_over(what),
        }
    }

    /// The verdict stands, and that is all there is.
    fn not_handed_over(&mut self, what: &str) {
        self.hand_over = HandOver::Over;
        self.remarks.note_with(
            RemarkCode::NotHandedOver,
            format!("The server could not be handed over: when it was opened it {what}."),
        );
    }

    /// The stored verdict is of no use: the server is probed as if there were none.
    fn forget_prior(&mut self) {
        let first = self.settings.versions.first_modern().to_owned();
        self.by_prior = false;
        self.hand_over = HandOver::Open;
        self.modern = false;
        self.extra_starts = self.starts;
        self.discover_outcome = Outcome::NotAsked;
        self.initialize_outcome = Outcome::NotAsked;
        self.discover = None;
        self.initialize = None;
        self.discover_error = None;
        self.initialize_error = None;
        self.received_at = None;
        self.remarks = Remarks::default();
        self.remarks.note(RemarkCode::StaleVerdict);
        // What cannot be started anew has been asked initialize, and that is what is left to judge by.
        self.phase = match self.settings.keep {
            Keep::Process => Phase::Starting(Method::Discover, first),
            Keep::No | Keep::Transport => {
                self.initialize_outcome = Outcome::Silence;
                Phase::Asking
            }
        };
    }

    /// The legacy server has answered initialize, in a process that has seen nothing else.
    fn opened_with(&mut self, version: String) {
        self.by_prior = false;
        if let Phase::Decided(decision) = &mut self.phase {
            if decision.era == Era::Unknown {
                decision.era = Era::Legacy;
            }
            if !decision.confirmed {
                decision.confirmed = true;
                decision.summary = format!("The server answered initialize with {version}.");
            }
            decision.version = Some(version);
        }
        self.make_ready(true);
    }

    fn make_ready(&mut self, fresh: bool) {
        self.hand_over = HandOver::Ready { fresh };
        if self.decided_on(Next::Initialize) {
            self.outbox.push_back(INITIALIZED.to_vec());
        }
    }

    /// Whether the decision leads to a connection. Without leave to send initialize only a modern one does.
    fn wants_hand_over(&self) -> bool {
        self.settings.keep != Keep::No
            && (self.decided_on(Next::UseModern)
                || self.decided_on(Next::Initialize)
                    && self.settings.fallback == Fallback::Initialize)
    }

    /// Whether the process that runs will do: a modern one has seen no initialize, and a legacy one has answered it and
    /// seen nothing else.
    fn suits(&self) -> bool {
        let lives = self.starts > 0 && self.stdin_open && !self.silent;
        lives
            && match self.decided_on(Next::UseModern) {
                true => !self.saw_initialize,
                false => !self.saw_discover && self.initialize_outcome == Outcome::Result,
            }
    }

    fn can_start_for_it(&self) -> bool {
        self.settings.keep == Keep::Process || self.starts == 0
    }

    fn decided_on(&self, next: Next) -> bool {
        matches!(&self.phase, Phase::Decided(decision) if decision.next == next)
    }

    fn note_initialize_outcome(&mut self, outcome: Outcome) {
        if self.initialize_outcome != Outcome::Result {
            self.initialize_outcome = outcome;
        }
    }
}
