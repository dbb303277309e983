//! A header of an HTTP request.

use super::str::mcpd_str;

/// A header of an HTTP request, borrowed from the mcpd_http it hangs off. Both texts are visible
/// ASCII and spaces. This struct is frozen: it has no size field and never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mcpd_http_header {
    /// The name, such as "MCP-Protocol-Version".
    pub name: mcpd_str,
    /// The value.
    pub value: mcpd_str,
}
