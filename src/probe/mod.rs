//! The stdio probe: drives the negotiation with a real process.
