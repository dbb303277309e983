//! The stdio probe: drives the negotiation with a real process.

use std::fmt;
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::runtime;

use crate::core::negotiation::{Keep, Negotiation, Settings};
use crate::core::talk::Patience;
use crate::core::verdict::Verdict;
use cancel::Cancel;
use clock::Clock;
use command::{Command, StartError};
use connection::Connection;

pub mod cancel;
pub mod clock;
pub mod command;
pub mod connection;
mod drive;
mod exit;
mod fd;
mod group;
mod inlet;
mod lookup;
mod outlet;
pub mod process;
pub mod scan;
pub mod shutdown;
mod sigpipe;
mod tail;
#[cfg(test)]
mod testing;
pub mod transport;

/// What to probe, and how patiently.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to start.
    pub command: Command,
    /// How to negotiate.
    pub settings: Settings,
    /// The time for everything but shutdown.
    pub timeout: Duration,
    /// The time for an answer to discover; none is the default, see [`Patience`].
    pub discover_timeout: Option<Duration>,
    /// How long a process may take to leave after the end of its input, and again after SIGTERM.
    pub grace: Duration,
    /// How much of standard error is kept: the last bytes.
    pub max_stderr_bytes: usize,
    /// How much of what is said is written down; none if 0.
    pub max_transcript_bytes: usize,
}

impl Options {
    /// The options for this command, all at their defaults.
    pub fn new(command: Command) -> Self {
        Self {
            command,
            settings: Settings::default(),
            timeout: Duration::from_secs(30),
            discover_timeout: None,
            grace: Duration::from_secs(2),
            max_stderr_bytes: 64 * 1024,
            max_transcript_bytes: 0,
        }
    }

    /// How long to wait.
    pub fn patience(&self) -> Patience {
        Patience {
            timeout: self.timeout,
            discover_timeout: self.discover_timeout,
        }
    }
}

/// Why there is no verdict.
#[derive(Debug)]
pub enum Failure {
    /// The command can't be started.
    Start(StartError),
    /// The call was cancelled.
    Cancelled,
    /// There is no memory for what the call itself needs.
    OutOfMemory,
    /// The system refused what the call needs before any process was started.
    Runtime(io::Error),
    /// A descriptor can't be used: which, and why.
    Descriptor(&'static str, String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start(error) => f.write_str(&error.message),
            Failure::Cancelled => f.write_str("the call was cancelled"),
            Failure::OutOfMemory => f.write_str("no memory is left"),
            Failure::Runtime(error) => write!(f, "cannot wait for descriptors: {error}"),
            Failure::Descriptor(which, problem) => write!(f, "{which} {problem}"),
        }
    }
}

/// Starts a server, asks it who it is, ends it, and tells what it is.
///
/// Blocks the calling thread; nothing is left behind, neither thread nor descriptor nor process.
///
/// # Errors
///
/// When the command can't be started, when the call is cancelled, or when the system is out of resources.
pub fn stdio(options: &Options, cancel: Option<&Cancel>) -> Result<Verdict, Failure> {
    let (verdict, _) = probe(options, Keep::No, None, cancel)?;
    Ok(verdict)
}

/// As [`stdio`], but a server that can be used is kept, and opened as its era wants it. With a verdict from before it is
/// only opened, and asked who it is where that fails.
///
/// There is no connection where the verdict tells no way on, and where the server that it is about could not be opened.
///
/// # Errors
///
/// As those of [`stdio`]; then nothing is left behind.
pub fn open(
    options: &Options,
    prior: Option<&Verdict>,
    cancel: Option<&Cancel>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    probe(options, Keep::Process, prior, cancel)
}

fn probe(
    options: &Options,
    keep: Keep,
    prior: Option<&Verdict>,
    cancel: Option<&Cancel>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    let clock = Clock::default();
    let negotiation = negotiation(&options.settings, keep, prior);
    let cancelled = pin!(cancel::fired(cancel));
    block_on(cancel, drive::run(options, negotiation, &clock, cancelled))?
}

fn negotiation(settings: &Settings, keep: Keep, prior: Option<&Verdict>) -> Negotiation {
    let settings = Settings {
        keep,
        ..settings.clone()
    };
    match prior {
        Some(prior) => Negotiation::with_prior(settings, prior),
        None => Negotiation::new(settings),
    }
}

/// Waits for what a call does, unless it is cancelled already.
fn block_on<T>(cancel: Option<&Cancel>, call: impl Future<Output = T>) -> Result<T, Failure> {
    if cancel.is_some_and(Cancel::is_fired) {
        return Err(Failure::Cancelled);
    }
    wait(call).map_err(Failure::Runtime)
}

/// Waits for a future, in a runtime of its own.
fn wait<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let mut output = None;
    {
        let future = pin!(async { output = Some(future.await) });
        run(future)?;
    }
    output.ok_or_else(|| io::ErrorKind::Interrupted.into())
}

/// Every future goes through this one function, for a runtime is much code for each kind of future.
fn run(future: Pin<&mut dyn Future<Output = ()>>) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(future);
    Ok(())
}
