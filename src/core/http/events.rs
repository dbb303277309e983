//! An event stream to its messages, by the rules of the HTML standard (server-sent events), with a limit.

use std::mem;

use memchr::memchr2;

use crate::core::memory;

/// What a line may have beside the data: `data: `, and some for the fields that are not looked at.
const FIELD: usize = 256;

/// An event that came whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The data of a message.
    Message(Vec<u8>),
    /// A message past the limit, or one that there was no memory for.
    TooLong,
}

/// Cuts a stream into events. Memory stays within the limit, whatever comes.
#[derive(Debug)]
pub(super) struct Events {
    limit: usize,
    /// What came of the line so far, but for that of a comment.
    line: Vec<u8>,
    /// The line is longer than anything that is of use.
    line_too_long: bool,
    /// The data of the event so far, each line with a line feed behind it.
    data: Vec<u8>,
    too_long: bool,
    /// The event has a type other than message, so it is not for us.
    is_other: bool,
    /// A carriage return ended the last line; a line feed right behind it belongs to it.
    after_return: bool,
    at_start: bool,
}

impl Events {
    /// A stream whose messages have at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            line_too_long: false,
            data: Vec::new(),
            too_long: false,
            is_other: false,
            after_return: false,
            at_start: true,
        }
    }

    /// Takes bytes up to the end of an event. Gives the message, if one has ended, and the bytes behind it.
    pub(super) fn take<'b>(&mut self, mut bytes: &'b [u8]) -> (Option<Event>, &'b [u8]) {
        while !bytes.is_empty() {
            if mem::take(&mut self.after_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr2(b'\r', b'\n', bytes) else {
                self.keep(bytes);
                break;
            };
            self.keep(&bytes[..end]);
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if let Some(event) = self.end_line() {
                return (Some(event), bytes);
            }
        }
        (None, &[])
    }

    /// The stream has ended: the message that lacks only its blank line.
    pub(super) fn end(&mut self) -> Option<Event> {
        self.end_line().or_else(|| self.dispatch())
    }

    fn keep(&mut self, bytes: &[u8]) {
        // A comment of any length costs nothing.
        let is_comment = self.line.first().or(bytes.first()) == Some(&b':');
        let bytes = if is_comment && !self.line.is_empty() {
            &[]
        } else if is_comment {
            &bytes[..bytes.len().min(1)]
        } else {
            bytes
        };
        if self.line_too_long || bytes.is_empty() {
            return;
        }
        let fits = self.line.len() + bytes.len() <= self.limit.saturating_add(FIELD);
        if fits && memory::reserve(&mut self.line, bytes.len()) {
            self.line.extend_from_slice(bytes);
        } else {
            self.line_too_long = true;
            self.line = Vec::new();
        }
    }

    fn end_line(&mut self) -> Option<Event> {
        let mut line = mem::take(&mut self.line);
        let too_long = mem::take(&mut self.line_too_long);
        if mem::take(&mut self.at_start) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if too_long {
            self.drop_data();
        } else if line.is_empty() {
            return self.dispatch();
        } else {
            self.field(&line);
        }
        // The room is used again.
        line.clear();
        self.line = line;
        None
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(value),
            b"event" => self.is_other = !matches!(value, b"" | b"message"),
            _ => {}
        }
    }

    fn add_data(&mut self, value: &[u8]) {
        let fits = self.data.len() + value.len() <= self.limit;
        if !self.too_long && fits && memory::reserve(&mut self.data, value.len() + 1) {
            self.data.extend_from_slice(value);
            self.data.push(b'\n');
        } else {
            self.drop_data();
        }
    }

    fn drop_data(&mut self) {
        self.too_long = true;
        self.data = Vec::new();
    }

    fn dispatch(&mut self) -> Option<Event> {
        let mut data = mem::take(&mut self.data);
        let too_long = mem::take(&mut self.too_long);
        if mem::take(&mut self.is_other) {
            return None;
        }
        if too_long {
            return Some(Event::TooLong);
        }
        data.pop()?;
        Some(Event::Message(data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a stream that comes in these pieces; `!` is one past the limit.
    fn messages<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut events = Events::new(limit);
        let mut messages = Vec::new();
        let mut add = |event| {
            messages.push(match event {
                Event::Message(data) => String::from_utf8(data).unwrap(),
                Event::TooLong => "!".to_owned(),
            });
        };
        for piece in pieces {
            let mut rest = piece;
            while !rest.is_empty() {
                let event;
                (event, rest) = events.take(rest);
                event.into_iter().for_each(&mut add);
            }
        }
        events.end().into_iter().for_each(add);
        messages
    }

    #[track_caller]
    fn reads(stream: &str, expected: &[&str]) {
        let bytes = stream.as_bytes();
        assert_eq!(messages(64, [bytes]), expected, "{stream:?}");
        assert_eq!(messages(64, bytes.chunks(1)), expected, "{stream:?}");
        for at in 0..bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(messages(64, [head, tail]), expected, "{stream:?} at {at}");
        }
    }

    #[test]
    fn messages_are_read_by_the_rules() {
        reads("data: a\n\n", &["a"]);
        reads("data:a\r\rdata: b\r\n\r\ndata:  c\n\n", &["a", "b", " c"]);
        reads("\u{feff}data: a\n\n", &["a"]);
        reads("\u{feff}\u{feff}data: a\n\n", &[]);
        reads("data: a\ndata\ndata: b\n\n", &["a\n\nb"]);
        reads(
            ": hello\n\n:\r\n\nid: 1\nretry: 5\ndata: a\nunknown: x\n: b\n\n",
            &["a"],
        );
        reads(
            "event: ping\ndata: a\n\nevent: message\ndata: b\n\nevent:\ndata: c\n\n",
            &["b", "c"],
        );
        reads("event: ping\n\ndata: a\n\n", &["a"]);
        reads("\n\n\r\n\r\r", &[]);
        reads("data: é:\n\n", &["é:"]);
        reads("Data: a\n data: b\ndataset: c\n\n", &[]);
    }

    #[test]
    fn the_last_message_needs_no_blank_line() {
        reads("data: a", &["a"]);
        reads("data: a\n", &["a"]);
        reads("data: a\r\ndata: b\r", &["a\nb"]);
        reads("data: a\n\nid: 2", &["a"]);
    }

    #[test]
    fn what_is_past_the_limit_costs_its_message_and_no_memory() {
        let long = "x".repeat(65);
        reads(&format!("data: {long}\n\ndata: a\n\n"), &["!", "a"]);
        reads(&format!("data: {}\ndata: x\n\n", "x".repeat(64)), &["!"]);
        reads(&format!("data: {}\n\n", "x".repeat(64)), &[&"x".repeat(64)]);
        let mut events = Events::new(64);
        for _ in 0..1000 {
            assert_eq!(events.take(&[b'x'; 4096]).0, None);
        }
        assert!(events.line.capacity() <= 2 * (64 + FIELD));
        assert_eq!(events.take(b"\n\n").0, Some(Event::TooLong));
        for _ in 0..1000 {
            assert_eq!(events.take(b":a comment without end").0, None);
        }
        assert!(events.line.capacity() < FIELD);
        assert_eq!(
            events.take(b"\ndata: a\n\n").0,
            Some(Event::Message(b"a".to_vec()))
        );
    }
}
