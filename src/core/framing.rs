//! Bytes to lines, with a limit.

use std::mem;

use memchr::memchr;

use super::memory;

/// A line as it came, without the line feed that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line within the limit.
    Whole(&'a [u8]),
    /// The head of a line past the limit, or of one that there was no memory for.
    TooLong(&'a [u8]),
}

/// How much of a line past the limit is kept to show it.
const HEAD: usize = 200;

/// A buffer larger than this is given back once its line is done.
const KEPT_CAPACITY: usize = 64 * 1024;

/// Cuts a stream of bytes into lines. Memory stays within the limit, whatever comes.
#[derive(Debug)]
pub struct Framing {
    limit: usize,
    /// What came of the line so far; of a line past the limit, its head.
    partial: Vec<u8>,
    too_long: bool,
    /// The line in `partial` was handed out and goes with the next call.
    done: bool,
}

impl Framing {
    /// Framing for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            too_long: false,
            done: false,
        }
    }

    /// Takes bytes up to and with the first line feed. Gives the line that it ends, if there is one, and the
    /// bytes behind it, to be taken next.
    pub fn take<'s, 'b: 's>(&'s mut self, bytes: &'b [u8]) -> (Option<Line<'s>>, &'b [u8]) {
        if self.done {
            self.drop_partial();
        }
        let Some(end) = memchr(b'\n', bytes) else {
            self.keep(bytes);
            return (None, &[]);
        };
        let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
        if self.partial.is_empty() && !self.too_long && line.len() <= self.limit {
            return (Some(Line::Whole(line)), rest);
        }
        self.keep(line);
        self.done = true;
        let line = match self.too_long {
            true => Line::TooLong(&self.partial),
            false => Line::Whole(&self.partial),
        };
        (Some(line), rest)
    }

    /// The bytes of a line that has not ended yet, unless it is past the limit already.
    pub fn partial(&self) -> Option<&[u8]> {
        let open = !self.done && !self.too_long && !self.partial.is_empty();
        open.then_some(&self.partial)
    }

    /// Takes out the line that has not ended yet, unless it is past the limit already.
    pub fn take_partial(&mut self) -> Option<Vec<u8>> {
        self.partial()?;
        Some(mem::take(&mut self.partial))
    }

    /// The head of a line that has not ended yet and is past the limit already.
    pub fn overlong(&self) -> Option<&[u8]> {
        let open = !self.done && self.too_long;
        open.then_some(&self.partial)
    }

    /// Drops the line that has not ended yet.
    pub fn drop_partial(&mut self) {
        if self.partial.capacity() > KEPT_CAPACITY {
            self.partial = Vec::new();
        }
        self.partial.clear();
        self.too_long = false;
        self.done = false;
    }

    fn keep(&mut self, bytes: &[u8]) {
        if !self.too_long {
            let fits = self.partial.len() + bytes.len() <= self.limit;
            if fits && memory::reserve(&mut self.partial, bytes.len()) {
                self.partial.extend_from_slice(bytes);
                return;
            }
            self.too_long = true;
            let mut head = Vec::with_capacity(HEAD);
            head.extend_from_slice(&self.partial[..self.partial.len().min(HEAD)]);
            self.partial = head;
        }
        let missing = HEAD.saturating_sub(self.partial.len()).min(bytes.len());
        self.partial.extend_from_slice(&bytes[..missing]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut framing = Framing::new(limit);
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (line, behind) = framing.take(rest);
                match line {
                    Some(Line::Whole(line)) => lines.push(String::from_utf8_lossy(line).into()),
                    Some(Line::TooLong(head)) => {
                        lines.push(format!("too long: {}", String::from_utf8_lossy(head)));
                    }
                    None => {}
                }
                rest = behind;
            }
        }
        if let Some(partial) = framing.partial() {
            lines.push(format!("partial: {}", String::from_utf8_lossy(partial)));
        }
        lines
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_arrive() {
        let text = b"one\n\ntwo\r\nthree\nfour";
        let whole = lines(10, &[text]);
        assert_eq!(whole, ["one", "", "two\r", "three", "partial: four"]);
        for at in 0..=text.len() {
            assert_eq!(
                lines(10, &[&text[..at], &text[at..]]),
                whole,
                "split at {at}"
            );
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(lines(10, &bytes), whole);
    }

    #[test]
    fn the_head_of_a_long_line_is_the_same_however_its_bytes_arrive() {
        let text = b"0123456789\n";
        for limit in 0..10 {
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(lines(limit, &bytes), ["too long: 0123456789"]);
            assert_eq!(lines(limit, &[text]), ["too long: 0123456789"]);
        }
    }

    #[test]
    fn a_line_past_the_limit_costs_its_head_and_nothing_else() {
        let long = [b'x'; 1000];
        assert_eq!(
            lines(3, &[b"abc\n", b"abcd\nab\n"]),
            ["abc", "too long: abcd", "ab"]
        );
        let mut framing = Framing::new(10);
        for _ in 0..1000 {
            assert_eq!(framing.take(&long), (None, &[][..]));
        }
        assert!(framing.partial.capacity() <= 2 * HEAD);
        assert_eq!(framing.partial(), None);
        assert_eq!(framing.overlong(), Some(&long[..HEAD]));
        assert_eq!(framing.take(b"\n").0, Some(Line::TooLong(&long[..HEAD])));
        assert_eq!(framing.overlong(), None);
        assert_eq!(framing.take(b"ok\n").0, Some(Line::Whole(b"ok")));
    }

    #[test]
    fn a_dropped_partial_line_is_forgotten() {
        let mut framing = Framing::new(10);
        framing.take(b"abc");
        framing.drop_partial();
        assert_eq!(framing.take(b"d\n").0, Some(Line::Whole(b"d")));
    }
}
