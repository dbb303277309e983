//! The stdio probe: drives the negotiation with a real process.

pub mod cancel;
pub mod command;
pub mod detached;
mod exit;
mod fd;
mod group;
mod inlet;
mod lookup;
mod outlet;
pub mod process;
pub mod shutdown;
mod sigpipe;
mod tail;
#[cfg(test)]
mod testing;
