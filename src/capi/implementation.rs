//! Who a server says it is.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::icon::mcpd_icon;
use super::str::mcpd_str;
use crate::core::result::Implementation;

/// Who a server says it is (Implementation in the schema). Nobody has checked it: use it for
/// display, logs and debugging, never for a decision. Any text may be absent, and may hold
/// control characters: do not print it to a terminal unfiltered.
#[repr(C)]
pub struct mcpd_implementation {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The program's name. The schema requires it.
    pub name: mcpd_str,
    /// The program's own version, not the protocol's. The schema requires it.
    pub version: mcpd_str,
    /// A name for people.
    pub title: mcpd_str,
    /// What the program does.
    pub description: mcpd_str,
    /// The program's home page.
    pub website_url: mcpd_str,
    /// Its icons; NULL if there are none.
    pub icons: *const *const mcpd_icon,
    /// How many icons there are.
    pub icons_count: usize,
}

impl Publish for Implementation<'_> {
    type Public = mcpd_implementation;

    fn publish(&self, arena: &Arena) -> Result<mcpd_implementation, OutOfMemory> {
        let (icons, icons_count) = arena.objects(&self.icons)?;
        Ok(mcpd_implementation {
            struct_size: mem::size_of::<mcpd_implementation>(),
            name: arena.optional_text(self.name.as_deref())?,
            version: arena.optional_text(self.version.as_deref())?,
            title: arena.optional_text(self.title.as_deref())?,
            description: arena.optional_text(self.description.as_deref())?,
            website_url: arena.optional_text(self.website_url.as_deref())?,
            icons,
            icons_count,
        })
    }
}
