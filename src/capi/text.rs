//! A text that the caller owns.

use std::ffi::c_char;
use std::mem;

use super::arena::{Arena, OutOfMemory};
use super::error::mcpd_error;
use super::handle::Handle;
use super::options;
use super::status::mcpd_status;
use super::str::mcpd_str;
use crate::core::memory;
use crate::core::printable::printable;

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
    /// Hands a text to C as it is, with a NUL behind it.
    pub(super) fn give(mut text: String) -> Result<*mut mcpd_text, OutOfMemory> {
        text.try_reserve_exact(1).map_err(|_| OutOfMemory)?;
        text.push('\0');
        let public = mcpd_text {
            struct_size: mem::size_of::<mcpd_text>(),
            text: mcpd_str {
                ptr: text.as_ptr().cast(),
                len: text.len() - 1,
            },
        };
        Ok(Handle::give_with(public, Arena::default(), text))
    }
}

/// Makes a copy of a text that is safe to print: control and escape characters, line breaks and
/// characters that change the direction of text are written as escapes, a backslash with n, x1b,
/// u202e and so on, so that nothing a server says moves the cursor, changes colours or hides
/// what is there.
///
/// \param data the text; bytes that are not UTF-8 are shown as U+FFFD. It need not end with NUL,
///     and may be NULL if length is 0, as in an absent mcpd_str.
/// \param length how many bytes it has.
/// \param text gets the copy: one line. The caller frees it with mcpd_text_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_text_printable(
    data: *const c_char,
    length: usize,
    text: *mut *mut mcpd_text,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: text, needs: [], {
        // SAFETY: the caller says how long it is.
        let bytes = unsafe { options::optional_bytes(data, length) }?;
        if !memory::has_room_for(to_print(bytes)) {
            return Err(OutOfMemory.into());
        }
        Ok(mcpd_text::give(printable(&String::from_utf8_lossy(bytes)).into_owned())?)
    })
}

/// How much memory a printable copy may take: every odd byte becomes up to six, in a text that doubles as it grows, and
/// is copied once more.
fn to_print(bytes: &[u8]) -> usize {
    let odd = |byte: &&u8| !matches!(byte, b' '..=b'~');
    let odd = bytes.iter().filter(odd).count();
    (bytes.len() + 6 * odd).saturating_mul(4)
}

/// Frees a text. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_text_free(text: *mut mcpd_text) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_text, String>::free(text) };
}
