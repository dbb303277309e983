//! What a server's environment is made from.

use super::options::Choice;
use crate::probe::command::EnvMode;

/// What a server's environment is made from.
pub type mcpd_env_mode = i32;

/// The environment of the calling process, changed by env.
pub const MCPD_ENV_INHERIT: mcpd_env_mode = 0;
/// Only the variables that env sets.
pub const MCPD_ENV_EXACT: mcpd_env_mode = 1;

/// What the codes stand for.
pub(super) const ENV_MODES: &[Choice<EnvMode>] = &[
    (MCPD_ENV_INHERIT, "MCPD_ENV_INHERIT", EnvMode::Inherit),
    (MCPD_ENV_EXACT, "MCPD_ENV_EXACT", EnvMode::Exact),
];
