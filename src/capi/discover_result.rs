//! The answer to `server/discover`.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::cache_scope::{self, MCPD_CACHE_SCOPE_PRIVATE, mcpd_cache_scope};
use super::implementation::mcpd_implementation;
use super::server_capabilities::mcpd_server_capabilities;
use super::str::mcpd_str;
use crate::core::json::Json;
use crate::core::result::DiscoverResult;

/// The answer to server/discover (DiscoverResult in the schema). Only supported_versions is sure
/// to be there: a field that is missing or has the wrong type is absent, and a remark says so.
#[repr(C)]
pub struct mcpd_discover_result {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// "complete", or absent, which means the same. A result of another type is unusable and
    /// never gets here.
    pub result_type: mcpd_str,
    /// The protocol versions that the server speaks, in its order, which says nothing about its
    /// preference; at least one. mcpd_versions_select picks the best one for the client.
    pub supported_versions: *const mcpd_str,
    /// How many versions there are.
    pub supported_versions_count: usize,
    /// What the server can do; NULL if it does not say.
    pub capabilities: *const mcpd_server_capabilities,
    /// Who the server says it is; NULL if it does not say.
    pub server: *const mcpd_implementation,
    /// How to use the server, written for a language model.
    pub instructions: mcpd_str,
    /// How long the result stays fresh, in milliseconds from its arrival; 0 if absent.
    pub ttl_ms: i64,
    /// 1 if the server gave ttlMs, 0 if not.
    pub has_ttl_ms: i32,
    /// Who may be given the result from a cache. MCPD_CACHE_SCOPE_PRIVATE if absent.
    pub cache_scope: mcpd_cache_scope,
    /// 1 if the server gave cacheScope, 0 if not.
    pub has_cache_scope: i32,
    /// Always 0.
    pub reserved: i32,
    /// The result's _meta as JSON, an object.
    pub meta_json: mcpd_str,
    /// The whole result as JSON, with what this library does not know; never absent.
    pub json: mcpd_str,
}

impl Publish for DiscoverResult<'_> {
    type Public = mcpd_discover_result;

    fn publish(&self, arena: &Arena) -> Result<mcpd_discover_result, OutOfMemory> {
        let (supported_versions, supported_versions_count) =
            arena.texts(&self.supported_versions)?;
        Ok(mcpd_discover_result {
            struct_size: mem::size_of::<mcpd_discover_result>(),
            result_type: arena.optional_text(self.result_type.as_deref())?,
            supported_versions,
            supported_versions_count,
            capabilities: arena.optional(self.capabilities.as_ref())?,
            server: arena.optional(self.server.as_ref())?,
            instructions: arena.optional_text(self.instructions.as_deref())?,
            ttl_ms: self.ttl_ms.unwrap_or(0),
            has_ttl_ms: self.ttl_ms.is_some().into(),
            cache_scope: self
                .cache_scope
                .map_or(MCPD_CACHE_SCOPE_PRIVATE, cache_scope::of),
            has_cache_scope: self.cache_scope.is_some().into(),
            reserved: 0,
            meta_json: arena.optional_text(self.meta.map(Json::text))?,
            json: arena.text(self.raw.text())?,
        })
    }
}
