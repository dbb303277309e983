//! JSON as it came: a checked text that is walked in place, so that nothing is lost and no type can surprise.
//!
//! A tree would forget the raw text of members nobody knows yet, the difference between `60` and `60.0`, and fail
//! on numbers outside of its types. [`Json`] keeps the text and reads from it only what is asked for. An [`Index`],
//! which costs no allocation, remembers from the check how far each value reaches, so that a walk reads none again.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr2};

/// The deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: u32 = 128;

/// One JSON value: its text, known to be valid, without surrounding white space.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    /// Where an index knows the value: its extent, then those of what is inside of it, as far as they are known.
    extents: &'a [Extent],
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Json<'_> {}

/// How many values and member names an index has room for. Most messages have less; of others it holds those that begin
/// first, which the rest stands in or behind.
const INDEXED: usize = 128;

/// Room for the extents of a text's values and member names, in the order in which they begin. It is no more than a
/// help: what is not in it is measured when a walk comes by.
#[derive(Debug)]
pub struct Index([Extent; INDEXED]);

impl Default for Index {
    fn default() -> Self {
        Self([Extent::default(); INDEXED])
    }
}

/// How far a value or a member name reaches.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    /// From its first byte to behind its last one.
    bytes: u32,
    /// It, and what is inside of it, as far as the index has room.
    entries: u16,
    /// It is a string without escapes.
    is_plain: bool,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        })
    }
}

/// Why a text is no JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// Bytes from the start of the text to the fault.
    pub offset: usize,
    /// What went wrong there.
    pub fault: Fault,
}

/// What is wrong with a text that is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Something else should stand here.
    Expected(&'static str),
    /// The text ends inside of a value.
    Unfinished,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Expected(what) => write!(f, "expected {what} at byte {}", self.offset),
            Fault::Unfinished => write!(f, "the JSON text ends too early, at byte {}", self.offset),
            Fault::TooDeep => write!(
                f,
                "nested deeper than {MAX_DEPTH} levels at byte {}",
                self.offset
            ),
        }
    }
}

impl<'a> Json<'a> {
    /// Reads a text that is one JSON value.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        let (value, rest) = Self::parse_first(text)?;
        if rest.is_empty() {
            return Ok(value);
        }
        Err(SyntaxError {
            offset: text.len() - rest.len(),
            fault: Fault::Expected("the end of the text"),
        })
    }

    /// Reads the first JSON value of a text; gives it and what follows it and the white space behind it.
    pub fn parse_first(text: &'a str) -> Result<(Self, &'a str), SyntaxError> {
        Self::read_first(text, &mut []).map(|(text, _, rest)| (Self { text, extents: &[] }, rest))
    }

    /// As [`parse_first`](Self::parse_first), and makes an index by which the value is walked faster.
    pub fn parse_indexed<'t: 'a>(
        text: &'t str,
        index: &'a mut Index,
    ) -> Result<(Self, &'t str), SyntaxError> {
        let (text, used, rest) = Self::read_first(text, &mut index.0)?;
        let extents = &index.0[..used];
        Ok((Self { text, extents }, rest))
    }

    /// The first value's text, how many extents were noted, and the rest.
    fn read_first<'t>(
        text: &'t str,
        extents: &mut [Extent],
    ) -> Result<(&'t str, usize, &'t str), SyntaxError> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        // A text of such a size is not worth wider extents.
        let extents = match u32::try_from(bytes.len()) {
            Ok(_) => extents,
            Err(_) => &mut [],
        };
        let mut open = Open::new(extents);
        let end = check_value(bytes, start, &mut open)?;
        let rest = skip_space(bytes, end);
        Ok((&text[start..end], open.used, &text[rest..]))
    }

    /// The text of the value.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// What the value is.
    #[inline(always)]
    pub fn kind(self) -> Kind {
        match self.text.as_bytes()[0] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Whether the value is `null`, which counts as absence everywhere.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string, unescaped; lone surrogates become U+FFFD.
    #[inline(always)]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        let inside = &self.text[1..self.text.len() - 1];
        let is_plain = self.extents.first().is_some_and(|extent| extent.is_plain);
        Some(match is_plain {
            true => Cow::Borrowed(inside),
            false => unescape(inside),
        })
    }

    /// The boolean.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then_some(self.text == "true")
    }

    /// The number, if it is written as an integer (`1`, not `1.0`) and fits.
    pub fn as_integer(self) -> Option<i64> {
        (self.kind() == Kind::Number)
            .then(|| self.text.parse().ok())
            .flatten()
    }

    /// The number, as near as a double comes to it; infinite if it is beyond.
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == Kind::Number)
            .then(|| self.text.parse().ok())
            .flatten()
    }

    /// The members of an object in the order of the text, duplicates included; none for anything else.
    pub fn members(self) -> Members<'a> {
        Members(Inside::of(self, Kind::Object))
    }

    /// The elements of an array; none for anything else.
    pub fn elements(self) -> Elements<'a> {
        Elements(Inside::of(self, Kind::Array))
    }

    /// The text without white space between its tokens, so that it is one line.
    pub fn compact(self) -> Cow<'a, str> {
        let bytes = self.text.as_bytes();
        let mut compact: Option<String> = None;
        let mut at = 0;
        while at < bytes.len() {
            let token = at;
            at = match bytes[at] {
                b'"' => step_over_string(bytes, at),
                b' ' | b'\t' | b'\n' | b'\r' => {
                    compact.get_or_insert_with(|| self.text[..at].to_owned());
                    at += 1;
                    continue;
                }
                _ => at + 1,
            };
            if let Some(compact) = &mut compact {
                compact.push_str(&self.text[token..at]);
            }
        }
        compact.map_or(Cow::Borrowed(self.text), Cow::Owned)
    }
}

/// The members of an object.
pub struct Members<'a>(Inside<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.value(b':')?.as_str()?;
        let value = self.0.value(b',')?;
        Some((key, value))
    }
}

/// The elements of an array.
pub struct Elements<'a>(Inside<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.value(b',')
    }
}

/// What stands between the brackets of a valid array or object, from a place on.
struct Inside<'a> {
    rest: &'a str,
    /// The extents of what begins from here on.
    extents: &'a [Extent],
}

impl<'a> Inside<'a> {
    #[inline(always)]
    fn of(value: Json<'a>, kind: Kind) -> Self {
        let text = match value.kind() == kind {
            true => &value.text[1..value.text.len() - 1],
            false => "",
        };
        Self {
            rest: &text[skip_space(text.as_bytes(), 0)..],
            extents: value.extents.get(1..).unwrap_or_default(),
        }
    }

    /// The value or the member name that starts here, and the separator behind it is stepped over; none at the end.
    #[inline(always)]
    fn value(&mut self, separator: u8) -> Option<Json<'a>> {
        let bytes = self.rest.as_bytes();
        let mut extents: &[Extent] = &[];
        let end = match (bytes.first()?, self.extents.first()) {
            (_, Some(extent)) => {
                (extents, self.extents) = self.extents.split_at(extent.entries.into());
                extent.bytes as usize
            }
            (b'"', None) => step_over_string(bytes, 0),
            (b'{' | b'[', None) => check_value(bytes, 0, &mut Open::new(&mut [])).ok()?,
            (_, None) => step_over_word(bytes, 0),
        };
        let mut next = skip_space(bytes, end);
        if bytes.get(next) == Some(&separator) {
            next = skip_space(bytes, next + 1);
        }
        let text = &self.rest[..end];
        self.rest = &self.rest[next..];
        Some(Json { text, extents })
    }
}

/// Where a valid string ends, closing quote included.
#[inline(always)]
fn step_over_string(bytes: &[u8], at: usize) -> usize {
    let mut at = next_mark(bytes, at + 1);
    while bytes.get(at) == Some(&b'\\') {
        at = next_mark(bytes, at + 2);
    }
    at + 1
}

/// Where a valid number, boolean or null ends.
fn step_over_word(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-') = bytes.get(at) {
        at += 1;
    }
    at
}

#[inline(always)]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

fn expected(what: &'static str, bytes: &[u8], offset: usize) -> SyntaxError {
    let fault = match offset < bytes.len() {
        true => Fault::Expected(what),
        false => Fault::Unfinished,
    };
    SyntaxError { offset, fault }
}

/// The arrays and objects that are open: their kinds, one bit each, so that nesting costs neither stack nor heap; and
/// the extents, as far as there is room. While one is open its extent holds where it starts, and the one around it.
struct Open<'i> {
    depth: u32,
    objects: u128,
    extents: &'i mut [Extent],
    used: usize,
    innermost: u16,
    /// How many are open for whose extents there was no room.
    unnoted: u32,
}

impl<'i> Open<'i> {
    fn new(extents: &'i mut [Extent]) -> Self {
        Self {
            depth: 0,
            objects: 0,
            extents,
            used: 0,
            innermost: 0,
            unnoted: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, object: bool, start: usize) -> Result<(), SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(SyntaxError {
                offset: start,
                fault: Fault::TooDeep,
            });
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(object);
        match self.extents.get_mut(self.used) {
            Some(extent) => {
                extent.bytes = start as u32;
                extent.entries = self.innermost;
                extent.is_plain = false;
                self.innermost = self.used as u16;
                self.used += 1;
            }
            None => self.unnoted += 1,
        }
        Ok(())
    }

    #[inline(always)]
    fn pop(&mut self, end: usize) {
        self.depth -= 1;
        self.objects >>= 1;
        if self.unnoted > 0 {
            self.unnoted -= 1;
        } else if let Some(extent) = self.extents.get_mut(usize::from(self.innermost)) {
            let around = extent.entries;
            extent.bytes = end as u32 - extent.bytes;
            extent.entries = self.used as u16 - self.innermost;
            self.innermost = around;
        }
    }

    /// Notes what has nothing inside of it; gives its end.
    #[inline(always)]
    fn note(&mut self, start: usize, end: usize, is_plain: bool) -> usize {
        if let Some(extent) = self.extents.get_mut(self.used) {
            *extent = Extent {
                bytes: (end - start) as u32,
                entries: 1,
                is_plain,
            };
            self.used += 1;
        }
        end
    }

    #[inline(always)]
    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

/// Checks the value that starts at `at`; gives where it ends.
fn check_value(bytes: &[u8], mut at: usize, open: &mut Open<'_>) -> Result<usize, SyntaxError> {
    let mut is_name = false;
    loop {
        at = match bytes.get(at) {
            Some(b'"') => {
                at = check_string(bytes, at, open)?;
                if is_name {
                    at = skip_space(bytes, at);
                    if bytes.get(at) != Some(&b':') {
                        return Err(expected("':'", bytes, at));
                    }
                    at = skip_space(bytes, at + 1);
                    is_name = false;
                    continue;
                }
                at
            }
            _ if is_name => return Err(expected("a member name in quotes", bytes, at)),
            Some(bracket @ (b'{' | b'[')) => {
                let is_object = *bracket == b'{';
                open.push(is_object, at)?;
                at = skip_space(bytes, at + 1);
                let end = if is_object { b'}' } else { b']' };
                if bytes.get(at) != Some(&end) {
                    is_name = is_object;
                    continue;
                }
                at += 1;
                open.pop(at);
                at
            }
            Some(b'-' | b'0'..=b'9') => open.note(at, end_of_number(bytes, at)?, false),
            Some(b't') => open.note(at, end_of_word(bytes, at, "true")?, false),
            Some(b'f') => open.note(at, end_of_word(bytes, at, "false")?, false),
            Some(b'n') => open.note(at, end_of_word(bytes, at, "null")?, false),
            _ => return Err(expected("a JSON value", bytes, at)),
        };
        // A value ends here: close what ends with it, or go on to the next one.
        loop {
            if open.depth == 0 {
                return Ok(at);
            }
            at = skip_space(bytes, at);
            match (bytes.get(at), open.in_object()) {
                (Some(b','), in_object) => {
                    at = skip_space(bytes, at + 1);
                    is_name = in_object;
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    at += 1;
                    open.pop(at);
                }
                (_, true) => return Err(expected("',' or '}'", bytes, at)),
                (_, false) => return Err(expected("',' or ']'", bytes, at)),
            }
        }
    }
}

/// Checks the string whose opening quote stands at `start`; gives where it ends, closing quote included.
#[inline(always)]
fn check_string(bytes: &[u8], start: usize, open: &mut Open<'_>) -> Result<usize, SyntaxError> {
    let mut at = start + 1;
    let mut is_plain = true;
    loop {
        at = next_mark(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(open.note(start, at + 1, is_plain)),
            Some(b'\\') => at = end_of_escape(bytes, at)?,
            Some(_) => return Err(expected("no control character in a string", bytes, at)),
            None => return Err(expected("'\"'", bytes, at)),
        }
        is_plain = false;
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
fn next_mark(bytes: &[u8], mut at: usize) -> usize {
    let (words, _) = bytes.get(at..).unwrap_or_default().as_chunks();
    for word in words {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    match bytes.last_chunk() {
        // What of the last eight bytes was looked at is shifted out; the zeros that come in mark the end.
        Some(word) if at < bytes.len() => {
            let seen = at + 8 - bytes.len();
            let marks = marks(u64::from_le_bytes(*word) >> (seen * 8));
            at + marks.trailing_zeros() as usize / 8
        }
        Some(_) => at,
        None => {
            let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let rest = bytes.get(at..).unwrap_or_default();
            at + rest.iter().take_while(|byte| is_plain(byte)).count()
        }
    }
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

/// The characters of a valid string's inside.
fn unescape(inside: &str) -> Cow<'_, str> {
    let first = next_mark(inside.as_bytes(), 0);
    if first == inside.len() {
        return Cow::Borrowed(inside);
    }
    let mut plain = String::with_capacity(inside.len());
    plain.push_str(&inside[..first]);
    let mut rest = &inside[first..];
    while let Some(letter) = rest.as_bytes().get(1) {
        let (char, length) = match letter {
            b'u' => escaped_char(rest),
            b'b' => (Some('\u{8}'), 2),
            b'f' => (Some('\u{c}'), 2),
            b'n' => (Some('\n'), 2),
            b'r' => (Some('\r'), 2),
            b't' => (Some('\t'), 2),
            other => (Some(char::from(*other)), 2),
        };
        plain.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = &rest[length..];
        let next = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        plain.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(plain)
}

/// The text with each escape that is half of a surrogate pair replaced by the one for U+FFFD,
/// so that every reader of the raw text agrees on it. Borrowed if there is none.
pub fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let mut repaired: Option<String> = None;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        if text.as_bytes().get(at + 1) != Some(&b'u') {
            // The character after the backslash may be one of several bytes in a text that is no JSON.
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
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
pub(super) fn escape_line_breaks(json: String) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, offset: usize, sentence: &str) {
        let error = Json::parse(text).unwrap_err();
        assert_eq!(error.offset, offset, "{text:?}: {error}");
        assert_eq!(error.to_string(), sentence, "{text:?}");
    }

    #[test]
    fn an_error_says_what_should_stand_where() {
        refused("nil", 1, "expected null at byte 1");
        refused("x", 0, "expected a JSON value at byte 0");
        refused("[1 2]", 3, "expected ',' or ']' at byte 3");
        refused(
            "{\"a\":1,}",
            7,
            "expected a member name in quotes at byte 7",
        );
        refused("{\"a\" 1}", 5, "expected ':' at byte 5");
        refused("{\"a\":1]", 6, "expected ',' or '}' at byte 6");
        refused("[1,]", 3, "expected a JSON value at byte 3");
        refused("-x", 1, "expected a digit at byte 1");
        refused("1.e5", 2, "expected a digit at byte 2");
        refused(
            r#""\x""#,
            2,
            "expected a character that can be escaped at byte 2",
        );
        refused(
            r#""\u00g0""#,
            5,
            "expected four hexadecimal digits at byte 5",
        );
        refused(
            "\"\t\"",
            1,
            "expected no control character in a string at byte 1",
        );
        // Offsets are in bytes, from the start of the text.
        refused("  \"é\" x", 7, "expected the end of the text at byte 7");
        refused("01", 1, "expected the end of the text at byte 1");
        refused("{} {}", 3, "expected the end of the text at byte 3");
    }

    #[test]
    fn a_text_that_stops_too_early_is_told_from_a_wrong_one() {
        for text in [
            "", " ", "{", "[1", "[1,", "{\"a\"", "{\"a\":", "\"a", "\"\\", "\"\\u12", "-", "1.",
            "1e", "tru",
        ] {
            let end = text.len();
            refused(
                text,
                end,
                &format!("the JSON text ends too early, at byte {end}"),
            );
        }
    }

    #[test]
    fn nesting_is_read_to_a_fixed_depth() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let deepest = nested(128);
        assert_eq!(Json::parse(&deepest).map(Json::text), Ok(deepest.as_str()));
        refused(
            &nested(129),
            128,
            "nested deeper than 128 levels at byte 128",
        );
        refused(
            &"{\"a\":".repeat(1000),
            640,
            "nested deeper than 128 levels at byte 640",
        );
        // Many of the same depth are not deep.
        let wide = format!("[{}]", vec![nested(127); 3].join(","));
        assert!(Json::parse(&wide).is_ok());
    }

    #[test]
    fn the_first_value_of_a_text_leaves_the_rest() {
        let first = |text| Json::parse_first(text).map(|(value, rest)| (value.text(), rest));
        assert_eq!(first(" {} \t[1]\r\n"), Ok(("{}", "[1]\r\n")));
        assert_eq!(first("1 "), Ok(("1", "")));
        assert_eq!(first("\"a\"b"), Ok(("\"a\"", "b")));
    }

    #[test]
    fn what_a_value_is_not_it_does_not_give() {
        let json = Json::parse(r#"[1, 1.0, -0, 1e2, 9223372036854775808, "1", true, null, {}]"#);
        let integers: Vec<_> = json.unwrap().elements().map(Json::as_integer).collect();
        assert_eq!(integers[..5], [Some(1), None, Some(0), None, None]);
        assert_eq!(integers[5..], [None; 4]);
        let strings = json.unwrap().elements().filter_map(Json::as_str);
        assert_eq!(strings.collect::<Vec<_>>(), ["1"]);
        let bools = json.unwrap().elements().filter_map(Json::as_bool);
        assert_eq!(bools.collect::<Vec<_>>(), [true]);
        assert_eq!(json.unwrap().members().count(), 0);
        assert_eq!(Json::parse("\"[1]\"").unwrap().elements().count(), 0);
    }

    #[test]
    fn members_come_in_order_with_duplicates() {
        let json = Json::parse(r#"{ "a" : 1 , "\u0061":{"a":2}, "":[ ] }"#).unwrap();
        let members: Vec<_> = json.members().map(|(n, v)| (n, v.text())).collect();
        let expected = [("a", "1"), ("a", r#"{"a":2}"#), ("", "[ ]")];
        assert_eq!(members, expected.map(|(name, text)| (name.into(), text)));
    }

    #[test]
    fn half_a_surrogate_pair_is_repaired_and_nothing_else() {
        for (text, repaired) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (
                r#""\ud83d\ud83d\ude00\ude00""#,
                r#""\ufffd\ud83d\ude00\ufffd""#,
            ),
            (r#""\uD83Dx\u0041""#, r#""\ufffdx\u0041""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\n\ude00""#, r#""\ufffd\n\ufffd""#),
        ] {
            assert_eq!(repair_surrogates(text), repaired);
        }
        assert!(matches!(
            repair_surrogates(r#"{"a":"\ud83d\ude00"}"#),
            Cow::Borrowed(_)
        ));
    }
}
