//! What every function that can fail does first and last, so that nothing unwinds into C and nothing is printed.

use std::any::Any;
use std::cell::Cell;
use std::mem;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;
use std::thread;

use once_cell::sync::OnceCell;

use super::error::Failure;

/// The body of a function that can fail: clears its outputs, refuses NULL where a value is needed, runs the body,
/// and reports. The body gives what is written to `out`, if there is one.
///
/// It stands inside of the functions, for cbindgen does not see functions that a macro makes.
macro_rules! guard {
    (error: $error:ident, out: $out:ident, needs: [$($input:ident),*], $body:block) => {{
        // SAFETY: the caller passes NULL or a valid place for each output.
        unsafe {
            $crate::capi::guard::clear($error);
            $crate::capi::guard::clear($out);
        }
        let outcome = $crate::capi::guard::run(|| {
            $($crate::capi::guard::refuse_null($input, stringify!($input))?;)*
            $crate::capi::guard::refuse_null($out, stringify!($out))?;
            $body
        });
        match outcome {
            Ok(value) => {
                // SAFETY: it is not NULL, so it is a valid place.
                unsafe { *$out = value };
                $crate::capi::status::MCPD_OK
            }
            // SAFETY: the caller passes NULL or a valid place.
            Err(failure) => unsafe { failure.report($error) },
        }
    }};
    (error: $error:ident, needs: [$($input:ident),*], $body:block) => {{
        // SAFETY: the caller passes NULL or a valid place.
        unsafe { $crate::capi::guard::clear($error) };
        let outcome = $crate::capi::guard::run(|| {
            $($crate::capi::guard::refuse_null($input, stringify!($input))?;)*
            $body
        });
        match outcome {
            Ok(()) => $crate::capi::status::MCPD_OK,
            // SAFETY: the caller passes NULL or a valid place.
            Err(failure) => unsafe { failure.report($error) },
        }
    }};
}

/// Sets an output to NULL, if the caller wants it.
pub(super) unsafe fn clear<Pointer>(place: *mut Pointer) {
    if !place.is_null() {
        // SAFETY: the caller's place is valid for a pointer, and NULL is all zeros.
        unsafe { place.write_bytes(0, 1) };
    }
}

pub(super) fn refuse_null<T>(pointer: *const T, argument: &str) -> Result<(), Failure> {
    match pointer.is_null() {
        true => Err(Failure::argument(
            argument,
            "is NULL; expected a valid pointer",
        )),
        false => Ok(()),
    }
}

/// Runs the body of a function; a panic becomes a failure.
pub(super) fn run<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    contain(body).unwrap_or_else(|panic| Err(Failure::panicked(&panic)))
}

/// Runs what has no way to report; after a panic it gives nothing.
pub(super) fn run_quietly<T>(body: impl FnOnce() -> T) -> Option<T> {
    contain(body).ok()
}

/// Runs a body; after a panic, its message.
fn contain<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    silence_panics_inside();
    let outer = INSIDE.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outer);
    outcome.map_err(|payload| {
        let message = message_of(payload.as_ref());
        // Whatever the payload is, dropping it must not panic once more.
        mem::forget(payload);
        message
    })
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let literal = payload.downcast_ref::<&str>().copied();
    literal
        .or(payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
        .to_owned()
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

thread_local! {
    /// Whether this thread is in the body of one of our functions.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Makes the panic hook print nothing about panics that [`contain`] is going to catch. Others go where they went.
fn silence_panics_inside() {
    static ONCE: Once = Once::new();
    static OTHERS: OnceCell<Hook> = OnceCell::new();
    // The hook can't be changed while this thread unwinds; the next call will.
    if ONCE.is_completed() || thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        // Kept in a static, so that the new hook captures nothing and takes no memory that nobody frees.
        OTHERS.get_or_init(panic::take_hook);
        panic::set_hook(Box::new(|panic| {
            if !INSIDE.try_with(Cell::get).unwrap_or(false)
                && let Some(others) = OTHERS.get()
            {
                others(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capi::status::MCPD_INTERNAL_ERROR;
    use std::env;
    use std::process::Command;

    const PANIC: &str = "capi::guard::tests::a_panic_becomes_a_status";

    #[test]
    fn a_panic_becomes_a_status() {
        let failure = run::<()>(|| panic!("on {}", "purpose")).unwrap_err();
        assert_eq!(failure.status, MCPD_INTERNAL_ERROR);
        assert!(failure.message.contains("on purpose"));
        assert_eq!(run_quietly(|| -> i32 { panic!("literal") }), None);
        assert_eq!(run(|| Ok(1)).unwrap(), 1);
    }

    #[test]
    fn a_payload_that_panics_when_dropped_is_left_alone() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("in drop");
            }
        }
        assert!(run::<()>(|| panic::panic_any(Bomb)).is_err());
    }

    #[test]
    fn a_caught_panic_prints_nothing() {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", PANIC, "--nocapture"])
            .output()
            .unwrap();
        assert!(output.status.success());
        let printed = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("1 passed"), "{printed}");
        assert!(!printed.contains("purpose"), "{printed}");
    }

    #[test]
    fn a_panic_elsewhere_is_still_heard() {
        use std::sync::atomic::{AtomicBool, Ordering};
        static HEARD: AtomicBool = AtomicBool::new(false);
        const NAME: &str = "capi::guard::tests::a_panic_elsewhere_is_still_heard";
        if env::var_os("MCPD_TEST_CHILD").is_none() {
            let status = Command::new(env::current_exe().unwrap())
                .args(["--exact", NAME])
                .env("MCPD_TEST_CHILD", "1")
                .status();
            assert!(status.unwrap().success());
            return;
        }
        panic::set_hook(Box::new(|_| HEARD.store(true, Ordering::SeqCst)));
        assert!(run::<()>(|| panic!("inside")).is_err());
        assert!(!HEARD.load(Ordering::SeqCst));
        assert!(panic::catch_unwind(|| panic!("outside")).is_err());
        assert!(HEARD.load(Ordering::SeqCst));
    }
}
