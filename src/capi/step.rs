//! What a negotiation wants done.

use std::ffi::c_char;

/// What a negotiation wants done.
pub type mcpd_step = i32;

/// Start a server, or connect to one that has seen nothing yet, and call
/// mcpd_negotiation_started.
pub const MCPD_STEP_START: mcpd_step = 0;
/// Send the negotiation's line to the server.
pub const MCPD_STEP_SEND: mcpd_step = 1;
/// Wait for what the server says, for its end, or for the negotiation's deadline_ms. Pass on what
/// has come, by mcpd_negotiation_received or mcpd_negotiation_closed.
pub const MCPD_STEP_WAIT: mcpd_step = 2;
/// End the server, or the connection: close the side that sends, pass on what still comes, as
/// long as you care to wait for the end, and call mcpd_negotiation_closed.
pub const MCPD_STEP_CLOSE: mcpd_step = 3;
/// Take the verdict, by mcpd_negotiation_verdict. Nothing is open any more.
pub const MCPD_STEP_FINISH: mcpd_step = 4;

/// The name of a step, such as "send"; "unrecognized" for a number that is none. Static; never
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_step_name(step: mcpd_step) -> *const c_char {
    let name = match step {
        MCPD_STEP_START => c"start",
        MCPD_STEP_SEND => c"send",
        MCPD_STEP_WAIT => c"wait",
        MCPD_STEP_CLOSE => c"close",
        MCPD_STEP_FINISH => c"finish",
        _ => c"unrecognized",
    };
    name.as_ptr()
}
