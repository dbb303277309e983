//! What to do where server/discover proves nothing.

use super::options::Choice;
use crate::core::negotiation::Fallback;

/// What to do where server/discover proves nothing.
pub type mcpd_fallback = i32;

/// Ask initialize for proof, in a fresh process where the first one has ended.
pub const MCPD_FALLBACK_INITIALIZE: mcpd_fallback = 0;
/// Never send initialize. Silence, an unknown error and an unusable answer then mean a legacy
/// server, not confirmed; an exit leaves the era unknown, and next is MCPD_NEXT_INITIALIZE.
pub const MCPD_FALLBACK_NONE: mcpd_fallback = 1;

/// What the codes stand for.
pub(super) const FALLBACKS: &[Choice<Fallback>] = &[
    (
        MCPD_FALLBACK_INITIALIZE,
        "MCPD_FALLBACK_INITIALIZE",
        Fallback::Initialize,
    ),
    (MCPD_FALLBACK_NONE, "MCPD_FALLBACK_NONE", Fallback::None),
];
