//! What a store reports about itself, and the outcome of loading it.

use serde::{Deserialize, Serialize};

/// A store's report about itself. What it did not report is None.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreReport {
    /// The contender's number.
    pub contender: u32,
    /// The launch, counted from 1; 0 if it was running already.
    pub launch: u32,
    /// When it was asked.
    pub when: StoreMoment,
    /// Items that it has, including those of others.
    pub items: Option<u64>,
    /// Bytes that its items take, as it reports.
    pub bytes: Option<u64>,
    /// Items that it evicted because memory was full, since it was started.
    pub evictions: Option<u64>,
    /// The lowest number of a contender whose store is the same server. None if the server cannot
    /// be identified.
    pub server: Option<u32>,
    /// Whether it waits for the disk before it acknowledges a write, according to its settings.
    /// None if it does not report that, or if the workload writes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// Why it reported nothing, if it did not answer at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<String>,
}

/// When a store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreMoment {
    /// Before its keys are loaded.
    LoadBegins,
    /// After its keys were loaded.
    LoadEnds,
    /// Before the first round (of a launch).
    RoundsBegin,
    /// After the last round (of a launch).
    RoundsEnd,
}

/// The outcome of loading a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The contender's number.
    pub contender: u32,
    /// The launch, counted from 1; 0 if it was running already.
    pub launch: u32,
    /// How it got its keys.
    pub how: LoadMethod,
    /// The reason if it is not obvious, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Keys of the workload, or columns of its wide rows.
    pub keys: u64,
    /// Whether they are columns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub are_columns: bool,
    /// The first key that was written; those before existed already.
    pub from: u64,
    /// Writes that the store acknowledged.
    pub written: u64,
    /// Writes that the store did not acknowledge.
    pub failed: u64,
    /// The key at which the load ended because the store was full: the keys from here on were not
    /// written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// How long the load took.
    pub took_ns: u64,
    /// How the load waited for the work that it left to its server. None if nothing was written,
    /// or if such a server has no later work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
}

impl Loaded {
    /// How long the load took, with the wait for the work that it left to the server.
    pub fn whole_ns(&self) -> u64 {
        let waited = match self.settled {
            Some(Settled::Compactions { took_ns, .. } | Settled::Cpu { took_ns, .. }) => took_ns,
            Some(Settled::Unseen { .. }) | None => 0,
        };
        self.took_ns.saturating_add(waited)
    }
}

/// How a load waited for the work that it left to its server, such as compactions. Each
/// `took_ns` is the length of that wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Settled {
    /// Its nodes reported how many compactions and flushes were running or pending.
    Compactions {
        /// How many there were at the end of the wait. If 0, all were done; otherwise the time was
        /// up.
        left: u64,
        /// How many nodes reported.
        nodes: u32,
        /// In nanoseconds.
        took_ns: u64,
    },
    /// Its nodes do not report it, so the CPU time of its processes was read.
    Cpu {
        /// Why they do not report it, for people.
        why: String,
        /// What the processes used in the last second of the wait, in thousandths of one core.
        permille: u64,
        /// The wait ends when they use this much or less.
        limit: u64,
        /// In nanoseconds.
        took_ns: u64,
    },
    /// Neither could be read, so there was no wait.
    Unseen {
        /// The reason, for people.
        why: String,
    },
}

/// How a store got its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadMethod {
    /// They existed as an earlier load left them; nothing was written.
    Found,
    /// An interrupted load continued where it had stopped.
    Resumed,
    /// All were written.
    Written,
}
