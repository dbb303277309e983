//! The negotiation for callers with a transport of their own.

use std::ffi::{CString, c_char};
use std::mem;
use std::time::Duration;

use super::arena::Arena;
use super::error::{Failure, mcpd_error};
use super::handle::Handle;
use super::options::{self, Choice, choice};
use super::outcome::{MCPD_OUTCOME_EXIT, MCPD_OUTCOME_STDOUT_CLOSED, mcpd_outcome};
use super::probe::{self, mcpd_probe_options};
use super::status::*;
use super::step::*;
use super::str::mcpd_str;
use super::verdict::mcpd_verdict;
use crate::core::memory;
use crate::core::negotiation::{self, Ended, Step};
use crate::core::talk::Talk;

/// A negotiation with a server over a transport of the caller's: SSH, a WebSocket, a virtual
/// machine's socket, a test. It says what to do, the caller does it and tells what came of it,
/// and in the end there is the verdict that mcpd_probe_stdio would have given. It does no I/O,
/// starts nothing, and knows no clock but the caller's.
///
/// \code
/// mcpd_negotiation *negotiation;
/// if (mcpd_negotiation_new(NULL, &negotiation, &error) != MCPD_OK) ...
/// while (mcpd_negotiation_next(negotiation, now_ms(), &error) == MCPD_OK) {
///     if (negotiation->step == MCPD_STEP_START) {
///         connect_to_the_server();
///         mcpd_negotiation_started(negotiation, now_ms(), NULL);
///     } else if (negotiation->step == MCPD_STEP_SEND) {
///         send_all(negotiation->line.ptr, negotiation->line.len);
///     } else if (negotiation->step == MCPD_STEP_WAIT) {
///         // -1 where the time is up, 0 at the end of the stream
///         length = receive_until(negotiation->deadline_ms, data, sizeof data);
///         if (length > 0)
///             mcpd_negotiation_received(negotiation, data, length, now_ms(), NULL);
///         else if (length == 0)
///             mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
///     } else if (negotiation->step == MCPD_STEP_CLOSE) {
///         close_the_connection();
///         mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
///     } else if (negotiation->step == MCPD_STEP_FINISH) {
///         break;
///     }
/// }
/// mcpd_negotiation_verdict(negotiation, since_1970_ms(), &verdict, &error);
/// mcpd_negotiation_free(negotiation);
/// \endcode
///
/// Every call takes the time, in milliseconds by any clock that does not jump, such as
/// CLOCK_MONOTONIC; if it goes back nevertheless it counts as standing still. What has come from
/// the server is to be passed on before mcpd_negotiation_next is called: what the negotiation
/// does not know it takes for silence once a deadline has passed.
///
/// The fields are set by mcpd_negotiation_new and mcpd_negotiation_next, and stay until the next
/// call. Use a negotiation on one thread at a time. The caller owns it; free it with
/// mcpd_negotiation_free, which may be done at any step.
#[repr(C)]
pub struct mcpd_negotiation {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// What to do.
    pub step: mcpd_step,
    /// Always 0.
    pub reserved: i32,
    /// With MCPD_STEP_SEND: a message with the line feed that ends it on a stream. Over a
    /// transport that keeps messages apart, leave out the line feed, which is the last byte. Else
    /// absent.
    pub line: mcpd_str,
    /// With MCPD_STEP_WAIT: when mcpd_negotiation_next has to be called again at the latest, by
    /// the caller's clock. Else 0.
    pub deadline_ms: i64,
}

/// What the caller does not see.
struct State {
    /// None once the verdict was taken.
    talk: Option<Talk>,
    clock: Clock,
    /// A server is there, and its end has not been told.
    is_open: bool,
    /// What is to be sent.
    line: CString,
}

/// The caller's clock: its first time is where ours begins.
#[derive(Default)]
struct Clock {
    first_ms: Option<i64>,
    now: Duration,
}

impl Clock {
    fn set(&mut self, now_ms: i64) -> Duration {
        let first = *self.first_ms.get_or_insert(now_ms);
        let passed = u64::try_from(now_ms.saturating_sub(first)).unwrap_or(0);
        self.now = self.now.max(Duration::from_millis(passed));
        self.now
    }

    /// When it will be so late, by the caller's clock.
    fn at(&self, instant: Duration) -> i64 {
        let passed = i64::try_from(instant.as_millis()).unwrap_or(i64::MAX);
        self.first_ms.unwrap_or(0).saturating_add(passed)
    }
}

impl State {
    /// What hears the server that is there, and the time.
    fn open(&mut self, now_ms: i64) -> Result<(&mut Talk, Duration), Failure> {
        let talk = self.talk.as_mut().ok_or_else(taken)?;
        match self.is_open {
            true => Ok((talk, self.clock.set(now_ms))),
            false => Err(out_of_order(
                "has no server; expected mcpd_negotiation_started before, and not mcpd_negotiation_closed",
            )),
        }
    }
}

type Negotiation = Handle<mcpd_negotiation, State>;

/// Makes a negotiation, whose first step is MCPD_STEP_START.
///
/// \param options who asks, and how patiently, as for mcpd_probe_stdio: the fields about the
///     client, the versions, the two timeouts, max_line_bytes, max_transcript_bytes, max_starts
///     and fallback. argv, env and cwd must be NULL, and the others count for nothing. NULL for
///     all defaults.
/// \param negotiation gets the negotiation. The caller frees it with mcpd_negotiation_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
///     that ends in _json; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_new(
    options: *const mcpd_probe_options,
    negotiation: *mut *mut mcpd_negotiation,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: negotiation, needs: [], {
        // SAFETY: it is NULL or a struct of the caller's.
        let raw = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let options = unsafe { probe::read_without_command(&raw) }?;
        if !memory::has_headroom() {
            return Err(Failure::out_of_memory());
        }
        let public = mcpd_negotiation {
            struct_size: mem::size_of::<mcpd_negotiation>(),
            step: MCPD_STEP_START,
            reserved: 0,
            line: mcpd_str::ABSENT,
            deadline_ms: 0,
        };
        let state = State {
            talk: Some(Talk::new(
                negotiation::Negotiation::new(options.settings.clone()),
                options.patience(),
                options.max_transcript_bytes,
            )),
            clock: Clock::default(),
            is_open: false,
            line: CString::default(),
        };
        Ok(Negotiation::give_with(public, Arena::default(), state))
    })
}

/// Tells what to do, in the fields of the negotiation. Deadlines that have passed by now_ms are
/// passed. A call after MCPD_STEP_SEND means that the line was sent.
///
/// \param negotiation the negotiation.
/// \param now_ms the time.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also once the verdict was taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_next(
    negotiation: *mut mcpd_negotiation,
    now_ms: i64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [negotiation], {
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone.
        let (public, state) = unsafe { Negotiation::parts(negotiation) };
        let now = state.clock.set(now_ms);
        let talk = state.talk.as_mut().ok_or_else(taken)?;
        public.line = mcpd_str::ABSENT;
        public.deadline_ms = 0;
        public.step = loop {
            match talk.negotiation().next_step() {
                // Nothing is kept, so nothing is handed over.
                Step::Start | Step::Finish | Step::HandOver if state.is_open => {
                    talk.closing(now);
                    break MCPD_STEP_CLOSE;
                }
                Step::Send(_) | Step::Wait if !state.is_open => talk.ended(Ended::Exit, now),
                Step::Start => break MCPD_STEP_START,
                Step::Finish | Step::HandOver => break MCPD_STEP_FINISH,
                Step::Send(line) => {
                    talk.said(&line, now);
                    let length = line.len();
                    // JSON holds no NUL.
                    state.line = CString::new(line).unwrap_or_default();
                    public.line = mcpd_str { ptr: state.line.as_ptr(), len: length };
                    break MCPD_STEP_SEND;
                }
                Step::Wait => {
                    let (instant, deadline) = talk.deadline();
                    if now < instant {
                        public.deadline_ms = state.clock.at(instant);
                        break MCPD_STEP_WAIT;
                    }
                    talk.passed(deadline, now);
                }
            }
        };
        Ok(())
    })
}

/// Tells that a server has been started or connected to, at MCPD_STEP_START. It must have seen
/// nothing yet. The first call starts the clocks of the timeouts.
///
/// \param negotiation the negotiation.
/// \param now_ms the time.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also at another step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_started(
    negotiation: *mut mcpd_negotiation,
    now_ms: i64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [negotiation], {
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone.
        let (_, state) = unsafe { Negotiation::parts(negotiation) };
        let talk = state.talk.as_mut().ok_or_else(taken)?;
        if state.is_open || !talk.negotiation().wants_start() {
            return Err(out_of_order("wants no server started; expected the step MCPD_STEP_START"));
        }
        talk.started(state.clock.set(now_ms));
        state.is_open = true;
        Ok(())
    })
}

/// Passes on what has come from the server over a stream, cut anywhere. It may come at any time
/// between mcpd_negotiation_started and mcpd_negotiation_closed, and counts however late it is.
///
/// \param negotiation the negotiation.
/// \param data the bytes. They need not end with NUL.
/// \param length how many there are.
/// \param now_ms the time.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_received(
    negotiation: *mut mcpd_negotiation,
    data: *const c_char,
    length: usize,
    now_ms: i64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [negotiation, data], {
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone; the data has as many bytes as is said.
        unsafe { pass_on(negotiation, data, length, now_ms, Talk::hear) }
    })
}

/// As mcpd_negotiation_received, over a transport that keeps messages apart, such as a WebSocket:
/// the bytes are one whole message, which need not be one line.
///
/// \param negotiation the negotiation.
/// \param data the message. It need not end with NUL.
/// \param length how many bytes it has.
/// \param now_ms the time.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_received_message(
    negotiation: *mut mcpd_negotiation,
    data: *const c_char,
    length: usize,
    now_ms: i64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [negotiation, data], {
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone; the data has as many bytes as is said.
        unsafe { pass_on(negotiation, data, length, now_ms, Talk::hear_message) }
    })
}

/// Passes on what has come from the server.
unsafe fn pass_on(
    negotiation: *mut mcpd_negotiation,
    data: *const c_char,
    length: usize,
    now_ms: i64,
    hear: fn(&mut Talk, &[u8], Duration),
) -> Result<(), Failure> {
    // SAFETY: it is a handle of the caller's, which uses it on this thread alone.
    let (_, state) = unsafe { Negotiation::parts(negotiation) };
    let (talk, now) = state.open(now_ms)?;
    // SAFETY: it is not NULL, and the caller says how long it is.
    hear(talk, unsafe { options::bytes(data, length) }?, now);
    Ok(())
}

/// Tells that the server will say no more: it has ended, the connection is closed or broken, a
/// line could not be sent, or at MCPD_STEP_CLOSE the caller has waited long enough. Pass on what
/// has come before that first.
///
/// \param negotiation the negotiation.
/// \param how MCPD_OUTCOME_EXIT if the server's process is known to have exited, else
///     MCPD_OUTCOME_STDOUT_CLOSED. It counts for the verdict's outcomes and its words alone.
/// \param now_ms the time. What passed since MCPD_STEP_CLOSE does not count against timeout_ms.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_closed(
    negotiation: *mut mcpd_negotiation,
    how: mcpd_outcome,
    now_ms: i64,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [negotiation], {
        let how = choice(how, "how", ENDS)?;
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone.
        let (_, state) = unsafe { Negotiation::parts(negotiation) };
        let (talk, now) = state.open(now_ms)?;
        talk.left(how, now);
        state.is_open = false;
        Ok(())
    })
}

/// How a server may end.
const ENDS: &[Choice<Ended>] = &[
    (MCPD_OUTCOME_EXIT, "MCPD_OUTCOME_EXIT", Ended::Exit),
    (
        MCPD_OUTCOME_STDOUT_CLOSED,
        "MCPD_OUTCOME_STDOUT_CLOSED",
        Ended::StdoutClosed,
    ),
];

/// Takes the verdict. Before MCPD_STEP_FINISH it is the verdict on a server that has not answered
/// in time. Afterwards the negotiation can only be freed.
///
/// Each of the verdict's processes is a server that was started, with MCPD_EXIT_UNKNOWN and
/// MCPD_SHUTDOWN_NONE, for the library has not seen how it ended.
///
/// \param negotiation the negotiation.
/// \param since_1970_ms the time in milliseconds since 1970-01-01 UTC, from which the verdict's
///     received_at_ms is reckoned; 0 if it is not known, and received_at_ms is not set.
/// \param verdict gets the verdict. The caller frees it with mcpd_verdict_free; it does not need
///     the negotiation.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also if the verdict was taken before;
///     MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_verdict(
    negotiation: *mut mcpd_negotiation,
    since_1970_ms: i64,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: verdict, needs: [negotiation], {
        // SAFETY: it is a handle of the caller's, which uses it on this thread alone.
        let (_, state) = unsafe { Negotiation::parts(negotiation) };
        let talk = state.talk.take().ok_or_else(taken)?;
        let now = state.clock.now;
        let age = talk.answered().map(|answered| (now - answered).as_millis() as i64);
        let mut verdict = talk.into_verdict(now);
        if since_1970_ms != 0 {
            verdict.received_at = age.map(|age| since_1970_ms.saturating_sub(age));
        }
        Ok(mcpd_verdict::give(verdict)?)
    })
}

/// Frees a negotiation. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_negotiation_free(negotiation: *mut mcpd_negotiation) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Negotiation::free(negotiation) };
}

fn taken() -> Failure {
    out_of_order("has given its verdict; expected nothing more but mcpd_negotiation_free")
}

fn out_of_order(problem: &str) -> Failure {
    Failure::argument("negotiation", problem)
}
