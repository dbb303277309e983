//! What an HTTP status means where no answer came with it.

use crate::core::verdict::Next;

/// What a status means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The server does not know the request, so it is a legacy one.
    Legacy(Next),
    /// It tells nothing about the server; what to do about it, and why.
    Nothing(Next, &'static str),
    /// It should have come with an answer.
    Unreadable,
}

/// What the status of a response without an answer means.
pub(super) fn meaning(status: u16) -> Meaning {
    match status {
        200..=299 => Meaning::Unreadable,
        300..=399 => Meaning::Nothing(
            Next::CorrectRequest,
            "a redirect: the server is to be asked at another address",
        ),
        401 | 403 | 407 => Meaning::Nothing(
            Next::Authorize,
            "which asks for authorization and tells nothing about the server",
        ),
        406 | 415 => Meaning::Nothing(
            Next::CorrectRequest,
            "so Accept or Content-Type did not arrive as they should be sent",
        ),
        421 => Meaning::Nothing(
            Next::CorrectRequest,
            "so Host did not arrive as the server has it",
        ),
        408 | 425 | 429 | 500..=599 => Meaning::Nothing(
            Next::Retry,
            "which tells nothing but that there is no answer now",
        ),
        400 | 404 | 405 => Meaning::Legacy(Next::InitializeOrSse),
        402..=499 => Meaning::Legacy(Next::Initialize),
        _ => Meaning::Nothing(Next::GiveUp, "which HTTP does not define"),
    }
}

/// What such a status means even where a JSON-RPC error came with it that proves nothing: whoever answers so has not
/// looked at the method. The specification itself has a modern server send errors with a 403.
pub(super) fn meaning_beside_an_error(status: u16) -> Option<(Next, &'static str)> {
    match (status, meaning(status)) {
        (401 | 403 | 407 | 408 | 421 | 425 | 429 | 502..=504, Meaning::Nothing(next, why)) => {
            Some((next, why))
        }
        _ => None,
    }
}
