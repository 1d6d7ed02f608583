//! The dialect of Oracle.

use drivers::dialect::{Dialect, Merge, Scan};

/// How it writes statements.
pub struct OracleDialect;

impl Dialect for OracleDialect {
    /// In capitals, as it reads names without quotes.
    fn name(&self, name: &str) -> String {
        format!("\"{}\"", name.to_uppercase().replace('"', "\"\""))
    }

    fn column(&self, name: &str) -> String {
        self.name(name)
    }

    fn placeholder(&self, number: usize, to: &mut String) {
        to.push_str(&format!(":{number}"));
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT INTO", "")
    }

    /// See [`Dialect::merge`].
    fn replacing(&self) -> &'static str {
        ""
    }

    fn scan(&self, key: &str) -> Scan {
        let (from, most) = (format!("{key} >= "), format!(" ORDER BY {key} FETCH FIRST "));
        Scan { from, most, end: " ROWS ONLY" }
    }

    fn merge(&self, table: &str, replaces: bool) -> Option<Merge> {
        let update = if replaces { r#" WHEN MATCHED THEN UPDATE SET t."VALUE" = s.v"# } else { "" };
        Some(Merge {
            key: format!("MERGE INTO {table} t USING (SELECT "),
            value: " AS k, ",
            end: format!(
                r#" AS v FROM dual) s ON (t."KEY" = s.k){update} WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#
            ),
        })
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("'", "'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::sql::Statements;
    use drivers::testing::on_the_table;

    #[test]
    fn statements_on_the_table() {
        let of = Statements::new(&OracleDialect, "t", "SELECT 1 FROM dual");
        let places = [
            r#"SELECT "VALUE" FROM "T" WHERE "KEY" = :1"#,
            r#"MERGE INTO "T" t USING (SELECT :1 AS k, :2 AS v FROM dual) s ON (t."KEY" = s.k) WHEN MATCHED THEN UPDATE SET t."VALUE" = s.v WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#,
            r#"MERGE INTO "T" t USING (SELECT :1 AS k, :2 AS v FROM dual) s ON (t."KEY" = s.k) WHEN NOT MATCHED THEN INSERT (t."KEY", t."VALUE") VALUES (s.k, s.v)"#,
            r#"DELETE FROM "T" WHERE "KEY" = :1"#,
            r#"SELECT "KEY", "VALUE" FROM "T" WHERE "KEY" >= :1 ORDER BY "KEY" FETCH FIRST :2 ROWS ONLY"#,
        ];
        assert_eq!(on_the_table(&of), places);
    }
}
