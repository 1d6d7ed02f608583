//! How databases are spoken to: what only contenders in SQL can be told.

use crate::near;
use crate::plan::settings::{connections, timeout};
use crate::plan::units;
use crate::shown::shown;
use drivers::oracle;
use record::{Pool, Reuse, SqlProtocol, Upkeep};
use std::time::Duration;

const PROTOCOLS: [SqlProtocol; 4] =
    [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared, SqlProtocol::Text];
const UPKEEPS: [(&str, Upkeep); 3] =
    [("neither", Upkeep::Neither), ("ping", Upkeep::Ping), ("reset", Upkeep::Reset)];
/// Kinds of table: PostgreSQL's two, and MySQL's engines that a table of keys and
/// values can be in.
const TABLES: [&str; 6] = ["logged", "unlogged", "innodb", "memory", "aria", "myisam"];

/// Bytes that a reply may be allowed: an error takes some hundred; MySQL has no longer
/// packets.
const LEAST_REPLY: u64 = 1000;
const MOST_REPLY: u64 = 1 << 30;

/// As far as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// The one statement that is asked.
    pub query: Option<String>,
    /// In which character set a client speaks.
    pub charset: Option<String>,
    /// How statements are sent.
    pub protocol: Option<SqlProtocol>,
    /// Which kind of table the workload's rows are in.
    pub table: Option<String>,
    max: Option<u32>,
    wait: Option<Duration>,
    upkeep: Option<Upkeep>,
    /// Bytes of the reply to an operation, at most.
    pub reply_bytes: Option<u64>,
}

impl DatabaseSettings {
    /// Sets one key from its text.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "query" => self.query = Some(query(value)?),
            "charset" => self.charset = Some(charset(value)?),
            "protocol" => self.protocol = Some(protocol(value)?),
            "table" => self.table = Some(table(value)?),
            "pool.max" => self.max = Some(connections(value)?),
            "pool.wait" => self.wait = Some(timeout(value)?),
            "reply.max" => self.reply_bytes = Some(reply_bytes(value)?),
            _ => self.upkeep = Some(upkeep(value)?),
        }
        Ok(())
    }

    /// These where they are given, else the others.
    pub(super) fn over(self, others: &DatabaseSettings) -> DatabaseSettings {
        DatabaseSettings {
            query: self.query.or_else(|| others.query.clone()),
            charset: self.charset.or_else(|| others.charset.clone()),
            protocol: self.protocol.or(others.protocol),
            table: self.table.or_else(|| others.table.clone()),
            max: self.max.or(others.max),
            wait: self.wait.or(others.wait),
            upkeep: self.upkeep.or(others.upkeep),
            reply_bytes: self.reply_bytes.or(others.reply_bytes),
        }
    }

    /// Whether anything was given.
    pub fn is_given(&self) -> bool {
        *self != DatabaseSettings::default()
    }

    /// The connection policy: a pool, or what `reuse` says. Who waits for a pool
    /// waits as long as for a reply, unless something else is said.
    ///
    /// # Errors
    /// When both are given, or a pool without its size.
    pub fn reuse(&self, reuse: Option<Reuse>, timeout: Duration) -> Result<Reuse, String> {
        let wait = self.wait.unwrap_or(timeout);
        match (self.max, reuse) {
            (Some(_), Some(_)) => Err("pool and reuse are two policies: give one".to_owned()),
            (Some(max), None) => Ok(Reuse::Pool(Pool {
                max,
                wait_ns: u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX),
                upkeep: self.upkeep.unwrap_or_default(),
            })),
            (None, _) if self.wait.is_some() || self.upkeep.is_some() => {
                Err("a pool needs its size: give pool.max too".to_owned())
            }
            (None, reuse) => Ok(reuse.unwrap_or(Reuse::Always)),
        }
    }
}

/// `--query`.
///
/// # Errors
/// When there is nothing in it.
pub fn query(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the query is empty: write --query 'SELECT 1'".to_owned()),
        statement => Ok(statement.to_owned()),
    }
}

fn reply_bytes(text: &str) -> Result<u64, String> {
    match units::bytes(text)? {
        bytes if (LEAST_REPLY..=MOST_REPLY).contains(&bytes) => Ok(bytes),
        _ => Err(format!("`{}` is not a length of replies from 1kB to 1GB", shown(text))),
    }
}

/// As Oracle names them.
fn charset(text: &str) -> Result<String, String> {
    let known = oracle::CHARSETS.iter().find(|known| known.eq_ignore_ascii_case(text));
    known.map(|&known| known.to_owned()).ok_or_else(|| {
        format!(
            "`{}` is not a character set that oracledb speaks in: {}",
            shown(text),
            oracle::CHARSETS.join(", ")
        )
    })
}

fn protocol(text: &str) -> Result<SqlProtocol, String> {
    let names = PROTOCOLS.map(SqlProtocol::name);
    PROTOCOLS.into_iter().find(|known| known.name() == text).ok_or_else(|| {
        format!(
            "`{}` is not a way to send statements: simple, extended or prepared (PostgreSQL), \
             text or prepared (MySQL){}",
            shown(text),
            near::did_you_mean(text, names)
        )
    })
}

fn upkeep(text: &str) -> Result<Upkeep, String> {
    let known = UPKEEPS.iter().find(|(name, _)| *name == text);
    known.map(|(_, upkeep)| *upkeep).ok_or_else(|| {
        format!(
            "`{}` is not what is done to a pooled connection: neither, ping or reset{}",
            shown(text),
            near::did_you_mean(text, UPKEEPS.map(|(name, _)| name))
        )
    })
}

fn table(text: &str) -> Result<String, String> {
    match TABLES.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "`{}` is not a kind of table: logged or unlogged (PostgreSQL); innodb, memory, aria \
             or myisam (MySQL, MariaDB){}",
            shown(text),
            near::did_you_mean(text, TABLES)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&str, &str)]) -> DatabaseSettings {
        let mut settings = DatabaseSettings::default();
        for (key, value) in pairs {
            settings.set(key, value).unwrap_or_else(|message| panic!("{message}"));
        }
        settings
    }

    #[test]
    fn a_pool_is_a_policy_of_its_own() {
        let timeout = Duration::from_secs(3);
        let pool = |wait_ns, upkeep| Ok(Reuse::Pool(Pool { max: 10, wait_ns, upkeep }));
        let max = ("pool.max", "10");
        for (pairs, reuse, wanted) in [
            (&[][..], None, Ok(Reuse::Always)),
            (&[], Some(Reuse::Never), Ok(Reuse::Never)),
            (&[max], None, pool(3_000_000_000, Upkeep::Neither)),
            (
                &[max, ("pool.wait", "5ms"), ("pool.upkeep", "reset")],
                None,
                pool(5_000_000, Upkeep::Reset),
            ),
            (
                &[max],
                Some(Reuse::Always),
                Err("pool and reuse are two policies: give one".to_owned()),
            ),
            (
                &[("pool.upkeep", "ping")],
                None,
                Err("a pool needs its size: give pool.max too".to_owned()),
            ),
        ] {
            assert_eq!(given(pairs).reuse(reuse, timeout), wanted, "{pairs:?}");
        }
    }

    #[test]
    fn what_is_given_wins() {
        let own = given(&[("protocol", "text"), ("pool.max", "2")]);
        let common = given(&[("protocol", "prepared"), ("query", "SELECT 2"), ("table", "memory")]);
        let both = own.over(&common);
        assert_eq!((both.protocol, both.max), (Some(SqlProtocol::Text), Some(2)));
        assert_eq!(
            (both.query.as_deref(), both.table.as_deref()),
            (Some("SELECT 2"), Some("memory"))
        );
    }

    #[test]
    fn bad_values_name_the_remedy() {
        for (key, value, message) in [
            (
                "charset",
                "WE8ISO8859P1",
                "`WE8ISO8859P1` is not a character set that oracledb speaks in: AL32UTF8",
            ),
            ("query", " ", "the query is empty: write --query 'SELECT 1'"),
            (
                "protocol",
                "simpel",
                "`simpel` is not a way to send statements: simple, extended or prepared \
                 (PostgreSQL), text or prepared (MySQL); did you mean `simple`?",
            ),
            (
                "pool.upkeep",
                "rest",
                "`rest` is not what is done to a pooled connection: neither, ping or reset; did you \
                 mean `reset`?",
            ),
            (
                "table",
                "heap",
                "`heap` is not a kind of table: logged or unlogged (PostgreSQL); innodb, memory, \
                 aria or myisam (MySQL, MariaDB)",
            ),
            ("pool.max", "0", "`0` is not a number of connections from 1 to 1M"),
            ("pool.wait", "0s", "a timeout must be above 0"),
            ("reply.max", "999", "`999` is not a length of replies from 1kB to 1GB"),
        ] {
            let told = DatabaseSettings::default().set(key, value);
            assert_eq!(told, Err(message.to_owned()), "{key}={value}");
        }
    }
}
