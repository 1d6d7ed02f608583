//! Contenders that are stores, and how they are accessed.

use crate::access::Access;
use crate::address::Url;
use crate::plan::contender;
use crate::plan::settings::Settings;
use crate::protocol::{self, Protocol, Store, StoreParts};
use engine::workload::{Feeds, MOST_GROUPS};
use engine::{Numbers, Sharded};
use record::{Contender, RequestPlan};
use std::collections::BTreeMap;

/// The most workers of a run times the most groups: each has its own operations.
pub(crate) const MOST_COUNTERS: usize = 64 * MOST_GROUPS;

/// Returns the access to the store at this address.
pub(super) fn access(
    url: &Url,
    store: &Store,
    settings: &Settings,
    feeds: &Feeds,
) -> Result<Access, String> {
    let dialect = settings.dialect.or(store.dialects.first().copied());
    if store.dialects.is_empty() && dialect.is_some() {
        return Err(format!("{} has no dialects: leave out dialect", url.protocol.name));
    }
    if dialect.is_some_and(|dialect| !store.dialects.contains(&dialect)) {
        let known: Vec<&str> = store.dialects.iter().map(|known| known.name()).collect();
        return Err(format!("{} supports the dialects {}", url.protocol.name, known.join(" and ")));
    }
    let sharding = contender::sharding(url, settings)?;
    let servers = url.nodes().into_iter().map(|(host, port)| (host.to_owned(), port));
    let login = url.login.as_ref().map(|login| login.as_text(url.protocol.name)).transpose()?;
    let (user, password) = login.unwrap_or_default();
    (store.connect)(StoreParts {
        dialect,
        user,
        password,
        database: url.database().unwrap_or(0),
        name: url.sql_database().unwrap_or_default(),
        consistency: contender::consistency(url.protocol, settings)?,
        replication: settings.replication(),
        numbers: Numbers::new(MOST_COUNTERS),
        sharded: sharding.map(|sharding| Sharded { sharding, servers: servers.collect() }),
        feeds: feeds.clone(),
    })
}

/// Returns the names of the codes of all stores and databases. Empty if no contender is one. No two
/// of them share a number: memcached's are below those of MySQL that a load can meet, Redis's are
/// in the range of MySQL's clients, PostgreSQL's are our own, and Oracle's lie above them all.
pub(super) fn code_names(contenders: &[Contender]) -> BTreeMap<u16, String> {
    let any = |is: fn(&RequestPlan) -> bool| contenders.iter().any(|contender| is(&contender.asks));
    let any_sql = any(|asks| asks.sql().is_some());
    if any(|asks| asks.messages().is_some()) {
        // The codes of close frames overlap with those of stores, so they stay numbers if there is
        // also a store.
        let alone = !any_sql && !any(RequestPlan::is_store);
        return if alone {
            (protocol::websocket::ROW.codes)().into_iter().collect()
        } else {
            BTreeMap::new()
        };
    }
    if !any_sql && !any(RequestPlan::is_store) {
        return BTreeMap::new();
    }
    let is_meant = |row: &&&Protocol| row.is_store() && (any_sql || !row.is_sql());
    protocol::ALL.iter().filter(is_meant).flat_map(|row| (row.codes)()).collect()
}
