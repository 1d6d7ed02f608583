//! Reads JSON as a list of its leaves with their lines, because an objection names the line of a
//! figure, which JSON parsers do not keep.

use crate::lines::beginning;

/// One value that is neither a list nor an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Its keys from the outermost on, joined by `/`; an element of a list has no key.
    pub(crate) path: String,
    /// A figure or word as printed, or a string without its quotes.
    pub(crate) text: String,
    /// Line of the file.
    pub(crate) line: u64,
}

/// The largest number of leaves per document.
const MOST_LEAVES: usize = 20_000;
/// The largest number of levels.
const DEEPEST: usize = 32;
/// Longest key that is kept, in bytes: each leaf repeats the keys above it.
const LONGEST_KEY: usize = 100;

/// Returns the leaves of a document, given its numbered lines, as far as it is JSON. The second
/// value says whether it was read to its end.
pub(crate) fn leaves(lines: &[(u64, String)]) -> (Vec<Leaf>, bool) {
    let mut reader = Reader { path: Vec::new(), leaves: Vec::new(), open: Vec::new(), key: None };
    for (line, text) in lines {
        let mut rest = text.as_str();
        while let Some(next) = reader.step(rest, *line) {
            rest = next;
            if reader.leaves.len() > MOST_LEAVES || reader.open.len() > DEEPEST {
                return (reader.leaves, false);
            }
        }
    }
    let whole = reader.open.is_empty();
    (reader.leaves, whole)
}

struct Reader {
    path: Vec<String>,
    leaves: Vec<Leaf>,
    /// The open brackets: `{` or `[`.
    open: Vec<char>,
    /// A string that may be a key.
    key: Option<(String, u64)>,
}

impl Reader {
    /// Reads one token. Returns the rest of the line, or None at its end.
    fn step<'a>(&mut self, text: &'a str, line: u64) -> Option<&'a str> {
        let text = text.trim_start();
        let first = text.chars().next()?;
        match first {
            '{' | '[' => {
                self.open.push(first);
                self.path.push(self.key.take().map_or(String::new(), |(key, _)| key));
            }
            '}' | ']' => {
                self.discard_key();
                self.open.pop();
                self.path.pop();
            }
            ',' => self.discard_key(),
            ':' => {}
            '"' => {
                let (string, rest) = string(&text[1..]);
                match self.key.take() {
                    Some((key, _)) => self.leaf(&key, string, line),
                    None if self.open.last() == Some(&'{') => {
                        self.key = Some((beginning(&string, LONGEST_KEY).to_owned(), line));
                    }
                    None => self.leaf("", string, line),
                }
                return Some(rest);
            }
            _ => {
                let end = text
                    .find([',', '}', ']', ' ', '\t'])
                    .unwrap_or(text.len())
                    .max(first.len_utf8());
                let (word, rest) = text.split_at(end);
                let key = self.key.take().map_or(String::new(), |(key, _)| key);
                self.leaf(&key, word.to_owned(), line);
                return Some(rest);
            }
        }
        Some(&text[first.len_utf8()..])
    }

    /// Discards a key without a value.
    fn discard_key(&mut self) {
        self.key = None;
    }

    fn leaf(&mut self, key: &str, text: String, line: u64) {
        let keys = self.path.iter().map(String::as_str).chain([key]);
        let path = keys.filter(|key| !key.is_empty()).collect::<Vec<&str>>().join("/");
        self.leaves.push(Leaf { path, text, line });
    }
}

/// Returns the string up to its closing quote, and the rest.
fn string(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (out, &text[at + 1..]),
            '\\' => out.extend(chars.next().map(|(_, c)| c)),
            _ => out.push(c),
        }
    }
    (out, "")
}

/// How a line changes the depth of brackets: the document ends when it is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Depth {
    open: i64,
    in_string: bool,
}

impl Depth {
    /// Adds a line; returns whether the document ends with it.
    pub(crate) fn add(&mut self, line: &str) -> bool {
        let mut escaped = false;
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if self.in_string => escaped = true,
                '"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                '{' | '[' => self.open += 1,
                '}' | ']' => self.open -= 1,
                _ => {}
            }
        }
        // A string does not continue on the next line.
        self.in_string = false;
        self.open <= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<(String, String, u64)>, bool) {
        let lines: Vec<_> =
            text.lines().enumerate().map(|(at, line)| (at as u64 + 1, line.to_owned())).collect();
        let (leaves, whole) = leaves(&lines);
        (leaves.into_iter().map(|leaf| (leaf.path, leaf.text, leaf.line)).collect(), whole)
    }

    #[test]
    fn leaves_have_their_path_and_line() {
        let text = "{\"a\": {\"b\": 1.5,\n \"c\": \"x\\\"y\"},\n\"d\": [true, 2], \"e\": {}}";
        let leaf = |path: &str, text: &str, line| (path.to_owned(), text.to_owned(), line);
        let expected = vec![
            leaf("a/b", "1.5", 1),
            leaf("a/c", "x\"y", 2),
            leaf("d", "true", 3),
            leaf("d", "2", 3),
        ];
        assert_eq!(read(text), (expected, true));
    }

    #[test]
    fn a_document_that_is_cut_short_says_so() {
        let (leaves, whole) = read("{\"a\": 1,\n\"b\": {\"c\": 2");
        assert_eq!((leaves.len(), whole), (2, false));
        assert!(!read("{\"a\":").1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[\\[\\]{}\",:a1.\\\\ \n]{0,200}", other: String) {
            read(&text);
            read(&other);
        }
    }
}
