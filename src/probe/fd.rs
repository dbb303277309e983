//! Descriptors that keep out of the host's way.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A pipe as its read end and its write end, both close-on-exec and above standard error.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((above_stdio(reader.into())?, above_stdio(writer.into())?))
}

/// `/dev/null` for writing, close-on-exec and above standard error.
pub(super) fn null() -> io::Result<OwnedFd> {
    let file = OpenOptions::new().write(true).open("/dev/null")?;
    above_stdio(file.into())
}

/// Moves a descriptor above 2. In a host that runs with 0, 1 or 2 closed a new descriptor lands there,
/// and what that host prints would go to the server.
pub(super) fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > libc::STDERR_FILENO {
        Ok(fd)
    } else {
        fd.try_clone()
    }
}

/// Makes reads and writes return instead of wait. The other end of a pipe is not affected.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    set_waiting(fd, false)
}

/// Whether reads and writes wait, or return.
pub(super) fn set_waiting(fd: BorrowedFd<'_>, waits: bool) -> io::Result<()> {
    let mut on = libc::c_int::from(!waits);
    // SAFETY: FIONBIO reads one integer, and `fd` is open while it is borrowed.
    if unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO, &raw mut on) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Registers a descriptor with the runtime that this is called in.
pub(super) fn register(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` has the same descriptor, and has it open, until it is dropped.
    let registered = unsafe { AsyncFd::register_with_interest(fd, interest) };
    Ok(registered?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    fn flags(fd: &OwnedFd, query: libc::c_int) -> libc::c_int {
        // SAFETY: both queries take no pointer, and `fd` is open.
        unsafe { libc::fcntl(fd.as_raw_fd(), query) }
    }

    #[test]
    fn both_ends_are_closed_on_exec() {
        let (reader, writer) = pipe().unwrap();
        for end in [&reader, &writer, &null().unwrap()] {
            assert!(end.as_raw_fd() > 2);
            assert_ne!(flags(end, libc::F_GETFD) & libc::FD_CLOEXEC, 0);
        }
    }

    #[test]
    fn only_the_asked_end_becomes_nonblocking() {
        let (reader, writer) = pipe().unwrap();
        set_nonblocking(reader.as_fd()).unwrap();
        assert_ne!(flags(&reader, libc::F_GETFL) & libc::O_NONBLOCK, 0);
        assert_eq!(flags(&writer, libc::F_GETFL) & libc::O_NONBLOCK, 0);
    }
}
