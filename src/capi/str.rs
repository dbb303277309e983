//! A text that the library owns.

use std::ffi::c_char;
use std::ptr;

/// A text, borrowed from the object it hangs off. It is UTF-8, with a NUL behind it that len
/// does not count, so where ptr is not NULL printf("%s") will do for most purposes. A server may
/// send NUL inside of a text: then only len tells where it ends. This struct is frozen: it has no
/// size field and never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mcpd_str {
    /// The first byte; NULL if there is no text. An empty text is not NULL.
    pub ptr: *const c_char,
    /// The length in bytes, without the NUL at the end; 0 if there is no text.
    pub len: usize,
}

impl mcpd_str {
    pub(super) const ABSENT: mcpd_str = mcpd_str {
        ptr: ptr::null(),
        len: 0,
    };
}
