//! Tells any program which MCP server it is talking to.
//!
//! [`core`] reads and decides, without I/O; [`probe`] runs a server and asks it; [`capi`] is the C border.

pub mod capi;
pub mod core;
pub mod probe;
