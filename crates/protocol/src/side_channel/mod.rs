//! A side channel to a store, for what it reports about itself and for a note that is kept in it.
//! It is used before, between and after measurements, never during one.
//!
//! Each query has its own connection and deadline. A store that does not answer is not a failed
//! target; what it did not report is not known.

mod connection;
mod fingerprint;
mod own_keys;

pub use connection::{CodeName, StoreConnection, StoreReply};
pub use fingerprint::{Decision, Fingerprint, LoadState, RequestedData};
pub use own_keys::{Kept, check as check_own_keys};

use record::limits::NUMBERS_BELOW;
use record::{Fact, Workload};
use std::time::Duration;

/// How long one query may take, including its connection.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// The comment of tables that tiebreak created: a load drops no others.
pub const TABLE_COMMENT: &str = "made by tiebreak; its next load replaces it";

/// Queries to one store.
pub trait SideChannel {
    /// Asks the store for what it reports about itself.
    ///
    /// # Errors
    /// Says why it did not answer.
    fn query(&self) -> Result<About, String>;

    /// What the store reports about its version and settings, without counting its items. A database may take `timeout`
    /// for it; other stores have [`TIMEOUT`].
    ///
    /// # Errors
    /// If its answer makes the client library fail. A store that does not exist yet reports nothing.
    fn facts(&self, _timeout: Duration) -> Result<Vec<Fact>, String> {
        Ok(self.query().map_or_else(|_| Vec::new(), |about| about.facts))
    }

    /// The value under this key. Returns None if there is none.
    ///
    /// # Errors
    /// Says why it cannot be read.
    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String>;

    /// Keeps this under the key.
    ///
    /// # Errors
    /// Says why it cannot be written.
    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String>;

    /// Removes what is kept under the key, if anything is.
    ///
    /// # Errors
    /// Says why it cannot be removed.
    fn remove_fingerprint(&self, key: &str) -> Result<(), String>;

    /// Prepares the store for the first load of a workload; in a database this creates new, empty
    /// tables. Data that the load would replace and tiebreak did not write is left alone. A store
    /// that does not answer has nothing to lose: its load fails, and is counted.
    ///
    /// # Errors
    /// Says why it cannot be prepared.
    fn create_tables(&self, workload: &Workload) -> Result<(), String>;

    /// The work that a load left to the server. Returns None if a load leaves it no work.
    fn work_left(&self) -> Option<Result<TasksLeft, String>> {
        None
    }
}

impl dyn SideChannel + '_ {
    /// What the store reports about itself.
    ///
    /// # Errors
    /// Says why it did not answer.
    pub fn about(&self) -> Result<About, String> {
        self.query().map(About::without_absurd_figures)
    }
}

/// Later work that a load has left to a server, such as compactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TasksLeft {
    /// Running and pending tasks on all nodes.
    pub tasks: u64,
    /// How many nodes were asked.
    pub nodes: u32,
}

/// What a store reports about itself. A figure that it does not report is None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Items that it contains, including those of others.
    pub items: Option<u64>,
    /// Bytes that its items take, as it reports them.
    pub bytes: Option<u64>,
    /// Bytes of items that it cannot exceed: its limit of memory, or what its file system has space for. None
    /// if there is no such limit.
    pub room: Option<u64>,
    /// Whether the room of removed items is at once there for items of any size.
    pub reuses_room: bool,
    /// Items that it evicted since it was started.
    pub evictions: Option<u64>,
    /// The current start of the server.
    pub start: Option<ServerStart>,
    /// Whether its settings make a write wait for the disk before it is acknowledged.
    pub durable: Option<bool>,
    /// Version, limits and persistence, as it reports them.
    pub facts: Vec<Fact>,
}

impl About {
    /// A store may report a negative number of bytes as almost 2^64. Such a figure is not known, and no
    /// journal may have it.
    fn without_absurd_figures(self) -> About {
        let known = |figure: Option<u64>| figure.filter(|figure| *figure < NUMBERS_BELOW);
        let figures = [self.items, self.bytes, self.room, self.evictions];
        let [items, bytes, room, evictions] = figures.map(known);
        About { items, bytes, room, evictions, ..self }
    }
}

/// One start of a server. Its data does not survive a restart, or may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerStart {
    /// It identifies each start by a text of its own.
    Run(String),
    /// Identified by a number, such as its process ID, and the time of its start.
    Process {
        /// The number.
        pid: u64,
        /// Seconds since 1970.
        began: u64,
    },
}

impl ServerStart {
    /// Whether both are the same start. A server may report the time and its uptime from two clocks
    /// in whole seconds, so the start may differ by one.
    pub fn is(&self, other: &ServerStart) -> bool {
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
