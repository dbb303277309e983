//! How a process ended.

use std::ffi::c_char;

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

/// The name of how a process ended: "unknown", "code" or "signal"; "unrecognized" for a number
/// that is none. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_exit_kind_name(exit_kind: mcpd_exit_kind) -> *const c_char {
    let name = match exit_kind {
        MCPD_EXIT_UNKNOWN => c"unknown",
        MCPD_EXIT_CODE => c"code",
        MCPD_EXIT_SIGNAL => c"signal",
        _ => c"unrecognized",
    };
    name.as_ptr()
}
