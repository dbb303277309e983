//! Drives a negotiation with real processes, by real clocks.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep_until};

use super::cancel::Cancel;
use super::process::{self, Event, Process};
use super::shutdown::Haste;
use super::{Failure, Options};
use crate::core::negotiation::{Deadline, Ended, Negotiation, ProcessEnd, Step};
use crate::core::verdict::{Timing, Verdict};

/// How long an error without id waits for a better answer.
const BETTER_ANSWER: Duration = Duration::from_millis(100);

/// Probes a server, inside a runtime with I/O and time.
pub(super) async fn run(options: &Options, cancel: Option<&Cancel>) -> Result<Verdict, Failure> {
    let mut cancelled = pin!(async {
        match cancel {
            Some(cancel) => cancel.fired().await,
            None => std::future::pending().await,
        }
    });
    let mut drive = Drive {
        options,
        negotiation: Negotiation::new(options.settings.clone()),
        clocks: Clocks::new(options),
        process: None,
    };
    match first_of(drive.run(), cancelled.as_mut()).await {
        Some(Ok(())) => Ok(drive.into_verdict()),
        Some(Err(failure)) => Err(failure),
        None => {
            drive.end(Haste::Hurried).await;
            Err(Failure::Cancelled)
        }
    }
}

/// What comes first: the future's output, or none if the other one is done before.
async fn first_of<T>(
    future: impl Future<Output = T>,
    mut other: Pin<&mut impl Future<Output = ()>>,
) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match other.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(cx).map(Some),
    })
    .await
}

struct Drive<'a> {
    options: &'a Options,
    negotiation: Negotiation,
    clocks: Clocks,
    process: Option<Process>,
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), Failure> {
        loop {
            match (self.negotiation.next_step(), &mut self.process) {
                (Step::Start, None) => self.start().await?,
                (Step::Send(bytes), Some(process)) => process.send(&bytes),
                (Step::Wait, Some(process)) => {
                    let deadline = self.clocks.next(&self.negotiation);
                    let happened = first_of(process.event(), pin!(sleep_until(deadline.0))).await;
                    match happened {
                        Some(event) => self.take(event),
                        None => self.negotiation.passed(deadline.1),
                    }
                    self.clocks.look(&self.negotiation);
                }
                (Step::Start | Step::Finish, Some(_)) => {
                    let grace = self.options.grace;
                    self.end(Haste::Polite { grace }).await;
                }
                (Step::Send(_) | Step::Wait, None) => self.negotiation.ended(Ended::Exit),
                (Step::Finish, None) => return Ok(()),
            }
        }
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let limit = self.options.max_stderr_bytes;
        let started = process::start(&self.options.command, limit).await;
        self.process = Some(started.map_err(Failure::Start)?);
        self.negotiation.started();
        self.clocks.started();
        self.clocks.look(&self.negotiation);
        Ok(())
    }

    fn take(&mut self, event: Event) {
        match (event, &self.process) {
            (Event::Output, Some(process)) => self.negotiation.receive(process.output()),
            (Event::Output, None) => {}
            (Event::OutputClosed, _) => self.negotiation.ended(Ended::StdoutClosed),
            (Event::Exited, _) => self.negotiation.ended(Ended::Exit),
        }
    }

    /// Ends the process; what it still says counts. The clock of the whole stands still meanwhile.
    async fn end(&mut self, haste: Haste) {
        let Some(process) = &mut self.process else {
            return;
        };
        let began = Instant::now();
        let (negotiation, clocks) = (&mut self.negotiation, &mut self.clocks);
        negotiation.closing();
        let late = |bytes: &[u8]| {
            negotiation.receive(bytes);
            clocks.look(negotiation);
        };
        let shutdown = process.end(haste, late).await;
        self.negotiation.process_ended(ProcessEnd {
            exit: process.exit(),
            shutdown,
            stderr_tail: String::from_utf8_lossy(process.stderr_tail()).into_owned(),
            stderr_truncated: process.stderr_dropped() > 0,
        });
        self.clocks.look(&self.negotiation);
        self.clocks.stood_still(began.elapsed());
        self.process = None;
    }

    fn into_verdict(self) -> Verdict {
        let mut verdict = self.negotiation.into_verdict();
        verdict.received_at = self.clocks.answered_at;
        verdict.timing = self.clocks.timing();
        verdict
    }
}

/// The deadlines of a probe, and when its answers came.
struct Clocks {
    discover_timeout: Duration,
    /// When the first process had started.
    first_start: Option<Instant>,
    total: Instant,
    discover: Instant,
    better_answer: Option<Instant>,
    discovers: u32,
    answers: u32,
    answered: Option<Instant>,
    /// Milliseconds since 1970.
    answered_at: Option<i64>,
    timeout: Duration,
}

impl Clocks {
    fn new(options: &Options) -> Self {
        let now = Instant::now();
        Self {
            discover_timeout: options.discover_timeout(),
            first_start: None,
            total: now,
            discover: now,
            better_answer: None,
            discovers: 0,
            answers: 0,
            answered: None,
            answered_at: None,
            timeout: options.timeout,
        }
    }

    fn started(&mut self) {
        if self.first_start.is_none() {
            let now = Instant::now();
            self.first_start = Some(now);
            self.total = now + self.timeout;
        }
    }

    fn stood_still(&mut self, time: Duration) {
        self.total += time;
    }

    /// Looks what has changed, and sets the clocks by it.
    fn look(&mut self, negotiation: &Negotiation) {
        let now = Instant::now();
        if self.discovers != negotiation.discovers() {
            self.discovers = negotiation.discovers();
            self.discover = now + self.discover_timeout;
        }
        if self.answers != negotiation.answers() {
            self.answers = negotiation.answers();
            self.answered = Some(now);
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            self.answered_at = since_1970.ok().map(|time| time.as_millis() as i64);
        }
        if !negotiation.awaits(Deadline::BetterAnswer) {
            self.better_answer = None;
        } else if self.better_answer.is_none() {
            self.better_answer = Some(now + BETTER_ANSWER);
        }
    }

    /// The deadline that passes first. The total one comes last where several pass together.
    fn next(&self, negotiation: &Negotiation) -> (Instant, Deadline) {
        let mut first = (self.total, Deadline::Total);
        if negotiation.awaits(Deadline::Discover) && self.discover <= first.0 {
            first = (self.discover, Deadline::Discover);
        }
        match self.better_answer {
            Some(instant) if instant <= first.0 => (instant, Deadline::BetterAnswer),
            _ => first,
        }
    }

    fn timing(&self) -> Timing {
        let milliseconds = |end: Instant| {
            let start = self.first_start.unwrap_or(end);
            (end - start).as_secs_f64() * 1000.0
        };
        Timing {
            elapsed_ms: milliseconds(Instant::now()),
            reply_ms: self.answered.map(milliseconds),
        }
    }
}
