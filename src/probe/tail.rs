//! The last bytes of a stream of any length, in bounded memory.

use crate::core::memory;

/// Keeps the last `limit` bytes it was given, in one piece, and counts the rest.
pub(super) struct Tail {
    /// At most twice the limit, so that moving the tail to the front is rare.
    bytes: Vec<u8>,
    limit: usize,
    seen: u64,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Tail {
        Tail {
            bytes: Vec::new(),
            limit,
            seen: 0,
        }
    }

    /// Takes the next bytes of the stream. Once memory was short, less than the limit is kept.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        if !self.take(bytes) {
            // What there is has to do: half of it for the tail, so that moving it stays rare.
            self.limit = self.bytes.capacity() / 2;
            self.take(bytes);
        }
    }

    /// False if there is no room for the bytes.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let bytes = last(bytes, self.limit);
        if self.bytes.len() + bytes.len() > self.limit.saturating_mul(2) {
            self.keep_last(self.limit - bytes.len());
        }
        let has_room = memory::reserve(&mut self.bytes, bytes.len());
        if has_room {
            self.bytes.extend_from_slice(bytes);
        }
        has_room
    }

    /// The tail.
    pub(super) fn bytes(&self) -> &[u8] {
        last(&self.bytes, self.limit)
    }

    /// The tail as text; less of it where there is no room for more.
    pub(super) fn text(&self) -> String {
        // Bytes that are not UTF-8 become three each, in a text that doubles as it grows.
        const AT_MOST: usize = 3 * 3;
        let mut bytes = self.bytes();
        while !bytes.is_empty() && !memory::has_room_for(bytes.len().saturating_mul(AT_MOST)) {
            bytes = last(bytes, bytes.len() / 2);
        }
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// How many bytes came before the tail.
    pub(super) fn dropped(&self) -> u64 {
        self.seen - self.bytes().len() as u64
    }

    fn keep_last(&mut self, count: usize) {
        let cut = self.bytes.len().saturating_sub(count);
        self.bytes.drain(..cut);
    }
}

fn last(bytes: &[u8], count: usize) -> &[u8] {
    &bytes[bytes.len().saturating_sub(count)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end_whatever_the_pieces() {
        let stream: Vec<u8> = (0..1000u32).map(|n| n as u8).collect();
        for limit in [0, 1, 7, 64, 999, 1000, 5000] {
            for piece in [1, 3, 64, 1000] {
                let mut tail = Tail::new(limit);
                for bytes in stream.chunks(piece) {
                    tail.push(bytes);
                    assert!(tail.bytes.len() <= 2 * limit);
                }
                assert_eq!(tail.bytes(), last(&stream, limit));
                assert_eq!(tail.dropped(), 1000 - tail.bytes().len() as u64);
            }
        }
    }

    #[test]
    fn works_within_its_memory_when_there_is_no_more() {
        let mut tail = Tail::new(usize::MAX / 8);
        tail.bytes.reserve_exact(8);
        let room = tail.bytes.capacity();
        tail.push(b"abcd");
        tail.limit = room / 2;
        tail.push(&[b'x'; 50]);
        tail.push(b"yz");
        assert_eq!(tail.bytes.capacity(), room);
        assert!(tail.bytes().ends_with(b"xxyz") && tail.dropped() > 0);
    }
}
