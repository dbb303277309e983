//! An icon of a program.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::str::mcpd_str;
use crate::core::result::Icon;

/// An icon of a program (Icon in the schema). The address comes from the server: fetch it with
/// care, or not at all.
#[repr(C)]
pub struct mcpd_icon {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// Where it is: a URI, which may be a data: URI; never absent.
    pub src: mcpd_str,
    /// Its MIME type, such as "image/png".
    pub mime_type: mcpd_str,
    /// Its sizes, such as "48x48" or "any"; NULL if there are none.
    pub sizes: *const mcpd_str,
    /// How many sizes there are.
    pub sizes_count: usize,
    /// The theme it is for, "light" or "dark".
    pub theme: mcpd_str,
}

impl Publish for Icon<'_> {
    type Public = mcpd_icon;

    fn publish(&self, arena: &Arena) -> Result<mcpd_icon, OutOfMemory> {
        let (sizes, sizes_count) = arena.texts(&self.sizes)?;
        Ok(mcpd_icon {
            struct_size: mem::size_of::<mcpd_icon>(),
            src: arena.text(&self.src)?,
            mime_type: arena.optional_text(self.mime_type.as_deref())?,
            sizes,
            sizes_count,
            theme: arena.optional_text(self.theme.as_deref())?,
        })
    }
}
