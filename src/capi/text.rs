//! A text that the caller owns.

use std::mem;

use super::arena::{Arena, OutOfMemory};
use super::handle::Handle;
use super::str::mcpd_str;

/// A text that the caller owns: a built request, or JSON. Read it from as many threads as you
/// like; free it with mcpd_text_free.
#[repr(C)]
pub struct mcpd_text {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The text; valid until mcpd_text_free. It is never absent.
    pub text: mcpd_str,
}

impl mcpd_text {
    pub(super) fn give(text: &str) -> Result<*mut mcpd_text, OutOfMemory> {
        let arena = Arena::default();
        let public = mcpd_text {
            struct_size: mem::size_of::<mcpd_text>(),
            text: arena.text(text)?,
        };
        Ok(Handle::give(public, arena))
    }
}

/// Frees a text. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_text_free(text: *mut mcpd_text) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_text>::free(text) };
}
