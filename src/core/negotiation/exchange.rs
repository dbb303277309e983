//! Where each request has a response of its own, as over HTTP: it brings an answer, or it does not.

use super::deciding::Decision;
use super::{Negotiation, Phase};
use crate::core::json::{Json, SyntaxError};
use crate::core::remark::Remarks;
use crate::core::reply::{self, Incoming, Reply};
use crate::core::request::Method;
use crate::core::rpc_error::RpcError;
use crate::core::verdict::{Next, Outcome};
use crate::core::version::Era;

impl Negotiation {
    /// Reads the first message of a text: what it is to the request that is open, its JSON, and what stands behind it.
    pub(in crate::core) fn read_first<'a>(
        &mut self,
        text: &'a str,
    ) -> Result<(Incoming<'a>, Json<'a>, &'a str), SyntaxError> {
        reply::read_first(text, &self.open, &mut self.remarks)
    }

    pub(in crate::core) fn remarks(&mut self) -> &mut Remarks {
        &mut self.remarks
    }

    /// The response brought this answer.
    pub(in crate::core) fn answered(&mut self, reply: Reply<'_>) {
        self.open.clear();
        self.accept(Method::Discover, reply);
    }

    /// The response brought none, as that of a server that does not know the request; `next` says how to reach it.
    pub(in crate::core) fn not_answered(&mut self, what: &str, next: Next) {
        self.open.clear();
        self.note_no_answer();
        self.discover_failed(what);
        if let Phase::Decided(decision) = &mut self.phase
            && decision.next == Next::Initialize
        {
            decision.next = next;
            if next == Next::InitializeOrSse {
                decision.summary = format!(
                    "On server/discover the server {what}, as legacy servers do, those of the HTTP+SSE transport too."
                );
            }
        }
    }

    /// The response says nothing about the server, but what stands between it and an answer.
    pub(in crate::core) fn told_nothing(
        &mut self,
        error: Option<&RpcError<'_>>,
        next: Next,
        summary: String,
    ) {
        self.open.clear();
        match error {
            Some(error) => self.note_discover_error(error),
            None => self.note_no_answer(),
        }
        let era = match self.modern {
            true => Era::Modern,
            false => Era::Unknown,
        };
        self.decide(Decision {
            era,
            next,
            version: None,
            confirmed: self.modern,
            summary,
        });
    }

    fn note_no_answer(&mut self) {
        if !self.discover_outcome.is_answer() {
            self.discover_outcome = Outcome::Unusable;
        }
    }
}
