//! Seeing that a child has ended, without reaping it: as long as it is not reaped, its number and its group are its own.

use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, Sleep};

use super::fd;
use crate::core::verdict::Exit;

/// What there is to know about a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It lives.
    Running,
    /// It has ended and waits to be reaped.
    Ended(Exit),
    /// It is no child of ours any more: the host ignores SIGCHLD or reaps every child. How it ended is unknown.
    Gone,
}

/// Looks at a child and leaves it unreaped.
pub(super) fn look(pid: libc::pid_t) -> Status {
    wait(pid, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT)
}

/// Reaps a child that has ended. One that lives is left alone.
pub(super) fn reap(pid: libc::pid_t) -> Status {
    wait(pid, libc::WEXITED | libc::WNOHANG)
}

fn wait(pid: libc::pid_t, options: libc::c_int) -> Status {
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: `info` is valid for the call.
        let result =
            unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, info.as_mut_ptr(), options) };
        if result == 0 {
            // SAFETY: all zeroes is a valid siginfo_t, and the call writes whole fields only.
            return status(&unsafe { info.assume_init() });
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return Status::Gone;
        }
    }
}

fn status(info: &libc::siginfo_t) -> Status {
    // SAFETY: waitid fills these members; where no child had ended they are still zero.
    let (pid, value) = unsafe { (info.si_pid(), info.si_status()) };
    if pid == 0 {
        Status::Running
    } else if info.si_code == libc::CLD_EXITED {
        Status::Ended(Exit::Code(value))
    } else {
        Status::Ended(Exit::Signal(value))
    }
}

/// How the end of a child is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// By its pidfd where the system has one.
    Best,
    /// By looking again and again.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "tests take this path where there is a pidfd")
    )]
    Polling,
}

/// Wakes its task when a child ends.
pub(super) struct Watch {
    pid: libc::pid_t,
    bell: Bell,
}

enum Bell {
    Pidfd(AsyncFd<OwnedFd>),
    Polling {
        next: Pin<Box<Sleep>>,
        pause: Duration,
    },
}

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

impl Watch {
    /// Watches a child, inside a runtime. When a pidfd cannot be had, for whatever reason, polling does.
    pub(super) fn new(pid: libc::pid_t, means: Means) -> Watch {
        let pidfd = match means {
            Means::Best => {
                pidfd::open(pid).and_then(|fd| fd::register(fd, Interest::READABLE).ok())
            }
            Means::Polling => None,
        };
        let bell = pidfd.map_or_else(Bell::polling, Bell::Pidfd);
        Watch { pid, bell }
    }

    /// Whether the system tells of the end, so that nobody has to look again and again.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.bell, Bell::Pidfd(_))
    }

    /// The status of the child once it has ended, never [`Status::Running`].
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        match &mut self.bell {
            Bell::Pidfd(pidfd) => poll_pidfd(self.pid, pidfd, cx),
            Bell::Polling { next, pause } => poll_by_timer(self.pid, next, pause, cx),
        }
    }
}

impl Bell {
    fn polling() -> Bell {
        Bell::Polling {
            next: Box::pin(tokio::time::sleep(SHORTEST_PAUSE)),
            pause: SHORTEST_PAUSE,
        }
    }
}

fn poll_pidfd(pid: libc::pid_t, pidfd: &AsyncFd<OwnedFd>, cx: &mut Context<'_>) -> Poll<Status> {
    loop {
        let Ok(mut guard) = ready!(pidfd.poll_read_ready(cx)) else {
            return Poll::Pending; // The runtime is being shut down: nobody will poll again.
        };
        match look(pid) {
            Status::Running => guard.clear_ready(),
            ended => return Poll::Ready(ended),
        }
    }
}

fn poll_by_timer(
    pid: libc::pid_t,
    next: &mut Pin<Box<Sleep>>,
    pause: &mut Duration,
    cx: &mut Context<'_>,
) -> Poll<Status> {
    loop {
        match look(pid) {
            Status::Running => ready!(next.as_mut().poll(cx)),
            ended => return Poll::Ready(ended),
        }
        *pause = (*pause * 2).min(LONGEST_PAUSE);
        next.as_mut().reset(Instant::now() + *pause);
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod pidfd {
    use std::io;
    use std::os::fd::{FromRawFd, OwnedFd, RawFd};

    use once_cell::sync::Lazy;

    use crate::probe::fd;

    /// Whether the system has pidfds: old kernels do not know them, and some sandboxes refuse them.
    /// No process has the number -1, so where they exist the complaint is about that.
    static AVAILABLE: Lazy<bool> =
        Lazy::new(|| matches!(call(-1), Err(error) if error.raw_os_error() == Some(libc::EINVAL)));

    /// The pidfd of a child, close-on-exec as every pidfd is.
    pub(super) fn open(pid: libc::pid_t) -> Option<OwnedFd> {
        if !*AVAILABLE {
            return None;
        }
        call(pid).and_then(fd::above_stdio).ok()
    }

    fn call(pid: libc::pid_t) -> io::Result<OwnedFd> {
        // SAFETY: pidfd_open takes two integers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has just made this descriptor for us.
        Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod pidfd {
    use std::os::fd::OwnedFd;

    pub(super) fn open(_pid: libc::pid_t) -> Option<OwnedFd> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing;
    use std::future::poll_fn;
    use std::process::Command;

    fn shell(script: &str) -> libc::pid_t {
        let child = Command::new("/bin/sh").args(["-c", script]).spawn();
        child.unwrap().id() as libc::pid_t
    }

    fn watch(pid: libc::pid_t, means: Means) -> Status {
        testing::run(async {
            let mut watch = Watch::new(pid, means);
            poll_fn(|cx| watch.poll(cx)).await
        })
    }

    #[test]
    fn an_end_is_seen_and_stays_unreaped() {
        for means in [Means::Best, Means::Polling] {
            for (script, exit) in [
                ("exit 7", Exit::Code(7)),
                ("sleep 0.1; exit 0", Exit::Code(0)),
                ("kill -TERM $$", Exit::Signal(libc::SIGTERM)),
            ] {
                let pid = shell(script);
                assert_eq!(watch(pid, means), Status::Ended(exit));
                assert_eq!(watch(pid, means), Status::Ended(exit));
                assert_eq!(look(pid), Status::Ended(exit));
                assert_eq!(reap(pid), Status::Ended(exit));
                assert_eq!(look(pid), Status::Gone);
            }
        }
    }

    #[test]
    fn a_living_child_is_running_and_not_reaped() {
        let pid = shell("read line");
        let mut child = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let sleeper = child.id() as libc::pid_t;
        assert_eq!(look(sleeper), Status::Running);
        assert_eq!(reap(sleeper), Status::Running);
        child.kill().unwrap();
        assert!(matches!(watch(sleeper, Means::Best), Status::Ended(_)));
        child.wait().unwrap();
        watch(pid, Means::Best);
        reap(pid);
    }

    #[test]
    fn a_host_that_ignores_sigchld_leaves_the_status_unknown() {
        if !testing::alone(
            "probe::exit::tests::a_host_that_ignores_sigchld_leaves_the_status_unknown",
        ) {
            return;
        }
        // SAFETY: SIG_IGN is a valid disposition, and this process runs nothing else.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
        for means in [Means::Best, Means::Polling] {
            assert_eq!(watch(shell("exit 3"), means), Status::Gone);
            assert_eq!(watch(shell("sleep 0.2"), means), Status::Gone);
        }
    }
}
