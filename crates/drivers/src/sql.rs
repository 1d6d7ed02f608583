//! The statements, and how text is quoted in them.
//!
//! One table for each contender: `key`, the primary key, and `value`. An
//! application that stores sessions or a cache in a database has such a table.

use crate::request::{Action, Row};
use std::borrow::Cow;

/// The dialects, in which statements differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Postgres,
    Mysql,
    Oracle,
    Cassandra,
}

/// The statements on one table, and the contender's one statement.
#[derive(Clone, Debug)]
pub(crate) struct Statements {
    dialect: Dialect,
    table: String,
    /// With placeholders, by [`Action::index`].
    with_placeholders: [String; Action::KINDS.len()],
}

/// A part of a statement with a value in it.
#[derive(Clone, Copy, Debug)]
enum StatementPart {
    Key,
    Value,
    Limit,
}

impl Statements {
    /// `query` is the statement of [`Action::Ask`].
    pub(crate) fn new(dialect: Dialect, table: &str, query: &str) -> Statements {
        let table = dialect.name(table);
        let with_placeholders = Action::KINDS.map(|action| match action {
            Action::Ask => query.to_owned(),
            action => {
                let mut number = 0;
                written(dialect, &table, action, |_, to| {
                    number += 1;
                    dialect.placeholder(number, to);
                })
            }
        });
        Statements { dialect, table, with_placeholders }
    }

    /// With placeholders, for bound values.
    pub(crate) fn with_placeholders(&self, action: Action) -> &str {
        &self.with_placeholders[action.index()]
    }

    /// With its values as literals.
    pub(crate) fn with_values(&self, action: Action, row: &Row) -> Cow<'_, str> {
        if action == Action::Ask {
            return Cow::Borrowed(self.with_placeholders(action));
        }
        Cow::Owned(written(self.dialect, &self.table, action, |part, to| match part {
            StatementPart::Key => self.dialect.text(&row.key, to),
            StatementPart::Value => self.dialect.bytes(&row.value, to),
            StatementPart::Limit => to.push_str(&limit(action).to_string()),
        }))
    }

    /// Writes rows, some of which may exist already.
    pub(crate) fn with_rows(&self, rows: &[Row]) -> String {
        let mut text = format!("INSERT INTO {} ({}) VALUES ", self.table, self.dialect.columns());
        for (at, row) in rows.iter().enumerate() {
            text.push_str(if at == 0 { "(" } else { ", (" });
            self.dialect.text(&row.key, &mut text);
            text.push_str(", ");
            self.dialect.bytes(&row.value, &mut text);
            text.push(')');
        }
        text.push_str(self.dialect.instead());
        text
    }

    /// Writes rows from a binary stream; only for PostgreSQL.
    pub(crate) fn copy(&self) -> String {
        format!("COPY {} (key, value) FROM STDIN (FORMAT BINARY)", self.table)
    }

    /// Removes rows whose keys are in the one parameter, an array; only for PostgreSQL.
    pub(crate) fn delete_all(&self) -> String {
        format!("DELETE FROM {} WHERE key = ANY($1)", self.table)
    }
}

/// A statement, with `put` for its values.
fn written(
    dialect: Dialect,
    table: &str,
    action: Action,
    mut put: impl FnMut(StatementPart, &mut String),
) -> String {
    if dialect == Dialect::Oracle && matches!(action, Action::Set | Action::Add) {
        return merged(table, action, put);
    }
    let (key, value) = (dialect.column("key"), dialect.column("value"));
    let mut text = match (action, dialect) {
        (Action::Ask, _) => String::new(),
        (Action::Get, _) => format!("SELECT {value} FROM {table} WHERE {key} = "),
        (Action::Add, Dialect::Mysql) => {
            format!("INSERT IGNORE INTO {table} ({}) VALUES (", dialect.columns())
        }
        (Action::Set | Action::Add, _) => {
            format!("INSERT INTO {table} ({}) VALUES (", dialect.columns())
        }
        (Action::Delete, _) => format!("DELETE FROM {table} WHERE {key} = "),
        // Its rows are only ordered by the hashes of their keys.
        (Action::Scan(_), Dialect::Cassandra) => {
            format!("SELECT {key}, {value} FROM {table} WHERE token({key}) >= token(")
        }
        (Action::Scan(_), _) => format!("SELECT {key}, {value} FROM {table} WHERE {key} >= "),
    };
    put(StatementPart::Key, &mut text);
    match action {
        Action::Set | Action::Add => {
            text.push_str(", ");
            put(StatementPart::Value, &mut text);
            text.push(')');
            text.push_str(match (action, dialect) {
                (Action::Add, Dialect::Postgres) => " ON CONFLICT DO NOTHING",
                (Action::Add, Dialect::Cassandra) => " IF NOT EXISTS",
                (Action::Add, _) => "",
                (_, dialect) => dialect.instead(),
            });
        }
        Action::Scan(_) => {
            let (before, behind) = match dialect {
                Dialect::Oracle => (format!(" ORDER BY {key} FETCH FIRST "), " ROWS ONLY"),
                Dialect::Postgres | Dialect::Mysql => (format!(" ORDER BY {key} LIMIT "), ""),
                Dialect::Cassandra => (") LIMIT ".to_owned(), ""),
            };
            text.push_str(&before);
            put(StatementPart::Limit, &mut text);
            text.push_str(behind);
        }
        Action::Ask | Action::Get | Action::Delete => {}
    }
    text
}

/// Oracle's replacement for an insert that overwrites or keeps an existing row.
fn merged(table: &str, action: Action, mut put: impl FnMut(StatementPart, &mut String)) -> String {
    let mut text = format!("MERGE INTO {table} t USING (SELECT ");
    put(StatementPart::Key, &mut text);
    text.push_str(" AS k, ");
    put(StatementPart::Value, &mut text);
    text.push_str(r#" AS v FROM dual) s ON (t."KEY" = s.k)"#);
    if action == Action::Set {
        text.push_str(r#" WHEN MATCHED THEN UPDATE SET t."VALUE" = s.v"#);
    }
    text.push_str(r#" WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#);
    text
}

impl Dialect {
    /// A quoted name. Oracle's are in capitals, as it reads names without quotes.
    pub(crate) fn name(self, name: &str) -> String {
        let quote = match self {
            Dialect::Postgres => '"',
            Dialect::Mysql => '`',
            // A keyspace and a table are separated by a dot; their names have none.
            Dialect::Cassandra => {
                let parts =
                    name.split('.').map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
                return parts.collect::<Vec<_>>().join(".");
            }
            Dialect::Oracle => return format!("\"{}\"", name.to_uppercase().replace('"', "\"\"")),
        };
        let doubled: String = [quote; 2].iter().collect();
        format!("{quote}{}{quote}", name.replace(quote, &doubled))
    }

    /// `KEY` is a reserved word in MySQL.
    fn column(self, name: &str) -> String {
        match self {
            Dialect::Postgres | Dialect::Cassandra => name.to_owned(),
            Dialect::Mysql | Dialect::Oracle => self.name(name),
        }
    }

    /// The placeholder with this number, counted from 1.
    pub(crate) fn placeholder(self, number: usize, to: &mut String) {
        match self {
            Dialect::Postgres => to.push_str(&format!("${number}")),
            Dialect::Mysql | Dialect::Cassandra => to.push('?'),
            Dialect::Oracle => to.push_str(&format!(":{number}")),
        }
    }

    fn columns(self) -> String {
        format!("{}, {}", self.column("key"), self.column("value"))
    }

    /// The clause that makes an insert replace an existing row.
    fn instead(self) -> &'static str {
        match self {
            Dialect::Postgres => " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            Dialect::Mysql => " ON DUPLICATE KEY UPDATE `value` = VALUES(`value`)",
            // Its statements are handled before.
            Dialect::Oracle => "",
            // Its inserts always replace.
            Dialect::Cassandra => "",
        }
    }

    /// A quoted text.
    pub(crate) fn quoted(self, text: &str) -> String {
        let mut quoted = String::with_capacity(text.len() + 2);
        self.text(text, &mut quoted);
        quoted
    }

    /// Appends a quoted text.
    pub(crate) fn text(self, text: &str, to: &mut String) {
        to.push('\'');
        for of in text.chars() {
            match (self, of) {
                (_, '\'') => to.push_str("''"),
                (Dialect::Mysql, '\\') => to.push_str("\\\\"),
                _ => to.push(of),
            }
        }
        to.push('\'');
    }

    /// Bytes as two hexadecimal digits each, for statements without bound values.
    pub(crate) fn bytes(self, bytes: &[u8], to: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        to.push_str(match self {
            Dialect::Postgres => "'\\x",
            Dialect::Mysql => "x'",
            Dialect::Oracle => "'",
            Dialect::Cassandra => "0x",
        });
        for byte in bytes {
            to.push(char::from(DIGITS[usize::from(byte >> 4)]));
            to.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        if self != Dialect::Cassandra {
            to.push('\'');
        }
    }
}

/// The maximum number of rows of a request.
pub(crate) fn limit(action: Action) -> u32 {
    match action {
        Action::Scan(rows) => rows,
        _ => 1,
    }
}

/// Whether a user-defined statement returns rows, judging by its first word.
pub(crate) fn returns_rows(query: &str) -> bool {
    starts_with(query, &["SELECT", "WITH", "VALUES", "TABLE", "SHOW"])
}

/// Whether the first word of a statement is one of these upper-case words.
pub(crate) fn starts_with(statement: &str, words: &[&str]) -> bool {
    let statement = statement.trim_start_matches(|of: char| of.is_whitespace() || of == '(');
    let word = statement.split(|of: char| !of.is_ascii_alphabetic()).next().unwrap_or("");
    words.contains(&word.to_ascii_uppercase().as_str())
}

/// Decodes PostgreSQL's text form of bytes: `\x` and two digits each. Returns None if the text is
/// something else.
pub(crate) fn unhex(text: &str, to: &mut Vec<u8>) -> Option<()> {
    let digits = text.strip_prefix("\\x")?.as_bytes();
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    for [high, low] in pairs {
        let digit = |of: &u8| char::from(*of).to_digit(16);
        to.push((digit(high)? << 4 | digit(low)?) as u8);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIONS: [Action; 5] =
        [Action::Get, Action::Set, Action::Add, Action::Delete, Action::Scan(7)];

    fn row() -> Row {
        Row { key: "it's\\".to_owned(), value: vec![0, 0xAF], ..Row::default() }
    }

    #[test]
    fn statements_of_oracle() {
        let of = Statements::new(Dialect::Oracle, "t", "SELECT 1 FROM dual");
        let places = [
            r#"SELECT "VALUE" FROM "T" WHERE "KEY" = :1"#,
            r#"MERGE INTO "T" t USING (SELECT :1 AS k, :2 AS v FROM dual) s ON (t."KEY" = s.k) WHEN MATCHED THEN UPDATE SET t."VALUE" = s.v WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#,
            r#"MERGE INTO "T" t USING (SELECT :1 AS k, :2 AS v FROM dual) s ON (t."KEY" = s.k) WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#,
            r#"DELETE FROM "T" WHERE "KEY" = :1"#,
            r#"SELECT "KEY", "VALUE" FROM "T" WHERE "KEY" >= :1 ORDER BY "KEY" FETCH FIRST :2 ROWS ONLY"#,
        ];
        assert_eq!(ACTIONS.map(|action| of.with_placeholders(action)), places);
    }

    #[test]
    fn statements_of_postgres() {
        let of = Statements::new(Dialect::Postgres, "a\"b", "SELECT 1");
        let places = [
            r#"SELECT value FROM "a""b" WHERE key = $1"#,
            r#"INSERT INTO "a""b" (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"#,
            r#"INSERT INTO "a""b" (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"#,
            r#"DELETE FROM "a""b" WHERE key = $1"#,
            r#"SELECT key, value FROM "a""b" WHERE key >= $1 ORDER BY key LIMIT $2"#,
        ];
        assert_eq!(ACTIONS.map(|action| of.with_placeholders(action)), places);
        let set = of.with_values(Action::Add, &row());
        assert!(set.ends_with(r"VALUES ('it''s\', '\x00af') ON CONFLICT DO NOTHING"), "{set}");
        let scan = of.with_values(Action::Scan(7), &row());
        assert!(scan.ends_with(r"key >= 'it''s\' ORDER BY key LIMIT 7"), "{scan}");
        assert_eq!(of.with_values(Action::Ask, &row()), "SELECT 1");
        assert_eq!(of.with_placeholders(Action::Ask), "SELECT 1");
    }

    #[test]
    fn statements_of_mysql() {
        let of = Statements::new(Dialect::Mysql, "a`b", "SELECT 1");
        let places = [
            "SELECT `value` FROM `a``b` WHERE `key` = ?",
            "INSERT INTO `a``b` (`key`, `value`) VALUES (?, ?) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`)",
            "INSERT IGNORE INTO `a``b` (`key`, `value`) VALUES (?, ?)",
            "DELETE FROM `a``b` WHERE `key` = ?",
            "SELECT `key`, `value` FROM `a``b` WHERE `key` >= ? ORDER BY `key` LIMIT ?",
        ];
        assert_eq!(ACTIONS.map(|action| of.with_placeholders(action)), places);
        let rows = of.with_rows(&[row(), row()]);
        let wanted = r"VALUES ('it''s\\', x'00af'), ('it''s\\', x'00af') ON DUPLICATE";
        assert!(rows.contains(wanted), "{rows}");
    }

    #[test]
    fn statements_of_cassandra() {
        let of = Statements::new(Dialect::Cassandra, "app.t", "SELECT key FROM system.local");
        let places = [
            r#"SELECT value FROM "app"."t" WHERE key = ?"#,
            r#"INSERT INTO "app"."t" (key, value) VALUES (?, ?)"#,
            r#"INSERT INTO "app"."t" (key, value) VALUES (?, ?) IF NOT EXISTS"#,
            r#"DELETE FROM "app"."t" WHERE key = ?"#,
            r#"SELECT key, value FROM "app"."t" WHERE token(key) >= token(?) LIMIT ?"#,
        ];
        assert_eq!(ACTIONS.map(|action| of.with_placeholders(action)), places);
        let set = of.with_values(Action::Set, &row());
        assert!(set.ends_with(r"VALUES ('it''s\', 0x00af)"), "{set}");
    }

    #[test]
    fn what_is_written_as_text_is_read_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        Dialect::Postgres.bytes(&bytes, &mut text);
        let mut read = Vec::new();
        assert_eq!(unhex(text.trim_matches('\''), &mut read), Some(()));
        assert_eq!(read, bytes);
        for wrong in ["", "00", "\\x0", "\\x0g", "\\xé"] {
            assert_eq!(unhex(wrong, &mut Vec::new()), None, "{wrong}");
        }
    }

    #[test]
    fn statements_that_return_rows_are_recognised_by_their_first_word() {
        for query in ["SELECT 1", " (select 1)", "WITH x AS (SELECT 1) SELECT 2", "values(1)"] {
            assert!(returns_rows(query), "{query}");
        }
        for query in ["", "UPDATE t SET a = 1", "DO 1", "selection"] {
            assert!(!returns_rows(query), "{query}");
        }
    }
}
