//! The answer to `initialize`.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::implementation::mcpd_implementation;
use super::server_capabilities::mcpd_server_capabilities;
use super::str::mcpd_str;
use crate::core::json::Json;
use crate::core::result::InitializeResult;

/// The answer to initialize of the protocol versions up to 2025-11-25 (InitializeResult in their
/// schema). Only protocol_version is sure to be there.
#[repr(C)]
pub struct mcpd_initialize_result {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The protocol version that the server chose; never absent. It may be another than the one
    /// asked for.
    pub protocol_version: mcpd_str,
    /// What the server can do; NULL if it does not say.
    pub capabilities: *const mcpd_server_capabilities,
    /// Who the server says it is; NULL if it does not say.
    pub server: *const mcpd_implementation,
    /// How to use the server, written for a language model.
    pub instructions: mcpd_str,
    /// The result's _meta as JSON, an object.
    pub meta_json: mcpd_str,
    /// The whole result as JSON, with what this library does not know; never absent.
    pub json: mcpd_str,
}

impl Publish for InitializeResult<'_> {
    type Public = mcpd_initialize_result;

    fn publish(&self, arena: &Arena) -> Result<mcpd_initialize_result, OutOfMemory> {
        Ok(mcpd_initialize_result {
            struct_size: mem::size_of::<mcpd_initialize_result>(),
            protocol_version: arena.text(&self.protocol_version)?,
            capabilities: arena.optional(self.capabilities.as_ref())?,
            server: arena.optional(self.server.as_ref())?,
            instructions: arena.optional_text(self.instructions.as_deref())?,
            meta_json: arena.optional_text(self.meta.map(Json::text))?,
            json: arena.text(self.raw.text())?,
        })
    }
}
