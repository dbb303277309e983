//! What a remark is about.

use std::ffi::c_char;

use crate::core::remark::RemarkCode;

/// What a remark is about: one number for each oddity this library looks for. Later versions add
/// numbers and change none.
pub type mcpd_remark_code = i32;

/// The result has no ttlMs, which the specification requires.
pub const MCPD_REMARK_MISSING_TTL: mcpd_remark_code = 1;
/// The result's ttlMs is no number; it counts as absent.
pub const MCPD_REMARK_MALFORMED_TTL: mcpd_remark_code = 2;
/// The result's ttlMs is negative; it counts as 0.
pub const MCPD_REMARK_NEGATIVE_TTL: mcpd_remark_code = 3;
/// The result's ttlMs is no whole number; the fraction is dropped.
pub const MCPD_REMARK_FRACTIONAL_TTL: mcpd_remark_code = 4;
/// The result's ttlMs is beyond 64 bits; the largest number is taken for it.
pub const MCPD_REMARK_HUGE_TTL: mcpd_remark_code = 5;
/// The result has no cacheScope, which the specification requires; private is assumed.
pub const MCPD_REMARK_MISSING_CACHE_SCOPE: mcpd_remark_code = 6;
/// The result's cacheScope is no string; it counts as absent.
pub const MCPD_REMARK_MALFORMED_CACHE_SCOPE: mcpd_remark_code = 7;
/// The result's cacheScope is neither public nor private; private is assumed.
pub const MCPD_REMARK_UNKNOWN_CACHE_SCOPE: mcpd_remark_code = 8;
/// The result does not say who the server is (serverInfo).
pub const MCPD_REMARK_MISSING_SERVER_INFO: mcpd_remark_code = 9;
/// serverInfo stands in the result itself; its place is _meta, as
/// io.modelcontextprotocol/serverInfo.
pub const MCPD_REMARK_MISPLACED_SERVER_INFO: mcpd_remark_code = 10;
/// serverInfo or a member of it has the wrong type, or lacks its name or version.
pub const MCPD_REMARK_MALFORMED_SERVER_INFO: mcpd_remark_code = 11;
/// The result has no resultType, which the specification requires; complete is assumed.
pub const MCPD_REMARK_MISSING_RESULT_TYPE: mcpd_remark_code = 12;
/// The result's resultType is not complete, so it answers nothing.
pub const MCPD_REMARK_UNKNOWN_RESULT_TYPE: mcpd_remark_code = 13;
/// The result has no capabilities, which the specification requires.
pub const MCPD_REMARK_MISSING_CAPABILITIES: mcpd_remark_code = 14;
/// A capability has the wrong type; it counts as absent.
pub const MCPD_REMARK_MALFORMED_CAPABILITIES: mcpd_remark_code = 15;
/// The result has no supportedVersions array, so it is no DiscoverResult.
pub const MCPD_REMARK_MISSING_VERSIONS: mcpd_remark_code = 16;
/// supportedVersions holds something that is no string.
pub const MCPD_REMARK_MALFORMED_VERSIONS: mcpd_remark_code = 17;
/// supportedVersions is empty, so the result is no DiscoverResult.
pub const MCPD_REMARK_EMPTY_VERSIONS: mcpd_remark_code = 18;
/// The result's instructions are no string; they count as absent.
pub const MCPD_REMARK_MALFORMED_INSTRUCTIONS: mcpd_remark_code = 19;
/// The result's _meta is no object; it counts as absent.
pub const MCPD_REMARK_MALFORMED_META: mcpd_remark_code = 20;
/// The error lacks an integer code or a string message.
pub const MCPD_REMARK_MALFORMED_ERROR: mcpd_remark_code = 21;
/// The unsupported-version error does not list the supported versions.
pub const MCPD_REMARK_MALFORMED_SUPPORTED: mcpd_remark_code = 22;
/// The result has no protocolVersion string, so it is no InitializeResult.
pub const MCPD_REMARK_MISSING_PROTOCOL_VERSION: mcpd_remark_code = 23;
/// The response has both a result and an error.
pub const MCPD_REMARK_RESULT_AND_ERROR: mcpd_remark_code = 24;
/// The response has neither a result nor an error.
pub const MCPD_REMARK_NO_RESULT_OR_ERROR: mcpd_remark_code = 25;
/// The response's result is no object.
pub const MCPD_REMARK_MALFORMED_RESULT: mcpd_remark_code = 26;
/// Standard output carries something that is no JSON-RPC message; logs belong on standard error.
pub const MCPD_REMARK_NOISE: mcpd_remark_code = 27;
/// A message starts with a byte order mark.
pub const MCPD_REMARK_BYTE_ORDER_MARK: mcpd_remark_code = 28;
/// Lines end in CR LF; the delimiter is LF alone.
pub const MCPD_REMARK_CRLF: mcpd_remark_code = 29;
/// Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD.
pub const MCPD_REMARK_INVALID_UTF8: mcpd_remark_code = 30;
/// Standard output looks like UTF-16; messages are UTF-8.
pub const MCPD_REMARK_UTF16: mcpd_remark_code = 31;
/// A string escape is half of a surrogate pair; it is read as U+FFFD.
pub const MCPD_REMARK_LONE_SURROGATE: mcpd_remark_code = 32;
/// A JSON text is spread over several lines; a message is one line.
pub const MCPD_REMARK_SPLIT_JSON: mcpd_remark_code = 33;
/// One line holds several messages; a message is one line.
pub const MCPD_REMARK_SEVERAL_MESSAGES: mcpd_remark_code = 34;
/// A response lacks "jsonrpc": "2.0".
pub const MCPD_REMARK_MISSING_JSONRPC: mcpd_remark_code = 35;
/// An error came without the id of the request it answers.
pub const MCPD_REMARK_NULL_ID: mcpd_remark_code = 36;
/// A response came with an id that no open request has.
pub const MCPD_REMARK_FOREIGN_ID: mcpd_remark_code = 37;
/// A message came inside an array; batches are not part of the protocol.
pub const MCPD_REMARK_BATCH: mcpd_remark_code = 38;
/// The server sent a request before any reply; it was not answered.
pub const MCPD_REMARK_SERVER_REQUEST: mcpd_remark_code = 39;
/// The server sent our own request back.
pub const MCPD_REMARK_ECHOED_REQUEST: mcpd_remark_code = 40;
/// Messages come with Content-Length headers; the delimiter is LF alone.
pub const MCPD_REMARK_CONTENT_LENGTH: mcpd_remark_code = 41;
/// An answer came after the deadline of its request.
pub const MCPD_REMARK_LATE_REPLY: mcpd_remark_code = 42;
/// An answer came without the line feed that ends a message.
pub const MCPD_REMARK_UNTERMINATED_REPLY: mcpd_remark_code = 43;
/// A line on standard output passed the limit and was skipped.
pub const MCPD_REMARK_LINE_TOO_LONG: mcpd_remark_code = 44;
/// A line nests arrays or objects too deeply and was skipped.
pub const MCPD_REMARK_TOO_DEEP: mcpd_remark_code = 45;
/// The server named a version that it then did not answer for.
pub const MCPD_REMARK_RETRY_FAILED: mcpd_remark_code = 46;
/// The server did not leave when its standard input ended; SIGTERM ended it.
pub const MCPD_REMARK_TERMINATED: mcpd_remark_code = 47;
/// The server did not leave on SIGTERM; SIGKILL ended it.
pub const MCPD_REMARK_KILLED: mcpd_remark_code = 48;
/// The server outlived SIGKILL and was left behind.
pub const MCPD_REMARK_ABANDONED: mcpd_remark_code = 49;
/// The server ended before it was asked to.
pub const MCPD_REMARK_EXITED_EARLY: mcpd_remark_code = 50;
/// Standard error passed the limit; only its tail is kept.
pub const MCPD_REMARK_STDERR_TRUNCATED: mcpd_remark_code = 51;

/// The name of a remark's code, such as "missing_ttl"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_remark_name(code: mcpd_remark_code) -> *const c_char {
    let name = match code {
        MCPD_REMARK_MISSING_TTL => c"missing_ttl",
        MCPD_REMARK_MALFORMED_TTL => c"malformed_ttl",
        MCPD_REMARK_NEGATIVE_TTL => c"negative_ttl",
        MCPD_REMARK_FRACTIONAL_TTL => c"fractional_ttl",
        MCPD_REMARK_HUGE_TTL => c"huge_ttl",
        MCPD_REMARK_MISSING_CACHE_SCOPE => c"missing_cache_scope",
        MCPD_REMARK_MALFORMED_CACHE_SCOPE => c"malformed_cache_scope",
        MCPD_REMARK_UNKNOWN_CACHE_SCOPE => c"unknown_cache_scope",
        MCPD_REMARK_MISSING_SERVER_INFO => c"missing_server_info",
        MCPD_REMARK_MISPLACED_SERVER_INFO => c"misplaced_server_info",
        MCPD_REMARK_MALFORMED_SERVER_INFO => c"malformed_server_info",
        MCPD_REMARK_MISSING_RESULT_TYPE => c"missing_result_type",
        MCPD_REMARK_UNKNOWN_RESULT_TYPE => c"unknown_result_type",
        MCPD_REMARK_MISSING_CAPABILITIES => c"missing_capabilities",
        MCPD_REMARK_MALFORMED_CAPABILITIES => c"malformed_capabilities",
        MCPD_REMARK_MISSING_VERSIONS => c"missing_versions",
        MCPD_REMARK_MALFORMED_VERSIONS => c"malformed_versions",
        MCPD_REMARK_EMPTY_VERSIONS => c"empty_versions",
        MCPD_REMARK_MALFORMED_INSTRUCTIONS => c"malformed_instructions",
        MCPD_REMARK_MALFORMED_META => c"malformed_meta",
        MCPD_REMARK_MALFORMED_ERROR => c"malformed_error",
        MCPD_REMARK_MALFORMED_SUPPORTED => c"malformed_supported",
        MCPD_REMARK_MISSING_PROTOCOL_VERSION => c"missing_protocol_version",
        MCPD_REMARK_RESULT_AND_ERROR => c"result_and_error",
        MCPD_REMARK_NO_RESULT_OR_ERROR => c"no_result_or_error",
        MCPD_REMARK_MALFORMED_RESULT => c"malformed_result",
        MCPD_REMARK_NOISE => c"noise",
        MCPD_REMARK_BYTE_ORDER_MARK => c"byte_order_mark",
        MCPD_REMARK_CRLF => c"crlf",
        MCPD_REMARK_INVALID_UTF8 => c"invalid_utf8",
        MCPD_REMARK_UTF16 => c"utf16",
        MCPD_REMARK_LONE_SURROGATE => c"lone_surrogate",
        MCPD_REMARK_SPLIT_JSON => c"split_json",
        MCPD_REMARK_SEVERAL_MESSAGES => c"several_messages",
        MCPD_REMARK_MISSING_JSONRPC => c"missing_jsonrpc",
        MCPD_REMARK_NULL_ID => c"null_id",
        MCPD_REMARK_FOREIGN_ID => c"foreign_id",
        MCPD_REMARK_BATCH => c"batch",
        MCPD_REMARK_SERVER_REQUEST => c"server_request",
        MCPD_REMARK_ECHOED_REQUEST => c"echoed_request",
        MCPD_REMARK_CONTENT_LENGTH => c"content_length",
        MCPD_REMARK_LATE_REPLY => c"late_reply",
        MCPD_REMARK_UNTERMINATED_REPLY => c"unterminated_reply",
        MCPD_REMARK_LINE_TOO_LONG => c"line_too_long",
        MCPD_REMARK_TOO_DEEP => c"too_deep",
        MCPD_REMARK_RETRY_FAILED => c"retry_failed",
        MCPD_REMARK_TERMINATED => c"terminated",
        MCPD_REMARK_KILLED => c"killed",
        MCPD_REMARK_ABANDONED => c"abandoned",
        MCPD_REMARK_EXITED_EARLY => c"exited_early",
        MCPD_REMARK_STDERR_TRUNCATED => c"stderr_truncated",
        _ => c"unrecognized",
    };
    name.as_ptr()
}

/// What a remark's code says of a server, as one English sentence; "unrecognized" for a number
/// that is none. A remark's own text may say more. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_remark_sentence(code: mcpd_remark_code) -> *const c_char {
    let sentence = match code {
        MCPD_REMARK_MISSING_TTL => c"The result has no ttlMs, which the specification requires.",
        MCPD_REMARK_MALFORMED_TTL => c"The result's ttlMs is no number; it counts as absent.",
        MCPD_REMARK_NEGATIVE_TTL => c"The result's ttlMs is negative; it counts as 0.",
        MCPD_REMARK_FRACTIONAL_TTL => c"The result's ttlMs is no whole number; the fraction is dropped.",
        MCPD_REMARK_HUGE_TTL => c"The result's ttlMs is beyond 64 bits; the largest number is taken for it.",
        MCPD_REMARK_MISSING_CACHE_SCOPE => c"The result has no cacheScope, which the specification requires; private is assumed.",
        MCPD_REMARK_MALFORMED_CACHE_SCOPE => c"The result's cacheScope is no string; it counts as absent.",
        MCPD_REMARK_UNKNOWN_CACHE_SCOPE => c"The result's cacheScope is neither public nor private; private is assumed.",
        MCPD_REMARK_MISSING_SERVER_INFO => c"The result does not say who the server is (serverInfo).",
        MCPD_REMARK_MISPLACED_SERVER_INFO => c"serverInfo stands in the result itself; its place is _meta, as io.modelcontextprotocol/serverInfo.",
        MCPD_REMARK_MALFORMED_SERVER_INFO => c"serverInfo or a member of it has the wrong type, or lacks its name or version.",
        MCPD_REMARK_MISSING_RESULT_TYPE => c"The result has no resultType, which the specification requires; complete is assumed.",
        MCPD_REMARK_UNKNOWN_RESULT_TYPE => c"The result's resultType is not complete, so it answers nothing.",
        MCPD_REMARK_MISSING_CAPABILITIES => c"The result has no capabilities, which the specification requires.",
        MCPD_REMARK_MALFORMED_CAPABILITIES => c"A capability has the wrong type; it counts as absent.",
        MCPD_REMARK_MISSING_VERSIONS => c"The result has no supportedVersions array, so it is no DiscoverResult.",
        MCPD_REMARK_MALFORMED_VERSIONS => c"supportedVersions holds something that is no string.",
        MCPD_REMARK_EMPTY_VERSIONS => c"supportedVersions is empty, so the result is no DiscoverResult.",
        MCPD_REMARK_MALFORMED_INSTRUCTIONS => c"The result's instructions are no string; they count as absent.",
        MCPD_REMARK_MALFORMED_META => c"The result's _meta is no object; it counts as absent.",
        MCPD_REMARK_MALFORMED_ERROR => c"The error lacks an integer code or a string message.",
        MCPD_REMARK_MALFORMED_SUPPORTED => c"The unsupported-version error does not list the supported versions.",
        MCPD_REMARK_MISSING_PROTOCOL_VERSION => c"The result has no protocolVersion string, so it is no InitializeResult.",
        MCPD_REMARK_RESULT_AND_ERROR => c"The response has both a result and an error.",
        MCPD_REMARK_NO_RESULT_OR_ERROR => c"The response has neither a result nor an error.",
        MCPD_REMARK_MALFORMED_RESULT => c"The response's result is no object.",
        MCPD_REMARK_NOISE => c"Standard output carries something that is no JSON-RPC message; logs belong on standard error.",
        MCPD_REMARK_BYTE_ORDER_MARK => c"A message starts with a byte order mark.",
        MCPD_REMARK_CRLF => c"Lines end in CR LF; the delimiter is LF alone.",
        MCPD_REMARK_INVALID_UTF8 => c"Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD.",
        MCPD_REMARK_UTF16 => c"Standard output looks like UTF-16; messages are UTF-8.",
        MCPD_REMARK_LONE_SURROGATE => c"A string escape is half of a surrogate pair; it is read as U+FFFD.",
        MCPD_REMARK_SPLIT_JSON => c"A JSON text is spread over several lines; a message is one line.",
        MCPD_REMARK_SEVERAL_MESSAGES => c"One line holds several messages; a message is one line.",
        MCPD_REMARK_MISSING_JSONRPC => c"A response lacks \"jsonrpc\": \"2.0\".",
        MCPD_REMARK_NULL_ID => c"An error came without the id of the request it answers.",
        MCPD_REMARK_FOREIGN_ID => c"A response came with an id that no open request has.",
        MCPD_REMARK_BATCH => c"A message came inside an array; batches are not part of the protocol.",
        MCPD_REMARK_SERVER_REQUEST => c"The server sent a request before any reply; it was not answered.",
        MCPD_REMARK_ECHOED_REQUEST => c"The server sent our own request back.",
        MCPD_REMARK_CONTENT_LENGTH => c"Messages come with Content-Length headers; the delimiter is LF alone.",
        MCPD_REMARK_LATE_REPLY => c"An answer came after the deadline of its request.",
        MCPD_REMARK_UNTERMINATED_REPLY => c"An answer came without the line feed that ends a message.",
        MCPD_REMARK_LINE_TOO_LONG => c"A line on standard output passed the limit and was skipped.",
        MCPD_REMARK_TOO_DEEP => c"A line nests arrays or objects too deeply and was skipped.",
        MCPD_REMARK_RETRY_FAILED => c"The server named a version that it then did not answer for.",
        MCPD_REMARK_TERMINATED => c"The server did not leave when its standard input ended; SIGTERM ended it.",
        MCPD_REMARK_KILLED => c"The server did not leave on SIGTERM; SIGKILL ended it.",
        MCPD_REMARK_ABANDONED => c"The server outlived SIGKILL and was left behind.",
        MCPD_REMARK_EXITED_EARLY => c"The server ended before it was asked to.",
        MCPD_REMARK_STDERR_TRUNCATED => c"Standard error passed the limit; only its tail is kept.",
        _ => c"unrecognized",
    };
    sentence.as_ptr()
}

/// The number of a code.
pub(super) fn of(code: RemarkCode) -> mcpd_remark_code {
    code as mcpd_remark_code
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(pointer: *const c_char) -> &'static str {
        // SAFETY: the functions give static texts.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
    }

    /// The constants in this file, as the header has them.
    fn constants() -> Vec<(String, i32)> {
        include_str!("remark_code.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const MCPD_REMARK_"))
            .map(|rest| {
                let (name, value) = rest.split_once(": mcpd_remark_code = ").unwrap();
                let value = value.trim_end_matches(';').parse().unwrap();
                (name.to_lowercase(), value)
            })
            .collect()
    }

    #[test]
    fn the_constants_are_the_codes_of_the_core() {
        let codes: Vec<_> = RemarkCode::ALL
            .iter()
            .map(|code| (code.name().to_owned(), of(*code)))
            .collect();
        assert_eq!(constants(), codes);
    }

    #[test]
    fn names_and_sentences_are_those_of_the_core() {
        for code in RemarkCode::ALL {
            assert_eq!(text(mcpd_remark_name(of(*code))), code.name());
            assert_eq!(text(mcpd_remark_sentence(of(*code))), code.sentence());
        }
        assert_eq!(text(mcpd_remark_name(0)), "unrecognized");
        assert_eq!(text(mcpd_remark_sentence(-1)), "unrecognized");
    }
}
