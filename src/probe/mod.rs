//! The stdio probe: drives the negotiation with a real process.
//!
//! Processes, descriptors and signals are those of Unix. Elsewhere `elsewhere.rs` stands for the modules that need them, and
//! refuses.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::core::negotiation::Settings;
use crate::core::talk::Patience;
use command::{Command, StartError};

pub mod command;

#[cfg(not(mcpd_processes))]
mod elsewhere;
#[cfg(not(mcpd_processes))]
pub use elsewhere::{cancel, connection, open, scan, shutdown, stdio, transport};

#[cfg(mcpd_processes)]
mod call;
#[cfg(mcpd_processes)]
pub mod cancel;
#[cfg(mcpd_processes)]
pub mod clock;
#[cfg(mcpd_processes)]
pub mod connection;
#[cfg(mcpd_processes)]
mod drive;
#[cfg(mcpd_processes)]
mod exit;
#[cfg(mcpd_processes)]
mod fd;
#[cfg(mcpd_processes)]
mod group;
#[cfg(mcpd_processes)]
mod inlet;
#[cfg(mcpd_processes)]
mod lookup;
#[cfg(mcpd_processes)]
mod outlet;
#[cfg(mcpd_processes)]
pub mod process;
#[cfg(mcpd_processes)]
pub mod scan;
#[cfg(mcpd_processes)]
pub mod shutdown;
#[cfg(mcpd_processes)]
mod sigpipe;
#[cfg(mcpd_processes)]
mod start;
#[cfg(mcpd_processes)]
mod tail;
#[cfg(all(test, mcpd_processes))]
mod testing;
#[cfg(mcpd_processes)]
pub mod transport;
#[cfg(mcpd_processes)]
mod wait;
#[cfg(mcpd_processes)]
mod watched;

#[cfg(mcpd_processes)]
pub use call::{open, stdio};

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
