//! A child that leads a process group of its own: what may be signalled, and when it is reaped.

use std::thread;
use std::time::{Duration, Instant};

use super::exit::{self, Status};
use crate::core::verdict::Exit;

/// How long a child that was killed while nobody waits for it may take to be gone.
const LAST_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// The leader, and through it the group.
///
/// As long as the leader is not reaped nobody else can have its number; so every signal follows a look at it.
/// Dropped before [`Group::reap`] or [`Group::abandon`] it kills the group and reaps the leader.
#[derive(Debug)]
pub(super) struct Group {
    leader: libc::pid_t,
    status: Status,
    released: bool,
}

impl Group {
    /// A child of this process that was started as the leader of a group, and that nobody here has waited for.
    pub(super) fn new(leader: libc::pid_t) -> Group {
        Group {
            leader,
            status: Status::Running,
            released: false,
        }
    }

    pub(super) fn leader(&self) -> libc::pid_t {
        self.leader
    }

    /// Takes note of what a watch has seen.
    pub(super) fn note(&mut self, status: Status) {
        if !self.has_ended() {
            self.status = status;
        }
    }

    /// Whether the leader has been seen to have ended.
    pub(super) fn has_ended(&self) -> bool {
        self.status != Status::Running
    }

    /// How the leader has ended, as far as it is known.
    pub(super) fn exit(&self) -> Option<Exit> {
        match self.status {
            Status::Ended(exit) => Some(exit),
            Status::Running | Status::Gone => None,
        }
    }

    /// Looks now whether the leader has ended.
    pub(super) fn look(&mut self) -> bool {
        if !self.has_ended() {
            self.status = exit::look(self.leader);
        }
        self.has_ended()
    }

    /// Signals every process of the group, if the group is still ours.
    pub(super) fn signal(&mut self, signal: libc::c_int) {
        if self.is_ours() {
            // SAFETY: kill takes two integers. The leader is a child of ours that is not reaped, so both numbers are its own.
            unsafe {
                if libc::kill(-self.leader, signal) != 0 {
                    libc::kill(self.leader, signal);
                }
            }
        }
    }

    /// Reaps the leader, which has ended; from here on its number may be another's.
    pub(super) fn reap(&mut self) {
        // To look first would tell no more than the reaping does: of a leader that the host has taken both find nothing.
        if !self.released && self.status != Status::Gone {
            exit::reap(self.leader);
        }
        self.released = true;
    }

    /// Leaves behind a leader that does not end.
    pub(super) fn abandon(&mut self) {
        self.released = true;
    }

    /// A host that reaps every child may have taken the leader since the last look, so this looks again.
    fn is_ours(&self) -> bool {
        !self.released && self.status != Status::Gone && exit::look(self.leader) != Status::Gone
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.released {
            return;
        }
        self.signal(libc::SIGKILL);
        let deadline = Instant::now() + LAST_WAIT;
        while exit::reap(self.leader) == Status::Running && Instant::now() < deadline {
            thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    fn start(script: &str) -> (Child, Group) {
        let mut command = Command::new("/bin/sh");
        let child = command
            .args(["-c", script])
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Group::new(child.id() as libc::pid_t);
        (child, group)
    }

    fn wait_for_end(group: &mut Group) {
        while !group.look() {
            thread::sleep(PAUSE);
        }
    }

    #[test]
    fn a_dropped_group_is_killed_and_reaped() {
        let (_, group) = start("trap '' TERM; sleep 60 & wait");
        let leader = group.leader();
        drop(group);
        assert_eq!(exit::look(leader), Status::Gone);
    }

    #[test]
    fn a_signal_reaches_the_group() {
        let (_, mut group) = start("sleep 60");
        group.signal(libc::SIGTERM);
        wait_for_end(&mut group);
        assert_eq!(group.exit(), Some(Exit::Signal(libc::SIGTERM)));
        group.reap();
        assert_eq!(exit::look(group.leader()), Status::Gone);
        assert_eq!(group.exit(), Some(Exit::Signal(libc::SIGTERM)));
    }

    #[test]
    fn a_group_whose_leader_the_host_has_reaped_is_left_alone() {
        let (mut child, mut group) = start("exit 3");
        child.wait().unwrap();
        assert!(!group.is_ours());
        assert!(group.look());
        assert_eq!(group.exit(), None);
    }
}
