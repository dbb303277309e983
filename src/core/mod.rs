//! The protocol without I/O and without a clock: requests, replies, versions, negotiation and the verdict.

#![forbid(unsafe_code)]

pub mod verdict;
