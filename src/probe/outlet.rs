//! The writing end of a child's input.

use std::io::{self, ErrorKind, PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::{fd, sigpipe};

/// A pipe that is written to without waiting, and the bytes it has not taken yet.
pub(super) struct Outlet {
    pipe: AsyncFd<PipeWriter>,
    queue: Vec<u8>,
    written: usize,
}

/// Nobody reads any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gone;

impl Outlet {
    /// Registers the pipe with the runtime.
    pub(super) fn new(writer: OwnedFd) -> io::Result<Outlet> {
        fd::set_nonblocking(writer.as_fd())?;
        Ok(Outlet {
            pipe: fd::register(writer, Interest::WRITABLE)?,
            queue: Vec::new(),
            written: 0,
        })
    }

    /// The pipe, no longer registered and such that writes wait.
    pub(super) fn into_inner(self) -> io::Result<OwnedFd> {
        let writer = OwnedFd::from(self.pipe.into_inner());
        fd::set_waiting(writer.as_fd(), true)?;
        Ok(writer)
    }

    /// Whether all that was queued is written.
    pub(super) fn is_flushed(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues bytes, and writes as much as the pipe takes now.
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.queue.extend_from_slice(bytes);
        self.write()
    }

    /// Writes what is queued as the pipe takes it. Pending also when nothing is queued.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Gone> {
        loop {
            if self.write().is_err() {
                return Poll::Ready(Gone);
            }
            if self.queue.is_empty() {
                return Poll::Pending;
            }
            match self.pipe.poll_write_ready(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(Gone),
                Poll::Ready(Ok(mut guard)) => {
                    if write_some(self.pipe.get_ref(), &self.queue, &mut self.written).is_err() {
                        return Poll::Ready(Gone);
                    }
                    if self.written < self.queue.len() {
                        guard.clear_ready();
                    }
                }
            }
        }
    }

    fn write(&mut self) -> Result<(), Gone> {
        write_some(self.pipe.get_ref(), &self.queue, &mut self.written)?;
        if self.written == self.queue.len() {
            self.queue.clear();
            self.written = 0;
        }
        Ok(())
    }
}

/// Writes until everything is written or the pipe is full.
fn write_some(mut pipe: &PipeWriter, bytes: &[u8], written: &mut usize) -> Result<(), Gone> {
    while *written < bytes.len() {
        match sigpipe::shielded(|| pipe.write(&bytes[*written..])) {
            Ok(count) => *written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(_) => return Err(Gone),
        }
    }
    Ok(())
}
