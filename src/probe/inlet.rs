//! The reading end of a child's output.

use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::task::{Context, Poll, ready};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::fd;

/// A pipe that is read without waiting.
pub(super) struct Inlet(AsyncFd<PipeReader>);

/// What a read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// So many bytes, at least one.
    Bytes(usize),
    /// There will be no more.
    End,
}

impl Inlet {
    /// Registers the pipe with the runtime.
    pub(super) fn new(reader: OwnedFd) -> io::Result<Inlet> {
        fd::set_nonblocking(reader.as_fd())?;
        fd::register(reader, Interest::READABLE).map(Inlet)
    }

    /// The pipe, no longer registered and such that reads wait.
    pub(super) fn into_inner(self) -> io::Result<OwnedFd> {
        let reader = OwnedFd::from(self.0.into_inner());
        fd::set_waiting(reader.as_fd(), true)?;
        Ok(reader)
    }

    /// Reads what is there now into the buffer, which has as much room as may be read at once; else has the task woken.
    /// It does not matter whether the runtime has heard of what is there.
    pub(super) fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut Vec<u8>) -> Poll<Input> {
        if let Some(input) = self.read(buffer) {
            return Poll::Ready(input);
        }
        loop {
            let Ok(mut guard) = ready!(self.0.poll_read_ready(cx)) else {
                return Poll::Ready(Input::End);
            };
            match self.read(buffer) {
                Some(input) => return Poll::Ready(input),
                // This readiness is never cleared: to ask again would go round for ever.
                None if guard.ready().is_read_closed() => return Poll::Ready(Input::End),
                None => guard.clear_ready(),
            }
        }
    }

    /// None where there is nothing yet.
    fn read(&self, buffer: &mut Vec<u8>) -> Option<Input> {
        loop {
            return match self.read_once(buffer) {
                Ok(0) => Some(Input::End),
                Ok(count) => Some(Input::Bytes(count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => None,
                Err(_) => Some(Input::End),
            };
        }
    }

    /// The standard library would have the room cleared first, which takes longer than most reads. Where nothing comes the
    /// buffer stays as it was.
    fn read_once(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let pipe = self.0.get_ref().as_raw_fd();
        // SAFETY: the buffer has room for so many bytes, and the descriptor is open.
        let count = unsafe { libc::read(pipe, buffer.as_mut_ptr().cast(), buffer.capacity()) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        if count > 0 {
            // SAFETY: the call has filled so many bytes of the room.
            unsafe { buffer.set_len(count) };
        }
        Ok(count)
    }
}
