//! Settings that a contender cannot use are refused, never ignored.

use crate::plan::settings::Settings;
use crate::plan::settings::declared::{Declared, Row, Setting, UsedBy, outer};
use crate::protocols::PROTOCOLS;
use protocol::{Family, Protocol};
use record::Reuse;
use text::lists::listed;

/// Refuses settings that a contender of this protocol cannot use.
///
/// # Errors
/// When there is one; the message says which contenders can use it.
pub(in crate::plan) fn refuse(settings: &Settings, protocol: &Protocol) -> Result<(), String> {
    let family = &protocol.family;
    let unusual = without_the_usual(settings, family);
    let given = Settings::table().filter(|row| row.is_given(&unusual));
    match given.map(|row| &row.setting).find(|setting| !setting.fits(protocol)) {
        Some(setting) => Err(why(setting, family)),
        None => Ok(()),
    }
}

/// Removes settings that equal what these contenders do by default. A program has no such defaults.
fn without_the_usual(settings: &Settings, family: &Family) -> Settings {
    match family {
        Family::Program => settings.clone(),
        _ => Settings {
            depth: settings.depth.filter(|depth| *depth > 1),
            reuse: settings.reuse.filter(|reuse| *reuse != Reuse::Always),
            ..settings.clone()
        },
    }
}

fn why(setting: &Setting, family: &Family) -> String {
    let (key, used_by) = (setting.key, setting.used_by);
    let known = || PROTOCOLS.written_as(|row| setting.fits(row));
    let only = |what: &str| format!("{} apply only to {what} ({})", all(&[used_by]), known());
    match (used_by, family) {
        (UsedBy::Requests, Family::Messages(_)) => format!(
            "{key} applies only to HTTP requests; for a server of messages set message and \
             message_size"
        ),
        (UsedBy::Requests | UsedBy::Headers, _) => {
            format!("{key} applies only to HTTP requests; for a store set --workload")
        }
        (UsedBy::Running, _) => format!(
            "{} apply only to servers that are already running: leave them out for files and programs",
            all(&[used_by])
        ),
        (UsedBy::Messages, _) => only("messages"),
        (UsedBy::Own, _) => {
            let alike = |row: &Row<Settings>| {
                row.setting.used_by == UsedBy::Own
                    && PROTOCOLS.iter().all(|it| row.setting.fits(it) == setting.fits(it))
            };
            let keys: Vec<&str> =
                Settings::table().filter(|row| alike(row)).map(|row| row.setting.key).collect();
            let verb = if keys.len() == 1 { "applies" } else { "apply" };
            format!("{} {verb} only to {}", listed(&keys), known())
        }
        (UsedBy::Sharded, _) => only("several servers"),
        (UsedBy::Databases, _) => only("databases"),
        (UsedBy::Replicated, _) => only("stores that keep several copies"),
        (_, Family::Program) => format!(
            "exec: a program makes its own connections, if any: leave out {} for it",
            all(&[UsedBy::Deep, UsedBy::Stores, UsedBy::Connected])
        ),
        (_, Family::Sql(_)) => match key {
            "depth" => "a client library has one statement in flight on a connection: leave out \
                        depth for databases"
                .to_owned(),
            "dialect" => "protocol (simple, extended, text, prepared) sets how statements are \
                          sent: leave out dialect for databases"
                .to_owned(),
            _ => of_stores(),
        },
        (_, Family::Files(_)) => match key {
            "depth" => {
                "files have one operation in flight per connection: leave out depth for them"
                    .to_owned()
            }
            "dialect" => {
                "files are accessed through system calls: leave out dialect for them".to_owned()
            }
            "reuse" => "files have no connections that could be reopened: leave out reuse for them"
                .to_owned(),
            _ => of_stores(),
        },
        (UsedBy::Deep, _) => format!("depth applies only to stores and messages ({})", known()),
        (_, Family::Requests(_) | Family::Messages(_) | Family::Store(_)) => of_stores(),
    }
}

fn of_stores() -> String {
    let known = PROTOCOLS.written_as(|row| matches!(row.family, Family::Store(_)));
    format!("{} applies only to stores ({known})", all(&[UsedBy::Stores]))
}

/// Lists the keys of all settings of these kinds, for a sentence. Several keys in one table of the
/// experiment file appear under its name.
fn all(used_by: &[UsedBy]) -> String {
    let rows = |used_by: &UsedBy| {
        let used_by = *used_by;
        Settings::table().filter(move |row| row.setting.used_by == used_by)
    };
    let keys: Vec<&str> = used_by.iter().flat_map(rows).map(|row| row.setting.key).collect();
    let together = |key: &&str| keys.iter().filter(|other| outer(other) == outer(key)).count() > 1;
    let mut named: Vec<&str> =
        keys.iter().map(|key| if together(key) { outer(key) } else { key }).collect();
    named.dedup();
    listed(&named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::samples;

    /// Why a contender of this protocol refuses a setting, or None if it accepts it.
    fn refusal(key: &str, protocol: &str) -> Option<String> {
        let mut settings = Settings::default();
        settings.set(key, samples::of(key)).unwrap_or_else(|message| panic!("{message}"));
        let protocol = PROTOCOLS.iter().find(|row| row.name == protocol).expect("known");
        refuse(&settings, protocol).err()
    }

    #[test]
    fn every_setting_is_used_or_refused_by_every_contender() {
        let used = |protocol: &str| -> String {
            let keys = Settings::table().map(|row| row.setting.key);
            keys.filter(|key| refusal(key, protocol).is_none()).collect::<Vec<_>>().join(" ")
        };
        for (protocol, wanted) in [
            (
                "http",
                "reuse connections rate arrivals timeout pid process watch watch_token_file expect expect_empty method header data",
            ),
            (
                "ws",
                "reuse connections depth rate arrivals timeout pid process watch watch_token_file header message \
                 message_size members",
            ),
            (
                "redis",
                "reuse connections depth dialect rate arrivals timeout pid process watch watch_token_file",
            ),
            (
                "memcached",
                "reuse connections depth dialect distribution failover rate arrivals timeout pid process watch \
                 watch_token_file",
            ),
            (
                "cassandra+thrift",
                "reuse connections depth dialect consistency replication rate arrivals timeout pid process watch \
                 watch_token_file",
            ),
            (
                "postgres",
                "reuse connections query protocol table pool.max pool.wait pool.upkeep \
                 reply.max rate arrivals timeout pid process watch watch_token_file",
            ),
            (
                "cassandra",
                "reuse connections consistency replication query protocol table pool.max pool.wait \
                 pool.upkeep reply.max rate arrivals timeout pid process watch watch_token_file routing \
                 compression page_size batch batch_size write_coalescing sockets_per_node",
            ),
            ("file", "connections rate arrivals timeout locking fsync expires"),
            ("exec", "connections rate arrivals timeout"),
        ] {
            assert_eq!(used(protocol), wanted, "{protocol}");
        }
    }

    #[test]
    fn refusals_name_the_remedy() {
        let databases = format!(
            "query, protocol, table, pool and reply.max apply only to databases ({})",
            PROTOCOLS.written_as(Protocol::is_sql)
        );
        let databases = databases.as_str();
        const FILES: &str = "locking, fsync and expires apply only to file:///";
        const RUNNING: &str = "pid, process, watch and watch_token_file apply only to servers that are already \
                               running: leave them out for files and programs";
        const PROGRAM: &str = "exec: a program makes its own connections, if any: leave out depth, \
                               dialect and reuse for it";
        for (protocol, key, message) in [
            (
                "http",
                "depth",
                "depth applies only to stores and messages (ws://, memcached://, redis://, \
                 cassandra+thrift://)",
            ),
            (
                "http",
                "dialect",
                "dialect applies only to stores (memcached://, redis://, cassandra+thrift://)",
            ),
            (
                "ws",
                "data",
                "data applies only to HTTP requests; for a server of messages set message and \
                 message_size",
            ),
            ("http", "message", "message, message_size and members apply only to messages (ws://)"),
            (
                "redis",
                "consistency",
                "consistency and replication apply only to stores that keep several copies \
                 (cassandra://, cassandra+thrift://)",
            ),
            (
                "redis",
                "failover",
                "distribution and failover apply only to several servers (memcached://)",
            ),
            ("http", "expires", FILES),
            ("http", "pool.wait", databases),
            ("redis", "header", "header applies only to HTTP requests; for a store set --workload"),
            (
                "postgres",
                "routing",
                "routing, compression, page_size, batch, batch_size, write_coalescing and \
                 sockets_per_node apply only to cassandra://",
            ),
            ("file", "pool.max", databases),
            ("file", "query", databases),
            ("exec", "table", databases),
            ("exec", "locking", FILES),
            ("exec", "reuse", PROGRAM),
            ("exec", "watch", RUNNING),
            ("file", "watch_token_file", RUNNING),
            ("exec", "depth", PROGRAM),
        ] {
            assert_eq!(refusal(key, protocol).as_deref(), Some(message), "{protocol} {key}");
        }
    }

    #[test]
    fn what_is_done_anyway_can_be_said() {
        let mut settings = Settings::default();
        for (key, value) in [("depth", "1"), ("reuse", "always")] {
            settings.set(key, value).unwrap_or_else(|message| panic!("{message}"));
        }
        for row in PROTOCOLS.iter() {
            assert_eq!(refuse(&settings, row).is_err(), row.name == "exec", "{}", row.name);
        }
    }
}
