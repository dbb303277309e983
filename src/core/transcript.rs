//! What was said, both ways and with times, for a bug report.

use serde::{Serialize, Serializer};

use super::memory;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// We, on the server's standard input.
    ToServer,
    /// The server, on its standard output.
    FromServer,
    /// What a later version of the library knows.
    Unrecognized,
}

impl Direction {
    /// All that can be told.
    pub const ALL: &[Direction] = &[Direction::ToServer, Direction::FromServer];

    /// The stable name, as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Direction::ToServer => "to_server",
            Direction::FromServer => "from_server",
            Direction::Unrecognized => "unrecognized",
        }
    }
}

impl Serialize for Direction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Bytes that went over a pipe in one piece.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Milliseconds since the start of the first process.
    pub at_ms: f64,
    /// Which of the processes started, from 0 on.
    pub process: u32,
    /// Who said it.
    pub direction: Direction,
    /// The bytes.
    #[serde(rename = "text", serialize_with = "as_text")]
    pub bytes: Vec<u8>,
}

fn as_text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

/// The pieces in the order in which they went, up to a limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Transcript {
    /// There was more than the limit let in.
    pub truncated: bool,
    /// The pieces.
    pub entries: Vec<Entry>,
    #[serde(skip)]
    limit: usize,
    /// How many bytes are in.
    #[serde(skip)]
    used: usize,
}

impl Transcript {
    /// A transcript of at most `limit` bytes; with 0 nothing is written down.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// A transcript that was written before.
    pub fn restored(entries: Vec<Entry>, truncated: bool) -> Self {
        let used = entries.iter().map(|entry| entry.bytes.len()).sum();
        Self {
            truncated,
            entries,
            limit: used,
            used,
        }
    }

    /// How many bytes are in it.
    pub fn bytes(&self) -> usize {
        self.used
    }

    /// Whether nothing was written down.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes a piece, or as much of it as the limit and the memory let in.
    pub fn add(&mut self, at_ms: f64, process: u32, direction: Direction, bytes: &[u8]) {
        if self.limit == 0 {
            return;
        }
        let kept = &bytes[..bytes.len().min(self.limit - self.used)];
        self.truncated |= kept.len() < bytes.len();
        if kept.is_empty() {
            return;
        }
        let mut piece = Vec::new();
        if !memory::reserve(&mut self.entries, 1) || !memory::reserve(&mut piece, kept.len()) {
            self.truncated = true;
            return;
        }
        piece.extend_from_slice(kept);
        self.used += kept.len();
        self.entries.push(Entry {
            at_ms,
            process,
            direction,
            bytes: piece,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_holds_what_its_limit_lets_in_and_says_when_there_was_more() {
        let mut transcript = Transcript::new(5);
        transcript.add(0.5, 0, Direction::ToServer, b"abc");
        assert!(!transcript.truncated);
        transcript.add(1.5, 0, Direction::FromServer, b"def");
        transcript.add(2.5, 1, Direction::FromServer, b"ghi");
        let pieces: Vec<&[u8]> = transcript.entries.iter().map(|e| &e.bytes[..]).collect();
        assert_eq!(pieces, [b"abc" as &[u8], b"de"]);
        assert!(transcript.truncated);
        assert!(!Transcript::new(0).truncated);
    }
}
