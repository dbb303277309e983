//! A piece of a transcript.

use std::ffi::c_uchar;
use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::direction::{self, mcpd_direction};
use crate::core::transcript::Entry;

/// Bytes that went over a pipe in one piece; see max_transcript_bytes of mcpd_probe_options.
#[repr(C)]
pub struct mcpd_transcript_entry {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// When, in milliseconds since the start of the first process.
    pub at_ms: f64,
    /// Which process: an index into the verdict's processes.
    pub process: i32,
    /// Who said it.
    pub direction: mcpd_direction,
    /// The bytes, whatever they are. No NUL is behind them.
    pub data: *const c_uchar,
    /// How many bytes there are; at least one.
    pub length: usize,
}

impl Publish for Entry {
    type Public = mcpd_transcript_entry;

    fn publish(&self, arena: &Arena) -> Result<mcpd_transcript_entry, OutOfMemory> {
        Ok(mcpd_transcript_entry {
            struct_size: mem::size_of::<mcpd_transcript_entry>(),
            at_ms: self.at_ms,
            process: self.process.cast_signed(),
            direction: direction::of(self.direction),
            data: arena.bytes(&self.bytes)?,
            length: self.bytes.len(),
        })
    }
}
