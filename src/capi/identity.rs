//! Which library this is.

use std::ffi::{CStr, c_char};

/// The version of the binary interface that this header describes. It is the number at the end
/// of the shared library's SONAME, and changes only if programs have to be compiled again.
pub const MCPD_ABI_VERSION: i32 = 0;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The version of the library that is loaded, such as "0.1.0". Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The MCPD_ABI_VERSION of the library that is loaded. A program that loads the library at run
/// time compares it with the MCPD_ABI_VERSION it was compiled with; they have to be equal.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_abi_version() -> i32 {
    MCPD_ABI_VERSION
}
