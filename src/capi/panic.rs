//! A function that panics, in builds for the tests alone.

use std::ffi::{CStr, c_char};

use super::error::{Failure, mcpd_error};
use super::status::mcpd_status;
use super::text::mcpd_text;

/// Panics with this message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_test_panic(
    message: *const c_char,
    text: *mut *mut mcpd_text,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: text, needs: [message], {
        // SAFETY: it is not NULL, so it is a text of the caller's.
        let message = unsafe { CStr::from_ptr(message) };
        fail(&message.to_string_lossy())
    })
}

fn fail(message: &str) -> Result<*mut mcpd_text, Failure> {
    panic!("{message}")
}
