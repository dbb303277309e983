//! A member of a JSON object.

use super::str::mcpd_str;

/// A member of a JSON object: its name and its value, borrowed from the object it hangs off.
/// This struct is frozen: it has no size field and never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mcpd_member {
    /// The name, unescaped.
    pub name: mcpd_str,
    /// The value, as JSON.
    pub json: mcpd_str,
}
