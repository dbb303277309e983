//! Remarks: everything odd that a server did, so that its author can mend it.

use std::borrow::Cow;
use std::ffi::CStr;

/// The most remarks kept about one server; the codes are few, so only a flood of odd fields gets there.
const MOST: usize = 64;

/// One oddity: what it is, and a sentence about this instance of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it is.
    pub code: RemarkCode,
    /// One English sentence.
    pub text: Cow<'static, str>,
}

/// The remarks made so far, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks(Vec<Remark>);

impl Remarks {
    /// Adds a remark in the words of its code, unless one of that code is there.
    pub fn note(&mut self, code: RemarkCode) {
        if !self.has(code) {
            self.add(code, Cow::Borrowed(code.sentence()));
        }
    }

    /// Adds a remark in words of its own, unless the same is there.
    pub fn note_with(&mut self, code: RemarkCode, text: String) {
        if !self.0.iter().any(|r| r.code == code && r.text == text) {
            self.add(code, Cow::Owned(text));
        }
    }

    /// Takes over the remarks of another list.
    pub fn extend(&mut self, other: Remarks) {
        for remark in other.0 {
            if !self.0.contains(&remark) {
                self.add(remark.code, remark.text);
            }
        }
    }

    /// Remarks that were written down before.
    pub fn restored(remarks: Vec<Remark>) -> Self {
        Self(remarks)
    }

    /// Whether a remark of this code is there.
    pub fn has(&self, code: RemarkCode) -> bool {
        self.0.iter().any(|remark| remark.code == code)
    }

    /// The remarks, in the order in which they were made.
    pub fn as_slice(&self) -> &[Remark] {
        &self.0
    }

    fn add(&mut self, code: RemarkCode, text: Cow<'static, str>) {
        if self.0.len() < MOST {
            self.0.push(Remark { code, text });
        }
    }
}

/// The text as C reads it; it must end with its only NUL.
const fn terminated(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a NUL inside of the text"),
    }
}

/// Writes the enum, its names and its sentences from one table.
macro_rules! remark_codes {
    ($($code:ident = $number:literal, $name:literal, $sentence:literal;)*) => {
        /// What a remark is about. Numbers and names are stable: neither is changed or used again.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(i32)]
        pub enum RemarkCode {
            $(#[doc = $sentence] $code = $number,)*
            /// What a later version of the library knows.
            Unrecognized = -1,
        }

        impl RemarkCode {
            /// All that can be told, by number.
            pub const ALL: &[RemarkCode] = &[$(RemarkCode::$code),*];

            /// The stable name, as it stands in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(RemarkCode::$code => $name,)*
                    RemarkCode::Unrecognized => "unrecognized",
                }
            }

            /// The sentence that fits every instance.
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(RemarkCode::$code => $sentence,)*
                    RemarkCode::Unrecognized => "unrecognized",
                }
            }

            /// The name, for C.
            pub const fn name_c(self) -> &'static CStr {
                match self {
                    $(RemarkCode::$code => const { terminated(concat!($name, "\0")) },)*
                    RemarkCode::Unrecognized => c"unrecognized",
                }
            }

            /// The sentence, for C.
            pub const fn sentence_c(self) -> &'static CStr {
                match self {
                    $(RemarkCode::$code => const { terminated(concat!($sentence, "\0")) },)*
                    RemarkCode::Unrecognized => c"unrecognized",
                }
            }
        }
    };
}

remark_codes! {
    MissingTtl = 1, "missing_ttl", "The result has no ttlMs, which the specification requires.";
    MalformedTtl = 2, "malformed_ttl", "The result's ttlMs is no number; it counts as absent.";
    NegativeTtl = 3, "negative_ttl", "The result's ttlMs is negative; it counts as 0.";
    FractionalTtl = 4, "fractional_ttl", "The result's ttlMs is no whole number; the fraction is dropped.";
    HugeTtl = 5, "huge_ttl", "The result's ttlMs is beyond 64 bits; the largest number is taken for it.";
    MissingCacheScope = 6, "missing_cache_scope", "The result has no cacheScope, which the specification requires; private is assumed.";
    MalformedCacheScope = 7, "malformed_cache_scope", "The result's cacheScope is no string; it counts as absent.";
    UnknownCacheScope = 8, "unknown_cache_scope", "The result's cacheScope is neither public nor private; private is assumed.";
    MissingServerInfo = 9, "missing_server_info", "The result does not say who the server is (serverInfo).";
    MisplacedServerInfo = 10, "misplaced_server_info", "serverInfo stands in the result itself; its place is _meta, as io.modelcontextprotocol/serverInfo.";
    MalformedServerInfo = 11, "malformed_server_info", "serverInfo or a member of it has the wrong type, or lacks its name or version.";
    MissingResultType = 12, "missing_result_type", "The result has no resultType, which the specification requires; complete is assumed.";
    UnknownResultType = 13, "unknown_result_type", "The result's resultType is not complete, so it answers nothing.";
    MissingCapabilities = 14, "missing_capabilities", "The result has no capabilities, which the specification requires.";
    MalformedCapabilities = 15, "malformed_capabilities", "A capability has the wrong type; it counts as absent.";
    MissingVersions = 16, "missing_versions", "The result has no supportedVersions, so it is no DiscoverResult.";
    MalformedVersions = 17, "malformed_versions", "supportedVersions is no array, or holds something that is no string.";
    EmptyVersions = 18, "empty_versions", "supportedVersions is empty, so the result is no DiscoverResult.";
    MalformedInstructions = 19, "malformed_instructions", "The result's instructions are no string; they count as absent.";
    MalformedMeta = 20, "malformed_meta", "The result's _meta is no object; it counts as absent.";
    MalformedError = 21, "malformed_error", "The error lacks an integer code or a string message.";
    MalformedSupported = 22, "malformed_supported", "The unsupported-version error does not list the supported versions as an array of strings.";
    MissingProtocolVersion = 23, "missing_protocol_version", "The result has no protocolVersion string, so it is no InitializeResult.";
    ResultAndError = 24, "result_and_error", "The response has both a result and an error.";
    NoResultOrError = 25, "no_result_or_error", "The response has neither a result nor an error.";
    MalformedResult = 26, "malformed_result", "The response's result is no object.";
    Noise = 27, "noise", "Standard output carries something that is no JSON-RPC message; logs belong on standard error.";
    ByteOrderMark = 28, "byte_order_mark", "A message starts with a byte order mark.";
    Crlf = 29, "crlf", "Lines end in CR LF; the delimiter is LF alone.";
    InvalidUtf8 = 30, "invalid_utf8", "Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD.";
    Utf16 = 31, "utf16", "Standard output looks like UTF-16; messages are UTF-8.";
    LoneSurrogate = 32, "lone_surrogate", "A string escape is half of a surrogate pair; it is read as U+FFFD.";
    SplitJson = 33, "split_json", "A JSON text is spread over several lines; a message is one line.";
    SeveralMessages = 34, "several_messages", "One line holds several messages; a message is one line.";
    MissingJsonrpc = 35, "missing_jsonrpc", "A response lacks \"jsonrpc\": \"2.0\".";
    NullId = 36, "null_id", "A response came without the id of the request it answers.";
    ForeignId = 37, "foreign_id", "A response came with an id that no open request has.";
    Batch = 38, "batch", "A message came inside an array; batches are not part of the protocol.";
    ServerRequest = 39, "server_request", "The server sent a request before any reply; it was not answered.";
    EchoedRequest = 40, "echoed_request", "The server sent our own request back.";
    ContentLength = 41, "content_length", "Messages come with Content-Length headers; the delimiter is LF alone.";
    LateReply = 42, "late_reply", "An answer came after the deadline of its request.";
    UnterminatedReply = 43, "unterminated_reply", "An answer came without the line feed that ends a message.";
    LineTooLong = 44, "line_too_long", "A line on standard output passed the limit and was skipped.";
    TooDeep = 45, "too_deep", "A message nests arrays or objects too deeply and was skipped.";
    RetryFailed = 46, "retry_failed", "The server named a version that it then did not answer for.";
    Terminated = 47, "terminated", "The server did not leave when its standard input ended; SIGTERM ended it.";
    Killed = 48, "killed", "The server did not leave on SIGTERM; SIGKILL ended it.";
    Abandoned = 49, "abandoned", "The server outlived SIGKILL and was left behind.";
    ExitedEarly = 50, "exited_early", "The server ended before it was asked to.";
    StderrTruncated = 51, "stderr_truncated", "Standard error passed the limit; only its tail is kept.";
    HttpStatus = 52, "http_status", "The answer came with another HTTP status than the specification has for it.";
    ContentType = 53, "content_type", "The answer's Content-Type is neither application/json nor text/event-stream.";
    StaleVerdict = 54, "stale_verdict", "The stored verdict proved to be wrong, so the server was probed again.";
    NotHandedOver = 55, "not_handed_over", "The server could be used, but no process of it could be opened and handed over.";
}
