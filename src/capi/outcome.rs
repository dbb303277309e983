//! What came of a request.

use std::ffi::c_char;

use super::unrecognized::MCPD_UNRECOGNIZED;
use crate::core::verdict::Outcome;

/// What came of a request.
pub type mcpd_outcome = i32;

/// The request was not sent.
pub const MCPD_OUTCOME_NOT_ASKED: mcpd_outcome = 0;
/// The server answered with a result that can be used.
pub const MCPD_OUTCOME_RESULT: mcpd_outcome = 1;
/// The server answered with something that can't be used; the remarks or the summary say why.
pub const MCPD_OUTCOME_UNUSABLE: mcpd_outcome = 2;
/// The server answered with a JSON-RPC error.
pub const MCPD_OUTCOME_ERROR: mcpd_outcome = 3;
/// No answer came up to the deadline.
pub const MCPD_OUTCOME_SILENCE: mcpd_outcome = 4;
/// The server exited without an answer.
pub const MCPD_OUTCOME_EXIT: mcpd_outcome = 5;
/// The server closed its standard output without an answer, and lived on.
pub const MCPD_OUTCOME_STDOUT_CLOSED: mcpd_outcome = 6;

/// The name of an outcome, such as "not_asked"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_outcome_name(outcome: mcpd_outcome) -> *const c_char {
    let name = match outcome {
        MCPD_OUTCOME_NOT_ASKED => c"not_asked",
        MCPD_OUTCOME_RESULT => c"result",
        MCPD_OUTCOME_UNUSABLE => c"unusable",
        MCPD_OUTCOME_ERROR => c"error",
        MCPD_OUTCOME_SILENCE => c"silence",
        MCPD_OUTCOME_EXIT => c"exit",
        MCPD_OUTCOME_STDOUT_CLOSED => c"stdout_closed",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: Outcome) -> mcpd_outcome {
    match value {
        Outcome::NotAsked => MCPD_OUTCOME_NOT_ASKED,
        Outcome::Result => MCPD_OUTCOME_RESULT,
        Outcome::Unusable => MCPD_OUTCOME_UNUSABLE,
        Outcome::Error => MCPD_OUTCOME_ERROR,
        Outcome::Silence => MCPD_OUTCOME_SILENCE,
        Outcome::Exit => MCPD_OUTCOME_EXIT,
        Outcome::StdoutClosed => MCPD_OUTCOME_STDOUT_CLOSED,
        Outcome::Unrecognized => MCPD_UNRECOGNIZED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in Outcome::ALL {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_outcome_name(of(*value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
