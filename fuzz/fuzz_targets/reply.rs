//! Any bytes as a message from a server.

#![no_main]

use std::ptr;

use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::flat_reply::{mcpd_flat_reply, mcpd_flat_reply_parse};
use mcp_discover::capi::id_kind::{MCPD_ID_DEFAULT, MCPD_ID_INTEGER, MCPD_ID_STRING};
use mcp_discover::capi::method::{MCPD_METHOD_DISCOVER, MCPD_METHOD_INITIALIZE};
use mcp_discover::capi::reply::{mcpd_reply_free, mcpd_reply_options, mcpd_reply_parse};
use mcp_discover::capi::status::MCPD_OK;
use mcp_discover::core::json::{Fault, Json};
use mcp_discover_fuzz::{is_json, outcome, walk_reply};

fuzz_target!(|data: &[u8]| {
    for method in [MCPD_METHOD_DISCOVER, MCPD_METHOD_INITIALIZE] {
        parse(data, method, MCPD_ID_DEFAULT);
        parse(data, method, MCPD_ID_STRING);
        parse(data, method, MCPD_ID_INTEGER);
    }
    if let Ok(text) = str::from_utf8(data) {
        match Json::parse(text) {
            Ok(_) => assert!(is_json(text)),
            Err(error) => assert!(error.fault == Fault::TooDeep || !is_json(text), "{error}"),
        }
    }
});

fn parse(data: &[u8], method: i32, id_kind: i32) {
    let options = mcpd_reply_options {
        struct_size: size_of::<mcpd_reply_options>(),
        method,
        id_kind,
        id_string: match id_kind {
            MCPD_ID_STRING => c"discover-1".as_ptr(),
            _ => ptr::null(),
        },
        id_integer: (id_kind == MCPD_ID_INTEGER).into(),
    };
    let (mut reply, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the data is as long as is said, and the rest are structs and places of this function.
    let status = unsafe {
        mcpd_reply_parse(
            data.as_ptr().cast(),
            data.len(),
            &options,
            &mut reply,
            &mut error,
        )
    };
    let reply = outcome(status, reply, error);
    flat(data, &options, reply.is_some());
    if let Some(reply) = reply {
        // SAFETY: it was just given, and is not used after it is freed.
        unsafe {
            walk_reply(&*reply);
            mcpd_reply_free(reply);
        }
    }
}

/// As one block it is refused and accepted alike, in whatever room there is.
fn flat(data: &[u8], options: &mcpd_reply_options, is_accepted: bool) {
    let mut room = size_of::<mcpd_flat_reply>();
    for _ in 0..2 {
        let mut block = vec![0_u64; room.div_ceil(8)];
        let reply = block.as_mut_ptr().cast::<mcpd_flat_reply>();
        let (data, length) = (data.as_ptr().cast(), data.len());
        // SAFETY: the data is as long as is said, and the block has as much room.
        let status =
            unsafe { mcpd_flat_reply_parse(data, length, options, reply, room, ptr::null_mut()) };
        assert_eq!(status == MCPD_OK, is_accepted);
        // SAFETY: it is there, and was at least zeroed.
        room = room.max(unsafe { &*reply }.size);
    }
}
