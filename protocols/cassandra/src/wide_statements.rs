//! The table of wide rows and the statements on it.

use crate::dialect::CassandraDialect;
use drivers::dialect::Dialect;
use drivers::request::{OnColumns, Row};
use engine::workload::{Column, NEWEST_COLUMNS};

/// The columns of the table, and the order of its rows, up to further options.
pub(crate) const TABLE: &str = "(user text, type text, at bigint, value blob, PRIMARY KEY \
                                ((user, type), at)) WITH CLUSTERING ORDER BY (at DESC) AND";

/// The statements on a table of wide rows.
pub(crate) struct WideStatements {
    table: String,
    /// With placeholders, by [`OnColumns::index`].
    with_placeholders: [String; OnColumns::KINDS.len()],
}

/// A part of a statement with a value in it.
enum WideStatementPart {
    User,
    Type,
    At,
    Value,
}

impl WideStatements {
    pub(crate) fn new(table: &str) -> WideStatements {
        let table = CassandraDialect.name(table);
        let placeholder = |_, to: &mut String| to.push('?');
        let with_placeholders = OnColumns::KINDS.map(|does| written(&table, does, placeholder));
        WideStatements { table, with_placeholders }
    }

    pub(crate) fn with_placeholders(&self, does: OnColumns) -> &str {
        &self.with_placeholders[does.index()]
    }

    /// With its values written out.
    pub(crate) fn with_values(&self, does: OnColumns, column: Column, row: &Row) -> String {
        let dialect = CassandraDialect;
        written(&self.table, does, |part, to| match part {
            WideStatementPart::User => dialect.text(&row.key, to),
            WideStatementPart::Type => dialect.text(column.type_name(), to),
            WideStatementPart::At => to.push_str(&column.at().to_string()),
            WideStatementPart::Value => dialect.bytes(&row.value, to),
        })
    }
}

/// A statement, with `put` for its values.
fn written(
    table: &str,
    does: OnColumns,
    mut put: impl FnMut(WideStatementPart, &mut String),
) -> String {
    let mut text = match does {
        OnColumns::Newest => format!("SELECT at, value FROM {table} WHERE user = "),
        OnColumns::One => format!("SELECT value FROM {table} WHERE user = "),
        OnColumns::Insert => format!("INSERT INTO {table} (user, type, at, value) VALUES ("),
    };
    put(WideStatementPart::User, &mut text);
    text.push_str(if does == OnColumns::Insert { ", " } else { " AND type = " });
    put(WideStatementPart::Type, &mut text);
    match does {
        OnColumns::Newest => text.push_str(&format!(" LIMIT {NEWEST_COLUMNS}")),
        OnColumns::One => {
            text.push_str(" AND at = ");
            put(WideStatementPart::At, &mut text);
        }
        OnColumns::Insert => {
            text.push_str(", ");
            put(WideStatementPart::At, &mut text);
            text.push_str(", ");
            put(WideStatementPart::Value, &mut text);
            text.push(')');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_the_partition_and_the_newest_columns() {
        let of = WideStatements::new("app.t");
        let places = [
            r#"SELECT at, value FROM "app"."t" WHERE user = ? AND type = ? LIMIT 20"#,
            r#"SELECT value FROM "app"."t" WHERE user = ? AND type = ? AND at = ?"#,
            r#"INSERT INTO "app"."t" (user, type, at, value) VALUES (?, ?, ?, ?)"#,
        ];
        assert_eq!(OnColumns::KINDS.map(|does| of.with_placeholders(does)), places);
        let row = Row { key: "it's".to_owned(), value: vec![0, 0xAF], ..Row::default() };
        let insert = of.with_values(OnColumns::Insert, Column { row: 3, time: 107 }, &row);
        assert!(insert.ends_with("VALUES ('it''s', 'type-1', 107, 0x00af)"), "{insert}");
    }
}
