//! Text from a server, made safe to print: whatever could move the cursor, change colours or reorder what is read is shown, not obeyed.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with control, escape, line separating and bidirectional formatting characters written as escapes such as `\n`, `\x1b` and `\u202e`.
/// Backslashes stay as they are: the result is for eyes, not for reading back.
pub fn printable(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else {
        return Cow::Borrowed(text);
    };
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(&text[..first]);
    for char in text[first..].chars() {
        // Writing to a string has no way to fail.
        let _ = match char {
            '\n' => safe.write_str("\\n"),
            '\r' => safe.write_str("\\r"),
            '\t' => safe.write_str("\\t"),
            '\0'..='\x7f' if is_unsafe(char) => write!(safe, "\\x{:02x}", u32::from(char)),
            _ if is_unsafe(char) => write!(safe, "\\u{:04x}", u32::from(char)),
            _ => safe.write_char(char),
        };
    }
    Cow::Owned(safe)
}

fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char,
            // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Separators that some terminals and tools take for the end of a line.
            | '\u{2028}' | '\u{2029}'
            // Invisible ones: a byte order mark in the text, interlinear annotations, tags.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, safe) in [
            ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
            ("a\0b\x7f", "a\\x00b\\x7f"),
            ("one\r\ntwo\tthree", "one\\r\\ntwo\\tthree"),
            ("\u{9b}31m", "\\u009b31m"),
            ("abc\u{202e}fed", "abc\\u202efed"),
            (
                "\u{2066}\u{2028}\u{feff}\u{e0041}",
                "\\u2066\\u2028\\ufeff\\ue0041",
            ),
        ] {
            assert_eq!(printable(text), safe);
            assert_eq!(printable(safe), safe);
        }
    }

    #[test]
    fn any_other_text_is_left_alone() {
        for text in [
            "",
            "weather",
            "Wetter für Zürich",
            "天気 🌦️ \\n",
            "👩\u{200d}🔬",
        ] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
