//! Reads Rust source as far as the rules need it: words, signs and texts without
//! comments, and the paths that are named.
//!
//! Not a parser of Rust. It cannot see through macros that glue names together,
//! and nobody here does that by accident.

/// A piece of source that is neither blank nor comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier, a keyword or a number.
    Word(String),
    /// `::`
    Colons,
    /// A string with its quotes.
    Text(String),
    /// Any other character.
    Sign(char),
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(mine) if mine == word)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a source text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let text: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (token, length) = match rest {
            ['/', '/', ..] => (None, until(rest, |c| c == '\n')),
            ['/', '*', ..] => (None, block_comment(rest)),
            ['"', ..] => text_token(rest, string(rest)),
            ['\'', ..] => (None, quoted_character(rest)),
            [':', ':', ..] => (Some(Token::Colons), 2),
            [c, ..] if c.is_whitespace() => (None, 1),
            [c, ..] if is_word(*c) => match raw_string(rest) {
                Some(length) => text_token(rest, length),
                None => word(rest),
            },
            [c, ..] => (Some(Token::Sign(*c)), 1),
            [] => break,
        };
        tokens.extend(token);
        at += length.max(1);
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn until(text: &[char], ends: impl Fn(char) -> bool) -> usize {
    text.iter().position(|c| ends(*c)).unwrap_or(text.len())
}

fn text_token(rest: &[char], length: usize) -> (Option<Token>, usize) {
    (Some(Token::Text(rest[..length.min(rest.len())].iter().collect())), length)
}

fn word(text: &[char]) -> (Option<Token>, usize) {
    // A raw identifier is the word behind its `r#`.
    let skip = if matches!(text, ['r', '#', c, ..] if is_word(*c)) { 2 } else { 0 };
    let length = until(&text[skip..], |c| !is_word(c));
    let word: String = text[skip..skip + length].iter().collect();
    // b"…" and c"…": the string is read next.
    (Some(Token::Word(word)), skip + length)
}

/// Comments nest.
fn block_comment(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(text: &[char]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// r"…", r#"…"#, br"…", cr"…": their length, or none where it is a word.
fn raw_string(text: &[char]) -> Option<usize> {
    let prefix = until(text, |c| !matches!(c, 'b' | 'c' | 'r'));
    let hashes = until(&text[prefix..], |c| c != '#');
    let open = prefix + hashes;
    if !(1..=2).contains(&prefix) || text[prefix - 1] != 'r' || text.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: &usize| {
        text[*at] == '"' && text[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes
    };
    let close = (open + 1..text.len()).find(closes);
    Some(close.map_or(text.len(), |at| at + 1 + hashes))
}

/// A character, or the quote of a lifetime.
fn quoted_character(text: &[char]) -> usize {
    match text {
        ['\'', '\\', _, ..] => 3 + until(&text[3..], |c| c == '\'') + 1,
        ['\'', _, '\'', ..] => 3,
        _ => 1 + until(&text[1..], |c| !is_word(c)),
    }
}

/// The tokens without the items that only tests compile.
pub(crate) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let outer = self::tokens("#[cfg(test)]");
    if tokens.starts_with(&self::tokens("#![cfg(test)]")) {
        return Vec::new();
    }
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&outer) {
            at += outer.len() + item(&tokens[at + outer.len()..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// Modules in files of their own that only tests compile.
pub(crate) fn test_only_modules(tokens: &[Token]) -> Vec<String> {
    let attribute = self::tokens("#[cfg(test)]");
    let behind = tokens.windows(attribute.len() + 3).filter(|some| some.starts_with(&attribute));
    behind
        .filter_map(|some| match &some[attribute.len()..] {
            [Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => {
                Some(name.clone())
            }
            _ => None,
        })
        .collect()
}

/// How many tokens an item takes: to its `;`, or to the end of its braces.
fn item(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{' | '(' | '[') => depth += 1,
            Token::Sign('}' | ')' | ']') => {
                depth -= 1;
                if depth == 0 && *token == Token::Sign('}') {
                    return at + 1;
                }
            }
            Token::Sign(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The paths that the tokens name, in `use` and elsewhere. `crate`, `self` and
/// `super` are resolved: such a path starts with `crate`. `module` is where the
/// source lies, e.g. `["report", "json"]`.
pub(crate) fn paths(tokens: &[Token], module: &[String]) -> Vec<Vec<String>> {
    let mut module = module.to_vec();
    let (mut depth, mut opened) = (0usize, Vec::new());
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        match &tokens[at..] {
            // `use<'a>` in a type captures lifetimes, and imports nothing.
            [Token::Word(word), after, ..] if word == "use" && *after != Token::Sign('<') => {
                let mut reader = Tree { tokens: &tokens[at + 1..], found: Vec::new() };
                reader.branch(&[]);
                at += tokens[at + 1..].len() - reader.tokens.len() + 1;
                found.extend(reader.found.iter().map(|path| resolve(path, &module)));
                continue;
            }
            [Token::Word(one), Token::Word(two), Token::Word(name), ..]
                if one == "extern" && two == "crate" =>
            {
                found.push(vec![name.clone()]);
            }
            [Token::Word(word), Token::Word(name), Token::Sign('{'), ..] if word == "mod" => {
                opened.push(depth);
                module.push(name.clone());
            }
            [Token::Sign('{'), ..] => depth += 1,
            [Token::Sign('}'), ..] => {
                depth = depth.saturating_sub(1);
                if opened.last() == Some(&depth) {
                    opened.pop();
                    module.pop();
                }
            }
            [Token::Word(_), Token::Colons, ..] if starts_path(before) => {
                let path = segments(&tokens[at..]);
                at += 2 * path.len() - 2;
                found.push(resolve(&path, &module));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// A word behind `.` is a method, and one behind `::` was read with its path.
fn starts_path(before: Option<&Token>) -> bool {
    !matches!(before, Some(Token::Sign('.')))
}

fn segments(tokens: &[Token]) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = 0;
    while let Some(Token::Word(word)) = tokens.get(at) {
        path.push(word.clone());
        if tokens.get(at + 1) != Some(&Token::Colons) {
            break;
        }
        at += 2;
    }
    path
}

fn resolve(path: &[String], module: &[String]) -> Vec<String> {
    let mut base: Vec<String> = module.to_vec();
    let mut rest = path;
    match path.first().map(String::as_str) {
        Some("crate") => base.clear(),
        Some("self" | "super") => {}
        _ => return path.to_vec(),
    }
    while let Some(step) = rest.first() {
        match step.as_str() {
            "crate" | "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest = &rest[1..];
    }
    let start = std::iter::once("crate".to_owned());
    start.chain(base).chain(rest.iter().cloned()).collect()
}

/// Reads the tree of one `use`.
struct Tree<'a> {
    tokens: &'a [Token],
    found: Vec<Vec<String>>,
}

impl Tree<'_> {
    fn next(&mut self) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first.clone())
    }

    /// One branch, up to its `,`, `}` or `;`, which is left for the caller.
    fn branch(&mut self, prefix: &[String]) {
        let mut path = prefix.to_vec();
        let mut is_leaf = true;
        while let Some(token) = self.tokens.first() {
            match token {
                Token::Sign(',' | '}' | ';') => break,
                Token::Sign('{') => {
                    is_leaf = false;
                    self.branches(&path);
                }
                Token::Word(word) if word == "as" => {
                    self.next();
                    self.next();
                }
                Token::Word(word) => {
                    path.push(word.clone());
                    self.next();
                }
                _ => {
                    self.next();
                }
            }
        }
        if is_leaf && !path.is_empty() {
            self.found.push(path);
        }
    }

    fn branches(&mut self, prefix: &[String]) {
        self.next();
        while let Some(token) = self.tokens.first() {
            match token {
                Token::Sign('}') => {
                    self.next();
                    break;
                }
                Token::Sign(',') => {
                    self.next();
                }
                // No tree has one: what follows is not read as part of it.
                Token::Sign(';') => break,
                _ => self.branch(prefix),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str, module: &[&str]) -> Vec<String> {
        let module: Vec<String> = module.iter().map(|name| name.to_string()).collect();
        paths(&tokens(text), &module).iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn paths_of_use_trees_and_of_code() {
        let table: [(&str, &[&str]); 13] = [
            ("use record::Seen;", &["record::Seen"]),
            (
                "pub(crate) use ::wire::{Codec, http1::{self, Op as O}};",
                &["wire::Codec", "wire::http1::self", "wire::http1::Op"],
            ),
            ("use {judge::*, std::fs as files};", &["judge", "std::fs"]),
            ("use engine;", &["engine"]),
            ("fn a() -> impl B + use<'a> { judge::c(); }", &["judge::c"]),
            ("extern crate std;", &["std"]),
            (
                "fn f(x: record::Seen) -> wire::Tag { y.record::<u8>() }",
                &["record::Seen", "wire::Tag"],
            ),
            (
                "use self::near::X; use super::far::Y; use super::super::farther::Z;",
                &["crate::report::json::near::X", "crate::report::far::Y", "crate::farther::Z"],
            ),
            (
                "mod inner { use super::X; } use super::Y;",
                &["crate::report::json::X", "crate::report::Y"],
            ),
            ("let x = crate::shown::shown(y);", &["crate::shown::shown"]),
            ("fn f<'a>(x: &'a str) -> char { '{' } use super::A;", &["crate::report::A"]),
            ("// use engine::run;\n/* engine::x /* y */ judge::z */ a::b", &["a::b"]),
            (r####"f("engine::x", r#"judge::"y""#, b"wire::z", '\'', b'"'); c::d"####, &["c::d"]),
        ];
        for (text, wanted) in table {
            assert_eq!(named(text, &["report", "json"]), wanted, "{text}");
        }
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let text = "use a::b; #[cfg(test)] mod tests { use c::d; fn f() {} } use e::f; \
                    #[cfg(test)] #[path = \"x\"] mod more; #[cfg(test)] use g::{h}; fn x() {}";
        let kept = without_tests(&tokens(text));
        assert_eq!(paths(&kept, &[]), [["a", "b"], ["e", "f"]]);
        assert!(without_tests(&tokens("#![cfg(test)] use a::b;")).is_empty());
        let files = tokens("mod a; #[cfg(test)] mod b; #[cfg(test)] mod c {} mod d;");
        assert_eq!(test_only_modules(&files), ["b"]);
    }
}
