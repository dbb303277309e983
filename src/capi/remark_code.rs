//! What a remark is about.

use std::ffi::{CStr, c_char};

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
/// The result has no supportedVersions, so it is no DiscoverResult.
pub const MCPD_REMARK_MISSING_VERSIONS: mcpd_remark_code = 16;
/// supportedVersions is no array, or holds something that is no string.
pub const MCPD_REMARK_MALFORMED_VERSIONS: mcpd_remark_code = 17;
/// supportedVersions is empty, so the result is no DiscoverResult.
pub const MCPD_REMARK_EMPTY_VERSIONS: mcpd_remark_code = 18;
/// The result's instructions are no string; they count as absent.
pub const MCPD_REMARK_MALFORMED_INSTRUCTIONS: mcpd_remark_code = 19;
/// The result's _meta is no object; it counts as absent.
pub const MCPD_REMARK_MALFORMED_META: mcpd_remark_code = 20;
/// The error lacks an integer code or a string message.
pub const MCPD_REMARK_MALFORMED_ERROR: mcpd_remark_code = 21;
/// The unsupported-version error does not list the supported versions as an array of strings.
pub const MCPD_REMARK_MALFORMED_SUPPORTED: mcpd_remark_code = 22;
/// The result has no protocolVersion string, so it is no InitializeResult.
pub const MCPD_REMARK_MISSING_PROTOCOL_VERSION: mcpd_remark_code = 23;
/// The response has both a result and an error.
pub const MCPD_REMARK_RESULT_AND_ERROR: mcpd_remark_code = 24;
/// The response has neither a result nor an error.
pub const MCPD_REMARK_NO_RESULT_OR_ERROR: mcpd_remark_code = 25;
/// The response's result is no object.
pub const MCPD_REMARK_MALFORMED_RESULT: mcpd_remark_code = 26;
/// Standard output carries something that is no JSON-RPC message; logs belong on standard
/// error.
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
/// A response came without the id of the request it answers.
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
/// A message nests arrays or objects too deeply and was skipped.
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
/// The answer came with another HTTP status than the specification has for it.
pub const MCPD_REMARK_HTTP_STATUS: mcpd_remark_code = 52;
/// The answer's Content-Type is neither application/json nor text/event-stream.
pub const MCPD_REMARK_CONTENT_TYPE: mcpd_remark_code = 53;
/// The stored verdict proved to be wrong, so the server was probed again.
pub const MCPD_REMARK_STALE_VERDICT: mcpd_remark_code = 54;
/// The server could be used, but no process of it could be opened and handed over.
pub const MCPD_REMARK_NOT_HANDED_OVER: mcpd_remark_code = 55;

/// The name of a remark's code, such as "missing_ttl"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_remark_name(code: mcpd_remark_code) -> *const c_char {
    named(code)
        .map_or(UNRECOGNIZED, RemarkCode::name_c)
        .as_ptr()
}

/// What a remark's code says of a server, as one English sentence; "unrecognized" for a number
/// that is none. A remark's own text may say more. Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_remark_sentence(code: mcpd_remark_code) -> *const c_char {
    named(code)
        .map_or(UNRECOGNIZED, RemarkCode::sentence_c)
        .as_ptr()
}

const UNRECOGNIZED: &CStr = c"unrecognized";

fn named(code: mcpd_remark_code) -> Option<RemarkCode> {
    RemarkCode::ALL
        .iter()
        .copied()
        .find(|known| of(*known) == code)
}

/// The number of a code.
pub(super) fn of(code: RemarkCode) -> mcpd_remark_code {
    code as mcpd_remark_code
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constants in this file, as the header has them: name, number and what is said of it.
    fn constants() -> Vec<(String, i32, String)> {
        let mut constants = Vec::new();
        let mut comment: Vec<&str> = Vec::new();
        for line in include_str!("remark_code.rs").lines() {
            if let Some(words) = line.strip_prefix("/// ") {
                comment.push(words);
            } else if let Some(rest) = line.strip_prefix("pub const MCPD_REMARK_") {
                let (name, value) = rest.split_once(": mcpd_remark_code = ").unwrap();
                let value = value.trim_end_matches(';').parse().unwrap();
                constants.push((name.to_lowercase(), value, comment.join(" ")));
                comment.clear();
            } else {
                comment.clear();
            }
        }
        constants
    }

    #[test]
    fn the_constants_are_the_codes_of_the_core() {
        let codes: Vec<_> = RemarkCode::ALL
            .iter()
            .map(|code| (code.name().into(), of(*code), code.sentence().into()))
            .collect();
        assert_eq!(constants(), codes);
    }

    #[test]
    fn names_and_sentences_are_those_of_the_core() {
        // SAFETY: the functions give static texts.
        let text = |pointer| unsafe { CStr::from_ptr(pointer) }.to_str().unwrap();
        for code in RemarkCode::ALL {
            assert_eq!(text(mcpd_remark_name(of(*code))), code.name());
            assert_eq!(text(mcpd_remark_sentence(of(*code))), code.sentence());
        }
        for number in [0, -1, i32::MAX] {
            assert_eq!(text(mcpd_remark_name(number)), "unrecognized");
            assert_eq!(text(mcpd_remark_sentence(number)), "unrecognized");
        }
    }
}
