//! What the targets share: walking all that an object points to, so that the sanitizer sees every byte of it.

use std::{hint, ptr, slice};

use mcp_discover::capi::discover_result::mcpd_discover_result;
use mcp_discover::capi::error::{mcpd_error, mcpd_error_free};
use mcp_discover::capi::implementation::mcpd_implementation;
use mcp_discover::capi::initialize_result::mcpd_initialize_result;
use mcp_discover::capi::member::mcpd_member;
use mcp_discover::capi::process::mcpd_process;
use mcp_discover::capi::remark::mcpd_remark;
use mcp_discover::capi::reply::mcpd_reply;
use mcp_discover::capi::rpc_error::mcpd_rpc_error;
use mcp_discover::capi::server_capabilities::mcpd_server_capabilities;
use mcp_discover::capi::status::{MCPD_INTERNAL_ERROR, MCPD_OK, mcpd_status};
use mcp_discover::capi::str::mcpd_str;
use mcp_discover::capi::text::mcpd_text_free;
use mcp_discover::capi::transcript_entry::mcpd_transcript_entry;
use mcp_discover::capi::verdict::{
    mcpd_verdict, mcpd_verdict_free, mcpd_verdict_from_json, mcpd_verdict_to_json,
};
use serde::de::IgnoredAny;

/// The text behind a C string; it has to be UTF-8 and to end with NUL.
pub fn text(text: &mcpd_str) -> Option<&str> {
    if text.ptr.is_null() {
        assert_eq!(text.len, 0);
        return None;
    }
    // SAFETY: the library promises as many bytes and a NUL.
    let bytes = unsafe { slice::from_raw_parts(text.ptr.cast::<u8>(), text.len + 1) };
    assert_eq!(bytes[text.len], 0);
    Some(str::from_utf8(&bytes[..text.len]).expect("UTF-8"))
}

/// The JSON behind a C string.
fn json(json: &mcpd_str) {
    if let Some(json) = text(json) {
        assert!(is_json(json), "{json}");
    }
}

/// Whether others hold it for JSON.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn list<'a, T>(items: *const T, count: usize) -> &'a [T] {
    if items.is_null() {
        assert_eq!(count, 0);
        return &[];
    }
    // SAFETY: the library promises as many items.
    unsafe { slice::from_raw_parts(items, count) }
}

fn optional<'a, T>(object: *const T) -> Option<&'a T> {
    // SAFETY: the library gives NULL or an object.
    unsafe { object.as_ref() }
}

fn objects<'a, T: 'a>(items: *const *const T, count: usize) -> impl Iterator<Item = &'a T> {
    list(items, count)
        .iter()
        .map(|item| optional(*item).expect("an object"))
}

fn texts(items: *const mcpd_str, count: usize) {
    for item in list(items, count) {
        text(item).expect("a text in a list");
    }
}

fn members(items: *const mcpd_member, count: usize) {
    for item in list(items, count) {
        text(&item.name).expect("a name");
        json(&item.json);
    }
}

fn implementation(it: &mcpd_implementation) {
    for field in [
        &it.name,
        &it.version,
        &it.title,
        &it.description,
        &it.website_url,
    ] {
        text(field);
    }
    for icon in objects(it.icons, it.icons_count) {
        text(&icon.src);
        text(&icon.mime_type);
        text(&icon.theme);
        texts(icon.sizes, icon.sizes_count);
    }
}

fn capabilities(it: &mcpd_server_capabilities) {
    members(it.extensions, it.extensions_count);
    members(it.experimental, it.experimental_count);
    json(&it.json);
}

fn discover_result(it: &mcpd_discover_result) {
    text(&it.result_type);
    texts(it.supported_versions, it.supported_versions_count);
    optional(it.capabilities).map(capabilities);
    optional(it.server).map(implementation);
    text(&it.instructions);
    assert!(it.ttl_ms >= 0);
    json(&it.meta_json);
    json(&it.json);
}

fn initialize_result(it: &mcpd_initialize_result) {
    text(&it.protocol_version).expect("a version");
    optional(it.capabilities).map(capabilities);
    optional(it.server).map(implementation);
    text(&it.instructions);
    json(&it.meta_json);
    json(&it.json);
}

fn rpc_error(it: &mcpd_rpc_error) {
    text(&it.message);
    json(&it.data_json);
    texts(it.supported, it.supported_count);
    text(&it.requested);
    json(&it.required_capabilities_json);
    json(&it.json);
}

fn remarks(items: *const *const mcpd_remark, count: usize) {
    for remark in objects(items, count) {
        text(&remark.text).expect("a sentence");
    }
}

fn process(it: &mcpd_process) {
    text(&it.stderr_tail);
    texts(it.skipped_sample, it.skipped_sample_count);
}

fn transcript_entry(it: &mcpd_transcript_entry) {
    assert!(!it.data.is_null());
    // SAFETY: the library promises as many bytes.
    let bytes = unsafe { slice::from_raw_parts(it.data, it.length) };
    hint::black_box(bytes.to_vec());
}

/// Touches all of a reply.
pub fn walk_reply(it: &mcpd_reply) {
    optional(it.discover).map(discover_result);
    optional(it.initialize).map(initialize_result);
    optional(it.rpc_error).map(rpc_error);
    json(&it.json);
    remarks(it.remarks, it.remarks_count);
}

/// Touches all of a verdict.
pub fn walk_verdict(it: &mcpd_verdict) {
    text(&it.version);
    text(&it.summary).expect("a summary");
    optional(it.server).map(implementation);
    optional(it.capabilities).map(capabilities);
    text(&it.instructions);
    texts(it.supported_versions, it.supported_versions_count);
    optional(it.discover).map(discover_result);
    optional(it.initialize).map(initialize_result);
    optional(it.discover_error).map(rpc_error);
    optional(it.initialize_error).map(rpc_error);
    remarks(it.remarks, it.remarks_count);
    objects(it.processes, it.processes_count).for_each(process);
    objects(it.transcript, it.transcript_count).for_each(transcript_entry);
}

/// A verdict as JSON, which reads back as the same; it is walked and freed.
pub fn spend_verdict(verdict: *mut mcpd_verdict) -> String {
    // SAFETY: the caller was just given it, and does not use it again.
    unsafe {
        walk_verdict(&*verdict);
        let json = to_json(verdict);
        mcpd_verdict_free(verdict);
        let (mut again, mut error) = (ptr::null_mut(), ptr::null_mut());
        let status =
            mcpd_verdict_from_json(json.as_ptr().cast(), json.len(), &mut again, &mut error);
        let again = outcome(status, again, error).expect("a verdict that was written is read");
        assert_eq!(to_json(again), json);
        mcpd_verdict_free(again);
        json
    }
}

fn to_json(verdict: *const mcpd_verdict) -> String {
    let (mut json, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: it is a verdict that was given, and the text is freed once.
    unsafe {
        let status = mcpd_verdict_to_json(verdict, &mut json, &mut error);
        let json = outcome(status, json, error).expect("JSON");
        let copy = text(&(*json).text).expect("JSON").to_owned();
        mcpd_text_free(json);
        assert!(is_json(&copy));
        assert!(!copy.contains('\n'));
        copy
    }
}

/// Checks what a call gave: an output or an error, never both, and never a panic that was caught.
pub fn outcome<T>(status: mcpd_status, output: *mut T, error: *mut mcpd_error) -> Option<*mut T> {
    assert_ne!(status, MCPD_INTERNAL_ERROR, "a panic was caught");
    if status == MCPD_OK {
        assert!(!output.is_null() && error.is_null());
        return Some(output);
    }
    assert!(output.is_null());
    let told = optional(error).expect("an error");
    assert_eq!(told.status, status);
    text(&told.message).expect("a message");
    text(&told.argument);
    // SAFETY: it was just given.
    unsafe { mcpd_error_free(error) };
    None
}
