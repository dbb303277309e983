//! What a call came to.

use std::ffi::c_char;

/// What a call came to: MCPD_OK, or why it did not do what was asked. A server that answers with
/// an error, or not at all, is no failure of a call: that is what a verdict tells.
pub type mcpd_status = i32;

/// The call did what was asked.
pub const MCPD_OK: mcpd_status = 0;
/// An argument or an option is not what the function takes. The error's argument names it, and
/// its message says what was expected.
pub const MCPD_INVALID_ARGUMENT: mcpd_status = 1;
/// A text is no JSON, or nests arrays and objects deeper than 128 levels. The error's offset
/// tells where.
pub const MCPD_INVALID_JSON: mcpd_status = 2;
/// A text is not UTF-8. The error's offset tells where.
pub const MCPD_INVALID_UTF8: mcpd_status = 3;
/// There is no such program, or the interpreter that its first line names is missing.
pub const MCPD_COMMAND_NOT_FOUND: mcpd_status = 4;
/// The program is there, but may not be run.
pub const MCPD_PERMISSION_DENIED: mcpd_status = 5;
/// The program could not be started for another reason; a working directory that cannot be
/// entered is one.
pub const MCPD_START_FAILED: mcpd_status = 6;
/// The system has no descriptors or processes left for this program or user.
pub const MCPD_OUT_OF_RESOURCES: mcpd_status = 7;
/// There is not enough memory.
pub const MCPD_OUT_OF_MEMORY: mcpd_status = 8;
/// A cancel handle was fired before there was a verdict.
pub const MCPD_CANCELLED: mcpd_status = 9;
/// The handle was made before a fork, by the parent process.
pub const MCPD_WRONG_PROCESS: mcpd_status = 10;
/// This version of the library cannot do it yet on this system.
pub const MCPD_NOT_SUPPORTED: mcpd_status = 11;
/// The library failed in a way it should not: please report it with the error's message.
pub const MCPD_INTERNAL_ERROR: mcpd_status = 12;
/// Nothing has come within the time that the call was given.
pub const MCPD_TIMED_OUT: mcpd_status = 13;

/// The name of a status, such as "command_not_found"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_status_name(status: mcpd_status) -> *const c_char {
    let name = match status {
        MCPD_OK => c"ok",
        MCPD_INVALID_ARGUMENT => c"invalid_argument",
        MCPD_INVALID_JSON => c"invalid_json",
        MCPD_INVALID_UTF8 => c"invalid_utf8",
        MCPD_COMMAND_NOT_FOUND => c"command_not_found",
        MCPD_PERMISSION_DENIED => c"permission_denied",
        MCPD_START_FAILED => c"start_failed",
        MCPD_OUT_OF_RESOURCES => c"out_of_resources",
        MCPD_OUT_OF_MEMORY => c"out_of_memory",
        MCPD_CANCELLED => c"cancelled",
        MCPD_WRONG_PROCESS => c"wrong_process",
        MCPD_NOT_SUPPORTED => c"not_supported",
        MCPD_INTERNAL_ERROR => c"internal_error",
        MCPD_TIMED_OUT => c"timed_out",
        _ => c"unrecognized",
    };
    name.as_ptr()
}
