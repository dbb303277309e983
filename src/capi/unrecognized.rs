//! What stands for codes of later versions.

/// Any code of a verdict that was read from JSON and holds a name of a later version of the
/// library.
pub const MCPD_UNRECOGNIZED: i32 = -1;
