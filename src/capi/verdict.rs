//! The verdict on a server.

use std::ffi::c_char;
use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::discover_result::mcpd_discover_result;
use super::era::{self, mcpd_era};
use super::error::{Failure, mcpd_error};
use super::guard;
use super::handle::Handle;
use super::implementation::mcpd_implementation;
use super::initialize_result::mcpd_initialize_result;
use super::next::{self, mcpd_next};
use super::options;
use super::outcome::{self, mcpd_outcome};
use super::process::mcpd_process;
use super::remark::mcpd_remark;
use super::rpc_error::mcpd_rpc_error;
use super::server_capabilities::mcpd_server_capabilities;
use super::status::{MCPD_INVALID_ARGUMENT, mcpd_status};
use super::str::mcpd_str;
use super::text::mcpd_text;
use super::transcript_entry::mcpd_transcript_entry;
use crate::core::memory;
use crate::core::verdict::{ReadError, Verdict, is_fresh};

/// What a server is, what to do next, and why. The caller owns it, and all it points to lives
/// until mcpd_verdict_free. Read it from as many threads as you like.
///
/// A DiscoverResult, or one of the three errors that only modern servers have
/// (MCPD_RPC_HEADER_MISMATCH and the two that follow it), proves a modern server, and nothing
/// that comes later makes it legacy. An InitializeResult, or a DiscoverResult that names legacy
/// versions only, proves a legacy one. Any other error, whatever its code, an answer that can't
/// be used, silence, an exit: these prove nothing, and initialize is asked instead, in a fresh
/// process where it is needed. If that proves nothing either, the era is unknown.
#[repr(C)]
pub struct mcpd_verdict {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// How the server is spoken to.
    pub era: mcpd_era,
    /// What to do next.
    pub next: mcpd_next,
    /// The protocol version to do it with, if next is MCPD_NEXT_USE_MODERN,
    /// MCPD_NEXT_INITIALIZE or MCPD_NEXT_INITIALIZE_OR_SSE; else absent.
    pub version: mcpd_str,
    /// 1 if the server said so itself, by a result or by an error that only modern servers have;
    /// 0 if it is a conclusion.
    pub confirmed: i32,
    /// 1 if the verdict may be stored and used for later connections: it is confirmed, and
    /// server/discover was answered, so that a start that failed by chance is never stored; else
    /// 0. What may be used of it later, and how long, is told at mcpd_verdict_is_fresh.
    pub storable: i32,
    /// What came of server/discover.
    pub discover_outcome: mcpd_outcome,
    /// What came of initialize.
    pub initialize_outcome: mcpd_outcome,
    /// Why, in one English sentence; never absent. It may quote the server.
    pub summary: mcpd_str,
    /// When the last answer that counted arrived, in milliseconds since 1970-01-01 UTC; 0 if
    /// none did. With the ttl_ms of discover it tells how long the result stays fresh.
    pub received_at_ms: i64,
    /// 1 if received_at_ms is set, 0 if not.
    pub has_received_at_ms: i32,
    /// How many processes were started.
    pub starts: i32,
    /// Who the server says it is, in whichever result it sent; NULL if it does not say.
    pub server: *const mcpd_implementation,
    /// What the server can do, by whichever result it sent; NULL if it does not say.
    pub capabilities: *const mcpd_server_capabilities,
    /// How to use the server, written for a language model, from whichever result it sent.
    pub instructions: mcpd_str,
    /// The protocol versions that the server named, in a DiscoverResult or an error; NULL if it
    /// named none.
    pub supported_versions: *const mcpd_str,
    /// How many versions there are.
    pub supported_versions_count: usize,
    /// The result of server/discover; NULL if there was none.
    pub discover: *const mcpd_discover_result,
    /// The result of initialize; NULL if there was none.
    pub initialize: *const mcpd_initialize_result,
    /// The error that answered server/discover; NULL if none did. Of several the one that proved
    /// the server modern.
    pub discover_error: *const mcpd_rpc_error,
    /// The error that answered initialize; NULL if none did.
    pub initialize_error: *const mcpd_rpc_error,
    /// Everything odd that the server did; NULL if it did nothing odd.
    pub remarks: *const *const mcpd_remark,
    /// How many remarks there are.
    pub remarks_count: usize,
    /// The processes that were started, in order; each has ended, unless its shutdown is
    /// MCPD_SHUTDOWN_ABANDONED or MCPD_SHUTDOWN_KEPT.
    pub processes: *const *const mcpd_process,
    /// How many processes there are.
    pub processes_count: usize,
    /// From the start of the first process to the end of the last, in milliseconds.
    pub elapsed_ms: f64,
    /// From the start of the first process to the last answer that counted, in milliseconds; 0
    /// if none did.
    pub reply_ms: f64,
    /// 1 if reply_ms is set, 0 if not.
    pub has_reply_ms: i32,
    /// 1 if more was said than max_transcript_bytes let into the transcript, 0 if not.
    pub transcript_truncated: i32,
    /// What was said, both ways; NULL if max_transcript_bytes was 0.
    pub transcript: *const *const mcpd_transcript_entry,
    /// How many pieces the transcript has.
    pub transcript_count: usize,
}

/// Writes a verdict as one line of JSON, for logs and caches: an object with the members schema
/// (1), era, next, version, confirmed, storable, summary, discoverOutcome, initializeOutcome,
/// receivedAt, supportedVersions, server, capabilities, instructions, ttlMs, cacheScope,
/// discover, initialize, discoverError, initializeError, remarks (objects of code and text),
/// processes (objects of exit, which is {"code": n}, {"signal": n} or null, shutdown,
/// bytesReceived, skippedLines, skippedSample and stderrTail), timing (elapsedMs and replyMs),
/// and transcript if there is one. Codes are written as their names, and what is absent as null.
/// It holds neither the arguments nor the environment of the command.
///
/// \param verdict the verdict.
/// \param json gets the JSON, which does not need the verdict any more. The caller frees it with
///     mcpd_text_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_verdict_to_json(
    verdict: *const mcpd_verdict,
    json: *mut *mut mcpd_text,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: json, needs: [verdict], {
        // SAFETY: it is not NULL, so it is a handle of the caller's.
        let verdict = unsafe { Handle::<mcpd_verdict, Verdict>::behind(verdict) };
        let json = verdict.try_to_json().ok_or(OutOfMemory)?;
        Ok(mcpd_text::give(json)?)
    })
}

/// Reads a verdict back from the JSON that mcpd_verdict_to_json wrote, in this version of the
/// library or in a later one, on the same machine or another.
///
/// What a later version has added is kept: written again, the verdict is the JSON it was read
/// from, as one line. Members that this version does not know are passed over, and names of codes
/// that it does not know are MCPD_UNRECOGNIZED. Nobody can act on an era or a next that is
/// unrecognized: storable is 0 then, so the server has to be asked again, as it has to if this
/// function fails. What is missing is absent; only schema, era and next have to be there.
///
/// \param json the JSON, in UTF-8, on one line or several. It need not end with NUL.
/// \param length how many bytes it has.
/// \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_JSON for what is no JSON, MCPD_INVALID_UTF8, or
///     MCPD_INVALID_ARGUMENT for JSON that is no verdict, each with an offset into json;
///     MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_verdict_from_json(
    json: *const c_char,
    length: usize,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: verdict, needs: [json], {
        // SAFETY: it is not NULL, and the caller says how long it is.
        let json = unsafe { options::bytes(json, length) }?;
        let json = str::from_utf8(json).map_err(|error| Failure::utf8("json", error))?;
        let verdict = Verdict::from_json(json)?;
        Ok(mcpd_verdict::give(verdict)?)
    })
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        match error {
            ReadError::Syntax(error) => Failure::json("json", error, error.offset),
            ReadError::Form { offset, .. } => Failure {
                offset: Some(offset),
                ..Failure::of(MCPD_INVALID_ARGUMENT, "json", error)
            },
            ReadError::OutOfMemory => Failure::out_of_memory(),
        }
    }
}

/// Tells whether what the server said of itself in its DiscoverResult is still fresh: its
/// capabilities, its instructions, its versions. It is from its arrival until its ttlMs has
/// passed (server/utilities/caching); a result without ttlMs, or with 0, is stale at once. So is
/// any other verdict, and one from the future, which means that the clock was set back.
///
/// A storable verdict that is not fresh any more still tells how to speak to the server: its era,
/// next and version hold until the server is updated, which shows when it refuses them. So use
/// those, and ask server/discover again for the rest when it is needed.
///
/// \param verdict the verdict.
/// \param now_ms the time, in milliseconds since 1970-01-01 UTC.
/// \return 1 if it is fresh, 0 if it is not, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_verdict_is_fresh(verdict: *const mcpd_verdict, now_ms: i64) -> i32 {
    guard::run_quietly(|| {
        // SAFETY: it is NULL or a verdict of the library's, and so is what it points to.
        let verdict = unsafe { verdict.as_ref() }?;
        // SAFETY: as above.
        let discover = unsafe { verdict.discover.as_ref() }?;
        let received = (verdict.has_received_at_ms != 0).then_some(verdict.received_at_ms);
        let ttl = (discover.has_ttl_ms != 0).then_some(discover.ttl_ms);
        Some(is_fresh(received, ttl, now_ms).into())
    })
    .flatten()
    .unwrap_or(0)
}

/// Frees a verdict and all it points to. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_verdict_free(verdict: *mut mcpd_verdict) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_verdict, Verdict>::free(verdict) };
}

impl mcpd_verdict {
    /// The verdict behind the caller's handle; none for NULL.
    pub(super) unsafe fn read<'a>(verdict: *const mcpd_verdict) -> Option<&'a Verdict> {
        match verdict.is_null() {
            true => None,
            // SAFETY: it is a handle of the caller's.
            false => Some(unsafe { Handle::<mcpd_verdict, Verdict>::behind(verdict) }),
        }
    }

    pub(super) fn give(verdict: Verdict) -> Result<*mut mcpd_verdict, OutOfMemory> {
        if !memory::has_room_for(to_publish(&verdict)) {
            return Err(OutOfMemory);
        }
        let arena = Arena::default();
        let public = verdict.publish(&arena)?;
        Ok(Handle::give_with(public, arena, verdict))
    }
}

/// How much memory the answers take twice, once read and once as structs, and the copies of the rest.
fn to_publish(verdict: &Verdict) -> usize {
    let stderr: usize = verdict.processes.iter().map(|p| p.stderr_tail.len()).sum();
    let pieces = verdict.transcript.entries.len() * 2 * mem::size_of::<mcpd_transcript_entry>();
    2 * (verdict.to_read() + stderr + verdict.transcript.bytes() + pieces)
}

impl Publish for Verdict {
    type Public = mcpd_verdict;

    fn publish(&self, arena: &Arena) -> Result<mcpd_verdict, OutOfMemory> {
        let evidence = self.evidence();
        let (supported_versions, supported_versions_count) =
            arena.texts(evidence.supported_versions())?;
        let (remarks, remarks_count) = arena.objects(self.remarks.as_slice())?;
        let (processes, processes_count) = arena.objects(&self.processes)?;
        let (transcript, transcript_count) = arena.objects(&self.transcript.entries)?;
        Ok(mcpd_verdict {
            struct_size: mem::size_of::<mcpd_verdict>(),
            era: era::of(self.era),
            next: next::of(self.next),
            version: arena.optional_text(self.version.as_deref())?,
            confirmed: self.confirmed.into(),
            storable: self.storable().into(),
            discover_outcome: outcome::of(self.discover_outcome),
            initialize_outcome: outcome::of(self.initialize_outcome),
            summary: arena.text(&self.summary)?,
            received_at_ms: self.received_at.unwrap_or(0),
            has_received_at_ms: self.received_at.is_some().into(),
            starts: i32::try_from(processes_count).unwrap_or(i32::MAX),
            server: arena.optional(evidence.server())?,
            capabilities: arena.optional(evidence.capabilities())?,
            instructions: arena.optional_text(evidence.instructions())?,
            supported_versions,
            supported_versions_count,
            discover: arena.optional(evidence.discover.as_ref())?,
            initialize: arena.optional(evidence.initialize.as_ref())?,
            discover_error: arena.optional(evidence.discover_error.as_ref())?,
            initialize_error: arena.optional(evidence.initialize_error.as_ref())?,
            remarks,
            remarks_count,
            processes,
            processes_count,
            elapsed_ms: self.timing.elapsed_ms,
            reply_ms: self.timing.reply_ms.unwrap_or(0.0),
            has_reply_ms: self.timing.reply_ms.is_some().into(),
            transcript_truncated: self.transcript.truncated.into(),
            transcript,
            transcript_count,
        })
    }
}
