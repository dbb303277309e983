//! Why a call failed.

use std::fmt::Display;
use std::mem;
use std::str::Utf8Error;

use super::arena::{Arena, OutOfMemory};
use super::handle::Handle;
use super::status::*;
use super::str::mcpd_str;

/// Why a call failed. Every function that returns a status makes one, if its last argument is
/// not NULL and the status is not MCPD_OK. The caller owns it. Read it from as many threads as
/// you like; free it with mcpd_error_free.
#[repr(C)]
pub struct mcpd_error {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The status that the function returned.
    pub status: mcpd_status,
    /// Always 0.
    pub reserved: i32,
    /// What went wrong, and what was expected, in English; never absent. It never holds the
    /// value of a command's argument, nor of an environment variable other than PATH.
    pub message: mcpd_str,
    /// The parameter or the field of the options that is at fault, such as "client_icons_json"
    /// or "env[2]"; absent if none is.
    pub argument: mcpd_str,
    /// Where in that text, in bytes from its start; -1 if the fault has no place.
    pub offset: i64,
}

/// Frees an error. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_error_free(error: *mut mcpd_error) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_error>::free(error) };
}

/// Why a call fails, before C sees it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) status: mcpd_status,
    pub(super) message: String,
    pub(super) argument: Option<String>,
    pub(super) offset: Option<usize>,
}

impl Failure {
    pub(super) fn new(status: mcpd_status, message: impl Into<String>) -> Failure {
        Failure {
            status,
            message: message.into(),
            argument: None,
            offset: None,
        }
    }

    /// A failure for which an argument is to blame; the problem goes on where the argument's
    /// name ends.
    pub(super) fn of(status: mcpd_status, argument: &str, problem: impl Display) -> Failure {
        Failure {
            argument: Some(argument.to_owned()),
            ..Failure::new(status, format!("{argument}: {problem}"))
        }
    }

    pub(super) fn argument(argument: &str, problem: impl Display) -> Failure {
        Failure::of(MCPD_INVALID_ARGUMENT, argument, problem)
    }

    pub(super) fn json(argument: &str, problem: impl Display, offset: usize) -> Failure {
        Failure {
            offset: Some(offset),
            ..Failure::of(MCPD_INVALID_JSON, argument, problem)
        }
    }

    pub(super) fn utf8(argument: &str, error: Utf8Error) -> Failure {
        let offset = error.valid_up_to();
        let problem = format_args!("expected UTF-8, which byte {offset} is not part of");
        Failure {
            offset: Some(offset),
            ..Failure::of(MCPD_INVALID_UTF8, argument, problem)
        }
    }

    pub(super) fn out_of_memory() -> Failure {
        Failure::new(MCPD_OUT_OF_MEMORY, "no memory is left")
    }

    pub(super) fn panicked(message: &str) -> Failure {
        Failure::new(
            MCPD_INTERNAL_ERROR,
            format!("a bug in mcp-discover: {message}"),
        )
    }

    /// Gives the caller the error, if it is wanted; gives its status.
    pub(super) unsafe fn report(&self, place: *mut *mut mcpd_error) -> mcpd_status {
        if !place.is_null() {
            let arena = Arena::default();
            let error = self.publish(&arena).unwrap_or_else(|_| self.wordless());
            // SAFETY: it is not NULL, so it is a valid place.
            unsafe { *place = Handle::give(error, arena) };
        }
        self.status
    }

    fn publish(&self, arena: &Arena) -> Result<mcpd_error, OutOfMemory> {
        Ok(mcpd_error {
            message: arena.text(&self.message)?,
            argument: arena.optional_text(self.argument.as_deref())?,
            ..self.wordless()
        })
    }

    /// The error where there is no memory for what it says.
    fn wordless(&self) -> mcpd_error {
        mcpd_error {
            struct_size: mem::size_of::<mcpd_error>(),
            status: self.status,
            reserved: 0,
            message: mcpd_str {
                ptr: c"".as_ptr(),
                len: 0,
            },
            argument: mcpd_str::ABSENT,
            offset: self
                .offset
                .and_then(|offset| i64::try_from(offset).ok())
                .unwrap_or(-1),
        }
    }
}
