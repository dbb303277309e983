//! What came of one probe of a scan.

use std::mem;
use std::ptr;

use super::arena::Arena;
use super::error::{Failure, mcpd_error, mcpd_error_free};
use super::handle::Handle;
use super::status::{MCPD_OK, mcpd_status};
use super::verdict::{mcpd_verdict, mcpd_verdict_free};
use crate::probe::scan::Finished;

/// What came of one probe of a scan. The caller owns it, and all it points to lives until
/// mcpd_scan_item_free; it does not need the scan. Read it from as many threads as you like.
#[repr(C)]
pub struct mcpd_scan_item {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The tag that the probe was added with.
    pub tag: u64,
    /// MCPD_OK, or why there is no verdict: what mcpd_probe_stdio returns.
    pub status: mcpd_status,
    /// Always 0.
    pub reserved: i32,
    /// The verdict; NULL if there is none. It is freed with the item.
    pub verdict: *const mcpd_verdict,
    /// Why there is no verdict; NULL if there is one. It is freed with the item.
    pub error: *const mcpd_error,
}

/// Frees an item, with its verdict or its error. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_item_free(item: *mut mcpd_scan_item) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_scan_item, Outcome>::free(item) };
}

/// The verdict or the error of an item; the other one is NULL.
struct Outcome {
    verdict: *mut mcpd_verdict,
    error: *mut mcpd_error,
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: each is NULL or was given for this item alone.
        unsafe {
            mcpd_verdict_free(self.verdict);
            mcpd_error_free(self.error);
        }
    }
}

impl mcpd_scan_item {
    pub(super) fn give(finished: Finished) -> *mut mcpd_scan_item {
        let given = finished
            .outcome
            .map_err(Failure::from)
            .and_then(|verdict| Ok(mcpd_verdict::give(verdict)?));
        let mut outcome = Outcome {
            verdict: ptr::null_mut(),
            error: ptr::null_mut(),
        };
        let status = match given {
            Ok(verdict) => {
                outcome.verdict = verdict;
                MCPD_OK
            }
            // SAFETY: the place is valid.
            Err(failure) => unsafe { failure.report(&raw mut outcome.error) },
        };
        let item = mcpd_scan_item {
            struct_size: mem::size_of::<mcpd_scan_item>(),
            tag: finished.tag,
            status,
            reserved: 0,
            verdict: outcome.verdict,
            error: outcome.error,
        };
        Handle::give_with(item, Arena::default(), outcome)
    }
}
