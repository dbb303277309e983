//! Finding the program that a command names, as the child itself would.

use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::command::{Command, EnvMode, StartError, StartErrorKind};

/// Where `execvp` looks when there is no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The path of the program: absolute, or at least with a slash in it, so that nobody searches again.
pub(super) fn program(command: &Command) -> Result<PathBuf, StartError> {
    let name = command.argv[0].as_os_str();
    let base = working_directory(command)?;
    if name.is_empty() {
        Err(not_found(
            "the command is an empty string; the name or the path of a program was expected".into(),
        ))
    } else if name.as_bytes().contains(&b'/') {
        by_path(name, base.as_deref())
    } else {
        by_search(name, base.as_deref(), &SearchPath::of(command))
    }
}

/// The child's working directory, absolute; none when it is the one of this process.
fn working_directory(command: &Command) -> Result<Option<PathBuf>, StartError> {
    let Some(cwd) = &command.cwd else {
        return Ok(None);
    };
    let refuse = |what: &str| StartError {
        kind: StartErrorKind::WorkingDirectory,
        message: format!(
            "cannot start {} in {}: {what}; a directory that can be entered was expected",
            shown(&command.argv[0]),
            shown(cwd.as_os_str()),
        ),
    };
    match fs::metadata(cwd) {
        Err(error) => return Err(refuse(&reason(&error))),
        Ok(metadata) if !metadata.is_dir() => return Err(refuse("it is not a directory")),
        Ok(_) if !may_execute(cwd) => return Err(refuse("permission denied")),
        Ok(_) => {}
    }
    let absolute = std::path::absolute(cwd).map_err(|error| refuse(&reason(&error)))?;
    Ok(Some(absolute))
}

fn by_path(name: &OsStr, base: Option<&Path>) -> Result<PathBuf, StartError> {
    let path = under(base, Path::new(name));
    match examine(&path) {
        Candidate::Runs => Ok(path),
        Candidate::Missing => Err(not_found(format!(
            "command {} was not found: there is no file {}",
            shown(name),
            shown(path.as_os_str()),
        ))),
        Candidate::Refused(why) => Err(denied(name, &path, why)),
    }
}

fn by_search(
    name: &OsStr,
    base: Option<&Path>,
    search: &SearchPath,
) -> Result<PathBuf, StartError> {
    let mut refused = None;
    for directory in search.value.as_bytes().split(|&byte| byte == b':') {
        let directory = if directory.is_empty() {
            b"."
        } else {
            directory
        };
        let path = under(base, &Path::new(OsStr::from_bytes(directory)).join(name));
        match examine(&path) {
            Candidate::Runs => return Ok(path),
            Candidate::Missing => {}
            Candidate::Refused(why) => {
                refused.get_or_insert((path, why));
            }
        }
    }
    Err(match refused {
        Some((path, why)) => denied(name, &path, why),
        None => not_found(format!(
            "command {} was not found in {}; an executable file of that name was expected in one of its directories",
            shown(name),
            search.shown(),
        )),
    })
}

fn under(base: Option<&Path>, path: &Path) -> PathBuf {
    base.map_or_else(|| path.to_owned(), |base| base.join(path))
}

/// The PATH that the child gets.
struct SearchPath {
    value: OsString,
    is_default: bool,
}

impl SearchPath {
    fn of(command: &Command) -> SearchPath {
        let change = command.env.iter().rev().find(|(name, _)| name == "PATH");
        let value = match (change, command.env_mode) {
            (Some((_, value)), _) => value.clone(),
            (None, EnvMode::Inherit) => env::var_os("PATH"),
            (None, EnvMode::Exact) => None,
        };
        SearchPath {
            is_default: value.is_none(),
            value: value.unwrap_or_else(|| DEFAULT_PATH.into()),
        }
    }

    fn shown(&self) -> String {
        let value = shown(&self.value);
        if self.is_default {
            format!("the system's default path {value} (its environment has no PATH)")
        } else {
            format!("its PATH {value}")
        }
    }
}

enum Candidate {
    Runs,
    Missing,
    /// It is there, but it cannot be run, for this reason.
    Refused(&'static str),
}

fn examine(path: &Path) -> Candidate {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Candidate::Refused("it cannot be reached")
        }
        Err(_) => Candidate::Missing,
        Ok(metadata) if metadata.is_dir() => Candidate::Refused("it is a directory"),
        Ok(metadata) if !metadata.is_file() => Candidate::Refused("it is not a regular file"),
        Ok(_) if !may_execute(path) => Candidate::Refused(
            "it is not executable for this user, or its file system forbids running programs",
        ),
        Ok(_) => Candidate::Runs,
    }
}

/// Only a plain "no" is one: whatever else may be wrong, the start itself will tell.
fn may_execute(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return true;
    };
    // SAFETY: `path` is a NUL-terminated string, valid for the call.
    let result =
        unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::X_OK, libc::AT_EACCESS) };
    result == 0 || io::Error::last_os_error().kind() != ErrorKind::PermissionDenied
}

fn not_found(message: String) -> StartError {
    StartError {
        kind: StartErrorKind::CommandNotFound,
        message,
    }
}

fn denied(name: &OsStr, path: &Path, why: &str) -> StartError {
    StartError {
        kind: StartErrorKind::PermissionDenied,
        message: format!(
            "command {} cannot be run: {}: {why}; an executable file was expected",
            shown(name),
            shown(path.as_os_str()),
        ),
    }
}

/// What the system says, without the error number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.rfind('(').unwrap_or(text.len());
    text[..end].trim_end().to_ascii_lowercase()
}

/// A name in quotes, with everything odd in it made visible.
pub(super) fn shown(name: &OsStr) -> String {
    format!("{:?}", name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::Directory;

    fn find(name: &str, path: Option<&str>, cwd: Option<&Path>) -> Result<PathBuf, StartError> {
        let mut command = Command::new([name]);
        command.env = vec![("PATH".into(), path.map(Into::into))];
        command.cwd = cwd.map(Path::to_owned);
        program(&command)
    }

    fn refusal(name: &str, path: Option<&str>, cwd: Option<&Path>) -> (StartErrorKind, String) {
        let error = find(name, path, cwd).unwrap_err();
        (error.kind, error.message)
    }

    #[test]
    fn the_first_directory_that_has_it_wins() {
        let home = Directory::new();
        let second = home.file("b/tool", 0o755, "");
        let path = format!("{0}/none:{0}/b:/bin", home.path().display());
        assert_eq!(find("tool", Some(&path), None).unwrap(), second);
        let first = home.file("none/tool", 0o755, "");
        assert_eq!(find("tool", Some(&path), None).unwrap(), first);
    }

    #[test]
    fn what_cannot_run_is_passed_over() {
        let home = Directory::new();
        home.file("a/tool", 0o644, "");
        home.file("b/tool/x", 0o755, "");
        let right = home.file("c/tool", 0o755, "");
        let path = format!("{0}/a:{0}/b:{0}/c", home.path().display());
        assert_eq!(find("tool", Some(&path), None).unwrap(), right);
    }

    #[test]
    fn without_path_the_default_is_searched() {
        let (kind, message) = refusal("no-such-tool", None, None);
        assert_eq!(kind, StartErrorKind::CommandNotFound);
        assert!(
            message.contains(DEFAULT_PATH) && message.contains("has no PATH"),
            "{message}"
        );
        assert!(find("sh", None, None).unwrap().ends_with("sh"));
    }

    #[test]
    fn the_last_change_of_path_counts() {
        let mut command = Command::new(["sh"]);
        command.env = vec![
            ("PATH".into(), Some("/bin".into())),
            ("PATH".into(), Some("/nowhere".into())),
        ];
        assert!(
            program(&command)
                .unwrap_err()
                .message
                .contains("\"/nowhere\"")
        );
    }

    #[test]
    fn empty_and_relative_elements_mean_the_childs_directory() {
        let home = Directory::new();
        let here = home.file("tool", 0o755, "");
        let below = home.file("bin/other", 0o755, "");
        for path in ["", ":/nowhere", "/nowhere:", "/nowhere::/bin"] {
            let found = find("tool", Some(path), Some(home.path())).unwrap();
            assert_eq!(found.canonicalize().unwrap(), here);
        }
        assert_eq!(
            find("other", Some("bin"), Some(home.path())).unwrap(),
            below
        );
        let (_, message) = refusal("tool", Some(""), None);
        assert!(message.contains("its PATH \"\""), "{message}");
    }

    #[test]
    fn a_slash_means_no_search() {
        let home = Directory::new();
        let tool = home.file("bin/tool", 0o755, "");
        let found = find("bin/tool", Some("/bin"), Some(home.path())).unwrap();
        assert_eq!(found, tool);
        let (kind, message) = refusal("bin/none", Some("/bin"), Some(home.path()));
        assert_eq!(kind, StartErrorKind::CommandNotFound);
        assert!(message.contains("bin/none") && message.contains(home.path().to_str().unwrap()));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let home = Directory::new();
        let plain = home.file("plain", 0o644, "");
        for (name, why) in [
            (home.path().to_str().unwrap(), "is a directory"),
            (plain.to_str().unwrap(), "not executable"),
            ("/dev/null", "not a regular file"),
        ] {
            let (kind, message) = refusal(name, None, None);
            assert_eq!(kind, StartErrorKind::PermissionDenied);
            assert!(message.contains(name) && message.contains(why), "{message}");
        }
        let path = home.path().to_str().unwrap();
        let (kind, message) = refusal("plain", Some(path), None);
        assert_eq!(kind, StartErrorKind::PermissionDenied);
        assert!(message.contains("plain"), "{message}");
    }

    #[test]
    fn a_working_directory_must_be_one() {
        let home = Directory::new();
        let file = home.file("file", 0o755, "");
        for cwd in [file.as_path(), Path::new("/no/such/place"), Path::new("")] {
            let (kind, message) = refusal("/bin/sh", None, Some(cwd));
            assert_eq!(kind, StartErrorKind::WorkingDirectory);
            assert!(
                message.contains("/bin/sh") && message.contains(&shown(cwd.as_os_str())),
                "{message}"
            );
        }
    }
}
