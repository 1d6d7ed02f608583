//! The dialect of MySQL and MariaDB.

use drivers::dialect::Dialect;

/// How it writes statements.
pub struct MysqlDialect;

impl Dialect for MysqlDialect {
    fn name(&self, name: &str) -> String {
        format!("`{}`", name.replace('`', "``"))
    }

    /// `KEY` is a reserved word.
    fn column(&self, name: &str) -> String {
        self.name(name)
    }

    fn placeholder(&self, _number: usize, to: &mut String) {
        to.push('?');
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT IGNORE INTO", "")
    }

    fn replacing(&self) -> &'static str {
        " ON DUPLICATE KEY UPDATE `value` = VALUES(`value`)"
    }

    fn escapes_by_backslash(&self) -> bool {
        true
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("x'", "'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::sql::Statements;
    use drivers::testing::{on_the_table, row};

    #[test]
    fn statements_on_the_table() {
        let of = Statements::new(&MysqlDialect, "a`b", "SELECT 1");
        let places = [
            "SELECT `value` FROM `a``b` WHERE `key` = ?",
            "INSERT INTO `a``b` (`key`, `value`) VALUES (?, ?) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`)",
            "INSERT IGNORE INTO `a``b` (`key`, `value`) VALUES (?, ?)",
            "DELETE FROM `a``b` WHERE `key` = ?",
            "SELECT `key`, `value` FROM `a``b` WHERE `key` >= ? ORDER BY `key` LIMIT ?",
        ];
        assert_eq!(on_the_table(&of), places);
        let rows = of.with_rows(&[row(), row()]);
        let wanted = r"VALUES ('it''s\\', x'00af'), ('it''s\\', x'00af') ON DUPLICATE";
        assert!(rows.contains(wanted), "{rows}");
    }
}
