//! A side channel to a store: what it says of itself, and a note that is kept in
//! it. Used before, between and after what is measured, never meanwhile.
//!
//! Each question has a connection and a deadline of its own. A store that does
//! not answer is no failed target: what it did not say is not known.

mod files;
mod fingerprint;
mod line;
mod memcached;
mod own_keys;
mod redis;
mod sql;
mod thrift;

pub(crate) use fingerprint::{Decision, Fingerprint, State, Wanted};

use crate::access::Access;
use drivers::WorkLeft;
use line::Line;
pub(crate) use line::connect_unix;
use record::{Address, Fact, Workload};
use sql::Database;
use std::path::PathBuf;
use std::time::Duration;
use thrift::Cluster;
use wire::resp::Opening;

/// How long one question may take, its connection included.
const PATIENCE: Duration = Duration::from_secs(2);

/// How one store is asked. No `Debug`: it may hold a password.
pub(crate) struct SideChannel {
    address: Address,
    tongue: Tongue,
}

/// The protocols of stores that have a side channel.
enum Tongue {
    Memcached(memcached::Servers),
    Redis(Opening),
    /// A directory. Files that grow too old may be gone at any time: then no note
    /// is believed.
    Files {
        root: PathBuf,
        forgetful: bool,
        synced: bool,
    },
    Sql(Box<Database>),
    Thrift(Box<Cluster>),
}

/// What a store says of itself. What it does not say is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// Items that it holds, those of others included.
    pub(crate) items: Option<u64>,
    /// Bytes that its items take, by its own account.
    pub(crate) bytes: Option<u64>,
    /// Items that it threw away since it was started.
    pub(crate) evictions: Option<u64>,
    /// Which start of a server this is.
    pub(crate) start: Option<Start>,
    /// A write waits for the disk before it is acknowledged, by its settings.
    pub(crate) durable: Option<bool>,
    /// Version, limits and what it keeps on disk, in its own words.
    pub(crate) facts: Vec<Fact>,
}

/// One start of a server: what it holds does not outlive it, or may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Redis names each with a random number.
    Run(String),
    /// memcached: its process, and when that began, in seconds since 1970.
    Process { pid: u64, began: u64 },
}

impl Start {
    /// Whether both are the same one. memcached tells the time by a clock of whole
    /// seconds, and how long it runs by another: two readings differ by one.
    pub(crate) fn is(&self, other: &Start) -> bool {
        match (self, other) {
            (Start::Run(one), Start::Run(other)) => one == other,
            (
                Start::Process { pid, began },
                Start::Process { pid: other_pid, began: other_began },
            ) => pid == other_pid && began.abs_diff(*other_began) <= 1,
            _ => false,
        }
    }
}

impl SideChannel {
    /// To the store behind this access; none where it is no store. `table`: in which
    /// kind of table a database has the contender's rows.
    pub(crate) fn of(
        access: &Access,
        address: &Address,
        table: Option<&str>,
    ) -> Option<SideChannel> {
        let tongue = match access {
            Access::Database(server) => Tongue::Sql(Box::new(Database::new(server.clone(), table))),
            Access::Memcached(_) => Tongue::Memcached(memcached::Servers::at(address)),
            Access::Resp(access) => Tongue::Redis(access.opening.clone()),
            Access::Thrift(access) => Tongue::Thrift(Box::new(Cluster::new(access))),
            Access::Files(access) => {
                let Address::Directory(root) = address else { return None };
                let settings = access.store.settings();
                let (forgetful, synced) = (settings.expires.is_some(), settings.fsync);
                Tongue::Files { root: PathBuf::from(root), forgetful, synced }
            }
            Access::Http(_) | Access::WebSocket(_) => return None,
        };
        Some(SideChannel { address: address.clone(), tongue })
    }

    /// What the store says of itself.
    ///
    /// # Errors
    /// Why it said nothing.
    pub(crate) fn about(&self) -> Result<About, String> {
        match &self.tongue {
            Tongue::Memcached(servers) => servers.about(),
            Tongue::Files { root, synced, .. } => files::about(root, *synced),
            Tongue::Redis(opening) => redis::about(&mut self.redis(opening)?),
            Tongue::Sql(database) => database.about(&self.address),
            Tongue::Thrift(cluster) => cluster.about(&self.address),
        }
    }

    /// What the store says of its version and settings. A directory has no words
    /// of its own, and is not walked for them.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        match &self.tongue {
            Tongue::Files { .. } => Vec::new(),
            // Its rows are not counted for them.
            Tongue::Sql(database) => database.own_words(&self.address),
            // One that does not exist yet says nothing.
            Tongue::Memcached(_) | Tongue::Redis(_) | Tongue::Thrift(_) => {
                self.about().map_or_else(|_| Vec::new(), |about| about.facts)
            }
        }
    }

    /// What is kept under this key. Returns None if nothing is.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn recall(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        match &self.tongue {
            Tongue::Memcached(servers) => servers.recall(key),
            Tongue::Files { forgetful: true, .. } => Ok(None),
            Tongue::Files { root, .. } => files::recall(root, key),
            Tongue::Redis(opening) => redis::recall(&mut self.redis(opening)?, key),
            Tongue::Sql(database) => database.recall(&self.address, key),
            Tongue::Thrift(cluster) => cluster.recall(&self.address, key),
        }
    }

    /// Keeps this under the key.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub(crate) fn keep(&self, key: &str, text: &str) -> Result<(), String> {
        match &self.tongue {
            Tongue::Memcached(servers) => servers.keep(key, text),
            Tongue::Files { root, .. } => files::keep(root, key, text),
            Tongue::Redis(opening) => redis::keep(&mut self.redis(opening)?, key, text),
            Tongue::Sql(database) => database.keep(&self.address, key, text),
            Tongue::Thrift(cluster) => cluster.keep(&self.address, key, text),
        }
    }

    /// Removes what is kept under the key, if anything is.
    ///
    /// # Errors
    /// Why it cannot be removed.
    pub(crate) fn forget(&self, key: &str) -> Result<(), String> {
        match &self.tongue {
            Tongue::Memcached(servers) => servers.forget(key),
            Tongue::Files { root, .. } => files::forget(root, key),
            Tongue::Redis(opening) => redis::forget(&mut self.redis(opening)?, key),
            Tongue::Sql(database) => database.forget(&self.address, key),
            Tongue::Thrift(cluster) => cluster.forget(&self.address, key),
        }
    }

    /// Makes room for the first load of a workload: in a database its tables, anew and
    /// empty. What the load would replace and tiebreak did not make is left alone. A
    /// directory was looked at when it was opened. A store that does not answer has
    /// nothing to be lost: its load fails, and is counted.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub(crate) fn make_room(&self, workload: &Workload) -> Result<(), String> {
        match &self.tongue {
            Tongue::Sql(database) => database.make_tables(&self.address, workload),
            Tongue::Thrift(cluster) => cluster.make_room(&self.address),
            Tongue::Memcached(servers) => servers.check_keys(workload),
            Tongue::Redis(opening) => {
                let Ok(mut line) = self.redis(opening) else { return Ok(()) };
                own_keys::check(workload, |key| redis::kept(&mut line, key))
            }
            Tongue::Files { .. } => Ok(()),
        }
    }

    /// What the server still has to do that a load left to it. Returns None if a load leaves
    /// it nothing.
    pub(crate) fn work_left(&self) -> Option<Result<WorkLeft, String>> {
        match &self.tongue {
            Tongue::Sql(database) => database.work_left(&self.address),
            Tongue::Thrift(_) => {
                Some(Err("Cassandra's Thrift interface does not report compactions".to_owned()))
            }
            Tongue::Memcached(_) | Tongue::Redis(_) | Tongue::Files { .. } => None,
        }
    }

    fn redis(&self, opening: &Opening) -> Result<Line<wire::resp::Resp>, String> {
        Line::open(&self.address, redis::codec(opening), PATIENCE)
    }
}

#[cfg(test)]
mod tests;
