//! The protocol without I/O and without a clock: requests, replies, versions, negotiation and the verdict.

#![forbid(unsafe_code)]

pub mod framing;
pub mod http;
pub mod json;
pub mod memory;
pub mod negotiation;
pub mod printable;
pub mod remark;
pub mod reply;
pub mod request;
pub mod result;
pub mod rpc_error;
pub mod talk;
pub mod transcript;
pub mod verdict;
pub mod version;
