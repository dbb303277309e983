//! What is asked.

use super::options::Choice;
use crate::core::request::Method;

/// What is asked.
pub type mcpd_method = i32;

/// server/discover of protocol version 2026-07-28.
pub const MCPD_METHOD_DISCOVER: mcpd_method = 0;
/// initialize of the protocol versions up to 2025-11-25.
pub const MCPD_METHOD_INITIALIZE: mcpd_method = 1;

/// What the codes stand for.
pub(super) const METHODS: &[Choice<Method>] = &[
    (
        MCPD_METHOD_DISCOVER,
        "MCPD_METHOD_DISCOVER",
        Method::Discover,
    ),
    (
        MCPD_METHOD_INITIALIZE,
        "MCPD_METHOD_INITIALIZE",
        Method::Initialize,
    ),
];
