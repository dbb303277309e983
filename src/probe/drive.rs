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
use super::wait::{first_of, now};
use super::{Failure, Options};
use crate::core::negotiation::{Deadline, Ended, Negotiation, ProcessEnd, Step};
use crate::core::talk::Talk;
use crate::core::verdict::Verdict;

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
        listener: Listener::new(options, negotiation, clock),
        process: None,
        kept: None,
    };
    match first_of(drive.run(), cancelled.as_mut()).await {
        Some(Ok(())) => Ok((drive.listener.into_verdict(), drive.kept)),
        Some(Err(failure)) => Err(failure),
        None => {
            // Only the end of a process may stand between the call and a verdict that is there.
            if let Step::Finish = drive.listener.negotiation().next_step() {
                drive.end(Haste::Hurried).await;
                return Ok((drive.listener.into_verdict(), drive.kept));
            }
            drive.stop().await;
            Err(Failure::Cancelled)
        }
    }
}

struct Drive<'a> {
    options: &'a Options,
    listener: Listener,
    process: Option<Process>,
    kept: Option<Connection>,
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), Failure> {
        loop {
            match (self.listener.negotiation().next_step(), &mut self.process) {
                (Step::Start, None) => self.start().await?,
                (Step::Send(bytes), Some(process)) => {
                    process.send(&bytes);
                    self.listener.said(&bytes);
                }
                (Step::Wait, Some(process)) => self.listener.listen(process).await,
                (Step::Start | Step::Finish, Some(_)) => {
                    let grace = self.options.grace;
                    self.end(Haste::Polite { grace }).await;
                }
                (Step::HandOver, Some(_)) => self.hand_over().await,
                (Step::Send(_) | Step::Wait | Step::HandOver, None) => {
                    self.listener.ended(Ended::Exit);
                }
                (Step::Finish, None) => return Ok(()),
            }
        }
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let limit = self.options.max_stderr_bytes;
        let started = process::start(&self.options.command, limit, &self.listener.clock).await;
        self.process = Some(started.map_err(Failure::Start)?);
        self.listener.started();
        Ok(())
    }

    /// Lets go of the process, once it has been told everything.
    async fn hand_over(&mut self) {
        let Some(process) = &mut self.process else {
            return;
        };
        let stderr_tail = match self.listener.finishes(process.flush()).await {
            true => process.stderr_text(),
            false => return self.listener.ended(Ended::Exit),
        };
        if let Some(idle) = self.process.take().and_then(Process::let_go) {
            let unread = self.listener.negotiation().handed_over(stderr_tail);
            self.kept = Some(Connection::new(idle, unread));
        }
    }

    /// Ends the process; what it still says counts. The clock of the whole stands still meanwhile.
    async fn end(&mut self, haste: Haste) {
        let Some(process) = &mut self.process else {
            return;
        };
        self.listener.talk.closing(self.listener.now());
        let shutdown = process.end(haste, |late| self.listener.hear(late)).await;
        self.listener.process_ended(ProcessEnd {
            exit: process.exit(),
            shutdown,
            had_time: !self.options.grace.is_zero(),
            stderr_tail: process.stderr_text(),
            stderr_truncated: process.stderr_dropped() > 0,
        });
        self.process = None;
    }

    /// Ends the process of a call that was cancelled; nobody waits for what it still says.
    async fn stop(&mut self) {
        if let Some(process) = &mut self.process {
            process.end(Haste::Hurried, |_| {}).await;
        }
    }
}

/// Whom a listener hears.
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

/// A talk, and the clock that it goes by.
pub(super) struct Listener {
    talk: Talk,
    clock: Clock,
    began: Instant,
    /// When the last answer that counted came, by the clock and in milliseconds since 1970.
    answered: Option<(Duration, Option<i64>)>,
}

impl Listener {
    pub(super) fn new(options: &Options, negotiation: Negotiation, clock: &Clock) -> Self {
        let limit = options.max_transcript_bytes;
        Self {
            talk: Talk::new(negotiation, options.patience(), limit),
            clock: clock.clone(),
            began: clock.now(),
            answered: None,
        }
    }

    pub(super) fn negotiation(&mut self) -> &mut Negotiation {
        self.talk.negotiation()
    }

    /// Somebody is there to talk to.
    pub(super) fn started(&mut self) {
        self.talk.started(self.now());
    }

    /// Whether something is done before the time for everything is over.
    pub(super) async fn finishes(&self, something: impl Future<Output = ()>) -> bool {
        let timer = self.clock.timer_at(self.began + self.talk.end());
        first_of(something, pin!(timer)).await.is_some()
    }

    /// Waits for what comes next, be it from the peer or by the clock.
    pub(super) async fn listen(&mut self, peer: &mut (dyn Peer + Send)) {
        let (instant, deadline) = self.talk.deadline();
        let event = poll_fn(|cx| peer.poll_event(cx));
        match first_of(event, pin!(self.clock.timer_at(self.began + instant))).await {
            Some(event) => {
                self.take(event, peer);
                // A server that writes without end would keep this from ever waiting, and the clocks and the cancel handle
                // from their turn. What is decided need not wait.
                if self.negotiation().awaits(Deadline::Total) {
                    yield_now().await;
                }
            }
            None => {
                // A host that was held up must not mistake what has come meanwhile for silence.
                if let Some(event) = now(poll_fn(|cx| peer.poll_event(cx))).await {
                    self.take(event, peer);
                }
                self.talk.passed(deadline, self.now());
                self.note_answer();
            }
        }
    }

    fn take(&mut self, event: Event, peer: &(dyn Peer + Send)) {
        match event {
            Event::Output => self.hear(peer.output()),
            Event::OutputClosed => self.ended(Ended::StdoutClosed),
            Event::Exited => self.ended(Ended::Exit),
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.talk.hear(bytes, self.now());
        self.note_answer();
    }

    pub(super) fn said(&mut self, bytes: &[u8]) {
        self.talk.said(bytes, self.now());
    }

    pub(super) fn ended(&mut self, how: Ended) {
        self.talk.ended(how, self.now());
        self.note_answer();
    }

    fn process_ended(&mut self, end: ProcessEnd) {
        self.talk.process_ended(end, self.now());
        self.note_answer();
    }

    /// Notes when an answer came, if one has.
    fn note_answer(&mut self) {
        let by_clock = self.talk.answered();
        if by_clock != self.answered.map(|(by_clock, _)| by_clock) {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            let since_1970 = since_1970.ok().map(|time| time.as_millis() as i64);
            self.answered = by_clock.map(|by_clock| (by_clock, since_1970));
        }
    }

    fn now(&self) -> Duration {
        self.clock.now() - self.began
    }

    pub(super) fn into_verdict(self) -> Verdict {
        let now = self.now();
        let mut verdict = self.talk.into_verdict(now);
        if let Some((_, since_1970)) = self.answered {
            verdict.received_at = since_1970;
        }
        verdict
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
