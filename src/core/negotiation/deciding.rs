//! Decisions, and which of two counts.

use std::borrow::Cow;

use super::{Negotiation, Phase};
use crate::core::reply;
use crate::core::verdict::Next;
use crate::core::version::Era;

/// What the verdict will be, unless something better comes.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) era: Era,
    pub(super) next: Next,
    pub(super) version: Option<String>,
    pub(super) confirmed: bool,
    pub(super) summary: String,
}

impl Decision {
    /// Nothing proves what the server is, and there is nothing left to ask.
    pub(super) fn unknown(summary: String) -> Self {
        Self {
            era: Era::Unknown,
            next: Next::GiveUp,
            version: None,
            confirmed: false,
            summary,
        }
    }

    /// The server is modern, and there is no version to go on with.
    pub(super) fn give_up_on_modern(summary: &str) -> Self {
        Self {
            era: Era::Modern,
            next: Next::GiveUp,
            version: None,
            confirmed: true,
            summary: summary.to_owned(),
        }
    }

    /// Whether this one replaces another that was taken earlier: modern beats all, proof beats none, and a way on
    /// beats giving up.
    fn beats(&self, earlier: &Decision) -> bool {
        self.weight() > earlier.weight()
    }

    fn weight(&self) -> (bool, bool, u8) {
        let way_on = match self.next {
            Next::UseModern => 2,
            Next::Initialize | Next::InitializeOrSse | Next::CorrectRequest => 1,
            Next::Authorize | Next::Retry | Next::GiveUp | Next::Unrecognized => 0,
        };
        (self.era == Era::Modern, self.confirmed, way_on)
    }
}

impl Negotiation {
    pub(super) fn decide(&mut self, decision: Decision) {
        self.modern |= decision.era == Era::Modern;
        if self.modern && decision.era != Era::Modern {
            return;
        }
        match &self.phase {
            Phase::Decided(earlier) if !decision.beats(earlier) => {}
            _ => self.phase = Phase::Decided(decision),
        }
    }

    /// The server listed its versions: which one to go on with, and what the list proves.
    pub(super) fn decide_by_versions(&mut self, named: &[Cow<'_, str>], source: &str) {
        let versions = &self.settings.versions;
        let modern = versions.common_modern(named).next().map(str::to_owned);
        let legacy = versions.common_legacy(named).next().map(str::to_owned);
        let names_modern = named.iter().any(|version| Era::of(version) == Era::Modern);
        let era = match self.modern || names_modern {
            true => Era::Modern,
            false => Era::Legacy,
        };
        let (next, version) = match (modern, legacy) {
            (Some(version), _) => (Next::UseModern, Some(version)),
            (None, Some(version)) => (Next::Initialize, Some(version)),
            (None, None) => (Next::GiveUp, None),
        };
        let summary = match (next, &version) {
            (Next::UseModern, Some(version)) => {
                format!(
                    "{source} names {version}, the client's first choice of the common versions."
                )
            }
            (_, Some(version)) if era == Era::Modern => format!(
                "The server is modern, but {source} names no modern version of the client's; the legacy version {version} is common."
            ),
            (_, Some(version)) => {
                format!("{source} names legacy versions only; {version} is common.")
            }
            (_, None) => format!("{source} names none of the client's versions."),
        };
        self.decide(Decision {
            era,
            next,
            version,
            confirmed: true,
            summary: capitalized(summary),
        });
    }

    pub(super) fn decide_by_initialize(&mut self, version: &str) {
        let common = self.settings.versions.common_legacy(&[version]).next();
        let (next, version, summary) = match common {
            Some(version) => (
                Next::Initialize,
                Some(version.to_owned()),
                format!("The server answered initialize with {version}."),
            ),
            None => (
                Next::GiveUp,
                None,
                format!(
                    "The server answered initialize with {:?}, which is none of the client's legacy versions.",
                    reply::shortened(version)
                ),
            ),
        };
        self.decide(Decision {
            era: Era::Legacy,
            next,
            version,
            confirmed: true,
            summary,
        });
    }
}

fn capitalized(mut sentence: String) -> String {
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}
