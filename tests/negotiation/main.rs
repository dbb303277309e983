//! The negotiation alone, without a process and without a clock.

mod chunks;
mod keeping;
mod rows;
mod script;
mod sequences;
