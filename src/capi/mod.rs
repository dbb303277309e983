//! The C border: every `extern "C"` function, and the only place with raw pointers from outside.
//!
//! The documentation here is the text of `include/mcp_discover.h` and speaks to C programmers; `build.rs` puts the
//! files in the header's order. What the header says about pointers at its top holds for every function.

#![expect(non_camel_case_types, reason = "the names are those of the C types")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the rules for all pointers stand once, at the top of the header"
)]
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the header's text has brackets of its own"
)]

#[macro_use]
mod guard;

mod arena;
mod client;
mod handle;
mod options;
#[cfg(mcpd_test_panic)]
pub mod panic;

pub mod cache_scope;
pub mod cancel;
pub mod connection;
pub mod direction;
pub mod discover_result;
pub mod env_mode;
pub mod era;
pub mod error;
pub mod exit_kind;
pub mod fallback;
pub mod flat_reply;
pub mod http;
pub mod http_header;
pub mod http_post;
pub mod icon;
pub mod id_kind;
pub mod identity;
pub mod implementation;
pub mod initialize_result;
pub mod member;
pub mod method;
pub mod negotiation;
pub mod next;
pub mod outcome;
pub mod probe;
pub mod process;
pub mod remark;
pub mod remark_code;
pub mod reply;
pub mod reply_kind;
pub mod request;
pub mod rpc_error;
pub mod scan;
pub mod scan_item;
pub mod server_capabilities;
pub mod shutdown;
pub mod status;
pub mod stderr_mode;
pub mod step;
pub mod str;
pub mod text;
pub mod transcript_entry;
pub mod unrecognized;
pub mod verdict;
pub mod versions;
