//! A server that is kept after a probe.

use std::ffi::c_uchar;
use std::mem;

use super::arena::{Arena, OutOfMemory};
use super::cancel::mcpd_cancel;
use super::era::{self, mcpd_era};
use super::error::{Failure, mcpd_error};
use super::exit_kind::{MCPD_EXIT_UNKNOWN, mcpd_exit_kind};
use super::guard;
use super::handle::Handle;
use super::options;
use super::probe::{self, mcpd_probe_options};
use super::process;
use super::shutdown::{self, MCPD_SHUTDOWN_NONE, mcpd_shutdown};
use super::status::*;
use super::str::mcpd_str;
use super::verdict::mcpd_verdict;
use crate::core::memory;
use crate::core::verdict::{Next, Verdict};
use crate::core::version::Era;
use crate::probe::connection::Connection;
use crate::probe::shutdown::Haste;
use crate::probe::transport::{self, Descriptors};

/// A server that runs and is ready for use: a modern one has been sent no initialize, and may be
/// sent any request; a legacy one has been sent no server/discover, has answered initialize, and
/// has been sent notifications/initialized.
///
/// The caller owns it, ends it with mcpd_connection_close or takes it over with
/// mcpd_connection_release, and frees it with mcpd_connection_free. Between the calls nothing of
/// the library runs: the caller reads and writes the descriptors, which are blocking and
/// close-on-exec, but leaves it to the library to close them and to reap the process. One thread
/// at a time may close, release or free it.
///
/// The descriptors are pipes. To write to stdin_fd once the server has ended raises SIGPIPE, which
/// ends a program that neither ignores nor blocks it; if it does, write fails with EPIPE.
///
/// With MCPD_STDERR_CAPTURE the caller has to read standard error too, for a server waits once the
/// pipe is full; the other modes spare that.
#[repr(C)]
pub struct mcpd_connection {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The protocol version to go on with.
    pub version: mcpd_str,
    /// The process id, and the number of its process group; 0 over descriptors of the caller's.
    pub pid: i64,
    /// What was read from the server behind its last answer: it comes before whatever is read from
    /// stdout_fd. It may end within a line. NULL if there is nothing.
    pub unread: *const c_uchar,
    /// How many bytes that is.
    pub unread_length: usize,
    /// How the server is spoken to: MCPD_ERA_MODERN or MCPD_ERA_LEGACY. It follows from version,
    /// and is not that of the verdict where a modern server is spoken to in a legacy version.
    pub era: mcpd_era,
    /// What leads to the server's standard input; -1 once it is closed.
    pub stdin_fd: i32,
    /// What comes from its standard output; -1 once it is closed.
    pub stdout_fd: i32,
    /// What comes from its standard error; -1 if that is not captured, and once it is closed.
    pub stderr_fd: i32,
    /// Once it is closed: how the process ended.
    pub exit_kind: mcpd_exit_kind,
    /// Once it is closed: its exit code or the number of the signal, by exit_kind; else 0.
    pub exit_value: i32,
    /// Once it is closed: what it took to end it.
    pub shutdown: mcpd_shutdown,
    /// Always 0.
    pub reserved: i32,
}

/// What C does not see of a connection.
enum Behind {
    Process(Connection),
    /// Descriptors of the caller's, which are nobody's to close.
    Transport,
    /// It was closed or released.
    Over,
}

type ConnectionHandle = Handle<mcpd_connection, Behind>;

/// Starts a stdio server, asks it what it is as mcpd_probe_stdio does, and keeps it running if it
/// can be used. It blocks.
///
/// The verdict is that of a probe. Where its next is MCPD_NEXT_USE_MODERN or MCPD_NEXT_INITIALIZE
/// there is a connection too. If the process that answered has been asked what stands in its way
/// it is ended, and another is started to be kept, which does not count against max_starts; a
/// legacy one is asked initialize within timeout_ms. Where that fails the verdict stands, has the
/// remark MCPD_REMARK_NOT_HANDED_OVER, and there is no connection. With MCPD_FALLBACK_NONE
/// initialize is never sent, so only modern connections come about. The process that is kept is
/// the last one of the verdict, with MCPD_SHUTDOWN_KEPT.
///
/// With a verdict from before, the server is not asked what it is: a modern one is started and
/// kept, and a legacy one asked initialize, which the discover timeout limits. The verdict then
/// repeats the old one, with the new process and the new InitializeResult. If the server does not
/// answer initialize with a version of the client's, or has ended, it is probed as without prior,
/// and the verdict has the remark MCPD_REMARK_STALE_VERDICT. A prior that is not storable, or
/// whose version is not among those of options, is not used.
///
/// \param options what to start; argv is required.
/// \param prior a verdict on the same command, such as one that was stored; may be NULL.
/// \param connection gets the connection, or NULL if there is none. The caller frees it with
///     mcpd_connection_free.
/// \param verdict gets the verdict. The caller frees it with mcpd_verdict_free; the connection
///     does not need it.
/// \param error gets why the call failed; may be NULL.
/// \return as mcpd_probe_stdio. If it fails nothing is left running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_connection_open(
    options: *const mcpd_probe_options,
    prior: *const mcpd_verdict,
    connection: *mut *mut mcpd_connection,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    // SAFETY: the caller passes NULL or a valid place.
    unsafe { guard::clear(connection) };
    guard!(error: error, out: verdict, needs: [options, connection], {
        // SAFETY: it is a struct of the caller's.
        let raw = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let options = unsafe { probe::read(&raw) }?;
        // SAFETY: it is NULL or a handle of the caller's.
        let (prior, cancel) = unsafe { (mcpd_verdict::read(prior), mcpd_cancel::read(raw.cancel)?) };
        let cancel = cancel.map(|cancel| &**cancel);
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        let prior = prior.filter(|prior| prior.storable());
        let (told, kept) = crate::probe::open(&options, prior, cancel)?;
        let kept = kept.map(|kept| Parts::of_process(&told, kept)).transpose()?;
        // SAFETY: it is not NULL, so it is a valid place.
        Ok(unsafe { give(told, kept, connection) }?)
    })
}

/// Asks a server what it is over descriptors that the caller has opened, such as the pipes of a
/// container, a Unix socket or a TCP connection: messages are lines of JSON there too. It blocks.
///
/// Nobody else may read or write them meanwhile. They are the caller's, stay open, and wait or do
/// not wait as before. Nothing is started: argv, env and cwd must be NULL, and what else of the
/// options is about processes counts for nothing. The verdict has one process, without exit and
/// with MCPD_SHUTDOWN_NONE; the end of from_server is MCPD_OUTCOME_STDOUT_CLOSED.
///
/// Without connection, initialize is asked where server/discover proves nothing, as ever, and the
/// descriptors may be of no use afterwards. With connection, what is there can still be used:
/// nothing is asked after server/discover but server/discover. If the server is modern there is a
/// connection, with the caller's descriptors and what was read beyond the answer. Otherwise there
/// is none, and where server/discover proves nothing the verdict is that of MCPD_FALLBACK_NONE: a
/// conclusion. If its next is MCPD_NEXT_INITIALIZE, open new descriptors to a server that has seen
/// nothing yet, and call again with the verdict as prior.
///
/// With prior, the server is not asked what it is. If the verdict's next is
/// MCPD_NEXT_USE_MODERN, nothing is sent at all; if it is MCPD_NEXT_INITIALIZE, initialize is asked
/// and confirms it, storable or not. If that fails the verdict says what this answer alone means.
/// A prior with another next, or a version that is not among those of options, is not used.
///
/// \param options who asks, and how patiently.
/// \param to_server what to write to; regular files are refused.
/// \param from_server what to read from; it may be the same.
/// \param prior a verdict on the same server; may be NULL, and must be without connection.
/// \param connection gets the connection, or NULL if there is none; may be NULL. The caller frees
///     it with mcpd_connection_free, which closes nothing.
/// \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_CANCELLED; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY;
///     MCPD_WRONG_PROCESS for cancel; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON
///     for an option that ends in _json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_probe_descriptors(
    options: *const mcpd_probe_options,
    to_server: i32,
    from_server: i32,
    prior: *const mcpd_verdict,
    connection: *mut *mut mcpd_connection,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    // SAFETY: the caller passes NULL or a valid place.
    unsafe { guard::clear(connection) };
    guard!(error: error, out: verdict, needs: [options], {
        // SAFETY: it is a struct of the caller's.
        let raw = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let options = unsafe { probe::read_without_command(&raw) }?;
        // SAFETY: it is NULL or a handle of the caller's.
        let (prior, cancel) = unsafe { (mcpd_verdict::read(prior), mcpd_cancel::read(raw.cancel)?) };
        let cancel = cancel.map(|cancel| &**cancel);
        let keep = !connection.is_null();
        if prior.is_some() && !keep {
            return Err(Failure::argument("prior", "needs a connection; expected NULL"));
        }
        // SAFETY: the descriptors are the caller's, who leaves them open during the call.
        let descriptors = unsafe {
            Descriptors::borrow(
                descriptor(to_server, "to_server")?,
                descriptor(from_server, "from_server")?,
            )
        };
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        let (told, unread) = transport::probe(&options, descriptors, keep, prior, cancel)?;
        let kept = unread
            .map(|unread| Parts::of_transport(&told, &unread, to_server, from_server))
            .transpose()?;
        // SAFETY: something is kept only where it is not NULL, so then it is a valid place.
        Ok(unsafe { give(told, kept, connection) }?)
    })
}

/// Ends a server that was kept, as a probe ends one: its standard input is closed, then SIGTERM
/// comes, then SIGKILL, each to its process group; then it is reaped. What it still says is read
/// and dropped. Afterwards the connection tells how it ended, and its descriptors are -1. Over
/// descriptors of the caller's it does nothing but that: those stay open.
///
/// It takes at most twice grace_ms, and some 2 seconds more; a cancel handle that is fired makes it
/// hurry, and does not make it fail. Threads that read the descriptors meanwhile come to the end
/// of the stream, or to an error.
///
/// \param connection the connection.
/// \param grace_ms how long the server may take to exit after its standard input ends, and again
///     after SIGTERM, in milliseconds; 0 is 2,000, and MCPD_NO_GRACE no time at all.
/// \param cancel makes the call hurry when it is fired; may be NULL.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_OUT_OF_RESOURCES, and the connection is as it was; MCPD_WRONG_PROCESS, for
///     a connection or a handle that was made before a fork; MCPD_INVALID_ARGUMENT, also if it was
///     closed or released before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_connection_close(
    connection: *mut mcpd_connection,
    grace_ms: i64,
    cancel: *const mcpd_cancel,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [connection], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, who uses it on no other thread.
        let (public, behind) = unsafe { ConnectionHandle::parts(connection) };
        // SAFETY: it is NULL or a handle of the caller's.
        let cancel = unsafe { mcpd_cancel::read(cancel) }?.map(|cancel| &**cancel);
        let grace = probe::grace(grace_ms)?;
        if let Some(kept) = behind.process()? {
            let end = kept.close(Haste::Polite { grace }, cancel).map_err(|error| {
                Failure::from_runtime(&error, "end the server")
            })?;
            (public.exit_kind, public.exit_value) = process::exit(end.exit);
            public.shutdown = shutdown::of(end.shutdown);
        }
        *behind = Behind::Over;
        (public.stdin_fd, public.stdout_fd, public.stderr_fd) = (-1, -1, -1);
        Ok(())
    })
}

/// Hands the process and its descriptors over to the caller for good: who closes them, ends the
/// process, and reaps it with waitpid. The connection only tells what they are from here on, and is
/// still to be freed.
///
/// \param connection the connection.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_WRONG_PROCESS, for a connection that was made before a fork;
///     MCPD_INVALID_ARGUMENT, also if it was closed or released before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_connection_release(
    connection: *mut mcpd_connection,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [connection], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, who uses it on no other thread.
        let (_, behind) = unsafe { ConnectionHandle::parts(connection) };
        behind.process()?;
        if let Behind::Process(kept) = mem::replace(behind, Behind::Over) {
            kept.release();
        }
        Ok(())
    })
}

/// Frees a connection. A server that was neither closed nor released is ended in a hurry, as that
/// of a cancelled call. In a forked child the server of the parent's is left alone, and only the
/// child's copies of the descriptors are closed. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_connection_free(connection: *mut mcpd_connection) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { ConnectionHandle::free(connection) };
}

impl Behind {
    /// The process that is kept, if there is one to look after.
    fn process(&mut self) -> Result<Option<&mut Connection>, Failure> {
        match self {
            Behind::Process(kept) if !kept.made_here() => Err(Failure::of(
                MCPD_WRONG_PROCESS,
                "connection",
                "was made before a fork; expected one that this process has made",
            )),
            Behind::Process(kept) => Ok(Some(kept)),
            Behind::Transport => Ok(None),
            Behind::Over => Err(Failure::argument(
                "connection",
                "was closed or released before",
            )),
        }
    }
}

/// A connection on its way to C. Dropped, it ends the server.
struct Parts {
    public: mcpd_connection,
    arena: Arena,
    behind: Behind,
}

impl Parts {
    fn of_process(verdict: &Verdict, kept: Connection) -> Result<Parts, OutOfMemory> {
        let (stdin_fd, stdout_fd, stderr_fd) = kept.descriptors();
        let mut parts = Parts::new(verdict, kept.unread())?;
        parts.public.pid = kept.pid().into();
        parts.public.stdin_fd = stdin_fd;
        parts.public.stdout_fd = stdout_fd;
        parts.public.stderr_fd = stderr_fd.unwrap_or(-1);
        parts.behind = Behind::Process(kept);
        Ok(parts)
    }

    fn of_transport(
        verdict: &Verdict,
        unread: &[u8],
        to_server: i32,
        from_server: i32,
    ) -> Result<Parts, OutOfMemory> {
        let mut parts = Parts::new(verdict, unread)?;
        parts.public.stdin_fd = to_server;
        parts.public.stdout_fd = from_server;
        parts.behind = Behind::Transport;
        Ok(parts)
    }

    fn new(verdict: &Verdict, unread: &[u8]) -> Result<Parts, OutOfMemory> {
        let arena = Arena::default();
        let era = match verdict.next {
            Next::UseModern => Era::Modern,
            _ => Era::Legacy,
        };
        let public = mcpd_connection {
            struct_size: mem::size_of::<mcpd_connection>(),
            version: arena.optional_text(verdict.version.as_deref())?,
            pid: 0,
            unread: match unread.is_empty() {
                true => std::ptr::null(),
                false => arena.bytes(unread)?,
            },
            unread_length: unread.len(),
            era: era::of(era),
            stdin_fd: -1,
            stdout_fd: -1,
            stderr_fd: -1,
            exit_kind: MCPD_EXIT_UNKNOWN,
            exit_value: 0,
            shutdown: MCPD_SHUTDOWN_NONE,
            reserved: 0,
        };
        Ok(Parts {
            public,
            arena,
            behind: Behind::Over,
        })
    }

    fn give(self) -> *mut mcpd_connection {
        Handle::give_with(self.public, self.arena, self.behind)
    }
}

/// Gives the verdict, and the connection to this place, if there is one; without memory for the verdict the server is ended.
unsafe fn give(
    verdict: Verdict,
    kept: Option<Parts>,
    connection: *mut *mut mcpd_connection,
) -> Result<*mut mcpd_verdict, OutOfMemory> {
    let verdict = mcpd_verdict::give(verdict)?;
    if let Some(parts) = kept {
        // SAFETY: where something is kept the place is valid.
        unsafe { *connection = parts.give() };
    }
    Ok(verdict)
}

/// A descriptor of the caller's, which need not be open.
fn descriptor(number: i32, argument: &str) -> Result<i32, Failure> {
    match number {
        ..0 => Err(Failure::argument(
            argument,
            format_args!("is {number}; expected an open descriptor"),
        )),
        _ => Ok(number),
    }
}
