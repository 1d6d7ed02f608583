//! Parses a statement as far as its answer depends on it.

use super::columns::{self, APPLIED, Column, INT, LIST_OF_TEXT};

/// A statement, word by word.
pub(super) struct Statement<'a> {
    tokens: Vec<Token<'a>>,
}

/// The tokens of a statement, without texts in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Sign(char),
}

/// The effect of a statement: what the server returns for it.
pub(super) enum Effect<'a> {
    Nothing,
    /// The session uses this keyspace.
    Keyspace(&'a str),
    /// One row, or none.
    Rows {
        columns: Vec<Column<'a>>,
        is_empty: bool,
    },
}

impl Token<'_> {
    fn is(self, word: &str) -> bool {
        matches!(self, Token::Word(of) if of.eq_ignore_ascii_case(word))
    }
}

impl<'a> Statement<'a> {
    pub(super) fn read(text: &'a str) -> Statement<'a> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let token;
            (token, rest) = split(first, rest);
            tokens.extend(token);
            rest = rest.trim_start();
        }
        Statement { tokens }
    }

    fn begins_with(&self, word: &str) -> bool {
        self.tokens.first().is_some_and(|token| token.is(word))
    }

    /// The tokens after this word.
    fn behind(&self, word: &str) -> &[Token<'a>] {
        let at = self.tokens.iter().position(|token| token.is(word));
        at.map_or(&[], |at| &self.tokens[at + 1..])
    }

    pub(super) fn effect(&self) -> Effect<'a> {
        let may_depend = ["INSERT", "UPDATE", "DELETE"].iter().any(|word| self.begins_with(word));
        if self.begins_with("SELECT") {
            Effect::Rows { columns: self.selected(), is_empty: self.asks_for_nothing() }
        } else if let (true, Some(Token::Word(name))) =
            (self.begins_with("USE"), self.tokens.get(1))
        {
            Effect::Keyspace(name)
        } else if may_depend && self.tokens.iter().any(|token| token.is("IF")) {
            Effect::Rows { columns: vec![columns::named(APPLIED)], is_empty: false }
        } else {
            Effect::Nothing
        }
    }

    /// Whether it selects from a table that is empty here: there are no other nodes, and no tables
    /// with known metadata.
    fn asks_for_nothing(&self) -> bool {
        match self.behind("FROM") {
            [Token::Word("system_schema"), ..] => true,
            [Token::Word("system"), Token::Sign('.'), Token::Word(table), ..] => {
                matches!(*table, "peers" | "peers_v2")
            }
            _ => false,
        }
    }

    /// The columns before FROM. A computed column has the name of its function.
    fn selected(&self) -> Vec<Column<'a>> {
        let to = self.tokens.iter().position(|token| token.is("FROM"));
        let listed = self.tokens.get(1..to.unwrap_or(self.tokens.len())).unwrap_or_default();
        let mut depth = 0usize;
        let columns = listed.split(|token| {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && *token == Token::Sign(',')
        });
        columns.map(|of| columns::named(first_word(of).unwrap_or("*"))).collect()
    }

    /// The columns of its `?` parameters.
    pub(super) fn markers(&self) -> Vec<Column<'a>> {
        let inserted = names(self.behind("INTO"));
        let (mut word, mut number) = ("", 0);
        let mut markers = Vec::new();
        for token in &self.tokens {
            match token {
                Token::Word(next) => (word, number) = (next, 0),
                Token::Sign(',') => number += 1,
                Token::Sign('?') => markers.push(place(word, inserted.get(number).copied())),
                Token::Sign(_) => {}
            }
        }
        markers
    }
}

/// The column of the placeholder after this word. `inserted` is the column of an INSERT that has
/// the placeholder's position, if there is one.
fn place<'a>(word: &'a str, inserted: Option<&'a str>) -> Column<'a> {
    let of = |word: &'a str, kind| Column { kind, ..columns::named(word) };
    match inserted {
        Some(name) if word.eq_ignore_ascii_case("VALUES") => columns::named(name),
        _ if word.eq_ignore_ascii_case("LIMIT") => of(word, INT),
        _ if word.eq_ignore_ascii_case("IN") => of(word, LIST_OF_TEXT),
        // Lanes select rows by the hash of their key.
        _ if word.eq_ignore_ascii_case("token") => columns::named("key"),
        _ => columns::named(word),
    }
}

/// The names between the first parentheses.
fn names<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let within = tokens.split(|token| matches!(token, Token::Sign('(' | ')'))).nth(1);
    let names = within.unwrap_or_default().split(|token| *token == Token::Sign(','));
    names.filter_map(first_word).collect()
}

fn first_word<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    tokens.iter().find_map(|token| match token {
        Token::Word(word) => Some(*word),
        Token::Sign(_) => None,
    })
}

/// Splits off the first token of a text whose first character is `first`. Returns the token, or
/// None for a text in single quotes, and the rest.
fn split(first: char, text: &str) -> (Option<Token<'_>>, &str) {
    let behind = &text[first.len_utf8()..];
    match first {
        '\'' | '"' => {
            let (within, rest) = behind.split_once(first).unwrap_or((behind, ""));
            ((first == '"').then_some(Token::Word(within)), rest)
        }
        first if is_of_word(first) => {
            let end = text.find(|next| !is_of_word(next)).unwrap_or(text.len());
            (Some(Token::Word(&text[..end])), &text[end..])
        }
        sign => (Some(Token::Sign(sign)), behind),
    }
}

fn is_of_word(of: char) -> bool {
    of.is_alphanumeric() || of == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'a>(of: &[Column<'a>]) -> Vec<&'a str> {
        of.iter().map(|column| column.name).collect()
    }

    #[test]
    fn places_have_the_types_of_their_columns() {
        for (text, wanted) in [
            ("SELECT value FROM t WHERE key = ?", &["key"][..]),
            (r#"INSERT INTO "a"."t" (key, value) VALUES (?, ?)"#, &["key", "value"]),
            ("INSERT INTO t (key, value) VALUES ('a,?', ?) IF NOT EXISTS", &["value"]),
            ("SELECT key FROM t WHERE token(key) >= token(?) LIMIT ?", &["key", "LIMIT"]),
            ("SELECT a FROM t where keyspace_name in ?", &["in"]),
            ("UPDATE t SET value = ? WHERE user = ? AND at = ?", &["value", "user", "at"]),
            ("?", &[""]),
        ] {
            assert_eq!(named(&Statement::read(text).markers()), wanted, "{text}");
        }
        let kinds = |text| Statement::read(text).markers().iter().map(|of| of.kind.len()).sum();
        let kinds: [usize; 2] = ["x LIMIT ?", "x in ?"].map(kinds);
        assert_eq!(kinds, [INT.len(), LIST_OF_TEXT.len()]);
    }

    #[test]
    fn rows_have_the_columns_that_are_selected() {
        for (text, wanted, empty) in [
            ("SELECT key FROM system.local", &["key"][..], false),
            ("select a, count(x, y), \"B\" from t", &["a", "count", "B"], false),
            ("SELECT host_id, tokens FROM system.peers", &["host_id", "tokens"], true),
            ("SELECT a FROM system_schema.types where x in ?", &["a"], true),
            ("SELECT * FROM t", &["*"], false),
            ("DELETE FROM t WHERE key = ? IF EXISTS", &[APPLIED], false),
        ] {
            let statement = Statement::read(text);
            let Effect::Rows { columns, is_empty } = statement.effect() else { panic!("{text}") };
            assert_eq!((named(&columns), is_empty), (wanted.to_vec(), empty), "{text}");
        }
    }

    #[test]
    fn what_writes_brings_nothing_and_use_a_keyspace() {
        for text in ["INSERT INTO t (a) VALUES (1)", "CREATE TABLE IF NOT EXISTS t", "USE", "", "'"]
        {
            assert!(matches!(Statement::read(text).effect(), Effect::Nothing), "{text}");
        }
        for text in ["USE app", "use \"app\""] {
            assert!(matches!(Statement::read(text).effect(), Effect::Keyspace("app")), "{text}");
        }
    }
}
