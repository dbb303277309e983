//! The stdio probe: drives the negotiation with a real process.

use std::time::Duration;

use crate::core::negotiation::Settings;

/// What to probe, and how patiently.
#[derive(Debug, Clone)]
pub struct Options {
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
