//! Drives a negotiation with real processes, by real clocks.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::yield_now;
use tokio::time::Instant;

use super::clock::Clock;
use super::connection::Connection;
use super::process::{self, Event, Process};
use super::shutdown::Haste;
use super::{Failure, Options};
use crate::core::negotiation::{Deadline, Ended, Negotiation, ProcessEnd, Step};
use crate::core::transcript::{Direction, Transcript};
use crate::core::verdict::{Timing, Verdict};

/// How long an error without id waits for a better answer.
const BETTER_ANSWER: Duration = Duration::from_millis(100);

/// What ends a probe before its time. There are two kinds of it, and one probe for both.
pub(super) type Cancelled<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send)>;

/// Probes a server, inside a runtime with I/O and time, by this clock, until it is cancelled. A negotiation that keeps the
/// server gives it too.
pub(super) async fn run(
    options: &Options,
    negotiation: Negotiation,
    clock: &Clock,
    mut cancelled: Cancelled<'_>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    let mut drive = Drive {
        options,
        talk: Talk::new(options, negotiation, clock),
        process: None,
        kept: None,
    };
    match first_of(drive.run(), cancelled.as_mut()).await {
        Some(Ok(())) => Ok((drive.talk.into_verdict(), drive.kept)),
        Some(Err(failure)) => Err(failure),
        None => {
            // Only the end of a process may stand between the call and a verdict that is there.
            if let Step::Finish = drive.talk.negotiation.next_step() {
                drive.end(Haste::Hurried).await;
                return Ok((drive.talk.into_verdict(), drive.kept));
            }
            drive.stop().await;
            Err(Failure::Cancelled)
        }
    }
}

/// What comes first: the future's output, or none if the other one is done before.
pub(super) async fn first_of<T>(
    future: impl Future<Output = T>,
    mut other: Pin<&mut (impl Future<Output = ()> + ?Sized)>,
) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match other.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(cx).map(Some),
    })
    .await
}

/// The future's output, if it is there already.
async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

struct Drive<'a> {
    options: &'a Options,
    talk: Talk,
    process: Option<Process>,
    kept: Option<Connection>,
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), Failure> {
        loop {
            match (self.talk.negotiation.next_step(), &mut self.process) {
                (Step::Start, None) => self.start().await?,
                (Step::Send(bytes), Some(process)) => {
                    process.send(&bytes);
                    self.talk.said(&bytes);
                }
                (Step::Wait, Some(process)) => self.talk.listen(process).await,
                (Step::Start | Step::Finish, Some(_)) => {
                    let grace = self.options.grace;
                    self.end(Haste::Polite { grace }).await;
                }
                (Step::HandOver, Some(_)) => self.hand_over().await,
                (Step::Send(_) | Step::Wait | Step::HandOver, None) => {
                    self.talk.negotiation.ended(Ended::Exit);
                }
                (Step::Finish, None) => return Ok(()),
            }
        }
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let limit = self.options.max_stderr_bytes;
        let started = process::start(&self.options.command, limit, &self.talk.clocks.clock).await;
        self.process = Some(started.map_err(Failure::Start)?);
        self.talk.started();
        Ok(())
    }

    /// Lets go of the process, once it has been told everything.
    async fn hand_over(&mut self) {
        let Some(process) = &mut self.process else {
            return;
        };
        let stderr_tail = match self.talk.finishes(process.flush()).await {
            true => process.stderr_text(),
            false => return self.talk.negotiation.ended(Ended::Exit),
        };
        if let Some(idle) = self.process.take().and_then(Process::let_go) {
            let unread = self.talk.negotiation.handed_over(stderr_tail);
            self.kept = Some(Connection::new(idle, unread));
        }
    }

    /// Ends the process; what it still says counts. The clock of the whole stands still meanwhile.
    async fn end(&mut self, haste: Haste) {
        let Some(process) = &mut self.process else {
            return;
        };
        let began = self.talk.clocks.clock.now();
        self.talk.negotiation.closing();
        let shutdown = process.end(haste, |late| self.talk.hear(late)).await;
        self.talk.negotiation.process_ended(ProcessEnd {
            exit: process.exit(),
            shutdown,
            had_time: !self.options.grace.is_zero(),
            stderr_tail: process.stderr_text(),
            stderr_truncated: process.stderr_dropped() > 0,
        });
        self.talk.look();
        self.talk.clocks.has_ended_since(began);
        self.process = None;
    }

    /// Ends the process of a call that was cancelled; nobody waits for what it still says.
    async fn stop(&mut self) {
        if let Some(process) = &mut self.process {
            process.end(Haste::Hurried, |_| {}).await;
        }
    }
}

/// Whom a talk listens to.
pub(super) trait Peer {
    /// The next thing that it does.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event>;

    /// The bytes of the latest [`Event::Output`].
    fn output(&self) -> &[u8];
}

impl Peer for Process {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        self.poll_event(cx)
    }

    fn output(&self) -> &[u8] {
        self.output()
    }
}

/// The negotiation, and what is noted of it.
pub(super) struct Talk {
    pub(super) negotiation: Negotiation,
    clocks: Clocks,
    transcript: Transcript,
}

impl Talk {
    pub(super) fn new(options: &Options, negotiation: Negotiation, clock: &Clock) -> Self {
        Self {
            negotiation,
            clocks: Clocks::new(options, clock),
            transcript: Transcript::new(options.max_transcript_bytes),
        }
    }

    /// Somebody is there to talk to.
    pub(super) fn started(&mut self) {
        self.clocks.started();
        self.negotiation.started();
        self.look();
    }

    /// Whether something is done before the time for everything is over.
    pub(super) async fn finishes(&self, something: impl Future<Output = ()>) -> bool {
        let timer = self.clocks.clock.timer_at(self.clocks.total);
        first_of(something, pin!(timer)).await.is_some()
    }

    /// Waits for what comes next, be it from the peer or by a clock.
    pub(super) async fn listen(&mut self, peer: &mut (dyn Peer + Send)) {
        let (instant, deadline) = self.clocks.next(&self.negotiation);
        let event = poll_fn(|cx| peer.poll_event(cx));
        match first_of(event, pin!(self.clocks.clock.timer_at(instant))).await {
            Some(event) => {
                self.take(event, peer);
                // A server that writes without end would keep this from ever waiting, and the clocks and the cancel handle
                // from their turn.
                yield_now().await;
            }
            None => {
                // A host that was held up must not mistake what has come meanwhile for silence.
                if let Some(event) = now(poll_fn(|cx| peer.poll_event(cx))).await {
                    self.take(event, peer);
                }
                self.negotiation.passed(deadline);
                self.look();
            }
        }
    }

    fn take(&mut self, event: Event, peer: &(dyn Peer + Send)) {
        match event {
            Event::Output => return self.hear(peer.output()),
            Event::OutputClosed => self.negotiation.ended(Ended::StdoutClosed),
            Event::Exited => self.negotiation.ended(Ended::Exit),
        }
        self.look();
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.write_down(Direction::FromServer, bytes);
        self.negotiation.receive(bytes);
        self.look();
    }

    pub(super) fn said(&mut self, bytes: &[u8]) {
        self.write_down(Direction::ToServer, bytes);
    }

    fn write_down(&mut self, direction: Direction, bytes: &[u8]) {
        let process = self.negotiation.starts().saturating_sub(1);
        self.transcript
            .add(self.clocks.elapsed_ms(), process, direction, bytes);
    }

    /// Sets the clocks by what has changed.
    fn look(&mut self) {
        self.clocks.look(&self.negotiation);
    }

    pub(super) fn into_verdict(self) -> Verdict {
        let mut verdict = self.negotiation.into_verdict();
        verdict.received_at = self.clocks.answered_at.or(verdict.received_at);
        verdict.timing = self.clocks.timing();
        verdict.transcript = self.transcript;
        verdict
    }
}

/// The deadlines of a probe, and when its answers came.
struct Clocks {
    clock: Clock,
    discover_timeout: Duration,
    /// When the first process had started.
    first_start: Option<Instant>,
    total: Instant,
    discover: Instant,
    better_answer: Option<Instant>,
    trials: u32,
    answers: u32,
    answered: Option<Instant>,
    /// Milliseconds since 1970.
    answered_at: Option<i64>,
    timeout: Duration,
}

impl Clocks {
    fn new(options: &Options, clock: &Clock) -> Self {
        let now = clock.now();
        Self {
            clock: clock.clone(),
            discover_timeout: options.discover_timeout(),
            first_start: None,
            total: now,
            discover: now,
            better_answer: None,
            trials: 0,
            answers: 0,
            answered: None,
            answered_at: None,
            timeout: options.timeout,
        }
    }

    fn started(&mut self) {
        if self.first_start.is_none() {
            let now = self.clock.now();
            self.first_start = Some(now);
            self.total = now + self.timeout;
        }
    }

    /// The time that it took to end a process does not count.
    fn has_ended_since(&mut self, began: Instant) {
        self.total += self.clock.now() - began;
    }

    /// Looks what has changed, and sets the clocks by it.
    fn look(&mut self, negotiation: &Negotiation) {
        let now = self.clock.now();
        if self.trials != negotiation.trials() {
            self.trials = negotiation.trials();
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

    /// Milliseconds since the first start.
    fn elapsed_ms(&self) -> f64 {
        self.milliseconds(self.clock.now())
    }

    fn milliseconds(&self, end: Instant) -> f64 {
        let start = self.first_start.unwrap_or(end);
        (end - start).as_secs_f64() * 1000.0
    }

    fn timing(&self) -> Timing {
        Timing {
            elapsed_ms: self.elapsed_ms(),
            reply_ms: self.answered.map(|end| self.milliseconds(end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cancel::Cancel;
    use super::super::command::Command;
    use super::super::testing;
    use super::*;
    use crate::core::version::Era;
    use std::thread;

    /// A server that has answered and does not leave: the touched file tells that its input has ended.
    const LINGERING: &str = r#"read -r line
echo '{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}'
cat >/dev/null
touch "$0"
sleep 60"#;

    #[test]
    fn a_verdict_that_is_there_outlives_a_cancelled_shutdown() {
        let folder = testing::Directory::new();
        let left = folder.path().join("left");
        let mut options = Options::new(Command::new([
            "/bin/sh".into(),
            "-c".into(),
            LINGERING.into(),
            left.clone().into_os_string(),
        ]));
        options.grace = Duration::from_secs(60);
        let cancel = Cancel::new().unwrap();
        let began = std::time::Instant::now();
        let verdict = thread::scope(|scope| {
            scope.spawn(|| {
                while !left.exists() {
                    thread::sleep(Duration::from_millis(1));
                }
                cancel.fire();
            });
            super::super::stdio(&options, Some(&cancel)).unwrap()
        });
        assert_eq!(verdict.era, Era::Modern);
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
