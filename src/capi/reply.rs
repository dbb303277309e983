//! Parsing a reply.

use std::ffi::c_char;
use std::mem;
use std::ptr;
use std::slice;

use super::arena::{Arena, OutOfMemory};
use super::discover_result::mcpd_discover_result;
use super::error::{Failure, mcpd_error};
use super::handle::Handle;
use super::id_kind::{self, mcpd_id_kind};
use super::initialize_result::mcpd_initialize_result;
use super::method::{METHODS, mcpd_method};
use super::options::{self, CallerStruct, choice};
use super::remark::mcpd_remark;
use super::reply_kind::*;
use super::rpc_error::mcpd_rpc_error;
use super::status::mcpd_status;
use super::str::mcpd_str;
use crate::core::json::{Json, SyntaxError};
use crate::core::memory;
use crate::core::remark::{RemarkCode, Remarks};
use crate::core::reply::{Incoming, Open, Reply, note_broken, read_first, text_of};

/// Which request a reply should answer. The function copies what it needs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcpd_reply_options {
    /// Set it to sizeof(mcpd_reply_options).
    pub struct_size: usize,
    /// What was asked: it decides how a result is read. Default: MCPD_METHOD_DISCOVER.
    pub method: mcpd_method,
    /// What the request's id is. Default: any id will do.
    pub id_kind: mcpd_id_kind,
    /// The request's id, if id_kind is MCPD_ID_STRING; else NULL.
    pub id_string: *const c_char,
    /// The request's id, if id_kind is MCPD_ID_INTEGER; else 0.
    pub id_integer: i64,
}

// SAFETY: `repr(C)`, the size first, integers and pointers only.
unsafe impl CallerStruct for mcpd_reply_options {
    const NAME: &'static str = "mcpd_reply_options";
    const FIRST_SIZE: usize =
        mem::offset_of!(mcpd_reply_options, id_integer) + mem::size_of::<i64>();
}

/// A message from a server, read. The caller owns it, and all it points to lives until
/// mcpd_reply_free. Read it from as many threads as you like.
#[repr(C)]
pub struct mcpd_reply {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// What the message is.
    pub kind: mcpd_reply_kind,
    /// Always 0.
    pub reserved: i32,
    /// The result, if kind is MCPD_REPLY_DISCOVER; else NULL.
    pub discover: *const mcpd_discover_result,
    /// The result, if kind is MCPD_REPLY_INITIALIZE; else NULL.
    pub initialize: *const mcpd_initialize_result,
    /// The error, if kind is MCPD_REPLY_RPC_ERROR; else NULL.
    pub rpc_error: *const mcpd_rpc_error,
    /// The whole message as JSON; never absent.
    pub json: mcpd_str,
    /// Everything odd about it; NULL if nothing is.
    pub remarks: *const *const mcpd_remark,
    /// How many remarks there are.
    pub remarks_count: usize,
}

/// Reads a message from a server: a line of stdio, or the JSON body of an HTTP response. Of an
/// event stream, give it the data of one event. A blank line is no message: skip it.
///
/// It is read leniently, as servers in the wild require. A byte order mark, bytes that are not
/// UTF-8 (read as U+FFFD), fields that are missing or have the wrong type cost a remark, never
/// the reply. Of several messages on the line the first that answers the request counts, and
/// what stands behind them is ignored, with a remark; nothing may stand before.
///
/// \param data the message, with or without the line ending. It need not end with NUL.
/// \param length how many bytes it has.
/// \param options what the message should answer; NULL for all defaults.
/// \param reply gets the message; its kind tells what it is. The caller frees it with
///     mcpd_reply_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK, also for a message that answers nothing; MCPD_INVALID_JSON, with an offset
///     into data; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8 for an option; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_reply_parse(
    data: *const c_char,
    length: usize,
    options: *const mcpd_reply_options,
    reply: *mut *mut mcpd_reply,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: reply, needs: [data], {
        // SAFETY: the data is not NULL, and has as many bytes as the caller says; the options are NULL or the caller's.
        unsafe { parse(data, length, options, publish) }
    })
}

/// Frees a reply and all it points to. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_reply_free(reply: *mut mcpd_reply) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { Handle::<mcpd_reply>::free(reply) };
}

/// The request that the reply should answer.
unsafe fn expected<'a>(options: &mcpd_reply_options) -> Result<Open<'a>, Failure> {
    Ok(Open {
        method: choice(options.method, "method", METHODS)?,
        // SAFETY: it is a text of the caller's.
        id: unsafe { id_kind::read(options.id_kind, options.id_string, options.id_integer) }?,
    })
}

/// A message that was read: what it is, its text, and what is odd about it.
pub(super) struct Message<'a> {
    pub(super) incoming: Incoming<'a>,
    pub(super) json: &'a str,
    pub(super) remarks: Remarks,
}

impl Message<'_> {
    pub(super) fn kind(&self) -> mcpd_reply_kind {
        match &self.incoming {
            Incoming::Reply(_, Reply::Discover(_)) => MCPD_REPLY_DISCOVER,
            Incoming::Reply(_, Reply::Initialize(_)) => MCPD_REPLY_INITIALIZE,
            Incoming::Reply(_, Reply::Error(_)) | Incoming::NullIdError(_) => MCPD_REPLY_RPC_ERROR,
            Incoming::Reply(_, Reply::Unusable) => MCPD_REPLY_UNUSABLE,
            Incoming::Unrelated | Incoming::Noise => MCPD_REPLY_UNRELATED,
        }
    }
}

/// Reads a message of the caller's, and gives what is made of it.
pub(super) unsafe fn parse<T>(
    data: *const c_char,
    length: usize,
    options: *const mcpd_reply_options,
    publish: impl FnOnce(&Message<'_>) -> Result<T, OutOfMemory>,
) -> Result<T, Failure> {
    // SAFETY: it is NULL or a struct of the caller's.
    let options = unsafe { options::read(options) }?;
    // SAFETY: its text is the caller's.
    let open = unsafe { expected(&options) }?;
    // SAFETY: it is not NULL, and the caller says how long it is.
    let data = unsafe { options::bytes(data, length) }?;
    // Once read, and once as structs.
    if !memory::has_room_for(memory::to_read(data).saturating_mul(2)) {
        return Err(OutOfMemory.into());
    }
    let mut remarks = Remarks::default();
    let text = text_of(data, &mut remarks);
    let (incoming, json) = read_answer(&text, &open, &mut remarks).map_err(|error| {
        let offset = offset_in(data, error.offset);
        let shown = SyntaxError { offset, ..error };
        Failure::json("data", shown, offset)
    })?;
    Ok(publish(&Message {
        incoming,
        json,
        remarks,
    })?)
}

fn publish(message: &Message<'_>) -> Result<*mut mcpd_reply, OutOfMemory> {
    publish_in(message, Arena::with_room(room_for(message.json)))
}

/// What a message takes as structs and texts: most of it is there as part of the message, as part of the result, and by
/// itself.
fn room_for(json: &str) -> usize {
    const STRUCTS: usize = 1024;
    json.len().saturating_mul(3).saturating_add(STRUCTS)
}

/// The first message that answers the request, or else the first message, and its text.
fn read_answer<'a>(
    text: &'a str,
    open: &Open<'_>,
    remarks: &mut Remarks,
) -> Result<(Incoming<'a>, &'a str), SyntaxError> {
    let open = slice::from_ref(open);
    let (first, json, mut rest) = read_first(text, open, remarks)?;
    let mut best = (first, json.text());
    if !rest.is_empty() {
        remarks.note(match Json::parse_first(rest) {
            Ok(_) => RemarkCode::SeveralMessages,
            Err(_) => RemarkCode::Noise,
        });
    }
    while !rest.is_empty() && !is_answer(&best.0) {
        match read_first(rest, open, remarks) {
            Ok((incoming, json, behind)) => {
                if is_answer(&incoming) {
                    best = (incoming, json.text());
                }
                rest = behind;
            }
            Err(error) => {
                note_broken(rest, error, remarks);
                break;
            }
        }
    }
    if matches!(best.0, Incoming::Noise) {
        remarks.note(RemarkCode::Noise);
    }
    Ok(best)
}

fn is_answer(incoming: &Incoming<'_>) -> bool {
    matches!(incoming, Incoming::Reply(..) | Incoming::NullIdError(_))
}

/// Where in the data a place in its readable text is. Byte order marks and bytes that are not
/// UTF-8 have shifted it.
fn offset_in(data: &[u8], offset: usize) -> usize {
    const REPLACEMENT: usize = char::REPLACEMENT_CHARACTER.len_utf8();
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let marked = data.starts_with(BYTE_ORDER_MARK);
    let mut in_data = if marked { BYTE_ORDER_MARK.len() } else { 0 };
    let mut in_text = 0;
    for chunk in data[in_data..].utf8_chunks() {
        let valid = chunk.valid().len();
        if offset <= in_text + valid {
            return in_data + offset - in_text;
        }
        in_text += valid + REPLACEMENT;
        in_data += valid + chunk.invalid().len();
    }
    in_data
}

fn publish_in(message: &Message<'_>, arena: Arena) -> Result<*mut mcpd_reply, OutOfMemory> {
    let Message {
        incoming,
        json,
        remarks,
    } = message;
    let (remarks, remarks_count) = arena.objects(remarks.as_slice())?;
    let mut public = mcpd_reply {
        struct_size: mem::size_of::<mcpd_reply>(),
        kind: message.kind(),
        reserved: 0,
        discover: ptr::null(),
        initialize: ptr::null(),
        rpc_error: ptr::null(),
        json: arena.text(json)?,
        remarks,
        remarks_count,
    };
    match incoming {
        Incoming::Reply(_, Reply::Discover(result)) => {
            public.discover = arena.optional(Some(result))?;
        }
        Incoming::Reply(_, Reply::Initialize(result)) => {
            public.initialize = arena.optional(Some(result))?;
        }
        Incoming::Reply(_, Reply::Error(error)) | Incoming::NullIdError(error) => {
            public.rpc_error = arena.optional(Some(error))?;
        }
        Incoming::Reply(_, Reply::Unusable) | Incoming::Unrelated | Incoming::Noise => {}
    }
    Ok(Handle::give(public, arena))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_memory_there_is_no_reply() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],
            "capabilities":{"extensions":{"a":{}}},"serverInfo":{"name":"x","icons":[{"src":"y"}]}}}"#;
        let open = Open {
            id: None,
            method: crate::core::request::Method::Discover,
        };
        let mut remarks = Remarks::default();
        let (incoming, json) = read_answer(message, &open, &mut remarks).unwrap();
        let message = Message {
            incoming,
            json,
            remarks,
        };
        let mut refused = 0;
        for bytes in 0.. {
            match publish_in(&message, Arena::limited(bytes * 64)) {
                Err(OutOfMemory) => refused += 1,
                Ok(reply) => {
                    // SAFETY: it was just given.
                    unsafe { mcpd_reply_free(reply) };
                    break;
                }
            }
        }
        assert!(refused > 3, "{refused}");
    }

    #[test]
    fn a_place_in_the_text_is_found_in_the_data() {
        assert_eq!(offset_in(b"{x", 1), 1);
        assert_eq!(offset_in(b"\xef\xbb\xbf{x", 1), 4);
        // One bad byte is read as a character of three.
        assert_eq!(offset_in(b"\"\xff\"x", 5), 3);
        assert_eq!(offset_in(b"\"\xff\"", 5), 3);
        assert_eq!(offset_in(b"", 0), 0);
    }
}
