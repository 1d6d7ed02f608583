//! The dialect of CQL.

use drivers::dialect::{Dialect, Scan};

/// How it writes statements.
pub struct CassandraDialect;

impl Dialect for CassandraDialect {
    /// A keyspace and a table are separated by a dot; their names have none.
    fn name(&self, name: &str) -> String {
        let parts = name.split('.').map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
        parts.collect::<Vec<_>>().join(".")
    }

    fn placeholder(&self, _number: usize, to: &mut String) {
        to.push('?');
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT INTO", " IF NOT EXISTS")
    }

    /// Its inserts always replace.
    fn replacing(&self) -> &'static str {
        ""
    }

    /// Its rows are only ordered by the hashes of their keys.
    fn scan(&self, key: &str) -> Scan {
        let from = format!("token({key}) >= token(");
        Scan { from, most: ") LIMIT ".to_owned(), end: "" }
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("0x", "")
    }

    /// CQL reads what is in brackets as a tuple.
    fn around_negative(&self) -> (&'static str, &'static str) {
        (" ", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::request::Action;
    use drivers::sql::Statements;
    use drivers::testing::{on_the_table, row};

    #[test]
    fn statements_on_the_table() {
        let of = Statements::new(&CassandraDialect, "app.t", "SELECT key FROM system.local");
        let places = [
            r#"SELECT value FROM "app"."t" WHERE key = ?"#,
            r#"INSERT INTO "app"."t" (key, value) VALUES (?, ?)"#,
            r#"INSERT INTO "app"."t" (key, value) VALUES (?, ?) IF NOT EXISTS"#,
            r#"DELETE FROM "app"."t" WHERE key = ?"#,
            r#"SELECT key, value FROM "app"."t" WHERE token(key) >= token(?) LIMIT ?"#,
        ];
        assert_eq!(on_the_table(&of), places);
        let set = of.with_values(Action::Set, &row());
        assert!(set.ends_with(r"VALUES ('it''s\', 0x00af)"), "{set}");
    }
}
