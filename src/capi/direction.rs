//! Who said a piece of a transcript.

use std::ffi::c_char;

use super::unrecognized::MCPD_UNRECOGNIZED;
use crate::core::transcript::Direction;

/// Who said a piece of a transcript.
pub type mcpd_direction = i32;

/// The library, on the server's standard input.
pub const MCPD_DIRECTION_TO_SERVER: mcpd_direction = 0;
/// The server, on its standard output.
pub const MCPD_DIRECTION_FROM_SERVER: mcpd_direction = 1;

/// The name of a direction: "to_server" or "from_server"; "unrecognized" for a number that is
/// none. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_direction_name(direction: mcpd_direction) -> *const c_char {
    let name = match direction {
        MCPD_DIRECTION_TO_SERVER => c"to_server",
        MCPD_DIRECTION_FROM_SERVER => c"from_server",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: Direction) -> mcpd_direction {
    match value {
        Direction::ToServer => MCPD_DIRECTION_TO_SERVER,
        Direction::FromServer => MCPD_DIRECTION_FROM_SERVER,
        Direction::Unrecognized => MCPD_UNRECOGNIZED,
    }
}
