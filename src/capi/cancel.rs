//! Stopping a blocking call.

use std::sync::Arc;

use super::error::{Failure, mcpd_error};
use super::handle;
use super::status::*;
use crate::probe::cancel::Cancel;

/// A switch that stops blocking calls. The caller makes it, passes it to any number of calls,
/// and fires it from any thread or signal handler; it stays fired. It holds two descriptors.
/// Free it with mcpd_cancel_free when no call has it any more.
pub struct mcpd_cancel(Arc<Cancel>);

impl Cancel {
    /// Fires it, unless it was made before a fork. Async-signal-safe.
    pub(super) fn fire_here(&self) -> mcpd_status {
        if !self.made_here() {
            return MCPD_WRONG_PROCESS;
        }
        self.fire();
        MCPD_OK
    }
}

impl mcpd_cancel {
    /// The switch behind the caller's handle, unless it was made before a fork; none for NULL.
    pub(super) unsafe fn read<'a>(
        cancel: *const mcpd_cancel,
    ) -> Result<Option<&'a Arc<Cancel>>, Failure> {
        // SAFETY: it is NULL or a handle of the caller's.
        let cancel = unsafe { cancel.as_ref() };
        match cancel {
            Some(mcpd_cancel(cancel)) if !cancel.made_here() => Err(Failure::of(
                MCPD_WRONG_PROCESS,
                "cancel",
                "was made before a fork; expected a handle that this process has made",
            )),
            _ => Ok(cancel.map(|cancel| &cancel.0)),
        }
    }
}

/// Makes a cancel handle that has not been fired.
///
/// \param cancel gets the handle. The caller frees it with mcpd_cancel_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_RESOURCES; MCPD_NOT_SUPPORTED on a system
///     that is not Unix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_cancel_new(
    cancel: *mut *mut mcpd_cancel,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: cancel, needs: [], {
        let made = Cancel::new()
            .map_err(|error| Failure::from_runtime(&error, "make a cancel handle"))?;
        Ok(Box::into_raw(Box::new(mcpd_cancel(Arc::new(made)))))
    })
}

/// Fires a cancel handle, for good: every call that has it, now or later, returns
/// MCPD_CANCELLED, unless it has its verdict already; mcpd_connection_close alone only hurries. A
/// call that is stopped still ends its server, in a hurry whatever grace_ms says: its standard
/// input is closed, SIGTERM comes at the same time, and SIGKILL 50 ms later. What was learned so
/// far is lost. This is async-signal-safe and leaves errno alone; firing twice is fine.
///
/// \param cancel the handle.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT for NULL; MCPD_WRONG_PROCESS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_cancel_fire(cancel: *const mcpd_cancel) -> mcpd_status {
    // No guard: what it does is not async-signal-safe, and nothing here can panic.
    // SAFETY: it is NULL or a handle of the caller's.
    match unsafe { cancel.as_ref() } {
        None => MCPD_INVALID_ARGUMENT,
        Some(mcpd_cancel(cancel)) => cancel.fire_here(),
    }
}

/// Frees a cancel handle, which no call may be using. In a forked child it is fine for a handle
/// of the parent's. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_cancel_free(cancel: *mut mcpd_cancel) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { handle::free(cancel) };
}
