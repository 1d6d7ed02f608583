//! The dialect of PostgreSQL.

use drivers::dialect::Dialect;

/// How it writes statements.
pub struct PostgresDialect;

impl Dialect for PostgresDialect {
    fn name(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    fn placeholder(&self, number: usize, to: &mut String) {
        to.push_str(&format!("${number}"));
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT INTO", " ON CONFLICT DO NOTHING")
    }

    fn replacing(&self) -> &'static str {
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("'\\x", "'")
    }
}

/// Decodes its text form of bytes: `\x` and two digits each. Returns None if the text is
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
    use drivers::request::Action;
    use drivers::sql::Statements;
    use drivers::testing::{on_the_table, row};

    #[test]
    fn statements_on_the_table() {
        let of = Statements::new(&PostgresDialect, "a\"b", "SELECT 1");
        let places = [
            r#"SELECT value FROM "a""b" WHERE key = $1"#,
            r#"INSERT INTO "a""b" (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"#,
            r#"INSERT INTO "a""b" (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"#,
            r#"DELETE FROM "a""b" WHERE key = $1"#,
            r#"SELECT key, value FROM "a""b" WHERE key >= $1 ORDER BY key LIMIT $2"#,
        ];
        assert_eq!(on_the_table(&of), places);
        let set = of.with_values(Action::Add, &row());
        assert!(set.ends_with(r"VALUES ('it''s\', '\x00af') ON CONFLICT DO NOTHING"), "{set}");
        let scan = of.with_values(Action::Scan(7), &row());
        assert!(scan.ends_with(r"key >= 'it''s\' ORDER BY key LIMIT 7"), "{scan}");
        assert_eq!(of.with_values(Action::Ask, &row()), "SELECT 1");
        assert_eq!(of.with_placeholders(Action::Ask), "SELECT 1");
    }

    #[test]
    fn what_is_written_as_text_is_read_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        PostgresDialect.bytes(&bytes, &mut text);
        let mut read = Vec::new();
        assert_eq!(unhex(text.trim_matches('\''), &mut read), Some(()));
        assert_eq!(read, bytes);
        for wrong in ["", "00", "\\x0", "\\x0g", "\\xé"] {
            assert_eq!(unhex(wrong, &mut Vec::new()), None, "{wrong}");
        }
    }
}
