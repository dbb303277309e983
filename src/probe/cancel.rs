//! Stopping a blocking call from elsewhere: another thread, or a signal handler.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::fd;

/// How often a watcher looks when there is no descriptor left to wait with.
const PAUSE: Duration = Duration::from_millis(10);

/// A switch that stays on once it is fired. Any number of calls may watch it, on any thread.
#[derive(Debug)]
pub struct Cancel {
    fired: AtomicBool,
    /// Holds a byte once fired, and is never emptied: that is what wakes every watcher, now and later.
    reader: OwnedFd,
    writer: OwnedFd,
    maker: u32,
}

impl Cancel {
    /// A switch that is off. It holds two descriptors.
    ///
    /// # Errors
    ///
    /// When there are no descriptors left.
    pub fn new() -> io::Result<Cancel> {
        let (reader, writer) = fd::pipe()?;
        fd::set_nonblocking(reader.as_fd())?;
        fd::set_nonblocking(writer.as_fd())?;
        Ok(Cancel {
            fired: AtomicBool::new(false),
            reader,
            writer,
            maker: process::id(),
        })
    }

    /// Turns the switch on, for good. Async-signal-safe, and `errno` is as it was.
    ///
    /// In a forked child this concerns the child alone.
    pub fn fire(&self) {
        if self.fired.swap(true, Ordering::SeqCst) || !self.made_here() {
            return;
        }
        let errno = errno();
        // SAFETY: errno's location is valid on this thread, the byte for the call, and `writer` is open.
        // No SIGPIPE can come: the read end is open as well.
        unsafe {
            let before = *errno;
            libc::write(self.writer.as_raw_fd(), [1u8].as_ptr().cast(), 1);
            *errno = before;
        }
    }

    /// Whether the switch is on.
    pub fn is_fired(&self) -> bool {
        self.fired.load(Ordering::SeqCst)
    }

    /// Waits, inside a runtime, until the switch is on. Make this once per call and poll it, rather than anew for each wait:
    /// each has a descriptor of its own, so that several may wait in one runtime.
    pub async fn fired(&self) {
        if self.is_fired() {
            return;
        }
        match self.watch() {
            Ok(watch) => drop(watch.readable().await),
            Err(_) => self.fired_by_looking().await,
        }
    }

    /// False in a forked child of the process that made this.
    pub fn made_here(&self) -> bool {
        self.maker == process::id()
    }

    fn watch(&self) -> io::Result<AsyncFd<OwnedFd>> {
        fd::register(self.reader.try_clone()?, Interest::READABLE)
    }

    async fn fired_by_looking(&self) {
        while !self.is_fired() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// As [`Cancel::fired`]; without a switch it waits for ever.
pub(super) async fn fired(cancel: Option<&Cancel>) {
    match cancel {
        Some(cancel) => cancel.fired().await,
        None => std::future::pending().await,
    }
}

fn errno() -> *mut libc::c_int {
    // SAFETY: each of these takes nothing and gives the address of this thread's errno.
    unsafe {
        #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
        return libc::__error();
        #[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
        return libc::__errno();
        #[cfg(not(any(
            target_vendor = "apple",
            target_os = "freebsd",
            target_os = "android",
            target_os = "netbsd",
            target_os = "openbsd"
        )))]
        return libc::__errno_location();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::run;
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::task::Poll;
    use std::thread;

    #[test]
    fn fired_before_it_is_watched() {
        let cancel = Cancel::new().unwrap();
        assert!(!cancel.is_fired() && cancel.made_here());
        cancel.fire();
        cancel.fire();
        assert!(cancel.is_fired());
        run(cancel.fired());
        run(cancel.fired());
    }

    #[test]
    fn fired_while_several_runtimes_watch() {
        let cancel = Cancel::new().unwrap();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| run(cancel.fired()));
            }
            thread::sleep(Duration::from_millis(50));
            cancel.fire();
        });
    }

    #[test]
    fn several_may_wait_in_one_runtime() {
        let cancel = Cancel::new().unwrap();
        run(async {
            let (mut one, mut two) = (pin!(cancel.fired()), pin!(cancel.fired()));
            poll_fn(|cx| {
                assert!(one.as_mut().poll(cx).is_pending() && two.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
            cancel.fire();
            one.await;
            two.await;
        });
    }

    #[test]
    fn looking_does_when_there_is_no_descriptor() {
        let cancel = Cancel::new().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| run(cancel.fired_by_looking()));
            thread::sleep(Duration::from_millis(30));
            cancel.fire();
        });
    }

    #[test]
    fn firing_keeps_errno() {
        let cancel = Cancel::new().unwrap();
        // SAFETY: the location is valid on this thread.
        unsafe { *errno() = libc::EILSEQ };
        cancel.fire();
        // SAFETY: as above.
        assert_eq!(unsafe { *errno() }, libc::EILSEQ);
    }

    #[test]
    fn a_forked_child_is_told_and_cannot_fire_the_parents() {
        let cancel = Cancel::new().unwrap();
        // SAFETY: the child calls nothing that is not async-signal-safe.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            cancel.fire();
            let code = i32::from(cancel.made_here());
            // SAFETY: ends the child without running anything of the test harness.
            unsafe { libc::_exit(code) };
        }
        let mut status = -1;
        // SAFETY: `status` is valid for the call.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        assert_eq!(status, 0);
        assert!(!cancel.is_fired());
        let mut byte = 0u8;
        // SAFETY: `byte` is valid for the call, and the descriptor is open.
        let read = unsafe { libc::read(cancel.reader.as_raw_fd(), (&raw mut byte).cast(), 1) };
        assert_eq!(read, -1, "nothing was written");
    }
}
