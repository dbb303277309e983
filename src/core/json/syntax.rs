//! Where a value ends, and whether it is one.

use super::{Fault, MAX_DEPTH, SyntaxError};

/// A member name of an object.
pub(super) struct Name {
    /// Behind its closing quote.
    pub end: usize,
    /// It has no escapes.
    pub is_plain: bool,
    /// Where the member's value starts.
    pub value: usize,
}

/// Where the value that starts at `at` ends; so many arrays and objects are around it.
pub(super) fn end_of_value(bytes: &[u8], mut at: usize, around: u32) -> Result<usize, SyntaxError> {
    // Which of the open ones are objects, one bit each, so that nesting costs neither stack nor heap.
    let mut objects = 0_u128;
    let mut depth = around;
    loop {
        at = match byte(bytes, at) {
            b'"' => end_of_string(bytes, at)?.0,
            bracket @ (b'{' | b'[') => {
                check_depth(depth, at)?;
                let is_object = bracket == b'{';
                at = skip_space(bytes, at + 1);
                if byte(bytes, at) != if is_object { b'}' } else { b']' } {
                    depth += 1;
                    objects = objects << 1 | u128::from(is_object);
                    if is_object {
                        at = end_of_name(bytes, at)?.value;
                    }
                    continue;
                }
                at + 1
            }
            b'-' | b'0'..=b'9' => end_of_number(bytes, at)?,
            b't' => end_of_word(bytes, at, "true")?,
            b'f' => end_of_word(bytes, at, "false")?,
            b'n' => end_of_word(bytes, at, "null")?,
            _ => return Err(expected("a JSON value", bytes, at)),
        };
        // A value ends here: close what ends with it, or go on to the next one.
        loop {
            if depth == around {
                return Ok(at);
            }
            at = skip_space(bytes, at);
            match (byte(bytes, at), objects & 1 == 1) {
                (b',', in_object) => {
                    at = skip_space(bytes, at + 1);
                    if in_object {
                        at = end_of_name(bytes, at)?.value;
                    }
                    break;
                }
                (b'}', true) | (b']', false) => {
                    at += 1;
                    depth -= 1;
                    objects >>= 1;
                }
                (_, true) => return Err(expected("',' or '}'", bytes, at)),
                (_, false) => return Err(expected("',' or ']'", bytes, at)),
            }
        }
    }
}

/// Whether one more array or object, which starts at `at`, may stand in so many.
pub(super) fn check_depth(around: u32, at: usize) -> Result<(), SyntaxError> {
    match around < MAX_DEPTH {
        true => Ok(()),
        false => Err(SyntaxError {
            offset: at,
            fault: Fault::TooDeep,
        }),
    }
}

/// The byte at a place; 0, which starts and ends nothing, behind the last one.
#[inline(always)]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

#[inline(always)]
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\t' | b'\n' | b'\r' = byte(bytes, at) {
        at += 1;
    }
    at
}

pub(super) fn expected(what: &'static str, bytes: &[u8], offset: usize) -> SyntaxError {
    let fault = match offset < bytes.len() {
        true => Fault::Expected(what),
        false => Fault::Unfinished,
    };
    SyntaxError { offset, fault }
}

/// Reads the member name that should start at `at`, and the colon behind it.
#[inline(always)]
pub(super) fn end_of_name(bytes: &[u8], at: usize) -> Result<Name, SyntaxError> {
    if byte(bytes, at) != b'"' {
        return Err(expected("a member name in quotes", bytes, at));
    }
    let (end, is_plain) = end_of_string(bytes, at)?;
    let colon = skip_space(bytes, end);
    if byte(bytes, colon) != b':' {
        return Err(expected("':'", bytes, colon));
    }
    Ok(Name {
        end,
        is_plain,
        value: skip_space(bytes, colon + 1),
    })
}

/// Where the string whose opening quote stands at `start` ends, closing quote included; and whether it has no escapes.
#[inline(always)]
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxError> {
    let at = next_mark(bytes, start + 1);
    match byte(bytes, at) {
        b'"' => Ok((at + 1, true)),
        _ => Ok((end_behind_escapes(bytes, at)?, false)),
    }
}

/// Where the string ends that has the mark at `at` in it. Most strings have no escapes, and should not pay for them.
#[inline(never)]
fn end_behind_escapes(bytes: &[u8], mut at: usize) -> Result<usize, SyntaxError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = end_of_escape(bytes, at)?,
            Some(_) => return Err(expected("no control character in a string", bytes, at)),
            None => return Err(expected("'\"'", bytes, at)),
        }
        at = next_mark(bytes, at);
    }
}

fn end_of_escape(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let digits = at + 2..at + 6;
            for digit in digits.clone() {
                if !bytes.get(digit).is_some_and(u8::is_ascii_hexdigit) {
                    return Err(expected("four hexadecimal digits", bytes, digit));
                }
            }
            Ok(digits.end)
        }
        _ => Err(expected("a character that can be escaped", bytes, at + 1)),
    }
}

/// Where the first quote, backslash or control character from `at` on stands, or the end. Most of what servers send is
/// inside of strings, so it looks at eight bytes at a time.
#[inline(always)]
pub(super) fn next_mark(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at)
        && !matches!(byte, b'"' | b'\\' | 0..=0x1f)
    {
        at += 1;
    }
    at
}

/// A word whose lowest bit that is set is in the first byte that is a quote, a backslash or a control character; zero if
/// no byte is. A borrow can mark bytes behind the first one, never before it.
#[inline(always)]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // Exchanging 0x20 and 0x22 puts the quote next to the control characters.
    let quote_or_control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !word & HIGH
}

fn end_of_number(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    let digits = |mut at: usize| {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        match at == start {
            true => Err(expected("a digit", bytes, at)),
            false => Ok(at),
        }
    };
    let mut at = at + usize::from(bytes[at] == b'-');
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        _ => digits(at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = digits(at)?;
    }
    Ok(at)
}

fn end_of_word(bytes: &[u8], at: usize, word: &'static str) -> Result<usize, SyntaxError> {
    for (i, letter) in word.bytes().enumerate() {
        if bytes.get(at + i) != Some(&letter) {
            return Err(expected(word, bytes, at + i));
        }
    }
    Ok(at + word.len())
}
