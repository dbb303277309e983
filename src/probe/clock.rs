//! The clock that a probe goes by.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A clock that can be made to stand still. Copies are the same clock; a new one runs like the system's.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// For how long it has stood still in all, in nanoseconds.
    still: Arc<AtomicU64>,
}

impl Clock {
    /// What time it is by this clock: that of the system, less the time for which it has stood still.
    pub(super) fn now(&self) -> Instant {
        Instant::now() - self.still()
    }

    /// Puts the clock back by a time that must not have passed for those who go by it.
    pub(super) fn stood_still(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.still.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// A timer that rings once this time has passed, inside a runtime with time.
    pub(super) fn timer(&self, time: Duration) -> Timer {
        self.timer_at(self.now() + time)
    }

    /// A timer that rings at an instant of this clock.
    pub(super) fn timer_at(&self, until: Instant) -> Timer {
        Timer {
            clock: self.clone(),
            until,
            sleep: None,
        }
    }

    fn still(&self) -> Duration {
        Duration::from_nanos(self.still.load(Ordering::Relaxed))
    }
}

/// A future that is done at an instant of its clock.
#[derive(Debug)]
pub(super) struct Timer {
    clock: Clock,
    until: Instant,
    /// Only while somebody waits: the runtime is woken for each that rings before all others.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    /// Has it ring once this time has passed from now.
    pub(super) fn reset(&mut self, time: Duration) {
        self.until = self.clock.now() + time;
        self.sleep = None;
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let until = self.until + self.clock.still();
            let sleep = self
                .sleep
                .get_or_insert_with(|| Box::pin(sleep_until(until)));
            ready!(sleep.as_mut().poll(cx));
            if self.clock.now() >= self.until {
                return Poll::Ready(());
            }
            // The clock has stood still since the sleep began.
            self.sleep = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn a_timer_rings_later_by_the_time_that_its_clock_stood_still() {
        let still = Duration::from_millis(80);
        testing::run(async {
            let clock = Clock::default();
            let (began, began_by_clock) = (Instant::now(), clock.now());
            let (before, mut reset) = (
                clock.timer(Duration::from_millis(5)),
                clock.timer(Duration::ZERO),
            );
            clock.stood_still(still);
            reset.reset(Duration::from_millis(1));
            let after = clock.timer_at(began_by_clock);
            before.await;
            reset.await;
            after.await;
            assert!(began.elapsed() >= still + Duration::from_millis(5));
            assert!(clock.now() - began_by_clock >= Duration::from_millis(5));
            assert!(clock.now() + still <= Instant::now());
        });
    }
}
