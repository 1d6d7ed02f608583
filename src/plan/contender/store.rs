//! Contenders that are stores, and how they are accessed.

use crate::plan::contender;
use crate::plan::settings::Settings;
use engine::workload::{Feeds, MOST_GROUPS};
use engine::{Numbers, Sharded};
use protocol::Access;
use protocol::address::Url;
use protocol::{Store, StoreParts};

/// The most workers of a run times the most groups: each has its own operations.
pub(crate) const MOST_COUNTERS: usize = 64 * MOST_GROUPS;

pub(in crate::plan) fn access(
    url: &Url,
    store: &Store,
    settings: &Settings,
    feeds: &Feeds,
) -> Result<Box<dyn Access>, String> {
    let dialect = settings.dialect.or(store.dialects.first().copied());
    if store.dialects.is_empty() && dialect.is_some() {
        return Err(format!("{} has no dialects: leave out dialect", url.protocol.name));
    }
    if dialect.is_some_and(|dialect| !store.dialects.contains(&dialect)) {
        let known = store.dialects.join(" and ");
        return Err(format!("{} supports the dialects {known}", url.protocol.name));
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
