//! Memory that a peer decides on: asked for with care, so that the process lives when there is none.
//!
//! Most allocations in Rust end the process when they fail. So whatever grows with what a server sends looks first
//! whether there is room for it, and leaves some for all that is small and can't fail.

use std::hint::black_box;

/// What is left for everything else. Anything larger has to look first.
const HEADROOM: usize = 1024 * 1024;

/// What is so small against the headroom that no look is worth its time.
const SMALL: usize = HEADROOM / 16;

/// Whether there is room for so many bytes, and then some.
pub fn has_room_for(bytes: usize) -> bool {
    bytes <= SMALL || is_there(bytes.saturating_add(HEADROOM))
}

/// Whether there is room for all that is small.
pub fn has_headroom() -> bool {
    is_there(HEADROOM)
}

fn is_there(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = room.try_reserve_exact(bytes).is_ok();
    // Else the compiler finds that nobody needs the memory, and assumes that there is enough.
    black_box(&room);
    there
}

/// Whether there is room for all that reading a text may take.
pub fn has_room_to_read(text: &[u8]) -> bool {
    has_room_for(to_read(text))
}

/// More than reading a text may take: some copies, and what its elements become. A copy of what is not UTF-8 is up to three
/// times as long, and doubles as it grows. An icon is the largest of the elements, and a list takes three times its size
/// while it grows.
pub fn to_read(text: &[u8]) -> usize {
    // An icon takes eleven bytes of text, so this is enough whatever the text holds; a short one is not looked at.
    const PER_BYTE: usize = 10 + 3 * 128 / 11 + 1;
    if text.len() <= SMALL / (2 * PER_BYTE) {
        return text.len() * PER_BYTE;
    }
    let copies = if text.is_ascii() { 4 } else { 10 };
    const ELEMENT: usize = 3 * 128;
    let elements = memchr::memchr_iter(b',', text).count();
    text.len()
        .saturating_mul(copies)
        .saturating_add(elements.saturating_mul(ELEMENT))
}

/// Makes room for so many more items, and tells whether there is.
pub fn reserve<T>(items: &mut Vec<T>, more: usize) -> bool {
    let wanted = items.len().saturating_add(more);
    if wanted <= items.capacity() {
        return true;
    }
    let bytes = wanted
        .max(items.capacity() * 2)
        .saturating_mul(size_of::<T>());
    has_room_for(bytes) && items.try_reserve(more).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_is_not_there() {
        assert!(has_room_for(1 << 20));
        assert!(!has_room_for(usize::MAX / 4) && !has_room_for(usize::MAX));
        let mut items: Vec<u64> = Vec::new();
        assert!(reserve(&mut items, 1000) && items.capacity() >= 1000);
        assert!(!reserve(&mut items, usize::MAX / 2));
    }
}
