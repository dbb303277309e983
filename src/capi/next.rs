//! What the client should do next.

use std::ffi::c_char;

use super::unrecognized::MCPD_UNRECOGNIZED;
use crate::core::verdict::Next;

/// What the client should do next.
pub type mcpd_next = i32;

/// Do not go on: client and server have no version in common, or nothing is known.
pub const MCPD_NEXT_GIVE_UP: mcpd_next = 0;
/// Send modern requests with the verdict's version.
pub const MCPD_NEXT_USE_MODERN: mcpd_next = 1;
/// Send initialize with the verdict's version. Over stdio it has to be the first message of a new
/// process: one that has seen server/discover may not answer initialize any more.
pub const MCPD_NEXT_INITIALIZE: mcpd_next = 2;
/// The request is refused as it was. Where the era is modern, the server did so, and the error in
/// the verdict says what to correct, for example the client capabilities it requires. Where it is
/// unknown, the way to the server did, over HTTP: the address or the headers have to be corrected.
pub const MCPD_NEXT_CORRECT_REQUEST: mcpd_next = 3;
/// Over HTTP: send initialize with the verdict's version; if that gets no JSON-RPC answer either,
/// try the HTTP+SSE transport of protocol version 2024-11-05, which begins with a GET.
pub const MCPD_NEXT_INITIALIZE_OR_SSE: mcpd_next = 4;
/// Over HTTP: get authorization, then ask again. What the server is cannot be told before.
pub const MCPD_NEXT_AUTHORIZE: mcpd_next = 5;
/// Over HTTP: ask again later.
pub const MCPD_NEXT_RETRY: mcpd_next = 6;

/// The name of a next step, such as "use_modern"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_next_name(next: mcpd_next) -> *const c_char {
    let name = match next {
        MCPD_NEXT_GIVE_UP => c"give_up",
        MCPD_NEXT_USE_MODERN => c"use_modern",
        MCPD_NEXT_INITIALIZE => c"initialize",
        MCPD_NEXT_CORRECT_REQUEST => c"correct_request",
        MCPD_NEXT_INITIALIZE_OR_SSE => c"initialize_or_sse",
        MCPD_NEXT_AUTHORIZE => c"authorize",
        MCPD_NEXT_RETRY => c"retry",
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
        Next::InitializeOrSse => MCPD_NEXT_INITIALIZE_OR_SSE,
        Next::Authorize => MCPD_NEXT_AUTHORIZE,
        Next::Retry => MCPD_NEXT_RETRY,
        Next::Unrecognized => MCPD_UNRECOGNIZED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in Next::ALL {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_next_name(of(*value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
