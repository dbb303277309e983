//! The writing end of a child's input.

use std::io::{self, ErrorKind, PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::task::{Context, Poll, ready};

use tokio::io::Interest;

use super::watched::{Heard, Watched};
use super::{fd, sigpipe};

/// A pipe that is written to without waiting, and the bytes it has not taken yet.
pub(super) struct Outlet {
    pipe: Watched<PipeWriter>,
    queue: Vec<u8>,
    written: usize,
}

/// Nobody reads any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gone;

impl Outlet {
    /// The pipe, to be waited for inside of a runtime.
    pub(super) fn new(writer: OwnedFd) -> io::Result<Outlet> {
        fd::set_nonblocking(writer.as_fd())?;
        Ok(Outlet {
            pipe: Watched::new(PipeWriter::from(writer), Interest::WRITABLE),
            queue: Vec::new(),
            written: 0,
        })
    }

    /// As [`Outlet::new`], for what may be no pipe: refused where nobody can wait for it.
    pub(super) fn registered(writer: OwnedFd) -> io::Result<Outlet> {
        let mut outlet = Outlet::new(writer)?;
        outlet.pipe.register()?;
        Ok(outlet)
    }

    /// The pipe, such that writes wait.
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
            if ready!(self.pipe.poll(cx)) == Heard::Closed {
                return Poll::Ready(Gone);
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
#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing;
    use std::future::poll_fn;
    use std::io::{PipeReader, Read};
    use std::thread;

    /// More than a pipe holds.
    const MUCH: usize = 1024 * 1024;

    fn full_pipe() -> (PipeReader, Outlet) {
        let (reader, writer) = fd::pipe().unwrap();
        let mut outlet = Outlet::new(writer).unwrap();
        outlet.send(&[b'x'; MUCH]).unwrap();
        assert!(!outlet.is_flushed());
        (reader.into(), outlet)
    }

    async fn flush(outlet: &mut Outlet) -> Result<(), Gone> {
        poll_fn(|cx| match outlet.poll_flush(cx) {
            Poll::Ready(gone) => Poll::Ready(Err(gone)),
            Poll::Pending if outlet.is_flushed() => Poll::Ready(Ok(())),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    #[test]
    fn a_full_pipe_takes_the_rest_once_it_is_read() {
        for is_registered in [true, false] {
            let (mut reader, mut outlet) = full_pipe();
            let reading = thread::spawn(move || {
                let mut bytes = Vec::new();
                reader.read_to_end(&mut bytes).unwrap();
                bytes.len()
            });
            testing::run(async {
                if !is_registered {
                    outlet.pipe.go_by_the_clock();
                }
                assert_eq!(flush(&mut outlet).await, Ok(()));
                drop(outlet);
            });
            assert_eq!(reading.join().unwrap(), MUCH);
        }
    }

    #[test]
    fn that_nobody_reads_a_full_pipe_any_more_is_told() {
        for is_registered in [true, false] {
            let (reader, mut outlet) = full_pipe();
            testing::run(async {
                if !is_registered {
                    outlet.pipe.go_by_the_clock();
                }
                let waiting = poll_fn(|cx| Poll::Ready(outlet.poll_flush(cx).is_pending()));
                assert!(waiting.await);
                drop(reader);
                assert_eq!(flush(&mut outlet).await, Err(Gone));
            });
        }
    }
}
