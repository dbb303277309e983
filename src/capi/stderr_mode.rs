//! What becomes of a server's standard error.

use super::options::Choice;
use crate::probe::command::StderrMode;

/// What becomes of a server's standard error. It carries logs, and says nothing about failure.
pub type mcpd_stderr_mode = i32;

/// It is read, and its end kept for the verdict.
pub const MCPD_STDERR_CAPTURE: mcpd_stderr_mode = 0;
/// It goes where the standard error of the calling process goes.
pub const MCPD_STDERR_INHERIT: mcpd_stderr_mode = 1;
/// It goes to /dev/null.
pub const MCPD_STDERR_DISCARD: mcpd_stderr_mode = 2;

/// What the codes stand for.
pub(super) const STDERR_MODES: &[Choice<StderrMode>] = &[
    (
        MCPD_STDERR_CAPTURE,
        "MCPD_STDERR_CAPTURE",
        StderrMode::Capture,
    ),
    (
        MCPD_STDERR_INHERIT,
        "MCPD_STDERR_INHERIT",
        StderrMode::Inherit,
    ),
    (
        MCPD_STDERR_DISCARD,
        "MCPD_STDERR_DISCARD",
        StderrMode::Discard,
    ),
];
