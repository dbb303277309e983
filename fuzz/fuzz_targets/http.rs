//! Any response over HTTP: the verdict is the same however the body is cut.

#![no_main]

use std::ptr;

use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::http::*;
use mcp_discover::capi::status::MCPD_OK;
use mcp_discover::capi::verdict::mcpd_verdict;
use mcp_discover::core::json::Json;
use mcp_discover_fuzz::{outcome, spend_verdict, text};

struct Response<'a> {
    status: i32,
    event_stream: bool,
    body: &'a [u8],
}

impl<'a> Response<'a> {
    /// A byte for the status, one for the type, and the body.
    fn read(data: &'a [u8]) -> Option<Response<'a>> {
        let [status, kind, body @ ..] = data else {
            return None;
        };
        Some(Response {
            status: STATUSES[usize::from(*status) % STATUSES.len()],
            event_stream: kind & 1 != 0,
            body,
        })
    }
}

const STATUSES: &[i32] = &[
    200, 202, 204, 302, 400, 401, 403, 404, 405, 406, 415, 429, 500, 503, 999,
];

fuzz_target!(|data: &[u8]| {
    let responses: Vec<Response<'_>> = data
        .split(|&byte| byte == 0)
        .filter_map(Response::read)
        .collect();
    if !responses.is_empty() {
        let whole = verdict(&responses, usize::MAX);
        assert_eq!(verdict(&responses, 1), whole);
        assert_eq!(verdict(&responses, 7), whole);
    }
});

fn verdict(responses: &[Response<'_>], piece: usize) -> Vec<(String, String)> {
    let (mut http, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: all pointers are to places of this function, and the exchange is freed once.
    unsafe {
        let status = mcpd_http_new(ptr::null(), &mut http, &mut error);
        let http = outcome(status, http, error).expect("an exchange");
        for response in responses.iter().cycle() {
            if let Some(verdict) = exchange(http, response, piece) {
                mcpd_http_free(http);
                return without_time(&spend_verdict(verdict));
            }
        }
    }
    unreachable!("each version is asked with once")
}

/// One request and its response.
unsafe fn exchange(
    http: *mut mcpd_http,
    response: &Response<'_>,
    piece: usize,
) -> Option<*mut mcpd_verdict> {
    let mut post = ptr::null();
    // SAFETY: the exchange is the caller's, and all pointers are to places of this function.
    unsafe {
        assert_eq!(mcpd_http_request(http, &mut post, ptr::null_mut()), MCPD_OK);
        text(&(*post).body).expect("a body");
        let content_type = match response.event_stream {
            true => c"text/event-stream; charset=utf-8",
            false => c"application/json",
        };
        let told = mcpd_http_status(
            http,
            response.status,
            content_type.as_ptr(),
            ptr::null_mut(),
        );
        assert_eq!(told, MCPD_OK);
        for piece in response.body.chunks(piece) {
            let mut enough = 0;
            let (data, length) = (piece.as_ptr().cast(), piece.len());
            let fed = mcpd_http_feed(http, data, length, &mut enough, ptr::null_mut());
            assert_eq!(fed, MCPD_OK);
        }
        let (mut verdict, mut error) = (ptr::null_mut(), ptr::null_mut());
        let status = mcpd_http_verdict(http, &mut verdict, &mut error);
        if status == MCPD_OK && verdict.is_null() {
            return None;
        }
        Some(outcome(status, verdict, error).expect("a verdict"))
    }
}

/// What a verdict says, but for when its answer came. A server's own JSON may hold numbers that are in no range, so its text
/// is compared.
fn without_time(json: &str) -> Vec<(String, String)> {
    let json = Json::parse(json).expect("JSON");
    json.members()
        .filter(|(name, _)| name != "receivedAt")
        .map(|(name, value)| (name.into_owned(), value.text().to_owned()))
        .collect()
}
