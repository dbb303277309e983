//! The stdio probe: drives the negotiation with a real process.

pub mod cancel;
pub mod command;
pub mod detached;
mod exit;
mod fd;
mod group;
mod inlet;
mod lookup;
mod outlet;
pub mod process;
pub mod shutdown;
mod sigpipe;
mod tail;
#[cfg(test)]
mod testing;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use self::cancel::Cancel;
use self::command::{Command, StartError};
use self::process::{Event, Process};
use self::shutdown::Haste;
use crate::core::negotiation::{Deadline, Ended, Negotiation, ProcessEnd, Settings, Step};
use crate::core::verdict::{Timing, Verdict};

/// What to probe, and how patiently.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to start.
    pub command: Command,
    /// How to negotiate.
    pub settings: Settings,
    /// The time for everything but shutdown.
    pub timeout: Duration,
    /// The time for an answer to discover; none is the smaller of 5 s and half of the timeout.
    pub discover_timeout: Option<Duration>,
    /// How long a process may take to leave after the end of its input, and again after SIGTERM.
    pub grace: Duration,
    /// How much of standard error is kept: the last bytes.
    pub max_stderr_bytes: usize,
}

/// Why there is no verdict.
#[derive(Debug)]
pub enum Failure {
    /// The command could not be started.
    Start(StartError),
    /// The call was cancelled.
    Cancelled,
    /// There was no runtime to be had.
    Runtime(io::Error),
}

/// A simple driver that stands in until the real one is here.
pub fn stdio(options: &Options, cancel: Option<&Cancel>) -> Result<Verdict, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?
        .block_on(async {
            let fired = async {
                match cancel {
                    Some(cancel) => cancel.fired().await,
                    None => std::future::pending().await,
                }
            };
            let mut fired = pin!(fired);
            let mut drive = pin!(drive(options));
            poll_fn(|cx| match fired.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(Err(Failure::Cancelled)),
                Poll::Pending => drive.as_mut().poll(cx),
            })
            .await
        })
}

async fn drive(options: &Options) -> Result<Verdict, Failure> {
    let mut negotiation = Negotiation::new(options.settings.clone());
    let mut process: Option<Process> = None;
    let begin = Instant::now();
    let (mut asked, mut discovers, mut answers) = (begin, 0, 0);
    let mut better: Option<Instant> = None;
    let (mut reply_ms, mut received_at) = (None, None);
    let discover = options
        .discover_timeout
        .unwrap_or(Duration::from_secs(5).min(options.timeout / 2));
    loop {
        if negotiation.answers() > answers {
            answers = negotiation.answers();
            reply_ms = Some(begin.elapsed().as_secs_f64() * 1e3);
            received_at = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .map(|time| time.as_millis() as i64);
        }
        if negotiation.discovers() > discovers {
            discovers = negotiation.discovers();
            asked = Instant::now();
        }
        let step = negotiation.next_step();
        match (step, process.as_mut()) {
            (Step::Start | Step::Finish, Some(running)) => {
                negotiation.closing();
                let haste = Haste::Polite {
                    grace: options.grace,
                };
                let shutdown = running.end(haste, |bytes| negotiation.receive(bytes)).await;
                negotiation.process_ended(ProcessEnd {
                    exit: running.exit(),
                    shutdown,
                    stderr_tail: String::from_utf8_lossy(running.stderr_tail()).into_owned(),
                    stderr_truncated: running.stderr_dropped() > 0,
                });
                process = None;
            }
            (Step::Start, None) => {
                let started = process::start(&options.command, options.max_stderr_bytes).await;
                process = Some(started.map_err(Failure::Start)?);
                negotiation.started();
            }
            (Step::Send(bytes), Some(running)) => running.send(&bytes),
            (Step::Wait, Some(running)) => {
                let mut next = (Deadline::Total, begin + options.timeout);
                if negotiation.awaits(Deadline::Discover) && asked + discover < next.1 {
                    next = (Deadline::Discover, asked + discover);
                }
                if negotiation.awaits(Deadline::BetterAnswer) {
                    let at = *better.get_or_insert(Instant::now() + Duration::from_millis(100));
                    if at < next.1 {
                        next = (Deadline::BetterAnswer, at);
                    }
                } else {
                    better = None;
                }
                let left = next.1.saturating_duration_since(Instant::now());
                let event: Pin<Box<dyn Future<Output = Event>>> = Box::pin(running.event());
                match tokio::time::timeout(left, event).await {
                    Err(_) => negotiation.passed(next.0),
                    Ok(Event::Output) => negotiation.receive(running.output()),
                    Ok(Event::OutputClosed) => negotiation.ended(Ended::StdoutClosed),
                    Ok(Event::Exited) => negotiation.ended(Ended::Exit),
                }
            }
            (_, None) => break,
        }
    }
    let mut verdict = negotiation
        .into_verdict()
        .ok_or_else(|| Failure::Runtime(io::ErrorKind::Other.into()))?;
    verdict.received_at = received_at;
    verdict.timing = Timing {
        elapsed_ms: begin.elapsed().as_secs_f64() * 1e3,
        reply_ms,
    };
    Ok(verdict)
}
