//! Pretty JSON that is readable and safe to print on a terminal.
//!
//! serde_json's own pretty writer puts every number on its own line, which makes 4000 lines of
//! the slices of one contender. Here a list or an object without others in it stays on one
//! line. Control characters and invisible ones are written as `\u…`: the same data, but
//! harmless bytes.

use serde_json::Value;
use std::fmt::Write as _;
use text::shown::is_hidden;

/// The value with a newline at its end.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    any(value, 0, &mut out);
    out.push('\n');
    out
}

fn any(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| (None, item));
            group(items.collect(), ['[', ']'], depth, out);
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, item)| (Some(key.as_str()), item));
            group(fields.collect(), ['{', '}'], depth, out);
        }
        Value::String(text) => string(text, out),
        plain => write!(out, "{plain}").expect("a String takes all"),
    }
}

fn group(items: Vec<(Option<&str>, &Value)>, marks: [char; 2], depth: usize, out: &mut String) {
    let flat = !items.iter().any(|(_, item)| item.is_array() || item.is_object());
    // Sentences are on lines of their own, however few they are.
    let flat = flat && !items.iter().any(|(_, item)| item.as_str().is_some_and(|s| s.len() > 40));
    out.push(marks[0]);
    for (at, (key, item)) in items.iter().enumerate() {
        match (at, flat) {
            (0, true) => {}
            (_, true) => out.push_str(", "),
            (0, false) => new_line(depth + 1, out),
            (_, false) => {
                out.push(',');
                new_line(depth + 1, out);
            }
        }
        if let Some(key) = key {
            string(key, out);
            out.push_str(": ");
        }
        any(item, depth + 1, out);
    }
    if !flat {
        new_line(depth, out);
    }
    out.push(marks[1]);
}

fn new_line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn string(text: &str, out: &mut String) {
    let quoted = Value::from(text).to_string();
    for c in quoted.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a String takes all");
            }
        } else {
            out.push(c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keeps_small_things_on_a_line() {
        let value = json!({"a": [1, 2.5, null], "b": {"c": {"d": "x"}, "e": []}, "f": {}});
        let expected = r#"{
  "a": [1, 2.5, null],
  "b": {
    "c": {"d": "x"},
    "e": []
  },
  "f": {}
}
"#;
        assert_eq!(write(&value), expected);
    }

    #[test]
    fn hidden_characters_are_escaped_and_nothing_else() {
        let written = write(&json!("a\u{1b}[31m\u{9b}\u{202e}\u{e0041}\n\"é<"));
        assert_eq!(written, "\"a\\u001b[31m\\u009b\\u202e\\udb40\\udc41\\n\\\"é<\"\n");
    }

    proptest! {
        #[test]
        fn reads_back_unchanged(texts: Vec<String>, eighths: Vec<i32>, n: u64) {
            let floats: Vec<f64> = eighths.into_iter().map(|n| f64::from(n) / 8.0).collect();
            let value = json!({"texts": texts, "deep": [{"floats": floats, "n": n}]});
            let read: Value = serde_json::from_str(&write(&value)).expect("JSON");
            prop_assert_eq!(read, value);
        }
    }
}
