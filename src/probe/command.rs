//! What to start.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
#[cfg(unix)]
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

/// A server's command line and surroundings.
///
/// A name without a slash is searched in the PATH that the child gets; one with a slash is relative to the child's working directory.
#[derive(Clone, Default)]
pub struct Command {
    /// The program as the user names it, and its arguments.
    pub argv: Vec<OsString>,
    /// Changes of the environment, the last one for a name counts: a value sets the variable, none unsets it.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// What the changes are applied to.
    pub env_mode: EnvMode,
    /// The working directory; none is the one of this process.
    pub cwd: Option<PathBuf>,
    /// What becomes of standard error.
    pub stderr: StderrMode,
}

/// What the environment of a child is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvMode {
    /// The environment of this process.
    #[default]
    Inherit,
    /// Nothing: the child has exactly the variables that are set.
    Exact,
}

/// What becomes of a child's standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StderrMode {
    /// It is read, and its tail kept.
    #[default]
    Capture,
    /// It is the one of this process.
    Inherit,
    /// It goes to `/dev/null`.
    Discard,
}

impl Command {
    /// A command line with the defaults for everything else.
    pub fn new(argv: impl IntoIterator<Item = impl Into<OsString>>) -> Command {
        Command {
            argv: argv.into_iter().map(Into::into).collect(),
            ..Command::default()
        }
    }
}

/// The values of arguments and variables may be secret.
impl fmt::Debug for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Command")
            .field("program", &self.argv.first())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// Why a command could not be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError {
    /// What kind of failure it is.
    pub kind: StartErrorKind,
    /// One sentence that names the command. It holds no argument, and no value of the environment but PATH.
    pub message: String,
}

/// The kinds of failure to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartErrorKind {
    /// There is no such program, or what should interpret it is missing.
    CommandNotFound,
    /// It is there, but may not be run: a directory, not executable, or on a file system that forbids it.
    PermissionDenied,
    /// The working directory cannot be entered.
    WorkingDirectory,
    /// No descriptors, processes or memory left.
    OutOfResources,
    /// Anything else.
    Other,
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for StartError {}

/// An argument, a path or a variable as C passes it.
#[cfg(unix)]
pub fn from_bytes(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}

/// An argument, a path or a variable as C passes it: UTF-8.
#[cfg(not(unix))]
pub fn from_bytes(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
