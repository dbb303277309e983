//! A response, from its first byte to what it means.

use std::mem;

use super::events::{Event, Events};
use super::status::{Meaning, meaning, meaning_beside_an_error};
use crate::core::json::{Fault, Json};
use crate::core::memory;
use crate::core::negotiation::Negotiation;
use crate::core::remark::{RemarkCode, Remarks};
use crate::core::reply::{self, Incoming, Reply};
use crate::core::rpc_error::RpcError;
use crate::core::verdict::Next;

/// A response to the request that is open.
#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    /// Its content type is one of the two that the specification knows.
    is_labelled: bool,
    max_body_bytes: usize,
    body: Body,
    /// Its answer was judged: whatever else comes does not matter.
    is_judged: bool,
    /// An error without the request's id, as JSON: the answer, unless a better one comes.
    stray_error: Option<String>,
    /// What there was instead of an answer.
    instead: Option<String>,
}

#[derive(Debug)]
enum Body {
    Json(Vec<u8>),
    Events(Events),
}

impl Response {
    pub(super) fn new(status: u16, content_type: Option<&str>, max_body_bytes: usize) -> Self {
        let essence = content_type.and_then(|text| text.split(';').next());
        let is = |other: &str| essence.is_some_and(|text| text.trim().eq_ignore_ascii_case(other));
        let is_stream = is("text/event-stream");
        Self {
            status,
            is_labelled: is_stream || is("application/json"),
            max_body_bytes,
            body: match is_stream {
                true => Body::Events(Events::new(max_body_bytes)),
                false => Body::Json(Vec::new()),
            },
            is_judged: false,
            stray_error: None,
            instead: None,
        }
    }

    /// Takes a piece of the body; tells whether nothing more is needed.
    pub(super) fn feed(&mut self, bytes: &[u8], negotiation: &mut Negotiation) -> bool {
        if let Body::Json(body) = &mut self.body {
            let fits = body.len() + bytes.len() <= self.max_body_bytes;
            if self.instead.is_none() && fits && memory::reserve(body, bytes.len()) {
                body.extend_from_slice(bytes);
            } else {
                *body = Vec::new();
                self.too_long(negotiation.remarks());
            }
            return self.instead.is_some();
        }
        let mut rest = bytes;
        while !self.is_judged && !rest.is_empty() {
            let Body::Events(events) = &mut self.body else {
                break;
            };
            let event;
            (event, rest) = events.take(rest);
            self.event(event, negotiation);
        }
        self.is_judged
    }

    /// The body has ended: judges what came.
    pub(super) fn end(mut self, negotiation: &mut Negotiation) {
        match &mut self.body {
            Body::Json(body) => {
                let body = mem::take(body);
                self.message(&body, negotiation);
            }
            Body::Events(_) if self.is_judged => {}
            Body::Events(events) => {
                let event = events.end();
                self.event(event, negotiation);
                if self.is_judged {
                    negotiation.remarks().note_with(
                        RemarkCode::UnterminatedReply,
                        "An answer came in an event without the blank line that ends it."
                            .to_owned(),
                    );
                }
            }
        }
        if let Some(text) = self.stray_error.take().filter(|_| !self.is_judged)
            && let Ok(json) = Json::parse(&text)
        {
            let error = RpcError::read(json, negotiation.remarks());
            self.judge(Reply::Error(error), negotiation);
        }
        if !self.is_judged {
            self.judge_status(negotiation);
        }
    }

    fn event(&mut self, event: Option<Event>, negotiation: &mut Negotiation) {
        match event {
            Some(Event::Message(data)) => self.message(&data, negotiation),
            Some(Event::TooLong) => self.too_long(negotiation.remarks()),
            None => {}
        }
    }

    /// Reads the JSON of the body, or of one event.
    fn message(&mut self, data: &[u8], negotiation: &mut Negotiation) {
        let data = data.trim_ascii();
        if !memory::has_room_to_read(data) {
            return self.too_long(negotiation.remarks());
        }
        let text = reply::text_of(data, negotiation.remarks());
        let mut rest = text.as_ref();
        while !rest.is_empty() && !self.is_judged {
            match negotiation.read_first(rest) {
                Ok((incoming, json, behind)) => {
                    self.take(incoming, json, negotiation);
                    rest = behind;
                }
                Err(error) => {
                    if error.fault == Fault::TooDeep {
                        negotiation.remarks().note(RemarkCode::TooDeep);
                    }
                    self.instead
                        .get_or_insert_with(|| format!("something that is no JSON: {error}"));
                    return;
                }
            }
        }
    }

    fn take(&mut self, incoming: Incoming<'_>, json: Json<'_>, negotiation: &mut Negotiation) {
        match incoming {
            Incoming::Reply(_, reply) => self.judge(reply, negotiation),
            incoming => {
                // The response is to our request, whatever id an error in it has.
                if let Some(error) = reply::error_without_our_id(json, &incoming) {
                    self.stray_error
                        .get_or_insert_with(|| error.text().to_owned());
                }
                self.instead
                    .get_or_insert_with(|| "JSON that does not answer it".to_owned());
            }
        }
    }

    fn too_long(&mut self, remarks: &mut Remarks) {
        let most = self.max_body_bytes;
        remarks.note_with(
            RemarkCode::LineTooLong,
            format!(
                "The response, or an event of it, passed the limit of {most} bytes and was skipped."
            ),
        );
        self.instead = Some(format!("more than {most} bytes"));
    }

    fn judge(&mut self, reply: Reply<'_>, negotiation: &mut Negotiation) {
        self.is_judged = true;
        self.note_oddities(&reply, negotiation.remarks());
        match (&reply, meaning_beside_an_error(self.status)) {
            (Reply::Error(error), Some((next, why))) if !error.is_modern() => {
                negotiation.told_nothing(Some(error), next, self.told(why));
            }
            _ => negotiation.answered(reply),
        }
    }

    fn note_oddities(&self, reply: &Reply<'_>, remarks: &mut Remarks) {
        if !self.is_labelled {
            remarks.note(RemarkCode::ContentType);
        }
        let specified = match reply {
            Reply::Error(error) if error.is_modern() => 400,
            Reply::Discover(_) => 200,
            _ => return,
        };
        if self.status != specified {
            remarks.note_with(
                RemarkCode::HttpStatus,
                format!(
                    "The answer came with HTTP status {}; the specification has {specified} for it.",
                    self.status
                ),
            );
        }
    }

    /// No answer came: all there is to judge is the status.
    fn judge_status(&mut self, negotiation: &mut Negotiation) {
        let status = self.status;
        let instead = self.instead.take().unwrap_or_else(|| match self.body {
            Body::Json(_) => "an empty body".to_owned(),
            Body::Events(_) => "no message in its event stream".to_owned(),
        });
        let what = format!("answered with HTTP status {status} and {instead}");
        match meaning(status) {
            Meaning::Legacy(next) => negotiation.not_answered(&what, next),
            Meaning::Nothing(next, why) => negotiation.told_nothing(None, next, self.told(why)),
            Meaning::Unreadable => negotiation.told_nothing(
                None,
                Next::GiveUp,
                format!("On server/discover the server {what}."),
            ),
        }
    }

    /// The sentence about a status that tells nothing about the server.
    fn told(&self, why: &str) -> String {
        format!(
            "On server/discover the server answered with HTTP status {}, {why}.",
            self.status
        )
    }
}
