//! What an answer, or the lack of one, means: the rows of the verdict's table.

use std::borrow::Cow;

use super::deciding::Decision;
use super::{ErrorText, Fallback, Negotiation, Phase};
use crate::core::remark::RemarkCode;
use crate::core::reply::Reply;
use crate::core::request::Method;
use crate::core::rpc_error::{
    HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, RpcError, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::core::verdict::{Next, Outcome};
use crate::core::version::Era;

/// Keeps an error, unless the earlier one is the proof of a modern server.
pub(super) fn keep_error(place: &mut Option<ErrorText>, error: &RpcError<'_>) {
    if !place.as_ref().is_some_and(|earlier| earlier.is_modern) {
        *place = Some(ErrorText {
            json: error.raw.text().into(),
            is_modern: error.is_modern(),
        });
    }
}

impl Negotiation {
    pub(super) fn discover_answered(&mut self, reply: Reply<'_>) {
        match reply {
            Reply::Discover(result) => {
                self.discover_outcome = Outcome::Result;
                self.discover = Some(result.raw.text().into());
                self.decide_by_versions(&result.supported_versions, "the DiscoverResult");
            }
            Reply::Error(error) => {
                self.note_discover_error(&error);
                if !self.modern_error(&error, Method::Discover) {
                    self.discover_failed(&format!("answered with error {}", error.code));
                }
            }
            Reply::Initialize(_) | Reply::Unusable => {
                self.note_discover_outcome(Outcome::Unusable);
                self.discover_failed("gave an answer that cannot be used");
            }
        }
    }

    pub(super) fn note_discover_error(&mut self, error: &RpcError<'_>) {
        self.note_discover_outcome(Outcome::Error);
        keep_error(&mut self.discover_error, error);
    }

    /// A result stays the outcome, whatever still comes for older requests.
    fn note_discover_outcome(&mut self, outcome: Outcome) {
        if self.discover_outcome != Outcome::Result {
            self.discover_outcome = outcome;
        }
    }

    pub(super) fn initialize_answered(&mut self, reply: Reply<'_>) {
        match reply {
            Reply::Initialize(result) => {
                self.initialize_outcome = Outcome::Result;
                self.initialize = Some(result.raw.text().into());
                self.decide_by_initialize(&result.protocol_version);
            }
            Reply::Error(error) => {
                self.initialize_outcome = Outcome::Error;
                keep_error(&mut self.initialize_error, &error);
                if !self.modern_error(&error, Method::Initialize) {
                    self.initialize_failed(&format!("answered with error {}", error.code));
                }
            }
            Reply::Discover(_) | Reply::Unusable => {
                self.initialize_outcome = Outcome::Unusable;
                self.initialize_failed("gave an answer that cannot be used");
            }
        }
    }

    /// Handles an error that only modern servers have; tells whether it was one.
    pub(super) fn modern_error(&mut self, error: &RpcError<'_>, answered: Method) -> bool {
        match error.code {
            UNSUPPORTED_PROTOCOL_VERSION => self.version_refused(&error.supported, answered),
            HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY => {
                self.decide(Decision {
                    era: Era::Modern,
                    next: Next::CorrectRequest,
                    version: None,
                    confirmed: true,
                    summary: format!(
                        "The server answered with error {}, which only modern servers have; it says what the request lacks.",
                        error.code
                    ),
                });
            }
            _ => return false,
        }
        true
    }

    /// The server does not speak the version it was asked with, and may have named others.
    fn version_refused(&mut self, supported: &[Cow<'_, str>], answered: Method) {
        if self.retry_is_open() {
            return;
        }
        if !self.asked_again.is_empty() {
            self.remarks.note(RemarkCode::RetryFailed);
        }
        let versions = &self.settings.versions;
        let again = versions
            .common_modern(supported)
            .find(|version| !self.asked_again.iter().any(|asked| asked == version))
            .map(str::to_owned);
        if let Some(version) = again {
            self.ask_again(version, answered);
        } else if versions.common_modern(supported).next().is_some() {
            self.decide(Decision::give_up_on_modern(
                "The server refuses every version, those it names included.",
            ));
        } else if supported.is_empty() {
            self.decide(Decision::give_up_on_modern(
                "The server refuses the version with the error that only modern servers have, and names no other."));
        } else {
            self.decide_by_versions(supported, "the unsupported-version error");
        }
    }

    fn ask_again(&mut self, version: String, answered: Method) {
        if matches!(&self.phase, Phase::Decided(decision) if decision.era == Era::Modern) {
            return;
        }
        self.modern = true;
        let just_refused = answered == Method::Discover && self.asked_with() == version;
        self.asked_again.push(version.clone());
        if self.can_ask() {
            self.ask(Method::Discover, version);
        } else if matches!(self.phase, Phase::Starting(..)) {
            self.phase = Phase::Starting(Method::Discover, version);
        } else if just_refused {
            self.decide(Decision::give_up_on_modern(&format!(
                "The server refuses {version} and yet names it, too late to be asked again."
            )));
        } else {
            self.decide(Decision {
                era: Era::Modern,
                next: Next::UseModern,
                summary: format!(
                    "The server named {version} in its unsupported-version error, too late to be asked again."
                ),
                version: Some(version),
                confirmed: true,
            });
        }
    }

    /// The server proved to be modern and was asked anew; that answer tells more than those to older requests.
    fn retry_is_open(&self) -> bool {
        self.modern && self.open_in_time(Method::Discover).is_some()
    }

    /// Discover was not answered in a way that tells anything.
    pub(super) fn discover_failed(&mut self, what: &str) {
        if !matches!(self.phase, Phase::Asking) || self.retry_is_open() {
            return;
        }
        if self.modern {
            self.remarks.note(RemarkCode::RetryFailed);
            self.decide(Decision::give_up_on_modern(&format!(
                "The server named a version that it speaks, and then {what} when asked with it."
            )));
        } else {
            self.fall_back(what);
        }
    }

    /// The process ended, or can't be heard any more, with discover as the only thing asked.
    pub(super) fn ended_on_discover(&mut self, what: &str) {
        let (next, version) = match (self.first_legacy(), self.fallback()) {
            (Some(version), Fallback::Initialize) if self.can_start_again() => {
                self.phase = Phase::Starting(Method::Initialize, version);
                return;
            }
            (Some(version), Fallback::None) => (Next::Initialize, Some(version)),
            _ => (Next::GiveUp, None),
        };
        self.decide(Decision {
            era: Era::Unknown,
            next,
            version,
            confirmed: false,
            summary: format!(
                "On server/discover the server {what}, and initialize was not asked in a fresh process."
            ),
        });
    }

    /// Initialize was not answered in a way that tells anything; a process that has seen discover is no fair trial.
    pub(super) fn initialize_failed(&mut self, what: &str) {
        if self.modern || !matches!(self.phase, Phase::Asking) {
            return;
        }
        match self.first_legacy() {
            Some(version) if self.saw_discover && self.can_start_again() => {
                self.phase = Phase::Starting(Method::Initialize, version);
            }
            _ => self.decide(Decision::unknown(format!(
                "Neither server/discover nor initialize got a result; on the last initialize the server {what}."
            ))),
        }
    }

    pub(super) fn out_of_time(&self) -> Decision {
        match self.modern {
            true => Decision::give_up_on_modern(
                "The server proved to be modern, but did not answer in time.",
            ),
            false => Decision::unknown("The server did not answer in time.".to_owned()),
        }
    }
}
