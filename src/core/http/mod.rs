//! `server/discover` over Streamable HTTP: what to POST, and what the response means. No I/O, no clock.
//!
//! Whoever drives it sends [`Http::post`] and tells what comes back: [`Http::answered`] once with the status, then
//! [`Http::feed`] with the body in pieces of any size, then [`Http::ended`], which gives the verdict or asks for one
//! POST more. The body is judged before the status: what an answer means is the same table as over stdio, without
//! asking `initialize`.

mod events;
mod response;
mod status;

use std::borrow::Cow;

use super::negotiation::{Fallback, Negotiation, Settings, Step};
use super::request::{Client, Method};
use super::verdict::Verdict;
use super::version::Preference;
use response::Response;

/// The headers of a POST: names and values.
pub type Headers = [(&'static str, Cow<'static, str>); 4];

/// A request to be sent by POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The headers that the specification wants on it.
    pub headers: Headers,
    /// The body: one line of JSON.
    pub body: String,
}

/// What comes after a response.
#[expect(
    clippy::large_enum_variant,
    reason = "it is taken apart at once; a box would cost every verdict an allocation"
)]
#[derive(Debug)]
pub enum Outcome {
    /// The server named a version that is to be asked with: there is another request to send.
    AskAgain(Http),
    /// The verdict.
    Verdict(Verdict),
}

/// An exchange with one server.
#[derive(Debug)]
pub struct Http {
    negotiation: Negotiation,
    post: Post,
    max_body_bytes: usize,
    response: Option<Response>,
}

impl Http {
    /// An exchange that begins with [`post`](Http::post). The modern versions must be [header values](is_header_value).
    pub fn new(client: Client<'static>, versions: Preference, max_body_bytes: usize) -> Self {
        let mut negotiation = Negotiation::new(Settings {
            client,
            versions,
            fallback: Fallback::None,
            ..Settings::default()
        });
        negotiation.started();
        Self {
            post: post(&mut negotiation).unwrap_or_default(),
            negotiation,
            max_body_bytes,
            response: None,
        }
    }

    /// What to send now.
    pub fn post(&self) -> &Post {
        &self.post
    }

    /// Whether the status of the response has been told.
    pub fn is_answered(&self) -> bool {
        self.response.is_some()
    }

    /// The response has begun.
    pub fn answered(&mut self, status: u16, content_type: Option<&str>) {
        self.response = Some(Response::new(status, content_type, self.max_body_bytes));
    }

    /// A piece of the response's body. Tells whether that is enough, so that the rest need not be waited for.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        match &mut self.response {
            Some(response) => response.feed(bytes, &mut self.negotiation),
            None => false,
        }
    }

    /// The response has ended, or is not waited for any longer.
    pub fn ended(mut self) -> Outcome {
        if let Some(response) = self.response.take() {
            response.end(&mut self.negotiation);
        }
        if let Some(post) = post(&mut self.negotiation) {
            self.post = post;
            return Outcome::AskAgain(self);
        }
        let mut verdict = self.negotiation.into_verdict();
        // No process was started: the negotiation only keeps its books by them.
        verdict.processes.clear();
        Outcome::Verdict(verdict)
    }
}

impl Default for Post {
    fn default() -> Self {
        Self {
            headers: headers(String::new()),
            body: String::new(),
        }
    }
}

/// The request that the negotiation wants sent; none if it has come to its end.
fn post(negotiation: &mut Negotiation) -> Option<Post> {
    let Step::Send(line) = negotiation.next_step() else {
        return None;
    };
    let body = String::from_utf8(line).ok()?;
    Some(Post {
        headers: headers(negotiation.asked_with().to_owned()),
        body: body.trim_end().to_owned(),
    })
}

fn headers(version: String) -> Headers {
    [
        ("Content-Type", Cow::Borrowed("application/json")),
        (
            "Accept",
            Cow::Borrowed("application/json, text/event-stream"),
        ),
        ("MCP-Protocol-Version", Cow::Owned(version)),
        ("Mcp-Method", Cow::Borrowed(Method::Discover.name())),
    ]
}

/// Whether a text can stand in a header as it is: visible ASCII, with spaces inside at most.
pub fn is_header_value(text: &str) -> bool {
    text.trim() == text && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_ends_a_header_is_a_value_of_one() {
        for text in ["2026-07-28", "DRAFT v1", "a:b"] {
            assert!(is_header_value(text), "{text}");
        }
        for text in [
            "a\r\nEvil: 1",
            "a\nb",
            " a",
            "a ",
            "a\tb",
            "a\0",
            "é",
            "\u{7f}",
        ] {
            assert!(!is_header_value(text), "{text:?}");
        }
    }
}
