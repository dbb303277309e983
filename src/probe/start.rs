//! Starting a command.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::Duration;

use super::command::{Command, EnvMode, StartError, StartErrorKind};
use super::lookup::{self, shown};

impl Command {
    fn check(&self) -> Result<(), StartError> {
        let Some(name) = self.argv.first() else {
            return Err(other(
                "the command is empty; at least the name of a program was expected".into(),
            ));
        };
        let has_nul = |text: &OsStr| text.as_bytes().contains(&0);
        let what = if self.argv.iter().any(|argument| has_nul(argument)) {
            "an argument holds a NUL byte"
        } else if self
            .cwd
            .as_ref()
            .is_some_and(|cwd| has_nul(cwd.as_os_str()))
        {
            "the working directory holds a NUL byte"
        } else if !self.env.iter().all(|(name, _)| is_variable_name(name)) {
            "the name of an environment variable is empty, or holds '=' or a NUL byte"
        } else if self
            .env
            .iter()
            .filter_map(|(_, value)| value.as_ref())
            .any(|value| has_nul(value))
        {
            "the value of an environment variable holds a NUL byte"
        } else {
            return Ok(());
        };
        Err(other(format!("cannot start {}: {what}", shown(name))))
    }

    /// The command for the standard library. With a path for a program, no closure before exec, and the group set by an attribute
    /// it uses posix_spawn: a host with much memory is not copied, and no handler of fork runs.
    fn prepare(&self, program: &Path, stdio: ChildStdio) -> process::Command {
        let mut command = process::Command::new(program);
        command
            .arg0(&self.argv[0])
            .args(&self.argv[1..])
            .process_group(0);
        if self.env_mode == EnvMode::Exact {
            command.env_clear();
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
            .stdin(stdio.stdin)
            .stdout(stdio.stdout)
            .stderr(stdio.stderr);
        command
    }
}

impl StartError {
    /// A failure of the system around a start, before or after finding the program.
    pub(super) fn from_io(command: &Command, error: &io::Error) -> StartError {
        let name = command
            .argv
            .first()
            .map(|name| shown(name))
            .unwrap_or_default();
        StartError {
            kind: kind_of(error),
            message: format!("cannot start {name}: {}", lookup::reason(error)),
        }
    }
}

/// The child's ends of its three streams.
pub(super) struct ChildStdio {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: Stdio,
}

/// A command that has been checked, and whose program has been found.
pub(super) struct Found<'a> {
    command: &'a Command,
    program: PathBuf,
}

pub(super) fn find(command: &Command) -> Result<Found<'_>, StartError> {
    command.check()?;
    let program = lookup::program(command)?;
    Ok(Found { command, program })
}

impl Found<'_> {
    /// Starts the program as the leader of a new process group, and gives its process id.
    ///
    /// A file that is still open for writing somewhere is tried again for about a second: it may have just been installed.
    pub(super) async fn spawn(&self, stdio: ChildStdio) -> Result<libc::pid_t, StartError> {
        const TRIES: u32 = 50;
        const PAUSE: Duration = Duration::from_millis(20);
        let mut prepared = self.command.prepare(&self.program, stdio);
        let mut tries = 1;
        loop {
            match prepared.spawn() {
                Ok(child) => return Ok(child.id() as libc::pid_t),
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && tries < TRIES => {
                    tries += 1
                }
                Err(error) => return Err(self.explain(&error)),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn explain(&self, error: &io::Error) -> StartError {
        let what = match error.raw_os_error() {
            Some(libc::ENOENT) => {
                "the interpreter that its first line or its header names is missing"
            }
            Some(libc::ENOEXEC) => "this system cannot run such a file; a script needs a #! line",
            Some(libc::ETXTBSY) => "it is still open for writing",
            Some(libc::E2BIG) => "its arguments and environment are too long",
            _ => return StartError::from_io(self.command, error),
        };
        StartError {
            kind: kind_of(error),
            message: format!(
                "cannot start {}: {}: {what}",
                shown(&self.command.argv[0]),
                shown(self.program.as_os_str()),
            ),
        }
    }
}

fn kind_of(error: &io::Error) -> StartErrorKind {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => StartErrorKind::CommandNotFound,
        Some(libc::EACCES | libc::EPERM) => StartErrorKind::PermissionDenied,
        Some(libc::EMFILE | libc::ENFILE | libc::EAGAIN | libc::ENOMEM) => {
            StartErrorKind::OutOfResources
        }
        _ => StartErrorKind::Other,
    }
}

fn is_variable_name(name: &OsStr) -> bool {
    !name.is_empty()
        && !name
            .as_bytes()
            .iter()
            .any(|&byte| byte == b'=' || byte == 0)
}

fn other(message: String) -> StartError {
    StartError {
        kind: StartErrorKind::Other,
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::clock::Clock;
    use crate::probe::command::StderrMode;
    use crate::probe::process::{Event, start};
    use crate::probe::shutdown::Haste;
    use crate::probe::testing::{self, Directory};
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::ffi::OsStringExt;
    use std::thread;

    fn shell(script: &str) -> Command {
        Command::new(["/bin/sh", "-c", script])
    }

    fn set(name: &str, value: &str) -> (OsString, Option<OsString>) {
        (name.into(), Some(value.into()))
    }

    /// What a command writes to standard output.
    fn output(command: &Command) -> Vec<u8> {
        testing::run(async {
            let mut process = start(command, 1000, &Clock::default()).await.unwrap();
            let mut bytes = Vec::new();
            while process.event().await == Event::Output {
                bytes.extend_from_slice(process.output());
            }
            process.end(Haste::Hurried, |_| {}).await;
            bytes
        })
    }

    fn refusal(command: &Command) -> StartError {
        testing::run(async { start(command, 1000, &Clock::default()).await.err().unwrap() })
    }

    #[test]
    fn the_program_sees_the_name_that_was_typed() {
        let home = Directory::new();
        std::os::unix::fs::symlink("/bin/sh", home.path().join("my-shell")).unwrap();
        let mut command = Command::new(["my-shell", "-c", "echo $0"]);
        command.env = vec![set("PATH", home.path().to_str().unwrap())];
        assert_eq!(output(&command), b"my-shell\n");
    }

    #[test]
    fn arguments_are_bytes() {
        let odd = OsString::from_vec(b"a\xffb\n ".to_vec());
        let mut command = shell("printf %s \"$1\"");
        command.argv.extend(["sh".into(), odd.clone()]);
        assert_eq!(output(&command), odd.into_vec());
    }

    #[test]
    fn the_environment_is_inherited_and_changed() {
        let mut command = shell("echo $A-${HOME-unset}-${PATH:+path}");
        command.env = vec![
            set("A", "1"),
            set("A", "2"),
            set("HOME", "x"),
            ("HOME".into(), None),
        ];
        assert_eq!(output(&command), b"2-unset-path\n");
    }

    #[test]
    fn an_exact_environment_has_nothing_else() {
        let mut command = Command::new(["env"]);
        command.env = vec![set("B", "2"), set("A", "1"), ("HOME".into(), None)];
        command.env_mode = EnvMode::Exact;
        let text = String::from_utf8(output(&command)).unwrap();
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["A=1", "B=2"]);
    }

    #[test]
    fn the_working_directory_is_the_childs_and_programs_are_relative_to_it() {
        let home = Directory::new();
        home.file("bin/tool", 0o755, "#!/bin/sh\npwd; echo $0\n");
        let mut command = Command::new(["bin/tool"]);
        command.cwd = Some(home.path().to_owned());
        let path = home.path().display();
        assert_eq!(
            output(&command),
            format!("{path}\n{path}/bin/tool\n").into_bytes()
        );
        command.argv = vec!["tool".into()];
        command.env = vec![set("PATH", "bin:/bin")];
        assert!(output(&command).starts_with(format!("{path}\n").as_bytes()));
    }

    #[test]
    fn the_child_leads_a_group_and_takes_sigpipe() {
        let script = "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && grep SigIgn /proc/$$/status";
        let text = String::from_utf8(output(&shell(script))).unwrap();
        let ignored = text.trim().rsplit('\t').next().unwrap();
        assert_eq!(
            u64::from_str_radix(ignored, 16).unwrap() & (1 << (libc::SIGPIPE - 1)),
            0
        );
    }

    #[test]
    fn no_other_descriptor_reaches_the_child() {
        // Whatever the host has not closed on exec goes to any child, so the standard library's is the measure.
        let plain = process::Command::new("ls")
            .arg("/proc/self/fd")
            .output()
            .unwrap();
        assert_eq!(output(&Command::new(["ls", "/proc/self/fd"])), plain.stdout);
    }

    #[test]
    fn what_cannot_be_passed_on_is_refused() {
        let nul = || OsString::from("a\0b");
        let with = |change: &dyn Fn(&mut Command)| {
            let mut command = shell("secret");
            change(&mut command);
            refusal(&command)
        };
        for error in [
            refusal(&Command::default()),
            with(&|command| command.argv[0] = nul()),
            with(&|command| command.argv.push(nul())),
            with(&|command| command.cwd = Some(nul().into())),
            with(&|command| command.env = vec![(nul(), None)]),
            with(&|command| command.env = vec![("A".into(), Some(nul()))]),
            with(&|command| command.env = vec![set("A=secret", "b")]),
            with(&|command| command.env = vec![set("", "secret")]),
        ] {
            assert_eq!(error.kind, StartErrorKind::Other, "{error}");
            assert!(!error.message.contains("secret"), "{error}");
        }
    }

    #[test]
    fn errors_hold_no_arguments_and_no_values() {
        let mut command = Command::new(["no-such-command", "secret"]);
        command.env = vec![set("TOKEN", "secret"), set("PATH", "/some/where:/else")];
        let error = refusal(&command);
        assert_eq!(error.kind, StartErrorKind::CommandNotFound);
        assert!(error.message.contains("\"no-such-command\""), "{error}");
        assert!(error.message.contains("\"/some/where:/else\""), "{error}");
        assert!(!error.message.contains("secret"), "{error}");
        assert!(!format!("{command:?}").contains("secret"));
    }

    #[test]
    fn a_program_that_the_system_cannot_run_is_explained() {
        let home = Directory::new();
        let run = |text| refusal(&Command::new([home.file("tool", 0o755, text)]));
        let error = run("#!/no/such/interpreter\n");
        assert_eq!(error.kind, StartErrorKind::CommandNotFound);
        assert!(error.message.contains("interpreter"), "{error}");
        let error = run("echo hello\n");
        assert_eq!(error.kind, StartErrorKind::Other);
        assert!(error.message.contains("#!"), "{error}");
    }

    #[test]
    fn a_file_that_is_being_written_is_tried_again() {
        let home = Directory::new();
        let path = home.path().join("tool");
        fs::copy("/bin/echo", &path).unwrap();
        let writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(200));
                drop(writer);
            });
            assert_eq!(
                output(&Command::new([path.as_os_str(), OsStr::new("hi")])),
                b"hi\n"
            );
        });
        let _writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
        let error = refusal(&Command::new([&path]));
        assert_eq!(error.kind, StartErrorKind::Other);
        assert!(error.message.contains("open for writing"), "{error}");
    }

    #[test]
    fn no_descriptors_left_is_said() {
        if !testing::alone("probe::start::tests::no_descriptors_left_is_said") {
            return;
        }
        testing::run(async {
            let before = testing::descriptors();
            let mut hoard = Vec::new();
            let limit = libc::rlimit {
                rlim_cur: 64,
                rlim_max: 64,
            };
            // SAFETY: `limit` is valid for the call, and this process runs nothing else.
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
            while let Ok(file) = fs::File::open("/dev/null") {
                hoard.push(file);
            }
            // Whatever step fails, nothing stays open.
            for spare in 0..8 {
                let error = start(&shell("exit"), 0, &Clock::default()).await.map(drop);
                if let Err(error) = error {
                    assert_eq!(error.kind, StartErrorKind::OutOfResources, "{error}");
                } else {
                    assert!(spare >= 6);
                }
                hoard.pop();
            }
            hoard.clear();
            assert_eq!(testing::descriptors(), before);
        });
    }

    #[test]
    fn a_host_without_standard_streams_is_served() {
        if !testing::alone("probe::start::tests::a_host_without_standard_streams_is_served") {
            return;
        }
        let hold = |fd| {
            // SAFETY: this process runs nothing else, and gets its streams back below.
            unsafe {
                let copy = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 100);
                libc::close(fd);
                copy
            }
        };
        // After the runtime has taken its descriptors, so that those of the pipes are the lowest.
        let (taken, captured, discarded) = testing::run(async {
            let copies = [hold(0), hold(1), hold(2)];
            let mut command = shell("cat; echo error >&2");
            let process = start(&command, 0, &Clock::default()).await.unwrap();
            // SAFETY: F_GETFD only asks.
            let taken = [0, 1, 2].map(|fd| unsafe { libc::fcntl(fd, libc::F_GETFD) });
            drop(process);
            let captured = talk(&command).await;
            command.stderr = StderrMode::Discard;
            let discarded = talk(&command).await;
            for (fd, copy) in copies.into_iter().enumerate() {
                // SAFETY: puts back what was there.
                unsafe { libc::dup2(copy, fd as libc::c_int) };
            }
            (taken, captured, discarded)
        });
        assert_eq!(
            taken, [-1; 3],
            "what the host prints must not reach the server"
        );
        assert_eq!(captured, (b"hello\n".to_vec(), b"error\n".to_vec()));
        assert_eq!(discarded, (b"hello\n".to_vec(), Vec::new()));
    }

    /// What a command writes to both outputs when it is told "hello".
    async fn talk(command: &Command) -> (Vec<u8>, Vec<u8>) {
        let mut process = start(command, 1000, &Clock::default()).await.unwrap();
        process.send(b"hello\n");
        process.close_stdin();
        let mut bytes = Vec::new();
        while process.event().await == Event::Output {
            bytes.extend_from_slice(process.output());
        }
        process.end(Haste::Hurried, |_| {}).await;
        (bytes, process.stderr_tail().to_vec())
    }
}
