//! The calls that block: a runtime of their own around what they wait for.

use std::pin::pin;

use super::cancel::{self, Cancel};
use super::clock::Clock;
use super::connection::Connection;
use super::{Failure, Options, drive, wait};
use crate::core::negotiation::{Keep, Negotiation, Settings};
use crate::core::verdict::Verdict;

/// Starts a server, asks it who it is, ends it, and tells what it is.
///
/// Blocks the calling thread; nothing is left behind, neither thread nor descriptor nor process.
///
/// # Errors
///
/// When the command can't be started, when the call is cancelled, or when the system is out of resources.
pub fn stdio(options: &Options, cancel: Option<&Cancel>) -> Result<Verdict, Failure> {
    let (verdict, _) = probe(options, Keep::No, None, cancel)?;
    Ok(verdict)
}

/// As [`stdio`], but a server that can be used is kept, and opened as its era wants it. With a verdict from before it is
/// only opened, and asked who it is where that fails.
///
/// There is no connection where the verdict tells no way on, and where the server that it is about could not be opened.
///
/// # Errors
///
/// As those of [`stdio`]; then nothing is left behind.
pub fn open(
    options: &Options,
    prior: Option<&Verdict>,
    cancel: Option<&Cancel>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    probe(options, Keep::Process, prior, cancel)
}

fn probe(
    options: &Options,
    keep: Keep,
    prior: Option<&Verdict>,
    cancel: Option<&Cancel>,
) -> Result<(Verdict, Option<Connection>), Failure> {
    let clock = Clock::default();
    let negotiation = negotiation(&options.settings, keep, prior);
    let cancelled = pin!(cancel::fired(cancel));
    unless_cancelled(cancel, drive::run(options, negotiation, &clock, cancelled))?
}

pub(super) fn negotiation(settings: &Settings, keep: Keep, prior: Option<&Verdict>) -> Negotiation {
    let settings = Settings {
        keep,
        ..settings.clone()
    };
    match prior {
        Some(prior) => Negotiation::with_prior(settings, prior),
        None => Negotiation::new(settings),
    }
}

/// Waits for what a call does, unless it is cancelled already.
pub(super) fn unless_cancelled<T>(
    cancel: Option<&Cancel>,
    call: impl Future<Output = T>,
) -> Result<T, Failure> {
    if cancel.is_some_and(Cancel::is_fired) {
        return Err(Failure::Cancelled);
    }
    wait::block_on(call).map_err(Failure::Runtime)
}
