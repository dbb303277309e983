//! Any options of a request: it is refused, or it is one line of JSON that says what was asked.

#![no_main]

use std::ffi::{CString, c_char};
use std::ptr;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::request::{mcpd_request_build, mcpd_request_options};
use mcp_discover::capi::text::mcpd_text_free;
use mcp_discover_fuzz::{outcome, text};
use serde::Deserialize;
use serde_json::Value;

#[derive(Arbitrary, Debug)]
struct Input {
    method: i32,
    id_kind: i32,
    id_string: Option<CString>,
    id_integer: i64,
    protocol_version: Option<CString>,
    client: [Option<CString>; 5],
    client_icons_json: Option<CString>,
    client_capabilities_json: Option<CString>,
    log_level: Option<CString>,
    meta_json: Option<CString>,
    size: Option<usize>,
}

fuzz_target!(|input: Input| {
    let [name, version, title, description, website_url] = &input.client;
    // A size beyond the struct would be the caller's lie about its own memory.
    let size = size_of::<mcpd_request_options>();
    let options = mcpd_request_options {
        struct_size: input.size.map_or(size, |lie| lie % (size + 1)),
        method: input.method % 4,
        id_kind: input.id_kind % 4,
        id_string: pointer(&input.id_string),
        id_integer: input.id_integer,
        protocol_version: pointer(&input.protocol_version),
        client_name: pointer(name),
        client_version: pointer(version),
        client_title: pointer(title),
        client_description: pointer(description),
        client_website_url: pointer(website_url),
        client_icons_json: pointer(&input.client_icons_json),
        client_capabilities_json: pointer(&input.client_capabilities_json),
        log_level: pointer(&input.log_level),
        meta_json: pointer(&input.meta_json),
    };
    let (mut request, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the texts end with NUL and outlive the call.
    let status = unsafe { mcpd_request_build(&options, &mut request, &mut error) };
    if let Some(request) = outcome(status, request, error) {
        // SAFETY: it was just given, and is not used after it is freed.
        unsafe {
            check(text(&(*request).text).expect("a request"));
            mcpd_text_free(request);
        }
    }
});

fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |text| text.as_ptr())
}

/// What every request has. A caller's own JSON may hold numbers that are in no range, so it is passed over.
#[derive(Deserialize)]
struct Message {
    jsonrpc: String,
    id: Value,
    method: String,
}

fn check(line: &str) {
    assert!(!line.contains(['\n', '\r']), "{line:?}");
    let message: Message = serde_json::from_str(line).expect("JSON");
    assert_eq!(message.jsonrpc, "2.0");
    assert!(matches!(&*message.method, "server/discover" | "initialize"));
    assert!(message.id.is_string() || message.id.is_i64());
}
