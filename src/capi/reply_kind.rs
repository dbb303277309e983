//! What a message is to the client.

use std::ffi::c_char;

/// What a message is to the client that waits for an answer.
pub type mcpd_reply_kind = i32;

/// No answer to the request: a request or notification of the server's, an answer to another id,
/// or JSON that is no JSON-RPC message at all. Go on waiting for the answer.
pub const MCPD_REPLY_UNRELATED: mcpd_reply_kind = 0;
/// The result of server/discover; see discover.
pub const MCPD_REPLY_DISCOVER: mcpd_reply_kind = 1;
/// The result of initialize; see initialize.
pub const MCPD_REPLY_INITIALIZE: mcpd_reply_kind = 2;
/// A JSON-RPC error; see rpc_error. An error whose id is null or missing counts as the answer
/// too.
pub const MCPD_REPLY_RPC_ERROR: mcpd_reply_kind = 3;
/// The answer to the request, but one that can't be used; the remarks say why.
pub const MCPD_REPLY_UNUSABLE: mcpd_reply_kind = 4;

/// The name of a kind of reply, such as "rpc_error"; "unrecognized" for a number that is none.
/// Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mcpd_reply_kind_name(reply_kind: mcpd_reply_kind) -> *const c_char {
    let name = match reply_kind {
        MCPD_REPLY_UNRELATED => c"unrelated",
        MCPD_REPLY_DISCOVER => c"discover",
        MCPD_REPLY_INITIALIZE => c"initialize",
        MCPD_REPLY_RPC_ERROR => c"rpc_error",
        MCPD_REPLY_UNUSABLE => c"unusable",
        _ => c"unrecognized",
    };
    name.as_ptr()
}
