//! A server that was kept: its process and streams, and nothing that waits for them.

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::pin::pin;
use std::process;

use super::cancel::{self, Cancel};
use super::clock::Clock;
use super::process::Idle;
use super::shutdown::Haste;
use super::wait::{block_on, first_of};
use crate::core::verdict::{Exit, Shutdown};

/// A server that runs, and waits for its client.
///
/// Dropped it ends in a hurry; but not in a forked child, which only closes its copies of the descriptors.
pub struct Connection {
    /// Taken on the way out only.
    idle: Option<Idle>,
    unread: Vec<u8>,
    maker: u32,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The exit status of the server; none where that is unknown.
    pub exit: Option<Exit>,
    /// What it took.
    pub shutdown: Shutdown,
}

impl Connection {
    pub(super) fn new(idle: Idle, unread: Vec<u8>) -> Connection {
        Connection {
            idle: Some(idle),
            unread,
            maker: process::id(),
        }
    }

    /// The process id, which is also the number of its group.
    pub fn pid(&self) -> i32 {
        self.idle.as_ref().map_or(0, |idle| idle.group.leader())
    }

    /// Standard input, standard output, and standard error if it is captured.
    pub fn descriptors(&self) -> (RawFd, RawFd, Option<RawFd>) {
        match &self.idle {
            Some(idle) => (
                idle.stdin.as_raw_fd(),
                idle.stdout.as_raw_fd(),
                idle.stderr.as_ref().map(AsRawFd::as_raw_fd),
            ),
            None => (-1, -1, None),
        }
    }

    /// What of standard output was read, and was no part of an answer.
    pub fn unread(&self) -> &[u8] {
        &self.unread
    }

    /// False in a forked child of the process that made this.
    pub fn made_here(&self) -> bool {
        self.maker == process::id()
    }

    /// Ends the server and its group, and reaps it; a cancel handle that is fired adds haste.
    ///
    /// # Errors
    ///
    /// When the system is out of resources; then the connection is as it was.
    pub fn close(&mut self, haste: Haste, cancel: Option<&Cancel>) -> io::Result<End> {
        let idle = &mut self.idle;
        block_on(async {
            let Some(idle) = idle.take() else {
                return Err(io::ErrorKind::NotConnected.into());
            };
            let mut process = idle.resume(&Clock::default())?;
            let polite = process.end(haste, |_| {});
            let shutdown = match first_of(polite, pin!(cancel::fired(cancel))).await {
                Some(shutdown) => shutdown,
                None => process.end(Haste::Hurried, |_| {}).await,
            };
            Ok(End {
                exit: process.exit(),
                shutdown,
            })
        })?
    }

    /// Leaves the process and its descriptors to the caller.
    pub fn release(mut self) {
        if let Some(mut idle) = self.idle.take() {
            idle.group.abandon();
            let _ = idle.stdin.into_raw_fd();
            let _ = idle.stdout.into_raw_fd();
            let _ = idle.stderr.map(IntoRawFd::into_raw_fd);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.made_here() {
            if let Some(idle) = &mut self.idle {
                idle.group.abandon();
            }
        } else if self.idle.is_some() {
            // Where that fails what is left is dropped, and so killed.
            let _ = self.close(Haste::Hurried, None);
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connection")
            .field("pid", &self.pid())
            .field("unread", &self.unread.len())
            .finish_non_exhaustive()
    }
}
