//! How a process ended.

/// How a process ended.
pub type mcpd_exit_kind = i32;

/// It is not known: the process was left behind, or the host program ignores or reaps children
/// itself.
pub const MCPD_EXIT_UNKNOWN: mcpd_exit_kind = 0;
/// It exited; exit_value is its exit code, 0 to 255. Many servers exit with 1 though nothing is
/// wrong.
pub const MCPD_EXIT_CODE: mcpd_exit_kind = 1;
/// A signal ended it; exit_value is the signal's number.
pub const MCPD_EXIT_SIGNAL: mcpd_exit_kind = 2;
