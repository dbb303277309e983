//! Protocol versions: which era each belongs to, and the best one that both sides speak.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::slice;

use super::era::{self, MCPD_ERA_UNKNOWN, mcpd_era};
use super::error::{Failure, mcpd_error};
use super::guard;
use super::options::{list, texts};
use super::status::mcpd_status;
use super::str::mcpd_str;
use crate::core::version::{Era, Preference};

/// A static list that ends with NULL.
#[repr(transparent)]
struct List<const LENGTH: usize>([*const c_char; LENGTH]);

// SAFETY: the texts are static, and nobody writes to them.
unsafe impl<const LENGTH: usize> Sync for List<LENGTH> {}

static MODERN: List<2> = List([c"2026-07-28".as_ptr(), ptr::null()]);

static LEGACY: List<5> = List([
    c"2025-11-25".as_ptr(),
    c"2025-06-18".as_ptr(),
    c"2025-03-26".as_ptr(),
    c"2024-11-05".as_ptr(),
    ptr::null(),
]);

/// The modern protocol versions that this library knows, best first; the array ends with NULL.
/// They are the default wherever a list of modern versions is asked for. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_versions_modern() -> *const *const c_char {
    MODERN.0.as_ptr()
}

/// The legacy protocol versions that this library knows, best first; the array ends with NULL.
/// They are the default wherever a list of legacy versions is asked for. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_versions_legacy() -> *const *const c_char {
    LEGACY.0.as_ptr()
}

/// The era of a protocol version: MCPD_ERA_LEGACY for a date up to 2025-11-25, MCPD_ERA_MODERN
/// for any other text, MCPD_ERA_UNKNOWN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_version_era(version: *const c_char) -> mcpd_era {
    if version.is_null() {
        return MCPD_ERA_UNKNOWN;
    }
    let era = guard::run_quietly(|| {
        // SAFETY: it is not NULL, so it is a text of the caller's.
        let version = unsafe { CStr::from_ptr(version) };
        era::of(Era::of(&version.to_string_lossy()))
    });
    era.unwrap_or(MCPD_ERA_UNKNOWN)
}

/// Picks the best protocol version that both sides speak: the first of modern that the server
/// names too, else the first of legacy that it names too. Only the client's order counts.
/// Nothing is copied, so nothing is to be freed.
///
/// \param modern the client's modern versions, best first; a list that ends with NULL. NULL
///     itself stands for mcpd_versions_modern(), and a list that begins with NULL for none.
/// \param legacy the client's legacy versions, best first, likewise; NULL itself stands for
///     mcpd_versions_legacy().
/// \param named the versions that the server names, such as supported_versions of
///     mcpd_discover_result or supported of mcpd_rpc_error. Absent texts name nothing. NULL if
///     named_count is 0.
/// \param named_count how many versions the server names.
/// \param version gets a text out of the client's lists; NULL, with MCPD_OK, if there is no
///     common version.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also for a version in the list of the other era;
///     MCPD_INVALID_UTF8 for a version in a list of the client's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_versions_select(
    modern: *const *const c_char,
    legacy: *const *const c_char,
    named: *const mcpd_str,
    named_count: usize,
    version: *mut *const c_char,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: version, needs: [], {
        if named_count > 0 {
            guard::refuse_null(named, "named")?;
        }
        // SAFETY: these are lists of the caller's, or else the library's.
        unsafe {
            let modern = or_default(modern, mcpd_versions_modern());
            let legacy = or_default(legacy, mcpd_versions_legacy());
            read(Era::Modern, modern, "modern")?;
            read(Era::Legacy, legacy, "legacy")?;
            Ok(select(modern, named, named_count)
                .or_else(|| select(legacy, named, named_count))
                .unwrap_or(ptr::null()))
        }
    })
}

fn or_default(list: *const *const c_char, default: *const *const c_char) -> *const *const c_char {
    match list.is_null() {
        true => default,
        false => list,
    }
}

/// The client's versions of an era; none for NULL. Refuses one that is empty or of the other
/// era.
unsafe fn read<'a>(
    era: Era,
    versions: *const *const c_char,
    argument: &str,
) -> Result<Option<Vec<&'a str>>, Failure> {
    // SAFETY: it is a list of the caller's.
    let versions = unsafe { texts(versions, argument) }?;
    for (i, version) in versions.iter().flatten().enumerate() {
        check_version(era, version, &format!("{argument}[{i}]"))?;
    }
    Ok(versions)
}

/// Refuses a version that is empty or of the other era.
pub(super) fn check_version(era: Era, version: &str, argument: &str) -> Result<(), Failure> {
    if version.is_empty() {
        return Err(Failure::argument(
            argument,
            "is empty; expected a protocol version",
        ));
    }
    if Era::of(version) != era {
        return Err(Failure::argument(
            argument,
            format_args!(
                "is {version:?}, a {} version; expected a {} one",
                Era::of(version).name(),
                era.name()
            ),
        ));
    }
    Ok(())
}

/// The first text of the client's list that is among the named ones.
unsafe fn select(
    versions: *const *const c_char,
    named: *const mcpd_str,
    named_count: usize,
) -> Option<*const c_char> {
    // SAFETY: it is a list of the caller's.
    let versions = unsafe { list(versions) }.unwrap_or_default();
    let is_named = |version: &&CStr| {
        (0..named_count).any(|i| {
            // SAFETY: there are as many texts as the caller says.
            let text = unsafe { &*named.add(i) };
            // SAFETY: a text that is not absent has as many bytes as it says.
            !text.ptr.is_null()
                && unsafe { slice::from_raw_parts(text.ptr.cast::<u8>(), text.len) }
                    == version.to_bytes()
        })
    };
    versions
        .into_iter()
        .find(is_named)
        .map(|version| version.as_ptr())
}

/// The client's preference from its two lists.
pub(super) unsafe fn preference(
    modern: *const *const c_char,
    legacy: *const *const c_char,
) -> Result<Preference, Failure> {
    // SAFETY: these are lists of the caller's.
    let modern = unsafe { read(Era::Modern, modern, "modern_versions") }?;
    // SAFETY: as above.
    let legacy = unsafe { read(Era::Legacy, legacy, "legacy_versions") }?;
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    Preference::new(modern.map(owned), legacy.map(owned))
        .map_err(|error| Failure::argument("modern_versions", error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::version;

    #[test]
    fn the_lists_are_those_of_the_core() {
        // SAFETY: the lists are static and end with NULL.
        let texts = |pointer| unsafe { texts(pointer, "list") }.unwrap().unwrap();
        assert_eq!(texts(mcpd_versions_modern()), version::MODERN);
        assert_eq!(texts(mcpd_versions_legacy()), version::LEGACY);
    }
}
