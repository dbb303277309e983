//! A JSON-RPC error.

use std::mem;

use super::arena::{Arena, OutOfMemory, Publish};
use super::str::mcpd_str;
use crate::core::json::Json;
use crate::core::rpc_error::RpcError;

/// The request's headers and body disagree (HeaderMismatchError in the schema). Only modern
/// servers have this error.
pub const MCPD_RPC_HEADER_MISMATCH: i64 = -32020;
/// The request needs a client capability that it does not declare
/// (MissingRequiredClientCapabilityError in the schema). Only modern servers have this error.
pub const MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not speak the request's protocol version (UnsupportedProtocolVersionError in
/// the schema). Only modern servers have this error.
pub const MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// A JSON-RPC error (Error in the schema), whatever it lacks.
#[repr(C)]
pub struct mcpd_rpc_error {
    /// The size of this struct in the library that made it.
    pub struct_size: usize,
    /// The code; 0 if there is no integer code, and then a remark says so.
    pub code: i64,
    /// The message.
    pub message: mcpd_str,
    /// The data as JSON, of whatever type.
    pub data_json: mcpd_str,
    /// With MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION: the versions that the server speaks; NULL if
    /// it names none.
    pub supported: *const mcpd_str,
    /// How many versions there are.
    pub supported_count: usize,
    /// With MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION: the version that was asked for.
    pub requested: mcpd_str,
    /// With MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY: the capabilities to declare, as JSON:
    /// an object that client_capabilities_json takes.
    pub required_capabilities_json: mcpd_str,
    /// The whole error as JSON; never absent.
    pub json: mcpd_str,
}

impl Publish for RpcError<'_> {
    type Public = mcpd_rpc_error;

    fn publish(&self, arena: &Arena) -> Result<mcpd_rpc_error, OutOfMemory> {
        let (supported, supported_count) = arena.texts(&self.supported)?;
        Ok(mcpd_rpc_error {
            struct_size: mem::size_of::<mcpd_rpc_error>(),
            code: self.code,
            message: arena.optional_text(self.message.as_deref())?,
            data_json: arena.optional_text(self.data.map(Json::text))?,
            supported,
            supported_count,
            requested: arena.optional_text(self.requested.as_deref())?,
            required_capabilities_json: arena
                .optional_text(self.required_capabilities.map(Json::text))?,
            json: arena.text(self.raw.text())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::rpc_error::*;

    #[test]
    fn the_constants_are_those_of_the_core() {
        assert_eq!(MCPD_RPC_HEADER_MISMATCH, HEADER_MISMATCH);
        assert_eq!(
            MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY,
            MISSING_REQUIRED_CLIENT_CAPABILITY
        );
        assert_eq!(
            MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION,
            UNSUPPORTED_PROTOCOL_VERSION
        );
    }
}
