//! A write to a pipe that nobody reads, without the signal that would end the host.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Runs one write with SIGPIPE blocked on this thread, and takes away the signal that the write raised.
///
/// A SIGPIPE that was pending before stays pending. Nothing may be started inside: a child inherits the mask.
pub(super) fn shielded<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let shield = Shield::raise();
    let result = write();
    if matches!(&result, Err(error) if error.kind() == io::ErrorKind::BrokenPipe) {
        shield.drain();
    }
    result
}

/// SIGPIPE is blocked on this thread while this lives.
struct Shield {
    previous: libc::sigset_t,
    was_pending: bool,
}

impl Shield {
    fn raise() -> Shield {
        let mut previous = MaybeUninit::uninit();
        // SAFETY: both sets are valid for the call, and the call fills `previous`: it fails only for an unknown `how`.
        let previous = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &only_sigpipe(), previous.as_mut_ptr());
            previous.assume_init()
        };
        // SAFETY: the set is initialised. Where the signal is not blocked none can be pending.
        let was_blocked = unsafe { libc::sigismember(&previous, libc::SIGPIPE) == 1 };
        Shield {
            previous,
            was_pending: was_blocked && is_pending(),
        }
    }

    /// Takes away the SIGPIPE that a write under this shield has raised.
    fn drain(&self) {
        if !self.was_pending {
            take_pending();
        }
    }
}

impl Drop for Shield {
    fn drop(&mut self) {
        // SAFETY: `previous` is the mask this thread had before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.previous, ptr::null_mut()) };
    }
}

fn only_sigpipe() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the whole set, and SIGPIPE is a valid signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
        set.assume_init()
    }
}

fn is_pending() -> bool {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set that sigpending then fills and sigismember reads.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigpending(set.as_mut_ptr());
        libc::sigismember(set.as_ptr(), libc::SIGPIPE) == 1
    }
}

#[cfg(not(any(target_vendor = "apple", target_os = "openbsd")))]
fn take_pending() {
    let zero = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    loop {
        // SAFETY: the set and the time are valid for the call; a null siginfo is allowed.
        let taken = unsafe { libc::sigtimedwait(&only_sigpipe(), ptr::null_mut(), &zero) };
        if taken >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// There is no sigtimedwait here; sigwait returns at once for a signal that is pending.
#[cfg(any(target_vendor = "apple", target_os = "openbsd"))]
fn take_pending() {
    if is_pending() {
        let mut signal = 0;
        // SAFETY: the set and the number are valid for the call.
        unsafe { libc::sigwait(&only_sigpipe(), &mut signal) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing;
    use std::io::Write;

    fn write_to_nobody() -> io::Result<usize> {
        let (reader, mut writer) = io::pipe().unwrap();
        drop(reader);
        shielded(|| writer.write(b"x"))
    }

    fn is_blocked() -> bool {
        let mut mask = only_sigpipe();
        // SAFETY: a null new mask only asks; `mask` is valid for both calls.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut mask);
            libc::sigismember(&mask, libc::SIGPIPE) == 1
        }
    }

    #[test]
    fn a_host_with_the_default_disposition_survives() {
        if !testing::alone("probe::sigpipe::tests::a_host_with_the_default_disposition_survives") {
            return;
        }
        // SAFETY: SIG_DFL is a valid disposition, and this process runs nothing else.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let error = write_to_nobody().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(!is_pending() && !is_blocked());
    }

    #[test]
    fn a_signal_that_was_pending_stays() {
        if !testing::alone("probe::sigpipe::tests::a_signal_that_was_pending_stays") {
            return;
        }
        let host = Shield::raise();
        // SAFETY: raising a blocked signal only makes it pending; SIG_DFL because an ignored one is discarded.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            libc::raise(libc::SIGPIPE);
        }
        write_to_nobody().unwrap_err();
        assert!(is_pending() && is_blocked());
        take_pending();
        drop(host);
        assert!(!is_pending() && !is_blocked());
    }
}
