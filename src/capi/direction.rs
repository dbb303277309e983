//! Who said a piece of a transcript.

use crate::core::transcript::Direction;

/// Who said a piece of a transcript.
pub type mcpd_direction = i32;

/// The library, on the server's standard input.
pub const MCPD_DIRECTION_TO_SERVER: mcpd_direction = 0;
/// The server, on its standard output.
pub const MCPD_DIRECTION_FROM_SERVER: mcpd_direction = 1;

/// The code of what the core says.
pub(super) fn of(value: Direction) -> mcpd_direction {
    match value {
        Direction::ToServer => MCPD_DIRECTION_TO_SERVER,
        Direction::FromServer => MCPD_DIRECTION_FROM_SERVER,
    }
}
