//! A descriptor that the runtime hears of only when somebody has to wait for it: most are used without.

use std::future::Future;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, Sleep};

/// How often a descriptor is tried that cannot be registered.
const PAUSE: Duration = Duration::from_millis(10);

/// Something that has a descriptor, and what wakes the task that waits for it.
pub(super) struct Watched<T> {
    // Before the descriptor, so that it is gone when that is closed.
    bell: Option<Bell>,
    interest: Interest,
    inner: T,
}

enum Bell {
    Registered(AsyncFd<RawFd>),
    Clock(Pin<Box<Sleep>>),
}

/// Why a descriptor may be of use again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is worth a try.
    Something,
    /// There is nobody at the other end, for good.
    Closed,
}

/// A type of the standard library that owns one descriptor for as long as it lives.
pub(super) trait Owner: AsRawFd + Into<OwnedFd> {}

impl Owner for io::PipeReader {}
impl Owner for io::PipeWriter {}

impl<T: Owner> Watched<T> {
    /// A descriptor that is not waited for yet.
    pub(super) fn new(inner: T, interest: Interest) -> Watched<T> {
        Watched {
            bell: None,
            interest,
            inner,
        }
    }

    pub(super) fn get_ref(&self) -> &T {
        &self.inner
    }

    /// The descriptor, which the runtime has forgotten.
    pub(super) fn into_inner(mut self) -> T {
        self.forget();
        self.inner
    }

    /// Has the runtime hear of the descriptor at once, inside of one.
    ///
    /// # Errors
    ///
    /// Where nobody can wait for such a descriptor, or resources are short.
    pub(super) fn register(&mut self) -> io::Result<()> {
        // SAFETY: an `Owner` has this descriptor open until it is dropped, and the bell goes before it.
        let registered =
            unsafe { AsyncFd::register_with_interest(self.inner.as_raw_fd(), self.interest) };
        self.bell = Some(Bell::Registered(registered?));
        Ok(())
    }

    /// Has the runtime forget the descriptor until it is waited for again.
    pub(super) fn forget(&mut self) {
        self.bell = None;
    }

    /// Tries the descriptor again and again, inside of a runtime.
    pub(super) fn go_by_the_clock(&mut self) {
        self.bell = Some(Bell::Clock(Box::pin(tokio::time::sleep(PAUSE))));
    }

    /// Has the task woken once the descriptor, which was of no use just now, may be.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Heard> {
        if self.bell.is_none() && self.register().is_err() {
            self.go_by_the_clock();
        }
        match &mut self.bell {
            Some(bell) => bell.poll(self.interest, cx),
            None => Poll::Pending,
        }
    }
}

impl Bell {
    fn poll(&mut self, interest: Interest, cx: &mut Context<'_>) -> Poll<Heard> {
        match self {
            Bell::Registered(fd) => poll_registered(fd, interest, cx),
            Bell::Clock(next) => {
                ready!(next.as_mut().poll(cx));
                next.as_mut().reset(Instant::now() + PAUSE);
                Poll::Ready(Heard::Something)
            }
        }
    }
}

/// This thread alone drives the runtime: what it has heard so far is older than the try that has just failed.
fn poll_registered(fd: &AsyncFd<RawFd>, interest: Interest, cx: &mut Context<'_>) -> Poll<Heard> {
    loop {
        let guard = if interest.is_readable() {
            ready!(fd.poll_read_ready(cx))
        } else {
            ready!(fd.poll_write_ready(cx))
        };
        let Ok(mut guard) = guard else {
            return Poll::Ready(Heard::Closed); // The runtime is being shut down.
        };
        // This is never cleared: to ask again would go round for ever.
        if guard.ready().is_read_closed() || guard.ready().is_write_closed() {
            return Poll::Ready(Heard::Closed);
        }
        guard.clear_ready();
    }
}
