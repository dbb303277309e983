//! How a server is spoken to.

use std::ffi::c_char;

use super::unrecognized::MCPD_UNRECOGNIZED;
use crate::core::version::Era;

/// How a server is spoken to.
pub type mcpd_era = i32;

/// Nothing the server did tells.
pub const MCPD_ERA_UNKNOWN: mcpd_era = 0;
/// Stateless requests; protocol versions from 2026-07-28 on.
pub const MCPD_ERA_MODERN: mcpd_era = 1;
/// A session that the client opens with initialize; protocol versions up to 2025-11-25.
pub const MCPD_ERA_LEGACY: mcpd_era = 2;

/// The name of an era: "unknown", "modern" or "legacy"; "unrecognized" for a number that is
/// none. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_era_name(era: mcpd_era) -> *const c_char {
    let name = match era {
        MCPD_ERA_UNKNOWN => c"unknown",
        MCPD_ERA_MODERN => c"modern",
        MCPD_ERA_LEGACY => c"legacy",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: Era) -> mcpd_era {
    match value {
        Era::Unknown => MCPD_ERA_UNKNOWN,
        Era::Modern => MCPD_ERA_MODERN,
        Era::Legacy => MCPD_ERA_LEGACY,
        Era::Unrecognized => MCPD_UNRECOGNIZED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in Era::ALL {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_era_name(of(*value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
