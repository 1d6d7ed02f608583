//! Settings of databases, only for contenders that are queried in SQL.

use crate::plan::settings::Settings;
use crate::protocols::PROTOCOLS;
use protocol::Protocol;
use record::{Maintenance, Pool, Reuse, SqlProtocol};
use std::time::Duration;
use text::near;
use text::quantities;
use text::shown::shown;
use text::units::nanoseconds;

const UPKEEPS: [(&str, Maintenance); 3] =
    [("neither", Maintenance::Neither), ("ping", Maintenance::Ping), ("reset", Maintenance::Reset)];
/// Limits of the length of a reply: an error takes some hundred bytes, and 1 GiB is the longest
/// packet of MySQL.
const LEAST_REPLY: u64 = 1000;
const MOST_REPLY: u64 = 1 << 30;

impl Settings {
    /// Returns the connection policy: a pool, or the value of `reuse`. An operation waits for a
    /// pooled connection as long as for a reply, unless `pool.wait` is given.
    ///
    /// # Errors
    /// When both are given, or a pool without its size.
    pub(in crate::plan) fn policy(&self, timeout: Duration) -> Result<Reuse, String> {
        let wait = self.pool_wait.unwrap_or(timeout);
        match (self.pool_max, self.reuse) {
            (Some(_), Some(_)) => Err("pool and reuse cannot be combined: give one".to_owned()),
            (Some(max), None) => Ok(Reuse::Pool(Pool {
                max,
                wait_ns: nanoseconds(wait),
                maintenance: self.pool_upkeep.unwrap_or_default(),
            })),
            (None, _) if self.pool_wait.is_some() || self.pool_upkeep.is_some() => {
                Err("a pool requires a size: set pool.max".to_owned())
            }
            (None, reuse) => Ok(reuse.unwrap_or(Reuse::Always)),
        }
    }
}

pub(super) fn query(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the query is empty: write --query 'SELECT 1'".to_owned()),
        statement => Ok(statement.to_owned()),
    }
}

pub(super) fn reply_bytes(text: &str) -> Result<u64, String> {
    match quantities::bytes(text)? {
        bytes if (LEAST_REPLY..=MOST_REPLY).contains(&bytes) => Ok(bytes),
        _ => Err(format!("it must be from 1kB to 1GB, not {}", shown(text))),
    }
}

/// Returns the ways in which statements are sent to databases of a protocol.
pub(super) fn protocols(row: &Protocol) -> Vec<&'static str> {
    row.sql().into_iter().flat_map(|sql| sql.protocols).map(|protocol| protocol.name()).collect()
}

pub(super) fn tables(row: &Protocol) -> Vec<&'static str> {
    row.sql().into_iter().flat_map(|sql| sql.tables).copied().collect()
}

/// Reads how statements are sent. The contender's protocol knows whether it supports it.
pub(super) fn protocol(text: &str) -> Result<SqlProtocol, String> {
    let name = PROTOCOLS.word(text, protocols, "a way to send statements")?;
    Ok(SqlProtocol::ALL.into_iter().find(|known| known.name() == name).expect("one of them"))
}

pub(super) fn upkeep(text: &str) -> Result<Maintenance, String> {
    let known = UPKEEPS.iter().find(|(name, _)| *name == text);
    known.map(|(_, upkeep)| *upkeep).ok_or_else(|| {
        format!(
            "`{}` is not a kind of upkeep: use neither, ping or reset{}",
            shown(text),
            near::did_you_mean(text, UPKEEPS.map(|(name, _)| name))
        )
    })
}

/// Reads a kind of table. The contender's protocol knows whether it supports it.
pub(super) fn table(text: &str) -> Result<String, String> {
    PROTOCOLS.word(text, tables, "a kind of table").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::declared::Declared;

    fn given(pairs: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        for (key, value) in pairs {
            settings.set(key, value).unwrap_or_else(|message| panic!("{message}"));
        }
        settings
    }

    #[test]
    fn a_pool_is_a_policy_of_its_own() {
        let timeout = Duration::from_secs(3);
        let pool = |wait_ns, maintenance| Ok(Reuse::Pool(Pool { max: 10, wait_ns, maintenance }));
        let max = ("pool.max", "10");
        for (pairs, reuse, wanted) in [
            (&[][..], None, Ok(Reuse::Always)),
            (&[], Some(Reuse::Never), Ok(Reuse::Never)),
            (&[max], None, pool(3_000_000_000, Maintenance::Neither)),
            (
                &[max, ("pool.wait", "5ms"), ("pool.upkeep", "reset")],
                None,
                pool(5_000_000, Maintenance::Reset),
            ),
            (
                &[max],
                Some(Reuse::Always),
                Err("pool and reuse cannot be combined: give one".to_owned()),
            ),
            (
                &[("pool.upkeep", "ping")],
                None,
                Err("a pool requires a size: set pool.max".to_owned()),
            ),
        ] {
            let settings = Settings { reuse, ..given(pairs) };
            assert_eq!(settings.policy(timeout), wanted, "{pairs:?}");
        }
    }

    #[test]
    fn what_is_given_wins() {
        let custom = given(&[("protocol", "text"), ("pool.max", "2")]);
        let common = given(&[("protocol", "prepared"), ("query", "SELECT 2"), ("table", "memory")]);
        let both = custom.over(&common);
        assert_eq!((both.protocol, both.pool_max), (Some(SqlProtocol::Text), Some(2)));
        assert_eq!(
            (both.query.as_deref(), both.table.as_deref()),
            (Some("SELECT 2"), Some("memory"))
        );
    }

    #[test]
    fn bad_values_name_the_remedy() {
        for (key, value, message) in [
            ("query", " ", "the query is empty: write --query 'SELECT 1'"),
            (
                "protocol",
                "simpel",
                "`simpel` is not a way to send statements: prepared or simple (Cassandra); prepared, \
                 extended or simple (PostgreSQL); prepared or text (MySQL); did you mean `simple`?",
            ),
            (
                "pool.upkeep",
                "rest",
                "`rest` is not a kind of upkeep: use neither, ping or reset; did you mean `reset`?",
            ),
            (
                "table",
                "heap",
                "`heap` is not a kind of table: size-tiered, leveled, time-window or unified (Cassandra); \
                 logged or unlogged (PostgreSQL); innodb, memory, aria or myisam (MySQL)",
            ),
            ("pool.max", "0", "`0` is not a number of connections from 1 to 1M"),
            ("pool.wait", "0s", "a timeout must be above 0"),
            ("reply.max", "999", "it must be from 1kB to 1GB, not 999"),
        ] {
            let result = Settings::default().set(key, value);
            assert_eq!(result, Err(message.to_owned()), "{key}={value}");
        }
    }
}
