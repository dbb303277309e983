//! The reading end of a child's output.

use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::task::{Context, Poll, ready};

use tokio::io::Interest;

use super::fd;
use super::watched::{Heard, Watched};

/// A pipe that is read without waiting.
pub(super) struct Inlet(Watched<PipeReader>);

/// What a read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// So many bytes, at least one.
    Bytes(usize),
    /// There will be no more.
    End,
}

impl Inlet {
    /// The pipe, to be waited for inside of a runtime.
    pub(super) fn new(reader: OwnedFd) -> io::Result<Inlet> {
        fd::set_nonblocking(reader.as_fd())?;
        let reader = PipeReader::from(reader);
        Ok(Inlet(Watched::new(reader, Interest::READABLE)))
    }

    /// As [`Inlet::new`], for what may be no pipe: refused where nobody can wait for it.
    pub(super) fn registered(reader: OwnedFd) -> io::Result<Inlet> {
        let mut inlet = Inlet::new(reader)?;
        inlet.0.register()?;
        Ok(inlet)
    }

    /// The pipe, such that reads wait.
    pub(super) fn into_inner(self) -> io::Result<OwnedFd> {
        let reader = OwnedFd::from(self.0.into_inner());
        fd::set_waiting(reader.as_fd(), true)?;
        Ok(reader)
    }

    /// Has nobody woken for what comes, until it is read again.
    pub(super) fn forget(&mut self) {
        self.0.forget();
    }

    /// Reads what is there now into the buffer, which has as much room as may be read at once; else has the task woken.
    /// It does not matter whether the runtime has heard of what is there.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<u8>) -> Poll<Input> {
        loop {
            if let Some(input) = self.read(buffer) {
                return Poll::Ready(input);
            }
            if ready!(self.0.poll(cx)) == Heard::Closed {
                return Poll::Ready(Input::End);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing;
    use std::future::poll_fn;
    use std::io::{PipeWriter, Write};
    use std::mem;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    fn pipe() -> (Inlet, PipeWriter) {
        let (reader, writer) = fd::pipe().unwrap();
        (Inlet::new(reader).unwrap(), writer.into())
    }

    #[test]
    fn what_comes_wakes_the_task_that_waits_for_it() {
        for is_registered in [true, false] {
            let (mut inlet, mut writer) = pipe();
            let (go_on, told) = mpsc::channel();
            let writing = thread::spawn(move || {
                for () in told {
                    writer.write_all(b"word").unwrap();
                }
            });
            testing::run(async {
                if !is_registered {
                    inlet.0.go_by_the_clock();
                }
                let mut buffer = Vec::with_capacity(100);
                for _ in 0..3 {
                    let mut has_waited = false;
                    let input = poll_fn(|cx| {
                        let input = inlet.poll_read(cx, &mut buffer);
                        if input.is_pending() && !mem::replace(&mut has_waited, true) {
                            go_on.send(()).unwrap();
                        }
                        input
                    });
                    assert_eq!(input.await, Input::Bytes(4));
                    assert_eq!(buffer, b"word");
                }
                drop(go_on);
                let input = poll_fn(|cx| inlet.poll_read(cx, &mut buffer));
                assert_eq!(input.await, Input::End);
            });
            writing.join().unwrap();
        }
    }

    #[test]
    fn what_is_forgotten_wakes_nobody_and_is_not_lost() {
        testing::run(async {
            let (mut inlet, mut writer) = pipe();
            let mut buffer = Vec::with_capacity(100);
            let waits = poll_fn(|cx| Poll::Ready(inlet.poll_read(cx, &mut buffer).is_pending()));
            assert!(waits.await);
            inlet.forget();
            writer.write_all(b"meanwhile").unwrap();
            let mut polls = 0;
            let nothing = poll_fn(|_| {
                polls += 1;
                Poll::<()>::Pending
            });
            let time = tokio::time::timeout(Duration::from_millis(50), nothing);
            assert!(time.await.is_err());
            assert!(polls <= 2, "at the beginning and at the end: {polls}");
            let input = poll_fn(|cx| inlet.poll_read(cx, &mut buffer));
            assert_eq!(input.await, Input::Bytes(9));
            assert_eq!(buffer, b"meanwhile");
        });
    }
}
