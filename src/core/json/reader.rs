//! Checks a text and reads it, in one pass.

use std::borrow::Cow;
use std::mem;

use super::syntax::{
    byte, check_depth, end_of_name, end_of_string, end_of_value, expected, skip_space,
};
use super::text::unescape;
use super::{Json, Kind, SyntaxError};

/// Stands in a text, at a value, and reads on.
///
/// Where the text turns out to be no JSON it stops: all that it gives from then on is absent, and the
/// [`rest`](Self::rest) is the error. So what was read counts only once the rest is there.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How many arrays and objects are open.
    depth: u32,
    /// Nothing was read yet of the one that was opened last.
    is_first: bool,
    error: Option<SyntaxError>,
}

/// What a reader finds where something of one type should stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<T> {
    /// `null`, or nothing at all.
    Absent,
    /// Something of another type.
    Wrong,
    /// What should be there.
    Right(T),
}

impl<'a> Reader<'a> {
    /// Stands at the first value of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: skip_space(text.as_bytes(), 0),
            depth: 0,
            is_first: false,
            error: None,
        }
    }

    /// What follows the value that was read and the white space behind it.
    pub fn rest(&self) -> Result<&'a str, SyntaxError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(&self.text[skip_space(self.text.as_bytes(), self.at)..]),
        }
    }

    /// Reads a value of any type.
    pub fn value(&mut self) -> Json<'a> {
        let start = self.at;
        match end_of_value(self.text.as_bytes(), start, self.depth) {
            Ok(end) => self.at = end,
            Err(error) => self.fail(error),
        }
        self.since(start)
    }

    /// Reads a value that nobody needs.
    pub fn skip(&mut self) {
        self.value();
    }

    /// Reads a number.
    pub fn number(&mut self) -> Field<Json<'a>> {
        let value = self.value();
        match value.kind() {
            Kind::Number => Field::Right(value),
            _ => Field::other(value),
        }
    }

    /// Reads a string; lone surrogates become U+FFFD.
    pub fn string(&mut self) -> Field<Cow<'a, str>> {
        if self.byte() != b'"' {
            return self.something_else();
        }
        match end_of_string(self.text.as_bytes(), self.at) {
            Ok((end, is_plain)) => {
                let string = self.inside(end, is_plain);
                self.at = end;
                Field::Right(string)
            }
            Err(error) => {
                self.fail(error);
                Field::Absent
            }
        }
    }

    /// Reads a boolean.
    pub fn boolean(&mut self) -> Field<bool> {
        let value = self.value();
        match value.text {
            "true" => Field::Right(true),
            "false" => Field::Right(false),
            _ => Field::other(value),
        }
    }

    /// Reads an object. Each of its members is given by its name, duplicates too, and its value has to be read.
    #[inline(always)]
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, Cow<'a, str>)) -> Field<()> {
        if !self.enter(Kind::Object) {
            return self.something_else();
        }
        while let Some(name) = self.next_name() {
            member(self, name);
        }
        Field::Right(())
    }

    /// As [`object`](Self::object), and gives the whole of it.
    #[inline(always)]
    pub fn object_json(&mut self, member: impl FnMut(&mut Self, Cow<'a, str>)) -> Field<Json<'a>> {
        let start = self.at;
        self.object(member).map(|()| self.since(start))
    }

    /// Reads an array. Each of its elements has to be read.
    #[inline(always)]
    pub fn array(&mut self, mut element: impl FnMut(&mut Self)) -> Field<()> {
        if !self.enter(Kind::Array) {
            return self.something_else();
        }
        while self.next_element() {
            element(self);
        }
        Field::Right(())
    }

    /// The value that is read meanwhile.
    pub fn json_of(&mut self, read: impl FnOnce(&mut Self)) -> Json<'a> {
        let start = self.at;
        read(self);
        self.since(start)
    }

    /// Whether an array or an object starts here; then it is open.
    pub(super) fn enter(&mut self, kind: Kind) -> bool {
        if self.byte() != if kind == Kind::Object { b'{' } else { b'[' } {
            return false;
        }
        if let Err(error) = check_depth(self.depth, self.at) {
            self.fail(error);
            return false;
        }
        self.at += 1;
        self.depth += 1;
        self.is_first = true;
        true
    }

    /// The next member's name in the object that is open, up to its value; none closes it.
    pub(super) fn next_name(&mut self) -> Option<Cow<'a, str>> {
        if !self.next(b'}', "',' or '}'") {
            return None;
        }
        match end_of_name(self.text.as_bytes(), self.at) {
            Ok(name) => {
                let text = self.inside(name.end, name.is_plain);
                self.at = name.value;
                Some(text)
            }
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// Whether there is one more element in the array that is open; else it is closed.
    pub(super) fn next_element(&mut self) -> bool {
        self.next(b']', "',' or ']'")
    }

    /// Whether there is more before the closing bracket.
    #[inline(always)]
    fn next(&mut self, closing: u8, separators: &'static str) -> bool {
        let bytes = self.text.as_bytes();
        self.at = skip_space(bytes, self.at);
        let is_first = mem::take(&mut self.is_first);
        match self.byte() {
            byte if byte == closing => {
                self.at += 1;
                self.depth -= 1;
                false
            }
            b',' if !is_first => {
                self.at = skip_space(bytes, self.at + 1);
                true
            }
            _ if is_first && self.error.is_none() => true,
            _ => {
                self.fail(expected(separators, bytes, self.at));
                false
            }
        }
    }

    /// Of the string that starts here and ends there, what stands between its quotes.
    #[inline(always)]
    fn inside(&self, end: usize, is_plain: bool) -> Cow<'a, str> {
        let inside = &self.text[self.at + 1..end - 1];
        match is_plain {
            true => Cow::Borrowed(inside),
            false => Cow::Owned(unescape(inside)),
        }
    }

    /// Reads a value that is not of the type that was asked for.
    fn something_else<T>(&mut self) -> Field<T> {
        Field::other(self.value())
    }

    /// The value that started there and ends here.
    fn since(&self, start: usize) -> Json<'a> {
        match self.error {
            Some(_) => Json::default(),
            None => Json {
                text: &self.text[start..self.at],
            },
        }
    }

    fn byte(&self) -> u8 {
        byte(self.text.as_bytes(), self.at)
    }

    #[cold]
    fn fail(&mut self, error: SyntaxError) {
        self.error.get_or_insert(error);
        self.at = self.text.len();
    }
}

impl<T> Field<T> {
    /// A value that is not of the type that was asked for.
    fn other(value: Json<'_>) -> Self {
        match value.is_null() {
            true => Field::Absent,
            false => Field::Wrong,
        }
    }

    /// The same of what should be there.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Field::Absent => Field::Absent,
            Field::Wrong => Field::Wrong,
            Field::Right(value) => Field::Right(make(value)),
        }
    }

    /// What should be there, if it is.
    pub fn right(self) -> Option<T> {
        match self {
            Field::Right(value) => Some(value),
            Field::Absent | Field::Wrong => None,
        }
    }
}
