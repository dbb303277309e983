//! A running server between two calls, when no runtime watches it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::exit::{Means, Watch};
use super::fd;
use super::group::Group;
use super::inlet::Inlet;
use super::outlet::Outlet;
use super::process::Process;
use super::tail::Tail;
use crate::core::verdict::Shutdown;

/// A process without a runtime. It may be moved to another thread.
///
/// Nobody reads its outputs meanwhile. Dropped it closes the streams, kills the group and reaps the child,
/// except in a forked child of the process that started it.
pub struct Detached {
    // In this order, so that the streams are closed before the group is killed.
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    unsent: Vec<u8>,
    group: Group,
    tail: Tail,
    received: u64,
    pressure: Shutdown,
    shutdown: Option<Shutdown>,
}

/// A process that is the caller's: this library neither ends nor reaps it any more.
#[derive(Debug)]
pub struct Released {
    /// The process id, which is also the number of its group.
    pub pid: u32,
    /// Our end of its standard input; none once it was closed.
    pub stdin: Option<OwnedFd>,
    /// Our end of its standard output; none once it has come to its end.
    pub stdout: Option<OwnedFd>,
    /// Our end of its standard error; none also when it was not captured.
    pub stderr: Option<OwnedFd>,
    /// What was queued for standard input and not written.
    pub unsent: Vec<u8>,
}

impl Process {
    /// Takes the process out of its runtime.
    pub fn detach(self) -> Detached {
        let (stdin, unsent) = self.stdin.map(Outlet::into_fd).unzip();
        Detached {
            stdin,
            stdout: self.stdout.map(Inlet::into_fd),
            stderr: self.stderr.map(Inlet::into_fd),
            unsent: unsent.unwrap_or_default(),
            group: self.group,
            tail: self.tail,
            received: self.received,
            pressure: self.pressure,
            shutdown: self.shutdown,
        }
    }
}

impl Detached {
    /// The process id, which is also the number of its group.
    pub fn pid(&self) -> u32 {
        self.group.leader() as u32
    }

    /// Our end of standard input.
    pub fn stdin(&self) -> Option<&OwnedFd> {
        self.stdin.as_ref()
    }

    /// Our end of standard output.
    pub fn stdout(&self) -> Option<&OwnedFd> {
        self.stdout.as_ref()
    }

    /// Our end of standard error, when it is captured.
    pub fn stderr(&self) -> Option<&OwnedFd> {
        self.stderr.as_ref()
    }

    /// Goes on in the runtime that this is called in. An end of output that was told before is told again.
    ///
    /// # Errors
    ///
    /// When the runtime cannot take the streams; then the process is ended as if dropped.
    pub fn attach(self) -> io::Result<Process> {
        let watch = Watch::new(self.group.leader(), Means::Best);
        let mut process = Process::bare(self.group, watch, self.tail);
        process.stdin = self.stdin.map(Outlet::new).transpose()?;
        process.stdout = self.stdout.map(Inlet::new).transpose()?;
        process.stderr = self.stderr.map(Inlet::new).transpose()?;
        process.received = self.received;
        process.pressure = self.pressure;
        process.shutdown = self.shutdown;
        process.send(&self.unsent);
        Ok(process)
    }

    /// Hands the process over, with descriptors that wait when read or written.
    ///
    /// # Errors
    ///
    /// When the descriptors cannot be changed; then the process is ended as if dropped.
    pub fn release(mut self) -> io::Result<Released> {
        for stream in [&self.stdin, &self.stdout, &self.stderr]
            .into_iter()
            .flatten()
        {
            fd::set_blocking(stream.as_fd())?;
        }
        self.group.abandon();
        Ok(Released {
            pid: self.pid(),
            stdin: self.stdin,
            stdout: self.stdout,
            stderr: self.stderr,
            unsent: self.unsent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::command::Command;
    use crate::probe::exit::{self, Status};
    use crate::probe::process::{Event, start};
    use crate::probe::shutdown::Haste;
    use crate::probe::testing;
    use std::io::{PipeReader, PipeWriter, Read, Write};
    use std::thread;
    use std::time::Duration;

    const POLITE: Haste = Haste::Polite {
        grace: Duration::from_secs(5),
    };
    const SCRIPT: &str = "while read line; do echo $line; done";

    /// A server that has answered once.
    fn detached() -> Detached {
        testing::run(async {
            let mut process = start(&Command::new(["/bin/sh", "-c", SCRIPT]), 100)
                .await
                .unwrap();
            process.send(b"one\n");
            assert_eq!(process.event().await, Event::Output);
            process.detach()
        })
    }

    #[test]
    fn goes_on_in_another_runtime_on_another_thread() {
        let detached = detached();
        thread::spawn(|| {
            testing::run(async {
                let mut process = detached.attach().unwrap();
                process.send(b"two\n");
                assert_eq!(process.event().await, Event::Output);
                assert_eq!(
                    (process.output(), process.bytes_received()),
                    (&b"two\n"[..], 8)
                );
                assert_eq!(process.end(POLITE, |_| {}).await, Shutdown::StdinClosed);
            });
        })
        .join()
        .unwrap();
    }

    #[test]
    fn what_was_not_taken_is_sent_later() {
        testing::run(async {
            let script = ["/bin/sh", "-c", "sleep 0.1; wc -c"];
            let mut process = start(&Command::new(script), 100).await.unwrap();
            process.send(&[b'x'; 200_000]);
            let mut process = process.detach().attach().unwrap();
            assert!(
                tokio::time::timeout(Duration::from_millis(500), process.event())
                    .await
                    .is_err()
            );
            process.close_stdin();
            assert_eq!(process.event().await, Event::Output);
            assert_eq!(process.output().trim_ascii(), b"200000");
            process.end(Haste::Hurried, |_| {}).await;
        });
    }

    #[test]
    fn released_it_is_the_callers() {
        let released = detached().release().unwrap();
        let pid = released.pid as libc::pid_t;
        let mut stdin = PipeWriter::from(released.stdin.unwrap());
        let mut stdout = PipeReader::from(released.stdout.unwrap());
        thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(b"two\n").unwrap());
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            assert_eq!(text, "two\n");
        });
        while exit::reap(pid) == Status::Running {
            thread::yield_now();
        }
    }

    #[test]
    fn dropped_it_leaves_nothing() {
        let detached = detached();
        let pid = detached.pid();
        drop(detached);
        assert_eq!(exit::look(pid as libc::pid_t), Status::Gone);
        assert!(!testing::group_lives(pid));
    }
}
