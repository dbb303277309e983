//! What the id of a request is.

use std::borrow::Cow;
use std::ffi::c_char;

use super::error::Failure;
use super::options::{Choice, choice, text};
use crate::core::request::Id;

/// What the id of a request is. JSON-RPC ids are strings or integers, and "1" is another id than
/// 1.
pub type mcpd_id_kind = i32;

/// In a request: "discover-1" or "initialize-1", by the method. In a reply: any id.
pub const MCPD_ID_DEFAULT: mcpd_id_kind = 0;
/// The string in id_string.
pub const MCPD_ID_STRING: mcpd_id_kind = 1;
/// The integer in id_integer.
pub const MCPD_ID_INTEGER: mcpd_id_kind = 2;

#[derive(Clone, Copy)]
enum Kind {
    Default,
    String,
    Integer,
}

const KINDS: &[Choice<Kind>] = &[
    (MCPD_ID_DEFAULT, "MCPD_ID_DEFAULT", Kind::Default),
    (MCPD_ID_STRING, "MCPD_ID_STRING", Kind::String),
    (MCPD_ID_INTEGER, "MCPD_ID_INTEGER", Kind::Integer),
];

/// The id in the fields of the caller's options; none for the default.
pub(super) unsafe fn read<'a>(
    kind: mcpd_id_kind,
    string: *const c_char,
    integer: i64,
) -> Result<Option<Id<'a>>, Failure> {
    let kind = choice(kind, "id_kind", KINDS)?;
    // SAFETY: it is a text of the caller's.
    let string = unsafe { text(string, "id_string") }?;
    match (kind, string) {
        (Kind::String, Some(string)) => Ok(Some(Id::Text(Cow::Borrowed(string)))),
        (Kind::String, None) => Err(Failure::argument(
            "id_string",
            "is NULL; expected the id, since id_kind is MCPD_ID_STRING",
        )),
        (_, Some(_)) => Err(Failure::argument(
            "id_string",
            "is set; expected NULL, since id_kind is not MCPD_ID_STRING",
        )),
        (Kind::Integer, None) => Ok(Some(Id::Integer(integer))),
        (Kind::Default, None) if integer != 0 => Err(Failure::argument(
            "id_integer",
            format_args!("is {integer}; expected 0, since id_kind is MCPD_ID_DEFAULT"),
        )),
        (Kind::Default, None) => Ok(None),
    }
}
