//! A negotiation in time: its deadlines, what was said when, and how long it took. There is still no clock here: whoever
//! drives it tells with each event what time it is, counted from any instant that stays the same.

use std::time::Duration;

use super::negotiation::{Deadline, Ended, Fallback, Negotiation, ProcessEnd, Settings};
use super::transcript::{Direction, Transcript};
use super::verdict::{Timing, Verdict};

/// How long an error without id waits for a better answer.
const BETTER_ANSWER: Duration = Duration::from_millis(100);

/// How long to wait.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The time for everything but shutdown.
    pub timeout: Duration,
    /// The time for an answer to discover; none is the default, the smaller of 5 s and half of the timeout.
    pub discover_timeout: Option<Duration>,
}

impl Patience {
    /// The time for an answer to discover. Where nothing is asked after it, it has all the time there is.
    fn for_discover(&self, settings: &Settings) -> Duration {
        let asks_on =
            settings.fallback == Fallback::Initialize && settings.versions.first_legacy().is_some();
        if !asks_on {
            return self.timeout;
        }
        self.discover_timeout
            .unwrap_or(Duration::from_secs(5).min(self.timeout / 2))
    }
}

/// The negotiation, and what is noted of it.
#[derive(Debug)]
pub struct Talk {
    negotiation: Negotiation,
    transcript: Transcript,
    timeout: Duration,
    discover_timeout: Duration,
    /// When the first process had started.
    first_start: Option<Duration>,
    total: Duration,
    discover: Duration,
    better_answer: Option<Duration>,
    /// Since when a process is being ended; the clock of the whole stands still meanwhile.
    closing_since: Option<Duration>,
    trials: u32,
    answers: u32,
    answered: Option<Duration>,
}

impl Talk {
    /// A negotiation that nobody has waited for yet.
    pub fn new(negotiation: Negotiation, patience: Patience, max_transcript_bytes: usize) -> Self {
        Self {
            transcript: Transcript::new(max_transcript_bytes),
            timeout: patience.timeout,
            discover_timeout: patience.for_discover(negotiation.settings()),
            first_start: None,
            total: Duration::ZERO,
            discover: Duration::ZERO,
            better_answer: None,
            closing_since: None,
            trials: 0,
            answers: 0,
            answered: None,
            negotiation,
        }
    }

    /// The negotiation, for what takes no time.
    pub fn negotiation(&mut self) -> &mut Negotiation {
        &mut self.negotiation
    }

    /// A process has started.
    pub fn started(&mut self, now: Duration) {
        if self.first_start.is_none() {
            self.first_start = Some(now);
            self.total = now.saturating_add(self.timeout);
        }
        self.negotiation.started();
        self.look(now);
    }

    /// This was sent to the server.
    pub fn said(&mut self, bytes: &[u8], now: Duration) {
        self.write_down(Direction::ToServer, bytes, now);
    }

    /// Bytes have come from the server.
    pub fn hear(&mut self, bytes: &[u8], now: Duration) {
        self.write_down(Direction::FromServer, bytes, now);
        self.negotiation.receive(bytes);
        self.look(now);
    }

    /// A message has come from the server, over a transport that keeps messages apart.
    pub fn hear_message(&mut self, message: &[u8], now: Duration) {
        self.write_down(Direction::FromServer, message, now);
        self.negotiation.receive_message(message);
        self.look(now);
    }

    /// The server will say no more.
    pub fn ended(&mut self, how: Ended, now: Duration) {
        self.negotiation.ended(how);
        self.look(now);
    }

    /// The process is being ended; what it still says counts.
    pub fn closing(&mut self, now: Duration) {
        self.negotiation.closing();
        self.closing_since.get_or_insert(now);
    }

    /// The process that was being ended is gone.
    pub fn process_ended(&mut self, end: ProcessEnd, now: Duration) {
        self.negotiation.process_ended(end);
        self.look(now);
        self.stood_still(now);
    }

    /// A server that only the caller can end has gone.
    pub fn left(&mut self, how: Ended, now: Duration) {
        self.negotiation.left(how);
        self.look(now);
        self.stood_still(now);
    }

    fn stood_still(&mut self, now: Duration) {
        if let Some(since) = self.closing_since.take() {
            self.total = self.total.saturating_add(now.saturating_sub(since));
        }
    }

    /// The deadline that passes first. The total one comes last where several pass together.
    pub fn deadline(&self) -> (Duration, Deadline) {
        let mut first = (self.total, Deadline::Total);
        if self.negotiation.awaits(Deadline::Discover) && self.discover <= first.0 {
            first = (self.discover, Deadline::Discover);
        }
        match self.better_answer {
            Some(instant) if instant <= first.0 => (instant, Deadline::BetterAnswer),
            _ => first,
        }
    }

    /// A deadline has passed.
    pub fn passed(&mut self, deadline: Deadline, now: Duration) {
        self.negotiation.passed(deadline);
        self.look(now);
    }

    /// When the time for everything is over.
    pub fn end(&self) -> Duration {
        self.total
    }

    /// When the last answer that counted came.
    pub fn answered(&self) -> Option<Duration> {
        self.answered
    }

    /// The verdict; when the answers came by the calendar is for the driver to say.
    pub fn into_verdict(self, now: Duration) -> Verdict {
        let since_start = |end| milliseconds(self.first_start, end);
        let timing = Timing {
            elapsed_ms: since_start(now),
            reply_ms: self.answered.map(since_start),
        };
        Verdict {
            timing,
            transcript: self.transcript,
            ..self.negotiation.into_verdict()
        }
    }

    fn write_down(&mut self, direction: Direction, bytes: &[u8], now: Duration) {
        let process = self.negotiation.starts().saturating_sub(1);
        let at_ms = milliseconds(self.first_start, now);
        self.transcript.add(at_ms, process, direction, bytes);
    }

    /// Looks what has changed, and sets the clocks by it.
    fn look(&mut self, now: Duration) {
        if self.trials != self.negotiation.trials() {
            self.trials = self.negotiation.trials();
            self.discover = now.saturating_add(self.discover_timeout);
        }
        if self.answers != self.negotiation.answers() {
            self.answers = self.negotiation.answers();
            self.answered = Some(now);
        }
        if !self.negotiation.awaits(Deadline::BetterAnswer) {
            self.better_answer = None;
        } else if self.better_answer.is_none() {
            self.better_answer = Some(now.saturating_add(BETTER_ANSWER));
        }
    }
}

/// Milliseconds from the first start on.
fn milliseconds(first_start: Option<Duration>, end: Duration) -> f64 {
    let start = first_start.unwrap_or(end);
    end.saturating_sub(start).as_secs_f64() * 1000.0
}
