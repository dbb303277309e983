//! The characters of strings, and what other readers make of them.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::syntax::next_mark;

/// The four hexadecimal digits of a `\uXXXX` escape at the start of `text`.
fn unicode_escape(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// A character written as one or two `\uXXXX` escapes at the start of `text`, and how many bytes it takes.
/// None where the escape is half of a pair.
fn escaped_char(text: &str) -> (Option<char>, usize) {
    let units = [unicode_escape(text), text.get(6..).and_then(unicode_escape)];
    let decode = |units: &[Option<u16>]| {
        char::decode_utf16(units.iter().map_while(|unit| *unit))
            .next()
            .and_then(Result::ok)
    };
    match (decode(&units[..1]), decode(&units)) {
        (Some(char), _) => (Some(char), 6),
        (None, Some(char)) => (Some(char), 12),
        (None, None) => (None, 6),
    }
}

/// Whether a string of these characters is written as they are.
pub fn needs_no_escape(text: &str) -> bool {
    next_mark(text.as_bytes(), 0) == text.len()
}

/// The characters of a valid string's inside.
pub(super) fn unescape(inside: &str) -> String {
    let mut plain = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        let (char, length) = match escape.as_bytes()[1] {
            b'u' => escaped_char(escape),
            b'b' => (Some('\u{8}'), 2),
            b'f' => (Some('\u{c}'), 2),
            b'n' => (Some('\n'), 2),
            b'r' => (Some('\r'), 2),
            b't' => (Some('\t'), 2),
            other => (Some(char::from(other)), 2),
        };
        plain.push_str(before);
        plain.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = &escape[length..];
    }
    plain + rest
}

/// The text with each escape that is half of a surrogate pair replaced by the one for U+FFFD,
/// so that every reader of the raw text agrees on it. Borrowed if there is none.
pub fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let mut repaired: Option<String> = None;
    let mut at = 0;
    let next = |at| memchr(b'\\', text.as_bytes().get(at..)?);
    while let Some(found) = next(at) {
        at += found;
        if text.as_bytes().get(at + 1) != Some(&b'u') {
            // In a text that is no JSON this may be inside of a character, of which no byte is a backslash.
            at += 2;
            continue;
        }
        match escaped_char(&text[at..]) {
            (None, _) if unicode_escape(&text[at..]).is_some() => {
                let repaired = repaired.get_or_insert_with(|| text.to_owned());
                repaired.replace_range(at..at + 6, "\\ufffd");
                at += 6;
            }
            (None, _) => at += 2,
            (Some(_), length) => at += length,
        }
    }
    repaired.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A JSON text of one line with those characters escaped at which some readers break lines too; inside of JSON they
/// can only stand in strings.
pub fn escape_line_breaks(json: String) -> String {
    // The bytes that they begin with: most texts have neither.
    if memchr2(0xc2, 0xe2, json.as_bytes()).is_none() {
        return json;
    }
    let is_break = |char| matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut escaped = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find(is_break) {
        let (before, behind) = rest.split_at(at);
        escaped.push_str(before);
        let (escape, length) = match behind.chars().next() {
            Some('\u{85}') => ("\\u0085", 2),
            Some('\u{2028}') => ("\\u2028", 3),
            _ => ("\\u2029", 3),
        };
        escaped.push_str(escape);
        rest = &behind[length..];
    }
    escaped + rest
}
