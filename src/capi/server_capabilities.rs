//! What a server can do.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::member::mcpd_member;
use super::str::mcpd_str;
use crate::core::result::ServerCapabilities;

/// What a server can do (ServerCapabilities in the schema). Each int32_t is 1 for yes and 0 for
/// no.
#[repr(C)]
pub struct mcpd_server_capabilities {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// It offers tools.
    pub tools: i32,
    /// It tells when its list of tools changes (tools.listChanged).
    pub tools_list_changed: i32,
    /// It offers resources.
    pub resources: i32,
    /// It tells when a resource changes, to those who subscribe (resources.subscribe).
    pub resources_subscribe: i32,
    /// It tells when its list of resources changes (resources.listChanged).
    pub resources_list_changed: i32,
    /// It offers prompts.
    pub prompts: i32,
    /// It tells when its list of prompts changes (prompts.listChanged).
    pub prompts_list_changed: i32,
    /// It completes arguments.
    pub completions: i32,
    /// It sends log messages.
    pub logging: i32,
    /// Always 0.
    pub reserved: i32,
    /// Extensions it supports, by identifier, with their settings; NULL if there are none.
    pub extensions: *const mcpd_member,
    /// How many extensions there are.
    pub extensions_count: usize,
    /// What it can do outside of the standard, by name; NULL if there is nothing.
    pub experimental: *const mcpd_member,
    /// How many members experimental has.
    pub experimental_count: usize,
    /// The whole object as JSON, with what this library does not know; never absent.
    pub json: mcpd_str,
}

impl Publish for ServerCapabilities<'_> {
    type Public = mcpd_server_capabilities;

    fn publish(&self, arena: &Arena) -> Result<mcpd_server_capabilities, OutOfMemory> {
        let (extensions, extensions_count) = arena.members(&self.extensions)?;
        let (experimental, experimental_count) = arena.members(&self.experimental)?;
        Ok(mcpd_server_capabilities {
            struct_size: mem::size_of::<mcpd_server_capabilities>(),
            tools: self.tools.into(),
            tools_list_changed: self.tools_list_changed.into(),
            resources: self.resources.into(),
            resources_subscribe: self.resources_subscribe.into(),
            resources_list_changed: self.resources_list_changed.into(),
            prompts: self.prompts.into(),
            prompts_list_changed: self.prompts_list_changed.into(),
            completions: self.completions.into(),
            logging: self.logging.into(),
            reserved: 0,
            extensions,
            extensions_count,
            experimental,
            experimental_count,
            json: arena.text(self.raw.text())?,
        })
    }
}
