//! The verdict on a server, with its evidence, and its form as JSON.

mod reading;
mod writing;

use std::borrow::Cow;

use serde::Serialize;

use super::json::Json;
use super::memory;
use super::remark::Remarks;
use super::result::{DiscoverResult, Implementation, InitializeResult, ServerCapabilities};
use super::rpc_error::RpcError;
use super::transcript::Transcript;
use super::version::Era;
use reading::Origin;
pub use reading::ReadError;

/// What the client should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send modern requests with the verdict's version.
    UseModern,
    /// Send `initialize` with the verdict's version, as the first message of a process that has seen no discover.
    Initialize,
    /// The request is refused as it was: by a modern server, whose error says what to correct, or on the way to it.
    CorrectRequest,
    /// Send `initialize` by POST with the verdict's version; if that fails too, try the HTTP+SSE transport of 2024-11-05.
    InitializeOrSse,
    /// Get authorization, then ask again.
    Authorize,
    /// Ask again later.
    Retry,
    /// Client and server have no version in common, or nothing is known.
    GiveUp,
    /// What a later version of the library knows.
    Unrecognized,
}

impl Next {
    /// All that can be told.
    pub const ALL: &[Next] = &[
        Next::UseModern,
        Next::Initialize,
        Next::CorrectRequest,
        Next::InitializeOrSse,
        Next::Authorize,
        Next::Retry,
        Next::GiveUp,
    ];

    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Next::UseModern => "use_modern",
            Next::Initialize => "initialize",
            Next::CorrectRequest => "correct_request",
            Next::InitializeOrSse => "initialize_or_sse",
            Next::Authorize => "authorize",
            Next::Retry => "retry",
            Next::GiveUp => "give_up",
            Next::Unrecognized => "unrecognized",
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was not sent.
    NotAsked,
    /// A result that can be used.
    Result,
    /// A response that answers nothing.
    Unusable,
    /// An error.
    Error,
    /// No answer up to the deadline.
    Silence,
    /// The server ended without an answer.
    Exit,
    /// The server closed its standard output without an answer and lived on.
    StdoutClosed,
    /// What a later version of the library knows.
    Unrecognized,
}

impl Outcome {
    /// All that can be told.
    pub const ALL: &[Outcome] = &[
        Outcome::NotAsked,
        Outcome::Result,
        Outcome::Unusable,
        Outcome::Error,
        Outcome::Silence,
        Outcome::Exit,
        Outcome::StdoutClosed,
    ];

    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::NotAsked => "not_asked",
            Outcome::Result => "result",
            Outcome::Unusable => "unusable",
            Outcome::Error => "error",
            Outcome::Silence => "silence",
            Outcome::Exit => "exit",
            Outcome::StdoutClosed => "stdout_closed",
            Outcome::Unrecognized => "unrecognized",
        }
    }

    /// Whether the server answered, with whatever.
    pub fn is_answer(self) -> bool {
        matches!(self, Outcome::Result | Outcome::Unusable | Outcome::Error)
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// What it took to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// Nothing: it ended by itself before it was asked to.
    Exited,
    /// The end of its standard input.
    StdinClosed,
    /// SIGTERM to its process group.
    Terminated,
    /// SIGKILL to its process group.
    Killed,
    /// It outlived SIGKILL and was left behind.
    Abandoned,
    /// Nothing was done: it was handed over to the caller.
    Kept,
    /// What a later version of the library knows.
    Unrecognized,
}

impl Shutdown {
    /// All that can be told.
    pub const ALL: &[Shutdown] = &[
        Shutdown::Exited,
        Shutdown::StdinClosed,
        Shutdown::Terminated,
        Shutdown::Killed,
        Shutdown::Abandoned,
        Shutdown::Kept,
    ];

    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Shutdown::Exited => "exited",
            Shutdown::StdinClosed => "stdin_closed",
            Shutdown::Terminated => "terminated",
            Shutdown::Killed => "killed",
            Shutdown::Abandoned => "abandoned",
            Shutdown::Kept => "kept",
            Shutdown::Unrecognized => "unrecognized",
        }
    }
}

/// What is known of a process that was started for the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessRecord {
    /// How it ended; none where that is unknown.
    pub exit: Option<Exit>,
    /// What it took to end it; none where there was no process, but a transport of the caller's.
    pub shutdown: Option<Shutdown>,
    /// Bytes read from its standard output.
    pub bytes_received: u64,
    /// Lines that were no JSON-RPC messages.
    pub skipped_lines: u64,
    /// The heads of the first of them.
    pub skipped_sample: Vec<String>,
    /// The end of what it wrote to standard error.
    pub stderr_tail: String,
}

/// How long it took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// From the start of the first process to the return.
    pub elapsed_ms: f64,
    /// From the start of the first process to the last answer that counted.
    pub reply_ms: Option<f64>,
}

/// What a server is, what to do next, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// How the server is spoken to.
    pub era: Era,
    /// What to do next.
    pub next: Next,
    /// The version to do it with.
    pub version: Option<String>,
    /// The server said so itself, by a result or by an error that only modern servers have.
    pub confirmed: bool,
    /// One sentence saying why.
    pub summary: String,
    /// What came of `server/discover`.
    pub discover_outcome: Outcome,
    /// What came of `initialize`.
    pub initialize_outcome: Outcome,
    /// When the last answer that counted came, in milliseconds since 1970.
    pub received_at: Option<i64>,
    /// The DiscoverResult as it came, as JSON.
    pub discover: Option<Box<str>>,
    /// The InitializeResult as it came, as JSON.
    pub initialize: Option<Box<str>>,
    /// The error that answered discover, as JSON; the first that proved the server modern, if one did.
    pub discover_error: Option<Box<str>>,
    /// The error that answered initialize, as JSON.
    pub initialize_error: Option<Box<str>>,
    /// Everything odd.
    pub remarks: Remarks,
    /// The processes started, in order.
    pub processes: Vec<ProcessRecord>,
    /// How long it took.
    pub timing: Timing,
    /// What was said, as far as that was asked for.
    pub transcript: Transcript,
    /// What it was read from; none if it is new.
    pub origin: Option<Origin>,
}

/// The server's answers, read anew from the text that the verdict keeps of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence<'a> {
    /// The answer to `server/discover`.
    pub discover: Option<DiscoverResult<'a>>,
    /// The answer to `initialize`.
    pub initialize: Option<InitializeResult<'a>>,
    /// The error that answered `server/discover`.
    pub discover_error: Option<RpcError<'a>>,
    /// The error that answered `initialize`.
    pub initialize_error: Option<RpcError<'a>>,
}

impl<'a> Evidence<'a> {
    /// Who the server says it is, in whichever era it answered.
    pub fn server(&self) -> Option<&Implementation<'a>> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.server.as_ref(),
            (None, Some(initialize)) => initialize.server.as_ref(),
            (None, None) => None,
        }
    }

    /// What the server can do, in whichever era it answered.
    pub fn capabilities(&self) -> Option<&ServerCapabilities<'a>> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.capabilities.as_ref(),
            (None, Some(initialize)) => initialize.capabilities.as_ref(),
            (None, None) => None,
        }
    }

    /// How to use the server, in whichever era it answered.
    pub fn instructions(&self) -> Option<&str> {
        match (&self.discover, &self.initialize) {
            (Some(discover), _) => discover.instructions.as_deref(),
            (None, Some(initialize)) => initialize.instructions.as_deref(),
            (None, None) => None,
        }
    }

    /// The versions the server listed, in a DiscoverResult or in an unsupported-version error.
    pub fn supported_versions(&self) -> &[Cow<'a, str>] {
        if let Some(discover) = &self.discover {
            return &discover.supported_versions;
        }
        [&self.discover_error, &self.initialize_error]
            .into_iter()
            .flatten()
            .map(|error| error.supported.as_slice())
            .find(|supported| !supported.is_empty())
            .unwrap_or_default()
    }
}

impl Verdict {
    /// Whether the verdict may be stored for later: confirmed, and discover was answered, so that
    /// a start that failed by chance never becomes a stored verdict. One that was read must be known to whoever reads it,
    /// and storable to whoever wrote it.
    pub fn storable(&self) -> bool {
        self.confirmed
            && self.discover_outcome.is_answer()
            && self.era != Era::Unrecognized
            && self.next != Next::Unrecognized
            && self.origin.as_ref().is_none_or(|origin| origin.storable)
    }

    /// The server's answers.
    pub fn evidence(&self) -> Evidence<'_> {
        // What is odd about the answers was remarked when they came.
        let unheard = &mut Remarks::default();
        Evidence {
            discover: kept(&self.discover)
                .and_then(|raw| DiscoverResult::read(&mut raw.reader(), unheard)),
            initialize: kept(&self.initialize)
                .and_then(|raw| InitializeResult::read(&mut raw.reader(), unheard)),
            discover_error: kept(&self.discover_error).map(|raw| RpcError::read(raw, unheard)),
            initialize_error: kept(&self.initialize_error).map(|raw| RpcError::read(raw, unheard)),
        }
    }

    /// How much memory reading the server's answers may take.
    pub fn to_read(&self) -> usize {
        let texts = [
            &self.discover,
            &self.initialize,
            &self.discover_error,
            &self.initialize_error,
        ];
        let texts = texts.into_iter().flatten();
        texts.map(|text| memory::to_read(text.as_bytes())).sum()
    }
}

/// An answer that the verdict keeps.
fn kept(text: &Option<Box<str>>) -> Option<Json<'_>> {
    Json::parse(text.as_deref()?).ok()
}

/// Whether a result that arrived at one time stays fresh until another, both in milliseconds since 1970. Without a time to
/// live, or with a clock that was set back meanwhile, it does not.
pub fn is_fresh(received_at: Option<i64>, ttl_ms: Option<i64>, now_ms: i64) -> bool {
    let (Some(received_at), Some(ttl_ms)) = (received_at, ttl_ms) else {
        return false;
    };
    (0..ttl_ms).contains(&now_ms.saturating_sub(received_at))
}
