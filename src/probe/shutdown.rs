//! The way down: asking a process and its group to end, ever more firmly.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::process::Process;
use super::wait::first_of;
use crate::core::verdict::Shutdown;

/// How much time a process gets to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// The end of standard input, then SIGTERM, then SIGKILL.
    Polite {
        /// The time for each of the first two.
        grace: Duration,
    },
    /// The end of standard input and SIGTERM together, and SIGKILL 50 ms later: for a call that was cancelled.
    Hurried,
}

/// What SIGKILL does not end within this time is left behind.
const AFTER_SIGKILL: Duration = Duration::from_secs(2);
/// How long nobody reads what a process writes on its way out. Where that fills a pipe, it keeps the process so long.
const UNHEARD: Duration = Duration::from_millis(2);
const HURRIED_GRACE: Duration = Duration::from_millis(50);
/// The time that the rest of a group gets after its leader has ended.
const REST_GRACE: Duration = Duration::from_millis(100);
/// The time that what a killed group has written gets to come to its end.
const LAST_WORDS: Duration = Duration::from_millis(50);
const HURRIED_LAST_WORDS: Duration = Duration::from_millis(20);

impl Haste {
    fn after_stdin(self) -> Duration {
        match self {
            Haste::Polite { grace } => grace,
            Haste::Hurried => Duration::ZERO,
        }
    }

    fn after_sigterm(self) -> Duration {
        match self {
            Haste::Polite { grace } => grace,
            Haste::Hurried => HURRIED_GRACE,
        }
    }

    /// What the leader took of its time is gone for the rest of a hurried end.
    fn for_the_rest(self, passed: Duration) -> Duration {
        match self {
            Haste::Polite { .. } => REST_GRACE,
            Haste::Hurried => HURRIED_GRACE.saturating_sub(passed),
        }
    }

    fn for_last_words(self) -> Duration {
        match self {
            Haste::Polite { .. } => LAST_WORDS,
            Haste::Hurried => HURRIED_LAST_WORDS,
        }
    }
}

impl Process {
    /// Ends the process and its group, and reaps it. What comes on standard output meanwhile goes to `output`.
    ///
    /// When the future is dropped midway, this may be called again, with more haste. Once it has run to its end,
    /// it only repeats what it said.
    pub async fn end(&mut self, haste: Haste, mut output: impl FnMut(&[u8])) -> Shutdown {
        if let Some(shutdown) = self.shutdown {
            return shutdown;
        }
        let began = self.clock.now();
        self.end_leader(haste, &mut output).await;
        let rest_grace = haste.for_the_rest(self.clock.now() - began);
        self.end_rest(haste, rest_grace, &mut output).await;
        self.close();
        if self.group.has_ended() {
            self.group.reap();
        } else {
            self.pressure = Shutdown::Abandoned;
            self.group.abandon();
        }
        *self.shutdown.insert(self.pressure)
    }

    async fn end_leader(&mut self, haste: Haste, output: &mut impl FnMut(&[u8])) {
        self.close_stdin();
        if self.leaves_within(haste.after_stdin(), output).await {
            return;
        }
        self.press(Shutdown::Terminated);
        self.group.signal(libc::SIGTERM);
        if self.ends_within(haste.after_sigterm(), output).await {
            return;
        }
        self.press(Shutdown::Killed);
        self.group.signal(libc::SIGKILL);
        self.ends_within(AFTER_SIGKILL, output).await;
    }

    /// Ends what the leader has left of its group. While the leader is not reaped the group is its own;
    /// open streams tell that somebody lives.
    async fn end_rest(&mut self, haste: Haste, grace: Duration, output: &mut impl FnMut(&[u8])) {
        self.outputs_end_within(Duration::ZERO, output).await;
        if self.has_open_output() && self.pressure != Shutdown::Killed {
            if self.pressure != Shutdown::Terminated {
                self.group.signal(libc::SIGTERM);
            }
            self.outputs_end_within(grace, output).await;
        }
        self.group.signal(libc::SIGKILL);
        self.outputs_end_within(haste.for_last_words(), output)
            .await;
    }

    /// As [`Process::ends_within`]. Most leave at once, and are then waited for once: not for the end of each output too.
    async fn leaves_within(&mut self, limit: Duration, output: &mut impl FnMut(&[u8])) -> bool {
        let mut rest = limit;
        if limit > UNHEARD && self.listens_for_the_end_alone() {
            let timeout = pin!(self.clock.timer(UNHEARD));
            let end = poll_fn(|cx| self.poll_end(cx));
            if first_of(end, timeout).await.is_some() {
                return true;
            }
            rest -= UNHEARD;
        }
        self.ends_within(rest, output).await
    }

    /// Whether the leader has ended, now or within this time.
    async fn ends_within(&mut self, limit: Duration, output: &mut impl FnMut(&[u8])) -> bool {
        let mut timeout = pin!(self.clock.timer(limit));
        poll_fn(|cx| {
            self.pump(cx, output);
            if self.group.has_ended() || timeout.as_mut().poll(cx).is_ready() {
                Poll::Ready(self.group.look())
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// Reads on until both outputs have come to their end, or for this time.
    async fn outputs_end_within(&mut self, limit: Duration, output: &mut impl FnMut(&[u8])) {
        let mut timeout = pin!(self.clock.timer(limit));
        poll_fn(|cx| {
            self.pump(cx, output);
            if !self.has_open_output() || timeout.as_mut().poll(cx).is_ready() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
