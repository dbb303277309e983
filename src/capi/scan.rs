//! Many probes at once.

use std::mem;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use super::cancel::mcpd_cancel;
use super::error::{Failure, mcpd_error};
use super::guard;
use super::options::{self, CallerStruct, number, reserved};
use super::probe::{self, mcpd_probe_options};
use super::scan_item::mcpd_scan_item;
use super::status::*;
use crate::core::memory;
use crate::probe::cancel::Cancel;
use crate::probe::scan::{Scan, TimedOut};

/// For timeout_ms of mcpd_scan_next: no time at all.
pub const MCPD_NO_WAIT: i64 = -1;

const YEAR_MS: i64 = 365 * 86_400_000;

/// Many probes at once, on the thread that calls. The caller makes it, adds probes, and asks for
/// what they find until nothing is left. Free it with mcpd_scan_free.
///
/// Probes go on only within mcpd_scan_next: no thread works on them in between, and their clocks
/// stand still. So a caller may take as long as it likes between two calls, and no server loses
/// its verdict for that; what a server writes meanwhile is read by the next call. The times in a
/// verdict are those of these clocks.
///
/// One call at a time may use a scan, on any thread; mcpd_scan_cancel may come at any time.
pub struct mcpd_scan {
    cancel: Arc<Cancel>,
    scan: Mutex<Scan>,
}

/// How to scan.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcpd_scan_options {
    /// Set it to sizeof(mcpd_scan_options).
    pub struct_size: usize,
    /// How many probes may run at once, each with a process and up to five descriptors. Default:
    /// 8; at most 1,024.
    pub max_running: i32,
    /// Set it to 0.
    pub reserved: i32,
}

// SAFETY: `repr(C)`, the size first, integers only.
unsafe impl CallerStruct for mcpd_scan_options {
    const NAME: &'static str = "mcpd_scan_options";
    const FIRST_SIZE: usize = mem::offset_of!(mcpd_scan_options, reserved) + mem::size_of::<i32>();
}

impl mcpd_scan {
    /// The scan behind the caller's handle, unless it was made before a fork.
    unsafe fn read<'a>(scan: *const mcpd_scan) -> Result<MutexGuard<'a, Scan>, Failure> {
        // SAFETY: it is a handle of the caller's, and not NULL.
        let scan = unsafe { &*scan };
        if !scan.cancel.made_here() {
            return Err(Failure::of(
                MCPD_WRONG_PROCESS,
                "scan",
                "was made before a fork; expected a handle that this process has made",
            ));
        }
        match scan.scan.try_lock() {
            Ok(scan) => Ok(scan),
            // A panic has been told by the call that met it.
            Err(TryLockError::Poisoned(scan)) => Ok(scan.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::argument(
                "scan",
                "is in use by another call; expected one call at a time",
            )),
        }
    }
}

/// Makes a scan with nothing in it. It holds a few descriptors.
///
/// \param options how to scan; NULL is the default for all.
/// \param scan gets the scan. The caller frees it with mcpd_scan_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY; MCPD_INVALID_ARGUMENT;
///     MCPD_NOT_SUPPORTED on a system that is not Unix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_new(
    options: *const mcpd_scan_options,
    scan: *mut *mut mcpd_scan,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: scan, needs: [], {
        // SAFETY: it is NULL or a struct of the caller's.
        let options = unsafe { options::read(options) }?;
        reserved(options.reserved)?;
        let most = number(options.max_running, "max_running", 8, 1024)?;
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        let scan = Scan::new(most as usize).map_err(|error| Failure::from_runtime(&error, "set up the scan"))?;
        Ok(Box::into_raw(Box::new(mcpd_scan {
            cancel: scan.cancel(),
            scan: Mutex::new(scan),
        })))
    })
}

/// Adds a probe, also between calls of mcpd_scan_next. The options are checked and copied; what
/// they point to is not needed any more, cancel included, though to fire it takes the handle.
/// The server is started by mcpd_scan_next, in the order of adding, when less than max_running
/// are running.
///
/// \param scan the scan.
/// \param options what to probe; argv is required.
/// \param tag any number by which the caller knows the probe again, such as an index, or a
///     pointer by way of uintptr_t.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_CANCELLED if the scan was cancelled; MCPD_WRONG_PROCESS for scan and
///     cancel; MCPD_OUT_OF_MEMORY; MCPD_INVALID_ARGUMENT;
///     MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option that ends in _json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_add(
    scan: *mut mcpd_scan,
    options: *const mcpd_probe_options,
    tag: u64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [scan, options], {
        // SAFETY: it is a handle of the caller's.
        let mut scan = unsafe { mcpd_scan::read(scan) }?;
        // SAFETY: it is a struct of the caller's.
        let raw = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let options = unsafe { probe::read(&raw) }?;
        // SAFETY: it is NULL or a handle of the caller's.
        let cancel = unsafe { mcpd_cancel::read(raw.cancel) }?;
        if scan.cancel().is_fired() {
            return Err(Failure::new(MCPD_CANCELLED, "the scan was cancelled"));
        }
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        scan.add(tag, options, cancel.cloned());
        Ok(())
    })
}

/// Waits until a probe has finished, whichever is the first. Every probe that was added comes out
/// once; one that failed, because its command can't be started or because it was cancelled, does
/// so with its error, and the others go on.
///
/// After mcpd_scan_cancel this first ends what runs, all of it at once. Then it gives what was
/// left, one call after the other and without waiting: those that had their verdict with it, and
/// the others with MCPD_CANCELLED.
///
/// \param scan the scan.
/// \param timeout_ms how long to wait, in milliseconds; at most a year. 0 waits without a limit.
///     MCPD_NO_WAIT gives what has finished, lets the others go on with what is there to be read,
///     and does not wait; since time passes for the probes only within these calls, a program
///     that does nothing but look never sees a timeout of theirs.
/// \param item gets what came of the probe. The caller frees it with mcpd_scan_item_free. NULL
///     with MCPD_OK means that nothing is left; more may be added then.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_TIMED_OUT if none has finished by then, which changes nothing;
///     MCPD_OUT_OF_MEMORY; MCPD_WRONG_PROCESS; MCPD_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_next(
    scan: *mut mcpd_scan,
    timeout_ms: i64,
    item: *mut *mut mcpd_scan_item,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: item, needs: [scan], {
        // SAFETY: it is a handle of the caller's.
        let mut scan = unsafe { mcpd_scan::read(scan) }?;
        let timeout = timeout(timeout_ms)?;
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        match scan.next(timeout) {
            Ok(Some(finished)) => Ok(mcpd_scan_item::give(finished)),
            Ok(None) => Ok(ptr::null_mut()),
            Err(TimedOut) => Err(Failure::new(MCPD_TIMED_OUT, "no probe has finished yet")),
        }
    })
}

fn timeout(timeout_ms: i64) -> Result<Option<Duration>, Failure> {
    match timeout_ms {
        0 => Ok(None),
        MCPD_NO_WAIT => Ok(Some(Duration::ZERO)),
        1..=YEAR_MS => Ok(Some(Duration::from_millis(timeout_ms.unsigned_abs()))),
        _ => Err(Failure::argument(
            "timeout_ms",
            format_args!(
                "is {timeout_ms}; expected 1 to {YEAR_MS}, 0 for no limit, or MCPD_NO_WAIT (-1)"
            ),
        )),
    }
}

/// Cancels a scan, for good: mcpd_scan_next returns soon, also one that is waiting, and says what
/// becomes of the probes. Servers that run are ended by it, or by mcpd_scan_free, in a hurry as
/// after mcpd_cancel_fire. May be called from any thread while others use the scan, and in a
/// signal handler; firing twice is fine.
///
/// \param scan the scan.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT for NULL; MCPD_WRONG_PROCESS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_cancel(scan: *const mcpd_scan) -> mcpd_status {
    // SAFETY: it is NULL or a handle of the caller's.
    match unsafe { scan.as_ref() } {
        None => MCPD_INVALID_ARGUMENT,
        Some(scan) => scan.cancel.fire_here(),
    }
}

/// Frees a scan, which no call may be using. Servers that run are ended first, all of them at
/// once and in a hurry as after mcpd_cancel_fire. In a forked child it is fine for a scan of the
/// parent's, whose servers it leaves alone; what the child has of it stays until the child ends.
/// NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_scan_free(scan: *mut mcpd_scan) {
    if scan.is_null() {
        return;
    }
    // SAFETY: the caller owns it, and gives it up.
    let scan = unsafe { Box::from_raw(scan) };
    guard::run_quietly(move || {
        if scan.cancel.made_here() {
            drop(scan);
        } else {
            // Its epoll instance is the parent's too: whatever is taken out of it here is gone there.
            mem::forget(scan);
        }
    });
}
