//! What was printed, as the readers of the tools see it: text without terminal escapes, and JSON.

use serde_json::Value;
use std::cell::OnceCell;

/// What a program printed, or a file that it wrote.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// The path below the directory that was read. Empty for standard output, and for a single file.
    pub path: &'a str,
    /// The content.
    pub bytes: &'a [u8],
}

/// The output, or a file.
pub(crate) struct Document {
    /// The path below the directory that was read.
    pub(crate) path: String,
    /// The text, in which invalid UTF-8 is replaced, without terminal escapes.
    text: String,
    /// The JSON values in the text, once they were asked for.
    json: OnceCell<Vec<Value>>,
}

impl Document {
    pub(crate) fn new(printed: &Printed<'_>) -> Document {
        let text = text::escapes::without(&String::from_utf8_lossy(printed.bytes));
        Document { path: printed.path.to_owned(), text, json: OnceCell::new() }
    }

    /// The JSON values in the text, in their order; none if it does not contain this mark, which the output of the tool
    /// that asks has. Values take many times the memory of the text, so no other text is parsed.
    pub(crate) fn json(&self, mark: &str) -> &[Value] {
        if self.text.contains(mark) { self.json.get_or_init(|| values(&self.text)) } else { &[] }
    }

    /// Its lines. A carriage return ends one, too: what follows it overwrites a progress bar.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().flat_map(|line| line.split('\r')).map(str::trim_end)
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Returns the JSON objects and lists that begin at the beginning of a line. Other lines are skipped. What looks like a
/// document and is none is read again, line by line, and no more than twice the text all together, so that the work
/// is linear.
fn values(text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut wasted = 0;
    let mut rest = text;
    while !rest.is_empty() && wasted <= 2 * text.len() {
        let mut end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        if rest[..end].trim_start().starts_with(['{', '[']) {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match stream.next() {
                Some(Ok(value)) => {
                    values.push(value);
                    end = stream.byte_offset();
                }
                Some(Err(error)) => wasted += bytes_before(rest, &error),
                None => {}
            }
        }
        rest = rest.get(end..).unwrap_or("");
    }
    values
}

/// How much of the text was read before the error.
fn bytes_before(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<Value> {
        Document::new(&Printed { path: "", bytes: text.as_bytes() }).json("").to_vec()
    }

    #[test]
    fn json_is_found_between_other_lines() {
        let found = of("> npm bench\n[gw0] started\n{\"a\": 1}\n{\"b\":\n 2} done\n[3]\nend {4}\n");
        assert_eq!(
            found,
            [serde_json::json!({"a": 1}), serde_json::json!({"b": 2}), serde_json::json!([3])]
        );
        assert!(of("{\"a\": ").is_empty() && of("").is_empty());
        assert_eq!(of("{} []").len(), 2);
    }

    #[test]
    fn json_is_parsed_for_a_tool_that_prints_it() {
        let document = Document::new(&Printed { path: "", bytes: b"{\"a\": 1}" });
        assert!(document.json("\"b\"").is_empty() && document.json.get().is_none());
        assert_eq!(document.json("\"a\"").len(), 1);
    }

    #[test]
    fn lines_that_only_look_like_json_cost_a_bounded_amount_of_work() {
        let logged = "[INFO] built\n".repeat(1000);
        assert_eq!(of(&format!("{logged}[1]\n")).len(), 1);
        // Each line would be the beginning of a document that fails at the end of the text.
        let nested = "[\n".repeat(100) + "no\n{}\n";
        assert!(of(&nested).is_empty());
    }

    #[test]
    fn escapes_and_carriage_returns_end_nothing_but_lines() {
        let bytes = b"\x1b[32mname\x1b[0m 1\r\nprogress\rnext\xff \n";
        let document = Document::new(&Printed { path: "", bytes });
        let lines: Vec<&str> = document.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["name 1", "progress", "next\u{fffd}"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, text in "[{}\\[\\]\":,0-9a ee\n]{0,60}") {
            for bytes in [&bytes[..], text.as_bytes()] {
                let document = Document::new(&Printed { path: "", bytes });
                prop_assert!(document.json("").len() <= bytes.len());
            }
        }
    }
}
