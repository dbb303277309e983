//! A process that was started for a probe.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::exit_kind::*;
use super::shutdown::{self, MCPD_SHUTDOWN_NONE, mcpd_shutdown};
use super::str::mcpd_str;
use crate::core::verdict::{Exit, ProcessRecord};

/// What is known of a process that was started for a probe.
#[repr(C)]
pub struct mcpd_process {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// How it ended.
    pub exit_kind: mcpd_exit_kind,
    /// Its exit code or the number of the signal, by exit_kind; else 0.
    pub exit_value: i32,
    /// What it took to end it.
    pub shutdown: mcpd_shutdown,
    /// Always 0.
    pub reserved: i32,
    /// Bytes read from its standard output.
    pub bytes_received: u64,
    /// Lines on its standard output that were no JSON-RPC messages.
    pub skipped_lines: u64,
    /// The first 200 bytes of each of the first 5 such lines; NULL if there were none.
    pub skipped_sample: *const mcpd_str,
    /// How many lines are shown.
    pub skipped_sample_count: usize,
    /// The end of what it wrote to standard error, up to max_stderr_bytes; empty if that was
    /// nothing, or was not captured.
    pub stderr_tail: mcpd_str,
}

/// How a process ended, as a kind and a value.
pub(super) fn exit(exit: Option<Exit>) -> (mcpd_exit_kind, i32) {
    match exit {
        None => (MCPD_EXIT_UNKNOWN, 0),
        Some(Exit::Code(code)) => (MCPD_EXIT_CODE, code),
        Some(Exit::Signal(signal)) => (MCPD_EXIT_SIGNAL, signal),
    }
}

impl Publish for ProcessRecord {
    type Public = mcpd_process;

    fn publish(&self, arena: &Arena) -> Result<mcpd_process, OutOfMemory> {
        let (exit_kind, exit_value) = exit(self.exit);
        let (skipped_sample, skipped_sample_count) = arena.texts(&self.skipped_sample)?;
        Ok(mcpd_process {
            struct_size: mem::size_of::<mcpd_process>(),
            exit_kind,
            exit_value,
            shutdown: self.shutdown.map_or(MCPD_SHUTDOWN_NONE, shutdown::of),
            reserved: 0,
            bytes_received: self.bytes_received,
            skipped_lines: self.skipped_lines,
            skipped_sample,
            skipped_sample_count,
            stderr_tail: arena.text(&self.stderr_tail)?,
        })
    }
}
