//! Probing over descriptors that the caller opened: the pipes of a container, a socket. There is no process to start or to end.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::pin::pin;
use std::task::{Context, Poll};

use super::call::{negotiation, unless_cancelled};
use super::cancel::{self, Cancel};
use super::clock::Clock;
use super::drive::{Listener, Peer};
use super::inlet::{Inlet, Input};
use super::outlet::Outlet;
use super::process::Event;
use super::wait::first_of;
use super::{Failure, Options, fd};
use crate::core::negotiation::{Ended, Keep, Step};
use crate::core::verdict::Verdict;

const BUFFER_SIZE: usize = 64 * 1024;

/// What leads to a server and back; both may be the same.
#[derive(Debug, Clone, Copy)]
pub struct Descriptors<'a> {
    /// What is written to.
    pub to_server: BorrowedFd<'a>,
    /// What is read from.
    pub from_server: BorrowedFd<'a>,
}

impl Descriptors<'_> {
    /// The caller's descriptors by their numbers.
    ///
    /// # Safety
    ///
    /// They are open, and stay so.
    pub unsafe fn borrow(to_server: RawFd, from_server: RawFd) -> Self {
        // SAFETY: as the caller says.
        unsafe {
            Descriptors {
                to_server: BorrowedFd::borrow_raw(to_server),
                from_server: BorrowedFd::borrow_raw(from_server),
            }
        }
    }
}

/// Asks a server that is there who it is. The descriptors stay open, and are as they were.
///
/// To be kept, a server is asked no more than it can be asked and still be used; then, if it can, what was read of its
/// output and was no part of an answer is given too. The command of the options is not looked at.
///
/// # Errors
///
/// When a descriptor can't be used, when the call is cancelled, or when the system is out of resources.
pub fn probe(
    options: &Options,
    descriptors: Descriptors<'_>,
    keep: bool,
    prior: Option<&Verdict>,
    cancel: Option<&Cancel>,
) -> Result<(Verdict, Option<Vec<u8>>), Failure> {
    let mut options = options.clone();
    options.settings.max_starts = 1;
    options.settings.keep = match keep {
        true => Keep::Transport,
        false => Keep::No,
    };
    let negotiation = negotiation(&options.settings, options.settings.keep, prior);
    let _as_they_were = [
        Mode::of(descriptors.to_server, "to_server", libc::O_RDONLY)?,
        Mode::of(descriptors.from_server, "from_server", libc::O_WRONLY)?,
    ];
    unless_cancelled(cancel, async {
        let mut wire = Wire::new(descriptors)?;
        let mut listener = Listener::new(&options, negotiation, &Clock::default());
        match first_of(run(&mut listener, &mut wire), pin!(cancel::fired(cancel))).await {
            Some(unread) => Ok((listener.into_verdict(), unread)),
            None => Err(Failure::Cancelled),
        }
    })?
}

/// Gives what was not read, if the server is handed over.
async fn run(listener: &mut Listener, wire: &mut Wire) -> Option<Vec<u8>> {
    let mut unread = None;
    let mut has_started = false;
    loop {
        match listener.negotiation().next_step() {
            Step::Start if !has_started => {
                has_started = true;
                listener.started();
            }
            Step::Send(bytes) => {
                wire.send(&bytes);
                listener.said(&bytes);
            }
            Step::Wait => listener.listen(wire).await,
            Step::HandOver => {
                match listener.finishes(wire.flush()).await && wire.outlet.is_some() {
                    true => unread = Some(listener.negotiation().handed_over(String::new())),
                    false => listener.ended(Ended::StdoutClosed),
                }
            }
            Step::Start | Step::Finish => return unread,
        }
    }
}

/// How a descriptor was, which it becomes again.
struct Mode<'a> {
    fd: BorrowedFd<'a>,
    waited: bool,
}

impl<'a> Mode<'a> {
    /// Notes how a descriptor is. It must be open, and not for the other direction only.
    fn of(fd: BorrowedFd<'a>, name: &'static str, wrong: libc::c_int) -> Result<Self, Failure> {
        // SAFETY: the query takes no pointer; a descriptor that is not open is an error.
        let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) };
        if flags < 0 {
            let problem = format!("is {}, which is no open descriptor", fd.as_raw_fd());
            return Err(Failure::Descriptor(name, problem));
        }
        if flags & libc::O_ACCMODE == wrong {
            let problem = match wrong {
                libc::O_RDONLY => "is open for reading only; expected one to write to",
                _ => "is open for writing only; expected one to read from",
            };
            return Err(Failure::Descriptor(name, problem.to_owned()));
        }
        Ok(Self {
            fd,
            waited: flags & libc::O_NONBLOCK == 0,
        })
    }
}

impl Drop for Mode<'_> {
    fn drop(&mut self) {
        if self.waited {
            let _ = fd::set_waiting(self.fd, true);
        }
    }
}

/// The two descriptors inside of a runtime: copies, for each must be there once.
struct Wire {
    outlet: Option<Outlet>,
    inlet: Option<Inlet>,
    buffer: Vec<u8>,
    filled: usize,
    has_told_end: bool,
}

impl Wire {
    fn new(descriptors: Descriptors<'_>) -> Result<Self, Failure> {
        let copy = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().map_err(Failure::Runtime);
        let outlet = Outlet::registered(copy(descriptors.to_server)?);
        let inlet = Inlet::registered(copy(descriptors.from_server)?);
        Ok(Self {
            outlet: Some(outlet.map_err(|error| refused("to_server", error))?),
            inlet: Some(inlet.map_err(|error| refused("from_server", error))?),
            buffer: Vec::with_capacity(BUFFER_SIZE),
            filled: 0,
            has_told_end: false,
        })
    }

    /// Queues bytes; when nobody reads them, they are dropped.
    fn send(&mut self, bytes: &[u8]) {
        if let Some(outlet) = &mut self.outlet
            && outlet.send(bytes).is_err()
        {
            self.outlet = None;
        }
    }

    async fn flush(&mut self) {
        poll_fn(|cx| {
            self.poll_outlet(cx);
            match &self.outlet {
                Some(outlet) if !outlet.is_flushed() => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
    }

    fn poll_outlet(&mut self, cx: &mut Context<'_>) {
        if let Some(outlet) = &mut self.outlet
            && outlet.poll_flush(cx).is_ready()
        {
            self.outlet = None;
        }
    }
}

impl Peer for Wire {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        self.filled = 0;
        self.poll_outlet(cx);
        if let Some(inlet) = &mut self.inlet {
            match inlet.poll_read(cx, &mut self.buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Input::Bytes(count)) => {
                    self.filled = count;
                    return Poll::Ready(Event::Output);
                }
                Poll::Ready(Input::End) => self.inlet = None,
            }
        }
        if std::mem::replace(&mut self.has_told_end, true) {
            return Poll::Pending;
        }
        Poll::Ready(Event::OutputClosed)
    }

    fn output(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }
}

/// Why a descriptor cannot be waited for.
fn refused(name: &'static str, error: io::Error) -> Failure {
    match error.raw_os_error() {
        Some(libc::EPERM) => Failure::Descriptor(
            name,
            "is a file or device that nobody can wait for; expected a pipe, a socket or a terminal"
                .to_owned(),
        ),
        _ => Failure::Runtime(error),
    }
}
