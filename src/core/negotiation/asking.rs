//! What is sent, and when nothing more can be.

use std::borrow::Cow;

use super::deciding::Decision;
use super::{Fallback, Keep, Negotiation, Phase};
use crate::core::reply::Open;
use crate::core::request::{Id, Method, Request};
use crate::core::verdict::{Next, Outcome};
use crate::core::version::Era;

impl Negotiation {
    pub(super) fn ask(&mut self, method: Method, version: String) {
        self.write_request(method, &version);
        self.trials += u32::from(method == Method::Discover);
        self.phase = Phase::Asking;
    }

    pub(super) fn write_request(&mut self, method: Method, version: &str) {
        let (name, count, outcome) = match method {
            Method::Discover => ("discover", &mut self.discovers, &mut self.discover_outcome),
            Method::Initialize => (
                "initialize",
                &mut self.initializes,
                &mut self.initialize_outcome,
            ),
        };
        *count += 1;
        // An answer to discover stays told; an initialize is a trial of its own.
        if method == Method::Initialize || !outcome.is_answer() {
            *outcome = Outcome::Silence;
        }
        let id = Id::Text(Cow::Owned(format!("{name}-{count}")));
        let request = Request {
            method,
            id: id.clone(),
            version,
            client: &self.settings.client,
            log_level: None,
            meta: None,
        };
        let mut line = request.to_json().into_bytes();
        line.push(b'\n');
        self.outbox.push_back(line);
        self.open.push(Open {
            id: Some(id),
            method,
        });
        self.saw_discover |= method == Method::Discover;
        self.saw_initialize |= method == Method::Initialize;
    }

    /// The version that discover was asked with last.
    pub(in crate::core) fn asked_with(&self) -> &str {
        let again = self.asked_again.last().map(String::as_str);
        again.unwrap_or(self.settings.versions.first_modern())
    }

    /// Whether a request could still be answered by the process that runs.
    pub(super) fn can_ask(&self) -> bool {
        self.stdin_open && !self.silent && !self.time_is_up
    }

    /// Discover proves nothing: asks initialize for proof, where that is wanted and has not been done.
    pub(super) fn fall_back(&mut self, what: &str) {
        if self.initialize_outcome != Outcome::NotAsked {
            return;
        }
        match (self.first_legacy(), self.fallback()) {
            (None, _) => self.decide(Decision {
                era: Era::Legacy,
                next: Next::GiveUp,
                version: None,
                confirmed: false,
                summary: format!(
                    "On server/discover the server {what}, as legacy servers do, and the client speaks no legacy version."
                ),
            }),
            (version, Fallback::None) => self.decide(Decision {
                era: Era::Legacy,
                next: Next::Initialize,
                version,
                confirmed: false,
                summary: format!(
                    "On server/discover the server {what}, as legacy servers do; initialize was not asked for proof."
                ),
            }),
            // What may be handed over is not asked again after an answer. After a silence it is, for it may just be slow.
            (Some(version), Fallback::Initialize)
                if self.settings.keep == Keep::Process
                    && !self.is_outstanding(Method::Discover)
                    && self.can_start_again() =>
            {
                self.phase = Phase::Starting(Method::Initialize, version);
            }
            (Some(version), Fallback::Initialize) if self.can_ask() => {
                self.ask(Method::Initialize, version);
            }
            (Some(_), Fallback::Initialize) if self.silent => self.ended_on_discover(what),
            _ => {}
        }
    }

    /// What to do where discover proves nothing; a transport that may be handed over can be asked initialize by nobody.
    pub(super) fn fallback(&self) -> Fallback {
        match self.settings.keep {
            Keep::Transport => Fallback::None,
            Keep::No | Keep::Process => self.settings.fallback,
        }
    }

    pub(super) fn first_legacy(&self) -> Option<String> {
        self.settings.versions.first_legacy().map(str::to_owned)
    }

    pub(super) fn can_start_again(&self) -> bool {
        self.starts - self.extra_starts < self.settings.max_starts && !self.time_is_up
    }
}
