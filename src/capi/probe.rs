//! The stdio probe.

use std::ffi::{CStr, OsString, c_char};
use std::io;
use std::mem;
use std::path::PathBuf;
use std::time::Duration;

use super::cancel::mcpd_cancel;
use super::client::client_fields;
use super::env_mode::{ENV_MODES, mcpd_env_mode};
use super::error::{Failure, mcpd_error};
use super::fallback::{FALLBACKS, mcpd_fallback};
use super::options::{self, CallerStruct, choice, list, number};
use super::status::*;
use super::stderr_mode::{STDERR_MODES, mcpd_stderr_mode};
use super::verdict::mcpd_verdict;
use super::versions;
use crate::core::memory;
use crate::core::negotiation::{Keep, Settings};
use crate::probe::command::{self, Command, StartError, StartErrorKind};
use crate::probe::{self, Options};

/// For grace_ms: no time at all.
pub const MCPD_NO_GRACE: i64 = -1;

const DAY_MS: i64 = 86_400_000;
pub(super) const GIBIBYTE: usize = 1 << 30;

/// What to probe, and how. Texts end with NUL, and lists with NULL; those about the client are
/// UTF-8, the others bytes. The function copies what it needs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcpd_probe_options {
    /// Set it to sizeof(mcpd_probe_options).
    pub struct_size: usize,
    /// The command: the program and its arguments; required. A name without a slash is searched
    /// in the PATH that the server gets; no shell is involved.
    pub argv: *const *const c_char,
    /// Changes of the environment: "NAME=VALUE" sets a variable, "NAME" alone unsets it, and the
    /// last one for a name counts. Default: none.
    pub env: *const *const c_char,
    /// The server's working directory; a relative path of a program is relative to it. Default:
    /// that of the calling process.
    pub cwd: *const c_char,
    /// Who asks: the client's name. Default: "mcp-discover", with the library's version.
    pub client_name: *const c_char,
    /// The client's own version: required with client_name, refused without. So are the four that
    /// follow refused without client_name; with it they are optional.
    pub client_version: *const c_char,
    /// The client's name for people. Default: none.
    pub client_title: *const c_char,
    /// What the client does. Default: none.
    pub client_description: *const c_char,
    /// The client's home page. Default: none.
    pub client_website_url: *const c_char,
    /// Icons of the client, as JSON: an array of objects with a string "src" (Icon in the
    /// schema). Default: none.
    pub client_icons_json: *const c_char,
    /// What the client can do, as JSON: an object (ClientCapabilities in the schema). Default:
    /// {}. It needs no client_name. Only that it is an object is checked.
    pub client_capabilities_json: *const c_char,
    /// Stops the call when it is fired; it has to live until the call returns. Default: nothing
    /// does.
    pub cancel: *const mcpd_cancel,
    /// The modern protocol versions that the client speaks, best first; at least one. Default:
    /// mcpd_versions_modern().
    pub modern_versions: *const *const c_char,
    /// The legacy protocol versions that the client speaks, best first. A list that begins with
    /// NULL is a modern-only client: initialize is never sent. Default: mcpd_versions_legacy().
    pub legacy_versions: *const *const c_char,
    /// How long everything but shutdown may take, in milliseconds from the first start. An answer
    /// that comes while the process is being ended still counts. Default: 30,000; at most a day.
    pub timeout_ms: i64,
    /// How long to wait for the answer to server/discover before asking initialize too, in
    /// milliseconds; never more than timeout_ms. It may be short, for a late answer still wins.
    /// Default: the smaller of 5,000 and half of timeout_ms. Where initialize is not going to be
    /// asked it is all of timeout_ms, whatever is set here.
    pub discover_timeout_ms: i64,
    /// How long a server may take to exit after its standard input ends, and again after
    /// SIGTERM, in milliseconds. Default: 2,000; at most a day. MCPD_NO_GRACE is no time at all:
    /// SIGTERM and SIGKILL follow at once, and are not remarked on.
    pub grace_ms: i64,
    /// The longest line that is read from the server, in bytes; longer ones are skipped, with a
    /// remark. Default: 10,485,760 (10 MiB); at most 1 GiB.
    pub max_line_bytes: usize,
    /// How much of the end of standard error is kept, in bytes. Default: 65,536 (64 KiB); at
    /// most 1 GiB.
    pub max_stderr_bytes: usize,
    /// How much of what is said, both ways, is written down in the verdict's transcript, in bytes:
    /// for bug reports. Default: 0, nothing; at most 1 GiB.
    pub max_transcript_bytes: usize,
    /// How many processes may be started one after the other, since some servers end on a
    /// request they do not know. Default: 2; at most 100.
    pub max_starts: i32,
    /// What to do where server/discover proves nothing. Default: MCPD_FALLBACK_INITIALIZE.
    pub fallback: mcpd_fallback,
    /// What the server's environment is made from. Default: MCPD_ENV_INHERIT.
    pub env_mode: mcpd_env_mode,
    /// What becomes of the server's standard error. Default: MCPD_STDERR_CAPTURE.
    pub stderr_mode: mcpd_stderr_mode,
}

// SAFETY: `repr(C)`, the size first, integers and pointers only.
unsafe impl CallerStruct for mcpd_probe_options {
    const NAME: &'static str = "mcpd_probe_options";
    const FIRST_SIZE: usize =
        mem::offset_of!(mcpd_probe_options, stderr_mode) + mem::size_of::<mcpd_stderr_mode>();
}

/// Starts a stdio server, asks it what it is, ends it, and tells. It blocks.
///
/// The server is asked server/discover, and initialize where that proves nothing; nothing else
/// is sent to it. Every process that was started is ended as the specification wants it
/// (basic/transports, stdio, shutdown: its standard input is closed, then SIGTERM, then SIGKILL,
/// each to its process group) and reaped before the call returns. The call takes at most
/// timeout_ms, and for each process twice grace_ms and some 2 seconds more.
///
/// That a server is unknown, broken or silent is a verdict and no failure of the call.
///
/// \param options what to probe; argv is required.
/// \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_COMMAND_NOT_FOUND, MCPD_PERMISSION_DENIED or MCPD_START_FAILED if the
///     command can't be started; MCPD_CANCELLED; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY;
///     MCPD_WRONG_PROCESS for cancel; MCPD_NOT_SUPPORTED on a system that is not Unix;
///     MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option that ends in
///     _json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_probe_stdio(
    options: *const mcpd_probe_options,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: verdict, needs: [options], {
        // SAFETY: it is a struct of the caller's.
        let raw = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let options = unsafe { read(&raw) }?;
        // SAFETY: it is NULL or a handle of the caller's.
        let cancel = unsafe { mcpd_cancel::read(raw.cancel) }?;
        // What the call itself needs can't fail once it has begun.
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        let verdict = probe::stdio(&options, cancel.map(|cancel| &**cancel))?;
        Ok(mcpd_verdict::give(verdict)?)
    })
}

pub(super) unsafe fn read(raw: &mcpd_probe_options) -> Result<Options, Failure> {
    // SAFETY: its texts and lists are the caller's.
    unsafe { read_with(raw, command(raw)?) }
}

/// The options of a probe that starts nothing.
pub(super) unsafe fn read_without_command(raw: &mcpd_probe_options) -> Result<Options, Failure> {
    let given = [
        ("argv", raw.argv.is_null()),
        ("env", raw.env.is_null()),
        ("cwd", raw.cwd.is_null()),
    ];
    if let Some((argument, _)) = given.into_iter().find(|(_, is_null)| !is_null) {
        return Err(Failure::argument(
            argument,
            "is for a program to start; over a transport of yours there is none: expected NULL",
        ));
    }
    // SAFETY: its texts and lists are the caller's.
    unsafe { read_with(raw, Command::default()) }
}

unsafe fn read_with(raw: &mcpd_probe_options, command: Command) -> Result<Options, Failure> {
    let timeout = number(raw.timeout_ms, "timeout_ms", 30_000, DAY_MS)?;
    let discover_timeout = number(raw.discover_timeout_ms, "discover_timeout_ms", 0, DAY_MS)?;
    Ok(Options {
        command,
        // SAFETY: these are texts and lists of the caller's.
        settings: unsafe { settings(raw) }?,
        timeout: milliseconds(timeout),
        discover_timeout: (discover_timeout > 0).then(|| milliseconds(discover_timeout)),
        grace: grace(raw.grace_ms)?,
        max_stderr_bytes: number(raw.max_stderr_bytes, "max_stderr_bytes", 64 << 10, GIBIBYTE)?,
        max_transcript_bytes: number(
            raw.max_transcript_bytes,
            "max_transcript_bytes",
            0,
            GIBIBYTE,
        )?,
    })
}

fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.unsigned_abs())
}

pub(super) fn grace(number_or_none: i64) -> Result<Duration, Failure> {
    match number_or_none {
        MCPD_NO_GRACE => Ok(Duration::ZERO),
        grace => number(grace, "grace_ms", 2_000, DAY_MS).map(milliseconds),
    }
}

unsafe fn settings(raw: &mcpd_probe_options) -> Result<Settings, Failure> {
    let max_starts = number(raw.max_starts, "max_starts", 2, 100)?;
    Ok(Settings {
        // SAFETY: these are texts of the caller's.
        client: unsafe { client_fields!(raw).read() }?.into_owned(),
        // SAFETY: these are lists of the caller's.
        versions: unsafe { versions::preference(raw.modern_versions, raw.legacy_versions) }?,
        fallback: choice(raw.fallback, "fallback", FALLBACKS)?,
        max_starts: max_starts.unsigned_abs(),
        keep: Keep::default(),
        max_line_bytes: number(raw.max_line_bytes, "max_line_bytes", 10 << 20, GIBIBYTE)?,
    })
}

unsafe fn command(raw: &mcpd_probe_options) -> Result<Command, Failure> {
    // SAFETY: these are lists of the caller's.
    let (argv, env) = unsafe { (list(raw.argv), list(raw.env)) };
    let argv = argv.filter(|argv| !argv.is_empty()).ok_or_else(|| {
        Failure::argument(
            "argv",
            "is NULL or begins with NULL; expected a program, its arguments, and NULL",
        )
    })?;
    let env = env.unwrap_or_default().into_iter().enumerate();
    let cwd = match raw.cwd.is_null() {
        true => None,
        // SAFETY: it is a text of the caller's.
        false => Some(PathBuf::from(os_string(unsafe { CStr::from_ptr(raw.cwd) }))),
    };
    Ok(Command {
        argv: argv.into_iter().map(os_string).collect(),
        env: env
            .map(|(i, change)| variable(i, change))
            .collect::<Result<_, _>>()?,
        env_mode: choice(raw.env_mode, "env_mode", ENV_MODES)?,
        cwd,
        stderr: choice(raw.stderr_mode, "stderr_mode", STDERR_MODES)?,
    })
}

fn os_string(text: &CStr) -> OsString {
    command::from_bytes(text.to_bytes())
}

/// A change of the environment: the name, and the value or none to unset it.
fn variable(index: usize, change: &CStr) -> Result<(OsString, Option<OsString>), Failure> {
    let mut parts = change.to_bytes().splitn(2, |byte| *byte == b'=');
    match (parts.next(), parts.next()) {
        (Some(name), value) if !name.is_empty() => {
            Ok((command::from_bytes(name), value.map(command::from_bytes)))
        }
        _ => Err(Failure::argument(
            &format!("env[{index}]"),
            "has no name; expected \"NAME=VALUE\", or \"NAME\" to unset it",
        )),
    }
}

impl From<probe::Failure> for Failure {
    fn from(failure: probe::Failure) -> Failure {
        match failure {
            probe::Failure::Start(error) => Failure::from(error),
            probe::Failure::Cancelled => {
                Failure::new(MCPD_CANCELLED, "the cancel handle was fired")
            }
            probe::Failure::OutOfMemory => Failure::out_of_memory(),
            probe::Failure::Runtime(error) => Failure::from_runtime(&error, "set up the probe"),
            probe::Failure::Descriptor(which, problem) => Failure::argument(which, problem),
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        let (status, argument) = match error.kind {
            StartErrorKind::CommandNotFound => (MCPD_COMMAND_NOT_FOUND, Some("argv")),
            StartErrorKind::PermissionDenied => (MCPD_PERMISSION_DENIED, Some("argv")),
            StartErrorKind::WorkingDirectory => (MCPD_START_FAILED, Some("cwd")),
            StartErrorKind::OutOfResources => (MCPD_OUT_OF_RESOURCES, None),
            StartErrorKind::Other => (MCPD_START_FAILED, Some("argv")),
        };
        Failure {
            argument: argument.map(str::to_owned),
            ..Failure::new(status, error.message)
        }
    }
}

impl Failure {
    /// The system refused what a call needs.
    pub(super) fn from_runtime(error: &io::Error, what: &str) -> Failure {
        let status = match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE | libc::EAGAIN | libc::ENOMEM) => {
                MCPD_OUT_OF_RESOURCES
            }
            _ if error.kind() == io::ErrorKind::Unsupported => MCPD_NOT_SUPPORTED,
            _ => MCPD_INTERNAL_ERROR,
        };
        Failure::new(status, format!("cannot {what}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;
    use std::ptr;

    #[test]
    fn the_defaults_are_those_of_the_core() {
        let argv = [c"server".as_ptr(), ptr::null()];
        // SAFETY: it has numbers and pointers only, which may all be zero.
        let mut raw = unsafe { MaybeUninit::<mcpd_probe_options>::zeroed().assume_init() };
        raw.argv = argv.as_ptr();
        // SAFETY: its one list ends with NULL.
        let options = unsafe { read(&raw) }.unwrap_or_else(|_| panic!("refused"));
        let default = Options::new(Command::new(["server"]));
        assert_eq!(format!("{options:?}"), format!("{default:?}"));
    }
}
