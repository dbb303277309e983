//! An HTTP request to send.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::http_header::mcpd_http_header;
use super::str::mcpd_str;
use crate::core::http::Post;

/// A request to send by POST to the server's endpoint. It belongs to the mcpd_http that gave it,
/// and lives as long.
#[repr(C)]
pub struct mcpd_http_post {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The headers that the protocol wants on it: Content-Type, Accept, MCP-Protocol-Version and
    /// Mcp-Method. Add your own, such as Authorization; Content-Length is the HTTP client's.
    pub headers: *const mcpd_http_header,
    /// How many headers there are.
    pub headers_count: usize,
    /// The body: JSON, to be sent as it is.
    pub body: mcpd_str,
}

impl Publish for Post {
    type Public = mcpd_http_post;

    fn publish(&self, arena: &Arena) -> Result<mcpd_http_post, OutOfMemory> {
        let (headers, headers_count) = arena.array(&self.headers, |(name, value)| {
            Ok(mcpd_http_header {
                name: arena.text(name)?,
                value: arena.text(value)?,
            })
        })?;
        Ok(mcpd_http_post {
            struct_size: mem::size_of::<mcpd_http_post>(),
            headers,
            headers_count,
            body: arena.text(&self.body)?,
        })
    }
}
