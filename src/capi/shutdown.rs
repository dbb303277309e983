//! What it took to end a process.

use std::ffi::c_char;

use super::unrecognized::MCPD_UNRECOGNIZED;
use crate::core::verdict::Shutdown;

/// What it took to end a process (basic/transports, stdio, shutdown).
pub type mcpd_shutdown = i32;

/// There was nothing to end.
pub const MCPD_SHUTDOWN_NONE: mcpd_shutdown = 0;
/// Nothing: it ended before it was asked to.
pub const MCPD_SHUTDOWN_EXITED: mcpd_shutdown = 1;
/// The end of its standard input, as the specification wants it.
pub const MCPD_SHUTDOWN_STDIN_CLOSED: mcpd_shutdown = 2;
/// SIGTERM to its process group.
pub const MCPD_SHUTDOWN_TERMINATED: mcpd_shutdown = 3;
/// SIGKILL to its process group.
pub const MCPD_SHUTDOWN_KILLED: mcpd_shutdown = 4;
/// Nothing did: it outlived SIGKILL by 2 seconds and was left behind.
pub const MCPD_SHUTDOWN_ABANDONED: mcpd_shutdown = 5;
/// Nothing was done: it was handed over, and runs. See mcpd_connection.
pub const MCPD_SHUTDOWN_KEPT: mcpd_shutdown = 6;

/// The name of what ended a process, such as "stdin_closed"; "unrecognized" for a number that is
/// none. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_shutdown_name(shutdown: mcpd_shutdown) -> *const c_char {
    let name = match shutdown {
        MCPD_SHUTDOWN_NONE => c"none",
        MCPD_SHUTDOWN_EXITED => c"exited",
        MCPD_SHUTDOWN_STDIN_CLOSED => c"stdin_closed",
        MCPD_SHUTDOWN_TERMINATED => c"terminated",
        MCPD_SHUTDOWN_KILLED => c"killed",
        MCPD_SHUTDOWN_ABANDONED => c"abandoned",
        MCPD_SHUTDOWN_KEPT => c"kept",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: Shutdown) -> mcpd_shutdown {
    match value {
        Shutdown::Exited => MCPD_SHUTDOWN_EXITED,
        Shutdown::StdinClosed => MCPD_SHUTDOWN_STDIN_CLOSED,
        Shutdown::Terminated => MCPD_SHUTDOWN_TERMINATED,
        Shutdown::Killed => MCPD_SHUTDOWN_KILLED,
        Shutdown::Abandoned => MCPD_SHUTDOWN_ABANDONED,
        Shutdown::Kept => MCPD_SHUTDOWN_KEPT,
        Shutdown::Unrecognized => MCPD_UNRECOGNIZED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in Shutdown::ALL {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_shutdown_name(of(*value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
