//! What the client should do next.

use std::ffi::c_char;

use super::verdict::MCPD_UNRECOGNIZED;
use crate::core::verdict::Next;

/// What the client should do next.
pub type mcpd_next = i32;

/// Do not go on: client and server have no version in common, or nothing is known.
pub const MCPD_NEXT_GIVE_UP: mcpd_next = 0;
/// Send modern requests with the verdict's version.
pub const MCPD_NEXT_USE_MODERN: mcpd_next = 1;
/// Send initialize with the verdict's version, as the first message of a new process: one that
/// has seen server/discover may not answer initialize any more.
pub const MCPD_NEXT_INITIALIZE: mcpd_next = 2;
/// The server is modern, but refuses the request as it was. The error in the verdict says what
/// to correct, for example the client capabilities it requires.
pub const MCPD_NEXT_CORRECT_REQUEST: mcpd_next = 3;

/// The name of a next step, such as "use_modern"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_next_name(next: mcpd_next) -> *const c_char {
    let name = match next {
        MCPD_NEXT_GIVE_UP => c"give_up",
        MCPD_NEXT_USE_MODERN => c"use_modern",
        MCPD_NEXT_INITIALIZE => c"initialize",
        MCPD_NEXT_CORRECT_REQUEST => c"correct_request",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: Next) -> mcpd_next {
    match value {
        Next::GiveUp => MCPD_NEXT_GIVE_UP,
        Next::UseModern => MCPD_NEXT_USE_MODERN,
        Next::Initialize => MCPD_NEXT_INITIALIZE,
        Next::CorrectRequest => MCPD_NEXT_CORRECT_REQUEST,
        Next::Unrecognized => MCPD_UNRECOGNIZED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in [
            Next::GiveUp,
            Next::UseModern,
            Next::Initialize,
            Next::CorrectRequest,
        ] {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_next_name(of(value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
