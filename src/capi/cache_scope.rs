//! Who may be given a cached result.

use std::ffi::c_char;

use crate::core::result::CacheScope;

/// Who may be given a cached result (CacheableResult.cacheScope in the schema).
pub type mcpd_cache_scope = i32;

/// Only whoever asked, with the same authorization. The safe choice, so it stands for an absent
/// or unknown scope too.
pub const MCPD_CACHE_SCOPE_PRIVATE: mcpd_cache_scope = 0;
/// Anyone.
pub const MCPD_CACHE_SCOPE_PUBLIC: mcpd_cache_scope = 1;

/// The name of a cache scope: "private" or "public"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_cache_scope_name(cache_scope: mcpd_cache_scope) -> *const c_char {
    let name = match cache_scope {
        MCPD_CACHE_SCOPE_PRIVATE => c"private",
        MCPD_CACHE_SCOPE_PUBLIC => c"public",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// The code of what the core says.
pub(super) fn of(value: CacheScope) -> mcpd_cache_scope {
    match value {
        CacheScope::Private => MCPD_CACHE_SCOPE_PRIVATE,
        CacheScope::Public => MCPD_CACHE_SCOPE_PUBLIC,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for value in [CacheScope::Private, CacheScope::Public] {
            // SAFETY: the function gives a static text.
            let name = unsafe { CStr::from_ptr(mcpd_cache_scope_name(of(value))) };
            assert_eq!(name.to_str().unwrap(), value.name());
        }
    }
}
