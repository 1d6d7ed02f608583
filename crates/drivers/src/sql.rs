//! The statements, and how text is quoted in them.
//!
//! One table for each contender: `key`, the primary key, and `value`. An
//! application that stores sessions or a cache in a database has such a table.

use crate::dialect::{Dialect, Scan};
use crate::request::{Action, Row};
use record::{CustomOperation, OperationText};
use std::borrow::Cow;

/// The statements on one table, and the contender's one statement.
#[derive(Clone)]
pub struct Statements {
    dialect: &'static dyn Dialect,
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
    pub fn new(dialect: &'static dyn Dialect, table: &str, query: &str) -> Statements {
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

    /// The quoted name of the table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// With placeholders, for bound values.
    pub fn with_placeholders(&self, action: Action) -> &str {
        &self.with_placeholders[action.index()]
    }

    /// With its values as literals.
    pub fn with_values(&self, action: Action, row: &Row) -> Cow<'_, str> {
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
    pub fn with_rows(&self, rows: &[Row]) -> String {
        let (key, value) = (self.dialect.column("key"), self.dialect.column("value"));
        let mut text = format!("INSERT INTO {} ({key}, {value}) VALUES ", self.table);
        for (at, row) in rows.iter().enumerate() {
            text.push_str(if at == 0 { "(" } else { ", (" });
            self.dialect.text(&row.key, &mut text);
            text.push_str(", ");
            self.dialect.bytes(&row.value, &mut text);
            text.push(')');
        }
        text.push_str(self.dialect.replacing());
        text
    }
}

/// A statement, with `put` for its values.
fn written(
    dialect: &dyn Dialect,
    table: &str,
    action: Action,
    mut put: impl FnMut(StatementPart, &mut String),
) -> String {
    let (key, value) = (dialect.column("key"), dialect.column("value"));
    let mut text = String::new();
    match action {
        Action::Ask => {}
        Action::Get | Action::Delete => {
            text = match action {
                Action::Get => format!("SELECT {value} FROM {table} WHERE {key} = "),
                _ => format!("DELETE FROM {table} WHERE {key} = "),
            };
            put(StatementPart::Key, &mut text);
        }
        Action::Set | Action::Add => {
            let replaces = action == Action::Set;
            let (begin, between, end) = match dialect.merge(table, replaces) {
                Some(merge) => (merge.key, merge.value, merge.end),
                None => {
                    let (begin, end) = match dialect.insert_missing() {
                        missing if !replaces => missing,
                        _ => ("INSERT INTO", dialect.replacing()),
                    };
                    let begin = format!("{begin} {table} ({key}, {value}) VALUES (");
                    (begin, ", ", format!("){end}"))
                }
            };
            text = begin;
            put(StatementPart::Key, &mut text);
            text.push_str(between);
            put(StatementPart::Value, &mut text);
            text.push_str(&end);
        }
        Action::Scan(_) => {
            let Scan { from, most, end } = dialect.scan(&key);
            text = format!("SELECT {key}, {value} FROM {table} WHERE {from}");
            put(StatementPart::Key, &mut text);
            text.push_str(&most);
            put(StatementPart::Limit, &mut text);
            text.push_str(end);
        }
    }
    text
}

/// The maximum number of rows of a request.
pub fn limit(action: Action) -> u32 {
    match action {
        Action::Scan(rows) => rows,
        _ => 1,
    }
}

/// Whether a user-defined statement returns rows, judging by its first word.
pub fn returns_rows(query: &str) -> bool {
    starts_with(query, &["SELECT", "WITH", "VALUES", "TABLE", "SHOW"])
}

/// Whether none of the statements of an operation returns rows.
pub fn only_writes(of: &CustomOperation) -> bool {
    match &of.says {
        OperationText::Sql(statements) => !statements.iter().any(|of| has_rows(&of.text)),
        _ => false,
    }
}

/// Whether a statement returns rows, including rows that it changes.
pub(crate) fn has_rows(text: &str) -> bool {
    returns_rows(text) || says_returning(text)
}

/// Whether a statement changes rows and returns them.
pub fn says_returning(text: &str) -> bool {
    text.split_whitespace().any(|word| word.eq_ignore_ascii_case("RETURNING"))
}

/// Whether the first word of a statement is one of these upper-case words.
pub fn starts_with(statement: &str, words: &[&str]) -> bool {
    let statement = statement.trim_start_matches(|of: char| of.is_whitespace() || of == '(');
    let word = statement.split(|of: char| !of.is_ascii_alphabetic()).next().unwrap_or("");
    words.contains(&word.to_ascii_uppercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

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
