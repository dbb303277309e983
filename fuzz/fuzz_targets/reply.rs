//! Any bytes as a message from a server.

#![no_main]

use std::ptr;

use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::id_kind::{MCPD_ID_DEFAULT, MCPD_ID_INTEGER, MCPD_ID_STRING};
use mcp_discover::capi::method::{MCPD_METHOD_DISCOVER, MCPD_METHOD_INITIALIZE};
use mcp_discover::capi::reply::{mcpd_reply_free, mcpd_reply_options, mcpd_reply_parse};
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
    if let Some(reply) = outcome(status, reply, error) {
        // SAFETY: it was just given, and is not used after it is freed.
        unsafe {
            walk_reply(&*reply);
            mcpd_reply_free(reply);
        }
    }
}
