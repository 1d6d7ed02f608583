//! A side channel to a store, for what it reports about itself and for a note that is kept in it.
//! It is used before, between and after measurements, never during one.
//!
//! Each query has its own connection and deadline. A store that does not answer is not a failed
//! target; what it did not report is not known.

mod connection;
mod files;
mod fingerprint;
mod memcached;
mod own_keys;
mod redis;
mod sql;
mod thrift;

pub(crate) use fingerprint::{Decision, Fingerprint, LoadState, RequestedData};

use crate::protocol::access::Access;
use connection::StoreConnection;
use drivers::PendingWork;
use record::limits::NUMBERS_BELOW;
use record::{Address, Fact, Workload};
use sql::Database;
use std::path::PathBuf;
use std::time::Duration;
use thrift::Cluster;
use wire::resp::Opening;

/// How long one query may take, including its connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to query one store. It has no `Debug` because it may contain a password.
pub(crate) struct SideChannel {
    address: Address,
    protocol: StoreProtocol,
}

/// The protocols of stores that have a side channel.
enum StoreProtocol {
    Memcached(memcached::Servers),
    Redis(Opening),
    /// A directory. If files expire, they may be removed at any time, so no note is trusted.
    Files {
        root: PathBuf,
        forgetful: bool,
        synced: bool,
    },
    Sql(Box<Database>),
    Thrift(Box<Cluster>),
}

/// What a store reports about itself. A figure that it does not report is None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// Items that it contains, including those of others.
    pub(crate) items: Option<u64>,
    /// Bytes that its items take, as it reports them.
    pub(crate) bytes: Option<u64>,
    /// Items that it evicted since it was started.
    pub(crate) evictions: Option<u64>,
    /// The current start of the server.
    pub(crate) start: Option<ServerStart>,
    /// Whether its settings make a write wait for the disk before it is acknowledged.
    pub(crate) durable: Option<bool>,
    /// Version, limits and persistence, as it reports them.
    pub(crate) facts: Vec<Fact>,
}

impl About {
    /// Redis 8 reports a negative number of bytes as almost 2^64. Such a figure is not known, and no journal
    /// may have it.
    fn without_absurd_figures(self) -> About {
        let known = |figure: Option<u64>| figure.filter(|figure| *figure < NUMBERS_BELOW);
        let [items, bytes, evictions] = [self.items, self.bytes, self.evictions].map(known);
        About { items, bytes, evictions, ..self }
    }
}

/// One start of a server. Its data does not survive a restart, or may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerStart {
    /// Redis identifies each start by a random number.
    Run(String),
    /// memcached: its process ID and start time, in seconds since 1970.
    Process { pid: u64, began: u64 },
}

impl ServerStart {
    /// Whether both are the same start. memcached reports the time and its uptime from two clocks
    /// in whole seconds, so the start may differ by one.
    pub(crate) fn is(&self, other: &ServerStart) -> bool {
        match (self, other) {
            (ServerStart::Run(one), ServerStart::Run(other)) => one == other,
            (
                ServerStart::Process { pid, began },
                ServerStart::Process { pid: other_pid, began: other_began },
            ) => pid == other_pid && began.abs_diff(*other_began) <= 1,
            _ => false,
        }
    }
}

impl SideChannel {
    /// Makes a side channel to the store of this access. Returns None if it is not a store. `table`
    /// is the kind of table in which a database has the contender's rows.
    pub(crate) fn of(
        access: &Access,
        address: &Address,
        table: Option<&str>,
    ) -> Option<SideChannel> {
        let protocol = match access {
            Access::Database(server) => {
                StoreProtocol::Sql(Box::new(Database::new(server.clone(), table)))
            }
            Access::Memcached(_) => StoreProtocol::Memcached(memcached::Servers::at(address)),
            Access::Resp(access) => StoreProtocol::Redis(access.opening.clone()),
            Access::Thrift(access) => StoreProtocol::Thrift(Box::new(Cluster::new(access))),
            Access::Files(access) => {
                let Address::Directory(root) = address else { return None };
                let settings = access.store.settings();
                let (forgetful, synced) = (settings.expires.is_some(), settings.fsync);
                StoreProtocol::Files { root: PathBuf::from(root), forgetful, synced }
            }
            Access::Http(_) | Access::WebSocket(_) => return None,
        };
        Some(SideChannel { address: address.clone(), protocol })
    }

    /// What the store reports about itself.
    ///
    /// # Errors
    /// Says why it did not answer.
    pub(crate) fn about(&self) -> Result<About, String> {
        let about = match &self.protocol {
            StoreProtocol::Memcached(servers) => servers.about(),
            StoreProtocol::Files { root, synced, .. } => files::about(root, *synced),
            StoreProtocol::Redis(opening) => redis::about(&mut self.redis(opening)?),
            StoreProtocol::Sql(database) => database.about(&self.address),
            StoreProtocol::Thrift(cluster) => cluster.about(&self.address),
        };
        about.map(About::without_absurd_figures)
    }

    /// What the store reports about its version and settings. A directory reports nothing, and is
    /// not walked for it.
    ///
    /// # Errors
    /// If its answer makes the client library fail.
    pub(crate) fn facts(&self) -> Result<Vec<Fact>, String> {
        Ok(match &self.protocol {
            StoreProtocol::Files { .. } => Vec::new(),
            // This does not count its rows.
            StoreProtocol::Sql(database) => return database.custom_words(&self.address),
            // A store that does not exist yet reports nothing.
            StoreProtocol::Memcached(_) | StoreProtocol::Redis(_) | StoreProtocol::Thrift(_) => {
                self.about().map_or_else(|_| Vec::new(), |about| about.facts)
            }
        })
    }

    /// The value under this key. Returns None if there is none.
    ///
    /// # Errors
    /// Says why it cannot be read.
    pub(crate) fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        match &self.protocol {
            StoreProtocol::Memcached(servers) => servers.read_fingerprint(key),
            StoreProtocol::Files { forgetful: true, .. } => Ok(None),
            StoreProtocol::Files { root, .. } => files::read_fingerprint(root, key),
            StoreProtocol::Redis(opening) => {
                redis::read_fingerprint(&mut self.redis(opening)?, key)
            }
            StoreProtocol::Sql(database) => database.read_fingerprint(&self.address, key),
            StoreProtocol::Thrift(cluster) => cluster.read_fingerprint(&self.address, key),
        }
    }

    /// Keeps this under the key.
    ///
    /// # Errors
    /// Says why it cannot be written.
    pub(crate) fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        match &self.protocol {
            StoreProtocol::Memcached(servers) => servers.write_fingerprint(key, text),
            StoreProtocol::Files { root, .. } => files::write_fingerprint(root, key, text),
            StoreProtocol::Redis(opening) => {
                redis::write_fingerprint(&mut self.redis(opening)?, key, text)
            }
            StoreProtocol::Sql(database) => database.write_fingerprint(&self.address, key, text),
            StoreProtocol::Thrift(cluster) => cluster.write_fingerprint(&self.address, key, text),
        }
    }

    /// Removes what is kept under the key, if anything is.
    ///
    /// # Errors
    /// Says why it cannot be removed.
    pub(crate) fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        match &self.protocol {
            StoreProtocol::Memcached(servers) => servers.remove_fingerprint(key),
            StoreProtocol::Files { root, .. } => files::remove_fingerprint(root, key),
            StoreProtocol::Redis(opening) => {
                redis::remove_fingerprint(&mut self.redis(opening)?, key)
            }
            StoreProtocol::Sql(database) => database.remove_fingerprint(&self.address, key),
            StoreProtocol::Thrift(cluster) => cluster.remove_fingerprint(&self.address, key),
        }
    }

    /// Prepares the store for the first load of a workload; in a database this creates new, empty
    /// tables. Data that the load would replace and tiebreak did not write is left alone. A
    /// directory was checked when it was opened. A store that does not answer has nothing to lose:
    /// its load fails, and is counted.
    ///
    /// # Errors
    /// Says why it cannot be prepared.
    pub(crate) fn create_tables(&self, workload: &Workload) -> Result<(), String> {
        match &self.protocol {
            StoreProtocol::Sql(database) => database.make_tables(&self.address, workload),
            StoreProtocol::Thrift(cluster) => cluster.create_tables(&self.address),
            StoreProtocol::Memcached(servers) => servers.check_keys(workload),
            StoreProtocol::Redis(opening) => {
                let Ok(mut connection) = self.redis(opening) else { return Ok(()) };
                own_keys::check(workload, |key| redis::kept(&mut connection, key))
            }
            StoreProtocol::Files { .. } => Ok(()),
        }
    }

    /// The work that a load left to the server. Returns None if a load leaves it no work.
    pub(crate) fn work_left(&self) -> Option<Result<PendingWork, String>> {
        match &self.protocol {
            StoreProtocol::Sql(database) => database.work_left(&self.address),
            StoreProtocol::Thrift(_) => {
                Some(Err("Cassandra's Thrift interface does not report compactions".to_owned()))
            }
            StoreProtocol::Memcached(_) | StoreProtocol::Redis(_) | StoreProtocol::Files { .. } => {
                None
            }
        }
    }

    fn redis(&self, opening: &Opening) -> Result<StoreConnection<wire::resp::Resp>, String> {
        StoreConnection::open(&self.address, redis::codec(opening), PATIENCE)
    }
}

#[cfg(all(test, feature = "servers"))]
mod server_tests;
#[cfg(test)]
mod tests;
