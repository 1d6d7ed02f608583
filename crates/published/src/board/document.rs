//! A JSON document as a tree whose values know their lines, because an error names the line of what is wrong.
//!
//! It is strict, other than [`crate::json`], which reads what it can of a document inside an article: a leaderboard of
//! which a part is missing must not be ranked.

use std::collections::HashSet;

/// The largest number of levels.
const DEEPEST: usize = 32;

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: u64,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Truth,
    /// It is finite.
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The value of a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.object()?.iter().find_map(|(name, node)| (name == key).then_some(node))
    }

    pub(super) fn object(&self) -> Option<&[(String, Node)]> {
        if let Value::Object(all) = &self.value { Some(all) } else { None }
    }

    pub(super) fn list(&self) -> Option<&[Node]> {
        if let Value::List(all) = &self.value { Some(all) } else { None }
    }
}

/// What is not JSON, and in which line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SyntaxError {
    pub(super) line: u64,
    pub(super) text: String,
}

/// Reads a whole document.
pub(super) fn read(text: &str) -> Result<Node, SyntaxError> {
    let mut reader = Reader { text, at: 0, line: 1 };
    let node = reader.value(0)?;
    match reader.next() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("something follows the end of the document")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> Reader<'a> {
    fn wrong(&self, text: impl Into<String>) -> SyntaxError {
        SyntaxError { line: self.line, text: text.into() }
    }

    /// The next character that is not white space, which stays.
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at).filter(|byte| b" \t\r\n".contains(byte)) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.next() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.wrong(format!("lists and objects are more than {DEEPEST} deep")));
        }
        let first = self.next();
        let line = self.line;
        let value = match first {
            None => return Err(self.wrong("the document is incomplete")),
            Some(b'{') => Value::Object(self.members(depth)?),
            Some(b'[') => Value::List(self.elements(depth)?),
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
        };
        Ok(Node { line, value })
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Node>, SyntaxError> {
        self.at += 1;
        let mut all = Vec::new();
        if self.take(b']') {
            return Ok(all);
        }
        loop {
            all.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(all);
            }
        }
    }

    fn members(&mut self, depth: usize) -> Result<Vec<(String, Node)>, SyntaxError> {
        self.at += 1;
        let (mut all, mut keys) = (Vec::new(), HashSet::new());
        if self.take(b'}') {
            return Ok(all);
        }
        loop {
            match self.next() {
                Some(b'"') => {}
                None => return Err(self.wrong("the document is incomplete")),
                Some(_) => return Err(self.wrong("a key in double quotes is missing")),
            }
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(self.wrong(format!("the key \"{key}\" is there twice in one object")));
            }
            if !self.take(b':') {
                return Err(self.wrong(format!("a colon is missing behind the key \"{key}\"")));
            }
            all.push((key, self.value(depth + 1)?));
            if self.ends(b'}')? {
                return Ok(all);
            }
        }
    }

    /// Whether a list or an object ends here, or continues behind a comma.
    fn ends(&mut self, close: u8) -> Result<bool, SyntaxError> {
        if self.take(close) {
            return Ok(true);
        }
        if self.take(b',') {
            return Ok(false);
        }
        match self.next() {
            None => Err(self.wrong("the document is incomplete")),
            Some(_) => Err(self.wrong(format!("a comma or {} is missing", char::from(close)))),
        }
    }

    /// The string that begins here.
    fn string(&mut self) -> Result<String, SyntaxError> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find(['"', '\\', '\n']) else {
                return Err(self.wrong("the document is incomplete"));
            };
            out.push_str(&rest[..end]);
            self.at += end + 1;
            match rest.as_bytes()[end] {
                b'"' => return Ok(out),
                b'\\' => out.push(self.escaped()?),
                _ => return Err(self.wrong("a string does not end in its line")),
            }
        }
    }

    /// The character behind a backslash.
    fn escaped(&mut self) -> Result<char, SyntaxError> {
        let Some(c) = self.text[self.at..].chars().next() else {
            return Err(self.wrong("the document is incomplete"));
        };
        self.at += c.len_utf8();
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.code()?,
            _ => return Err(self.wrong(format!("\\{c} is not an escape of JSON"))),
        })
    }

    /// The character of four hexadecimal digits, or of two such codes that are a pair.
    fn code(&mut self) -> Result<char, SyntaxError> {
        let first = self.digits()?;
        let rest = &self.text[self.at..];
        let mut codes = vec![first];
        if (0xd800..0xdc00).contains(&first) && rest.starts_with("\\u") {
            self.at += 2;
            codes.push(self.digits()?);
        }
        let decoded = char::decode_utf16(codes).next();
        Ok(decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn digits(&mut self) -> Result<u16, SyntaxError> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            return Err(self.wrong("\\u must be followed by four hexadecimal digits"));
        };
        self.at += 4;
        Ok(u16::from_str_radix(digits, 16).expect("four digits"))
    }

    /// A number or one of the three words.
    fn word(&mut self) -> Result<Value, SyntaxError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        let value = match word {
            "null" => Value::Null,
            "true" | "false" => Value::Truth,
            _ => Value::Number(self.number(word)?),
        };
        self.at += word.len();
        Ok(value)
    }

    fn number(&self, word: &str) -> Result<f64, SyntaxError> {
        let begins =
            word.strip_prefix('-').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit());
        match word.parse::<f64>() {
            Ok(number) if begins && number.is_finite() => Ok(number),
            Ok(_) if begins => Err(self.wrong(format!("{word} is too large for a number"))),
            _ if word.is_empty() => Err(self.wrong("a value is missing")),
            _ => Err(self.wrong(format!("{word} is not a value of JSON"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> (u64, String) {
        let error = read(text).expect_err(text);
        (error.line, error.text)
    }

    #[test]
    fn values_know_their_lines() {
        let text =
            "{\"a\": [1.5e2,\n null, true, {}],\n\"\\u00e9\\ud83d\\ude00\\n\": \"x\\\"y\"}\n";
        let node = read(text).expect("JSON");
        let list = node.get("a").and_then(Node::list).expect("a list");
        assert_eq!((list[0].line, &list[0].value), (1, &Value::Number(150.0)));
        let others: Vec<&Value> = list[1..].iter().map(|node| &node.value).collect();
        assert_eq!(others, [&Value::Null, &Value::Truth, &Value::Object(Vec::new())]);
        let text = node.get("\u{e9}\u{1f600}\n").expect("the key");
        assert_eq!((text.line, &text.value), (3, &Value::Text("x\"y".to_owned())));
    }

    #[test]
    fn what_is_not_json_has_its_line() {
        for (text, line, says) in [
            ("", 1, "incomplete"),
            ("[1,\n2", 2, "incomplete"),
            ("{\"a\": \"b", 1, "incomplete"),
            ("[1] x", 1, "follows the end"),
            ("[1 2]", 1, "a comma or ] is missing"),
            ("[NaN]", 1, "NaN is not a value"),
            ("[-Infinity]", 1, "-Infinity is not a value"),
            ("[1e999]", 1, "too large"),
            ("[1,\n,2]", 2, "a value is missing"),
            ("{a: 1}", 1, "a key in double quotes is missing"),
            ("{\"a\" 1}", 1, "a colon is missing"),
            ("{\"a\": 1,\n\"a\": 2}", 2, "\"a\" is there twice"),
            ("[\"a\nb\"]", 1, "does not end in its line"),
            ("[\"\\x\"]", 1, "not an escape"),
            ("[\"\\u12\"]", 1, "four hexadecimal digits"),
        ] {
            let (at, found) = error(text);
            assert!(at == line && found.contains(says), "{text}: {at}: {found}");
        }
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(read(&deep(DEEPEST + 1)).is_ok());
        assert!(error(&deep(DEEPEST + 2)).1.contains("32 deep"));
        assert!(error(&deep(1_000_000)).1.contains("32 deep"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[\\[\\]{}\",:au1.\\\\ \\n\u{e9}-]{0,200}", other: String) {
            let _ = read(&text);
            let _ = read(&other);
        }
    }
}
