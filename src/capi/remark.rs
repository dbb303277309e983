//! Something odd that a server did.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::remark_code::{self, mcpd_remark_code};
use super::str::mcpd_str;
use crate::core::remark::Remark;

/// Something odd that the server did, told so that its author can mend it. Remarks never change
/// a verdict.
#[repr(C)]
pub struct mcpd_remark {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// What it is about.
    pub code: mcpd_remark_code,
    /// Always 0.
    pub reserved: i32,
    /// One English sentence; never absent. It may quote the server.
    pub text: mcpd_str,
}

impl Publish for Remark {
    type Public = mcpd_remark;

    fn publish(&self, arena: &Arena) -> Result<mcpd_remark, OutOfMemory> {
        Ok(mcpd_remark {
            struct_size: mem::size_of::<mcpd_remark>(),
            code: remark_code::of(self.code),
            reserved: 0,
            text: arena.text(&self.text)?,
        })
    }
}
