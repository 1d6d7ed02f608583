//! MySQL and MariaDB, through mysql_async.

use crate::dialect::MysqlDialect;
use drivers::Refusal;
use drivers::SchemaError;
use drivers::SqlAccess;
use drivers::dialect::Dialect;
use drivers::sql::Statements;
use protocol::side_channel::TABLE_COMMENT;
use record::SqlProtocol;
use std::path::PathBuf;

/// The maximum length of a row of key and value: 65535 bytes minus the lengths of both, which are
/// stored in the row, too.
pub(crate) const ROW_BYTES: u32 = 65_535 - 4;

/// TLS settings of the library, which has its own root certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysqlTls {
    /// A file of certificates (PEM) that are trusted instead of the library's public ones.
    pub roots: Option<PathBuf>,
    /// Whether the certificate is not verified.
    pub insecure: bool,
    /// The name that the certificate must be for. None means the address.
    pub name: Option<String>,
}

/// Access to MySQL or MariaDB.
#[derive(Clone)]
pub struct MysqlAccess {
    /// What access to every database has.
    pub common: SqlAccess,
    /// How statements are sent.
    pub sending: SqlProtocol,
    /// TLS. None means without it.
    pub tls: Option<MysqlTls>,
    /// Without TLS the server may be asked for its public key to encrypt the password with. An
    /// impostor that answers in its place can then read the password.
    pub may_ask_for_key: bool,
}

impl MysqlAccess {
    /// See [`SqlAccess::without_log_in`].
    pub fn without_log_in(sending: SqlProtocol) -> MysqlAccess {
        let common = SqlAccess::without_log_in();
        MysqlAccess { common, sending, tls: None, may_ask_for_key: false }
    }

    /// The statements that drop the contender's table and create it empty, for keys and
    /// values of up to the given number of bytes. `engine` is MEMORY, InnoDB, …; None
    /// means the server's default engine.
    ///
    /// The index is ordered, even for an engine whose default is a hash: engines are
    /// compared, not indexes, and scans must be possible. Keys and values are VARBINARY,
    /// which every engine has: MEMORY stores each row at its full length, and text would
    /// take four bytes a character there.
    ///
    /// # Errors
    /// Returns an error if a table of this engine cannot store such values.
    pub fn table_schema(
        &self,
        engine: Option<&str>,
        key_bytes: u32,
        value_bytes: u32,
    ) -> Result<Vec<String>, SchemaError> {
        let table = MysqlDialect.name(&self.common.table);
        let most = ROW_BYTES.saturating_sub(key_bytes);
        let value = match value_bytes {
            fits if fits <= most => format!("VARBINARY({fits})"),
            long if engine.is_some_and(|engine| engine.eq_ignore_ascii_case("MEMORY")) => {
                return Err(SchemaError::ValueTooLong { bytes: long, most });
            }
            _ => "LONGBLOB".to_owned(),
        };
        let engine = engine
            .map_or(String::new(), |engine| format!(" ENGINE = {}", MysqlDialect.name(engine)));
        Ok(vec![
            format!("DROP TABLE IF EXISTS {table}"),
            format!(
                "CREATE TABLE {table} (`key` VARBINARY({key_bytes}) NOT NULL, `value` {value} NOT \
                 NULL, PRIMARY KEY (`key`) USING BTREE){engine} COMMENT = {}",
                MysqlDialect.quoted(TABLE_COMMENT)
            ),
        ])
    }

    pub(crate) fn statements(&self) -> Statements {
        Statements::new(&MysqlDialect, &self.common.table, &self.common.query)
    }
}

/// Names of the numbers by which its replies are counted.
pub fn code_names() -> impl Iterator<Item = (u16, String)> {
    ERRORS.iter().map(|(code, name)| (*code, (*name).to_owned()))
}

/// What an error number means, as far as tiebreak reacts to it.
pub(crate) fn refusal(error: u16) -> Option<Refusal> {
    Refusal::of(code_names(), error)
}

/// Names of the server's error numbers that a load can meet.
const ERRORS: &[(u16, &str)] = &[
    (1040, "too_many_connections"),
    (1044, "not_allowed"),
    (1045, "wrong_password"),
    (1049, "no_such_database"),
    (1053, "server_shut_down"),
    (1054, "no_such_column"),
    (1064, "syntax_error"),
    (1114, "table_full"),
    (1142, "not_allowed"),
    (1146, "no_such_table"),
    (1153, "packet_too_large"),
    (1203, "too_many_connections_of_user"),
    (1205, "lock_timeout"),
    (1213, "deadlock"),
    (1264, "wrong_type"),
    (1265, "wrong_type"),
    (1290, "read_only"),
    (1295, "cannot_be_prepared"),
    (1317, "statement_timeout"),
    (1366, "wrong_type"),
    (1406, "value_too_long"),
    (1927, "connection_killed"),
    (1969, "statement_timeout"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_names_and_meanings() {
        let name = |code| code_names().find(|(known, _)| *known == code).map(|(_, name)| name);
        assert_eq!(name(1040).as_deref(), Some("too_many_connections"));
        assert_eq!((name(999), refusal(942)), (None, None));
        assert_eq!(refusal(1146), Some(Refusal::NoSuchTable));
        assert_eq!(refusal(1053), Some(Refusal::NotUp));
    }

    #[test]
    fn the_table_fits_its_engine_and_its_values() {
        let plain = MysqlAccess::without_log_in(SqlProtocol::Text);
        let common = SqlAccess { table: "a`b".to_owned(), ..plain.common };
        let access = MysqlAccess { common, ..plain };
        let schema = |engine, bytes| access.table_schema(engine, 20, bytes);
        let memory = schema(Some("MEMORY"), 1000).expect("it fits");
        let [drops, creates] = &memory[..] else { panic!("two statements") };
        assert_eq!(drops, "DROP TABLE IF EXISTS `a``b`");
        assert!(creates.starts_with("CREATE TABLE `a``b` (`key` VARBINARY(20) "), "{creates}");
        assert!(creates.contains("`value` VARBINARY(1000) NOT NULL"), "{creates}");
        let comment = format!(" COMMENT = '{TABLE_COMMENT}'");
        assert!(
            creates.ends_with(&format!("USING BTREE) ENGINE = `MEMORY`{comment}")),
            "{creates}"
        );
        let long = &schema(None, 70_000).expect("a LONGBLOB")[1];
        assert!(
            long.contains("`value` LONGBLOB") && long.contains("USING BTREE) COMMENT"),
            "{long}"
        );
        let refused = schema(Some("memory"), 70_000).expect_err("too long");
        assert_eq!(refused, SchemaError::ValueTooLong { bytes: 70_000, most: 65_511 });
    }
}
