//! JSON as it came: a checked text that is walked in place, so that nothing is lost and no type can surprise.
//!
//! A tree would forget the raw text of members nobody knows yet, the difference between `60` and `60.0`, and fail
//! on numbers outside of its types. [`Json`] keeps the text and reads from it only what is asked for; a [`Reader`] checks
//! a text and reads it in the same pass.

mod reader;
mod syntax;
mod text;

use std::borrow::Cow;
use std::fmt;
use std::iter;

pub use reader::{Field, Reader};
use syntax::end_of_string;
pub use text::repair_surrogates;
pub(super) use text::{escape_line_breaks, needs_no_escape};

/// The deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: u32 = 128;

/// One JSON value: its text, known to be valid, without surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<'a> {
    text: &'a str,
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

impl Default for Json<'_> {
    fn default() -> Self {
        Self { text: "null" }
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
        let mut reader = Reader::new(text);
        let value = reader.value();
        reader.rest().map(|rest| (value, rest))
    }

    /// A reader that stands at the value.
    pub fn reader(self) -> Reader<'a> {
        Reader::new(self.text)
    }

    /// The text of the value.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// What the value is.
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
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        self.reader().string().right()
    }

    /// The boolean.
    pub fn as_bool(self) -> Option<bool> {
        self.reader().boolean().right()
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
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
        let mut reader = self.reader();
        let is_object = reader.enter(Kind::Object);
        iter::from_fn(move || {
            let name = is_object.then(|| reader.next_name())??;
            Some((name, reader.value()))
        })
        .fuse()
    }

    /// The elements of an array; none for anything else.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut reader = self.reader();
        let is_array = reader.enter(Kind::Array);
        iter::from_fn(move || (is_array && reader.next_element()).then(|| reader.value())).fuse()
    }

    /// The text without white space between its tokens, so that it is one line.
    pub fn compact(self) -> Cow<'a, str> {
        let bytes = self.text.as_bytes();
        let mut compact: Option<String> = None;
        let mut at = 0;
        while at < bytes.len() {
            let token = at;
            at = match bytes[at] {
                b'"' => end_of_string(bytes, at).map_or(bytes.len(), |(end, _)| end),
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
