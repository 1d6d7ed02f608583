//! What a store says of itself beside the load, and what became of its load.

use serde::{Deserialize, Serialize};

/// A store was asked about itself. What it did not say is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreSaid {
    /// The contender's number.
    pub contender: u32,
    /// Which launch, from 1; 0: it ran already.
    pub launch: u32,
    /// When it was asked.
    pub when: StoreMoment,
    /// Items that it holds, those of others included.
    pub items: Option<u64>,
    /// Bytes that its items take, by its own account.
    pub bytes: Option<u64>,
    /// Items that it threw away for want of memory, since it was started.
    pub evictions: Option<u64>,
    /// The lowest number of a contender whose store is the same server; none
    /// where the server does not say which it is.
    pub server: Option<u32>,
    /// It waits for the disk before it acknowledges a write, by its settings; none
    /// where it does not say, or the workload writes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// Why it said nothing, where it did not answer at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<String>,
}

/// When a store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreMoment {
    /// Before its keys are loaded.
    LoadBegins,
    /// When they are.
    LoadEnds,
    /// Before the first round (of a launch).
    RoundsBegin,
    /// After the last round (of a launch).
    RoundsEnd,
}

/// What became of the load of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The contender's number.
    pub contender: u32,
    /// Which launch, from 1; 0: it ran already.
    pub launch: u32,
    /// Whether its keys were written, and all of them.
    pub how: LoadHow,
    /// Why, where that is not plain: words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Keys of the workload, or columns of its wide rows.
    pub keys: u64,
    /// They are columns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub are_columns: bool,
    /// The first key that was written: those before were there.
    pub from: u64,
    /// Writes that the store acknowledged.
    pub written: u64,
    /// Writes that it did not.
    pub failed: u64,
    /// The store had no room left, and the load ended there: the keys from here
    /// on were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// How long it took.
    pub took_ns: u64,
    /// How the work was waited for that it left to its server. None if nothing was
    /// written, or such a server works on nothing later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
}

/// How a load waited for the work that it left to its server, such as compactions. Each
/// `took_ns` is the length of that wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Settled {
    /// Its nodes told how many compactions and flushes were running or pending.
    Compactions {
        /// How many there were at the end of the wait. 0: it ended because of that; else
        /// because the time was up.
        left: u64,
        /// How many nodes told, of those that there are.
        nodes: u32,
        /// In nanoseconds.
        took_ns: u64,
    },
    /// They do not tell; the CPU time of its processes was read.
    Cpu {
        /// Why they do not tell: words for people.
        why: String,
        /// What they used in the last second of the wait, in thousandths of one core.
        permille: u64,
        /// The wait ends when they use this much or less.
        limit: u64,
        /// In nanoseconds.
        took_ns: u64,
    },
    /// Neither could be seen, and nothing was waited for.
    Unseen {
        /// Why not: words for people.
        why: String,
    },
}

/// How a store came to its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadHow {
    /// They were there, as an earlier load left them: nothing was written.
    Found,
    /// A load that had been broken off went on where it was.
    Resumed,
    /// All were written.
    Written,
}
