//! Many probes side by side, on the thread that asks for what they find.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io;
use std::panic;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{self, Runtime};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet, yield_now};

use super::cancel::{self, Cancel};
use super::clock::Clock;
use super::{Failure, Options, drive};
use crate::core::memory;
use crate::core::negotiation::Negotiation;
use crate::core::verdict::Verdict;

/// Probes that wait, run and have finished. They go on only while [`Scan::next`] is called; meanwhile their clock stands still.
///
/// Each comes out of [`Scan::next`] once. Dropped before, the scan ends what runs, all of it side by side, and reaps it.
pub struct Scan {
    runtime: Runtime,
    probes: Probes,
    clock: Clock,
    /// Since when the caller is elsewhere.
    left: Instant,
}

/// What a probe came to.
#[derive(Debug)]
pub struct Finished {
    /// The caller's own name for the probe.
    pub tag: u64,
    /// The verdict, or why there is none.
    pub outcome: Result<Verdict, Failure>,
}

/// No probe has finished within the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedOut;

/// Why nothing comes out, for now.
enum Nothing {
    TimedOut,
    Panicked(JoinError),
}

impl From<JoinError> for Nothing {
    fn from(error: JoinError) -> Nothing {
        Nothing::Panicked(error)
    }
}

struct Probes {
    most: usize,
    waiting: VecDeque<Waiting>,
    running: JoinSet<Finished>,
    /// What had finished, or was made to, when the scan was cancelled.
    finished: VecDeque<Finished>,
    stop: Arc<Stop>,
    /// Done once the scan is cancelled, and not to be asked again then. Made once, for it has a descriptor.
    cancelled: Pin<Box<dyn Future<Output = ()> + Send>>,
}

struct Waiting {
    tag: u64,
    options: Options,
    cancel: Option<Arc<Cancel>>,
}

/// What ends every probe of a scan.
struct Stop {
    cancel: Arc<Cancel>,
    /// Wakes the probes once the switch is on, which only one of all is told by a descriptor.
    heard: Notify,
}

impl Stop {
    async fn fired(&self) {
        let heard = self.heard.notified();
        if !self.cancel.is_fired() {
            heard.await;
        }
    }
}

impl Scan {
    /// A scan that runs at most so many probes at once.
    ///
    /// # Errors
    ///
    /// When there are no descriptors left.
    pub fn new(max_running: usize) -> io::Result<Scan> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let cancel = Arc::new(Cancel::new()?);
        let watched = cancel.clone();
        let stop = Stop {
            cancel,
            heard: Notify::new(),
        };
        Ok(Scan {
            runtime,
            probes: Probes {
                most: max_running,
                waiting: VecDeque::new(),
                running: JoinSet::new(),
                finished: VecDeque::new(),
                stop: Arc::new(stop),
                cancelled: Box::pin(async move { watched.fired().await }),
            },
            clock: Clock::default(),
            left: Instant::now(),
        })
    }

    /// The switch that ends the whole scan.
    pub fn cancel(&self) -> Arc<Cancel> {
        self.probes.stop.cancel.clone()
    }

    /// Adds a probe, which is started once [`Scan::next`] has a place for it.
    pub fn add(&mut self, tag: u64, options: Options, cancel: Option<Arc<Cancel>>) {
        self.probes.waiting.push_back(Waiting {
            tag,
            options,
            cancel,
        });
    }

    /// Drives the probes until one has finished, at most for this time; with none, without a limit. None is none left.
    ///
    /// Once the scan is cancelled, it first ends what runs.
    ///
    /// # Errors
    ///
    /// When none has finished within the time, which changes nothing.
    pub fn next(&mut self, timeout: Option<Duration>) -> Result<Option<Finished>, TimedOut> {
        self.clock.stood_still(self.left.elapsed());
        let next = self
            .runtime
            .block_on(self.probes.next(timeout, &self.clock));
        self.left = Instant::now();
        next.map_err(|nothing| match nothing {
            Nothing::TimedOut => TimedOut,
            Nothing::Panicked(error) => panic::resume_unwind(error.into_panic()),
        })
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.probes.waiting.clear();
        self.probes.stop.cancel.fire();
        while let Ok(Some(_)) = self.next(None) {}
    }
}

impl Probes {
    async fn next(
        &mut self,
        timeout: Option<Duration>,
        clock: &Clock,
    ) -> Result<Option<Finished>, Nothing> {
        let stop = self.stop.clone();
        let mut timeout = pin!(async {
            match timeout {
                Some(time) => {
                    if !time.is_zero() {
                        tokio::time::sleep(time).await;
                    }
                    // What is there by then still counts: the probes that it wakes get their turn.
                    yield_now().await;
                }
                None => std::future::pending().await,
            }
        });
        if !stop.cancel.is_fired() {
            self.start(clock);
            // Even where one has finished: a caller who is slow to come back leaves the servers something to do.
            yield_now().await;
        }
        let next = poll_fn(|cx| {
            if stop.cancel.is_fired() || self.cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            if let Poll::Ready(finished) = self.running.poll_join_next(cx) {
                return Poll::Ready(Some(finished.transpose().map_err(Nothing::from)));
            }
            let timed_out = timeout.as_mut().poll(cx);
            timed_out.map(|()| Some(Err(Nothing::TimedOut)))
        });
        match next.await {
            Some(next) => next,
            None => Ok(self.next_of_cancelled().await?),
        }
    }

    fn start(&mut self, clock: &Clock) {
        while self.running.len() < self.most
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.running
                .spawn(run(waiting, self.stop.clone(), clock.clone()));
        }
    }

    async fn next_of_cancelled(&mut self) -> Result<Option<Finished>, JoinError> {
        self.stop.heard.notify_waiters();
        while let Some(finished) = self.running.join_next().await {
            self.finished.push_back(finished?);
        }
        let waiting = |waiting: Waiting| Finished {
            tag: waiting.tag,
            outcome: Err(Failure::Cancelled),
        };
        let next = self.finished.pop_front();
        Ok(next.or_else(|| self.waiting.pop_front().map(waiting)))
    }
}

async fn run(waiting: Waiting, stop: Arc<Stop>, clock: Clock) -> Finished {
    let Waiting {
        tag,
        options,
        cancel,
    } = waiting;
    // As in a probe of its own: what it needs itself can't fail once it has begun.
    if !memory::has_headroom() {
        return Finished {
            tag,
            outcome: Err(Failure::OutOfMemory),
        };
    }
    let (mut all, mut one) = (pin!(stop.fired()), pin!(cancel::fired(cancel.as_deref())));
    let cancelled = pin!(poll_fn(|cx| match all.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => one.as_mut().poll(cx),
    }));
    let negotiation = Negotiation::new(options.settings.clone());
    let outcome = drive::run(&options, negotiation, &clock, cancelled).await;
    Finished {
        tag,
        outcome: outcome.map(|(verdict, _)| verdict),
    }
}
