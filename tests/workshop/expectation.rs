//! The rule by which what is seen is compared with what the cases of a corpus expect.

use serde_json::{Map, Value};

/// Compares what is expected: an object's members, all elements of an array, `{"contains": "..."}` a part of a text.
pub fn differs(place: &str, expected: &Value, seen: &Value) -> Option<String> {
    match (expected, seen) {
        (Value::Object(expected), Value::String(seen)) if is_part(expected, seen) => None,
        (Value::Object(expected), Value::Object(seen)) => {
            expected.iter().find_map(|(name, value)| {
                differs(
                    &format!("{place}.{name}"),
                    value,
                    seen.get(name).unwrap_or(&Value::Null),
                )
            })
        }
        (Value::Array(expected), Value::Array(seen)) if expected.len() == seen.len() => expected
            .iter()
            .zip(seen)
            .enumerate()
            .find_map(|(i, (expected, seen))| differs(&format!("{place}[{i}]"), expected, seen)),
        _ if expected == seen => None,
        _ => Some(format!("{place}: expected {expected}, seen {seen}")),
    }
}

fn is_part(expected: &Map<String, Value>, seen: &str) -> bool {
    let part = expected.get("contains").and_then(Value::as_str);
    part.is_some_and(|part| seen.contains(part))
}
