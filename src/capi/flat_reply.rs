//! A reply as one block without pointers.

use std::borrow::Cow;
use std::ffi::c_char;
use std::mem::size_of;

use super::cache_scope::{self, MCPD_CACHE_SCOPE_PRIVATE, mcpd_cache_scope};
use super::error::{Failure, mcpd_error};
use super::reply::{self, Message, mcpd_reply_options};
use super::reply_kind::*;
use super::status::mcpd_status;
use crate::core::json::Json;
use crate::core::reply::{Incoming, Reply};
use crate::core::result::{
    DiscoverResult, Implementation, InitializeResult, Member, ServerCapabilities,
};
use crate::core::rpc_error::RpcError;

/// A message from a server as one block without a pointer in it, for bindings to languages that
/// read a block faster than they follow pointers. Programs in C and C++ want mcpd_reply, which
/// has the same in it.
///
/// Behind the struct stand the lengths of the texts, each a size_t, and at texts_offset the texts
/// themselves, each with a NUL behind it that its length does not count. First the message's
/// json, which is absent if it stands in the data that was parsed; then, by kind, with the names
/// they have in the structs of a reply:
///
/// - MCPD_REPLY_DISCOVER: result_type; the server's name, version, title, description,
///   website_url, and its icons as JSON: an array of Icon in the schema;
/// - MCPD_REPLY_INITIALIZE: protocol_version, then the same of the server;
/// - MCPD_REPLY_RPC_ERROR: message, requested, required_capabilities_json.
///
/// Then come the lists, as many texts as their counts tell: versions, which are
/// supported_versions or supported; the members of extensions and of experimental, name and JSON;
/// the remarks, the name of the code and the sentence. The last text is the one that may well be
/// long: the result's instructions, or the error's data_json; for other kinds it is absent.
///
/// The bytes from versions_count on are the same in most replies: a binding may keep by them what
/// it needs to read a reply, and find it again in one step.
#[repr(C)]
pub struct mcpd_flat_reply {
    /// The size of this struct in the library that made it; the lengths stand behind it.
    pub struct_size: usize,
    /// The size of the whole block. If there was not as much room, only this struct is there.
    pub size: usize,
    /// Where the texts begin, in bytes from the start of the block.
    pub texts_offset: usize,
    /// How many texts there are.
    pub texts_count: usize,
    /// Where in the data the message stands.
    pub json_offset: usize,
    /// How long it is there; 0 if it had to be repaired, and is among the texts.
    pub json_length: usize,
    /// The result's ttl_ms.
    pub ttl_ms: i64,
    /// The error's code.
    pub rpc_code: i64,
    /// How many versions the server names.
    pub versions_count: usize,
    /// How many extensions the server supports.
    pub extensions_count: usize,
    /// How many members experimental has.
    pub experimental_count: usize,
    /// How many remarks there are.
    pub remarks_count: usize,
    /// What the message is.
    pub kind: mcpd_reply_kind,
    /// One bit for each text that is in no list, in their order, the lowest for json: 1 if it is
    /// there, 0 if it is absent, and then its length is 0.
    pub present: i32,
    /// One bit for each flag of the result's capabilities, the lowest for tools; -1 if the server
    /// does not say what it can do.
    pub capabilities: i32,
    /// 1 if the server says who it is, 0 if not.
    pub has_server: i32,
    /// 1 if the server gave ttlMs, 0 if not.
    pub has_ttl_ms: i32,
    /// The result's cache_scope.
    pub cache_scope: mcpd_cache_scope,
    /// 1 if the server gave cacheScope, 0 if not.
    pub has_cache_scope: i32,
    /// Always 0.
    pub reserved: i32,
}

/// Reads a message from a server as mcpd_reply_parse does, into memory of the caller's: there is
/// nothing to free.
///
/// \param data the message, with or without the line ending. It need not end with NUL.
/// \param length how many bytes it has.
/// \param options what the message should answer; NULL for all defaults.
/// \param reply where the block is written. If its size is more than room, it was too long: call
///     again with as much.
/// \param room how many bytes there are; at least sizeof(mcpd_flat_reply). The length of the
///     data and 4096 more nearly always suffice.
/// \param error gets why the call failed, and then nothing is written; may be NULL.
/// \return MCPD_OK, also for a message that answers nothing; MCPD_INVALID_JSON, with an offset
///     into data; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8 for an option; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_flat_reply_parse(
    data: *const c_char,
    length: usize,
    options: *const mcpd_reply_options,
    reply: *mut mcpd_flat_reply,
    room: usize,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [data, reply], {
        const LEAST: usize = size_of::<mcpd_flat_reply>();
        if room < LEAST {
            let fault = format_args!("is {room}; expected at least {LEAST}");
            return Err(Failure::argument("room", fault));
        }
        // SAFETY: the data is not NULL, and has as many bytes as the caller says; the options are NULL or the
        // caller's; the caller's place has as much room as it says.
        unsafe {
            reply::parse(data, length, options, |message| {
                Flat::of(message, data.addr(), length).write(reply.cast(), room);
                Ok(())
            })
        }
    })
}

/// What goes into a block.
struct Flat<'a> {
    head: mcpd_flat_reply,
    /// The bit of `present` for the next text that is in no list.
    bit: i32,
    texts: Vec<Cow<'a, str>>,
}

impl<'a> Flat<'a> {
    /// The message that was read from data at this place.
    fn of(message: &'a Message<'a>, data: usize, length: usize) -> Self {
        let head = mcpd_flat_reply {
            struct_size: size_of::<mcpd_flat_reply>(),
            size: 0,
            texts_offset: 0,
            texts_count: 0,
            json_offset: 0,
            json_length: 0,
            ttl_ms: 0,
            rpc_code: 0,
            versions_count: 0,
            extensions_count: 0,
            experimental_count: 0,
            remarks_count: message.remarks.as_slice().len(),
            kind: message.kind(),
            present: 0,
            capabilities: -1,
            has_server: 0,
            has_ttl_ms: 0,
            cache_scope: MCPD_CACHE_SCOPE_PRIVATE,
            has_cache_scope: 0,
            reserved: 0,
        };
        let texts = Vec::with_capacity(16);
        let mut flat = Flat {
            head,
            bit: 1,
            texts,
        };
        flat.json(message.json, data, length);
        let last = match &message.incoming {
            Incoming::Reply(_, Reply::Discover(result)) => flat.discover(result),
            Incoming::Reply(_, Reply::Initialize(result)) => flat.initialize(result),
            Incoming::Reply(_, Reply::Error(error)) | Incoming::NullIdError(error) => {
                flat.rpc_error(error)
            }
            Incoming::Reply(_, Reply::Unusable) | Incoming::Unrelated | Incoming::Noise => None,
        };
        for remark in message.remarks.as_slice() {
            flat.texts.push(remark.code.name().into());
            flat.texts.push(remark.text.as_ref().into());
        }
        flat.text(last);
        flat.measure();
        flat
    }

    fn json(&mut self, json: &'a str, data: usize, length: usize) {
        let offset = json.as_ptr().addr().wrapping_sub(data);
        let stands_there = offset < length;
        if stands_there {
            self.head.json_offset = offset;
            self.head.json_length = json.len();
        }
        self.text((!stands_there).then_some(json));
    }

    // What follows gives the text that comes last.

    fn discover(&mut self, result: &'a DiscoverResult<'a>) -> Option<&'a str> {
        self.text(result.result_type.as_deref());
        self.server(result.server.as_ref());
        self.head.versions_count = self.list(&result.supported_versions);
        self.capabilities(result.capabilities.as_ref());
        self.head.has_ttl_ms = result.ttl_ms.is_some().into();
        self.head.ttl_ms = result.ttl_ms.unwrap_or(0);
        self.head.has_cache_scope = result.cache_scope.is_some().into();
        self.head.cache_scope = result
            .cache_scope
            .map_or(MCPD_CACHE_SCOPE_PRIVATE, cache_scope::of);
        result.instructions.as_deref()
    }

    fn initialize(&mut self, result: &'a InitializeResult<'a>) -> Option<&'a str> {
        self.text(Some(result.protocol_version.as_ref()));
        self.server(result.server.as_ref());
        self.capabilities(result.capabilities.as_ref());
        result.instructions.as_deref()
    }

    fn rpc_error(&mut self, error: &'a RpcError<'a>) -> Option<&'a str> {
        self.head.rpc_code = error.code;
        self.text(error.message.as_deref());
        self.text(error.requested.as_deref());
        self.text(error.required_capabilities.map(Json::text));
        self.head.versions_count = self.list(&error.supported);
        error.data.map(Json::text)
    }

    fn server(&mut self, server: Option<&'a Implementation<'a>>) {
        self.head.has_server = server.is_some().into();
        self.text(server.and_then(|server| server.name.as_deref()));
        self.text(server.and_then(|server| server.version.as_deref()));
        self.text(server.and_then(|server| server.title.as_deref()));
        self.text(server.and_then(|server| server.description.as_deref()));
        self.text(server.and_then(|server| server.website_url.as_deref()));
        let icons = server.map_or(&[][..], |server| &server.icons);
        self.text((!icons.is_empty()).then(|| serde_json::to_string(icons).unwrap_or_default()));
    }

    fn capabilities(&mut self, capabilities: Option<&'a ServerCapabilities<'a>>) {
        let Some(capabilities) = capabilities else {
            return;
        };
        let flags = [
            capabilities.tools,
            capabilities.tools_list_changed,
            capabilities.resources,
            capabilities.resources_subscribe,
            capabilities.resources_list_changed,
            capabilities.prompts,
            capabilities.prompts_list_changed,
            capabilities.completions,
            capabilities.logging,
        ];
        let bits = |bits, (i, flag): (usize, &bool)| bits | i32::from(*flag) << i;
        self.head.capabilities = flags.iter().enumerate().fold(0, bits);
        self.head.extensions_count = self.members(&capabilities.extensions);
        self.head.experimental_count = self.members(&capabilities.experimental);
    }

    /// One of the texts that are in no list.
    fn text(&mut self, text: Option<impl Into<Cow<'a, str>>>) {
        if text.is_some() {
            self.head.present |= self.bit;
        }
        self.bit <<= 1;
        self.texts.push(text.map_or(Cow::Borrowed(""), Into::into));
    }

    fn list(&mut self, texts: &'a [Cow<'a, str>]) -> usize {
        self.texts
            .extend(texts.iter().map(|text| Cow::Borrowed(text.as_ref())));
        texts.len()
    }

    fn members(&mut self, members: &'a [Member<'a>]) -> usize {
        for (name, json) in members {
            self.texts.push(name.as_ref().into());
            self.texts.push(json.text().into());
        }
        members.len()
    }

    /// Tells where the texts are going to stand, and how far they reach.
    fn measure(&mut self) {
        let lengths = self.texts.len() * size_of::<usize>();
        let texts: usize = self.texts.iter().map(|text| text.len() + 1).sum();
        self.head.texts_count = self.texts.len();
        self.head.texts_offset = self.head.struct_size + lengths;
        self.head.size = self.head.texts_offset + texts;
    }

    /// Writes the block, or the struct alone where there is no room for all of it.
    unsafe fn write(self, block: *mut u8, room: usize) {
        let Flat { head, texts, .. } = self;
        let has_room = head.size <= room;
        let (mut length_at, mut text_at) = (head.struct_size, head.texts_offset);
        // SAFETY: there is room for the struct, and for the rest if there is room for as many bytes as were measured.
        unsafe {
            block.cast::<mcpd_flat_reply>().write_unaligned(head);
            if !has_room {
                return;
            }
            for text in &texts {
                block
                    .add(length_at)
                    .cast::<usize>()
                    .write_unaligned(text.len());
                let place = block.add(text_at);
                place.copy_from_nonoverlapping(text.as_ptr(), text.len());
                place.add(text.len()).write(0);
                length_at += size_of::<usize>();
                text_at += text.len() + 1;
            }
        }
    }
}
