//! The measurements of one kind of operation, if a workload has several kinds.

use crate::{Histogram, Kind, LaneTask, Moments, Outcome};
use serde::{Deserialize, Serialize};

/// The measurements of one kind of operation. Merging is associative and commutative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindSeen {
    /// The kind as in the mix.
    pub kind: Kind,
    /// Operations that ended, with any outcome.
    pub operations: u64,
    /// Of those, the ones that succeeded.
    pub ok: u64,
    /// Misses: the store had nothing under the key.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub miss: u64,
    /// Stale values, and values that were never written under the key.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub wrong: u64,
    /// Completion minus due time. Operations due in a burn-in are left out.
    pub response_time: Histogram,
    /// For a read and a write in one operation: from the due time to the reply to the read.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub read_time: Histogram,
    /// For the same: from the reply to the read to the reply to the write.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub update_time: Histogram,
}

/// Whether it is recorded even if it is the only kind: it has halves, or a name.
fn is_recorded_alone(kind: Kind) -> bool {
    kind.has_halves() || matches!(kind, Kind::Custom(_))
}

impl KindSeen {
    /// Creates it without measurements.
    pub fn empty(kind: Kind) -> KindSeen {
        KindSeen {
            kind,
            operations: 0,
            ok: 0,
            miss: 0,
            wrong: 0,
            response_time: Histogram::new(),
            read_time: Histogram::new(),
            update_time: Histogram::new(),
        }
    }

    /// Creates one for each share of the mix, in its order, if kinds differ or have halves or
    /// names. Returns an empty list otherwise, because they would repeat the totals.
    pub(crate) fn of(doing: &LaneTask) -> Vec<KindSeen> {
        match doing {
            LaneTask::Drive(of)
                if of.mix.len() > 1 || of.mix.iter().any(|s| is_recorded_alone(s.kind)) =>
            {
                of.mix.iter().map(|share| KindSeen::empty(share.kind)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Allocates what recording needs, so that no operation allocates.
    pub(crate) fn make_ready(&mut self) {
        self.response_time.make_ready();
        if self.kind.has_halves() {
            self.read_time.make_ready();
            self.update_time.make_ready();
        }
    }

    /// Takes the measurements and leaves the same kind without any.
    pub(crate) fn take(&mut self) -> KindSeen {
        std::mem::replace(self, KindSeen::empty(self.kind))
    }

    /// Counts an operation that ended. `outcome` is None without a complete reply.
    #[inline]
    pub(crate) fn ended(&mut self, outcome: Option<Outcome>) {
        self.operations += 1;
        match outcome {
            Some(Outcome::Ok) => self.ok += 1,
            Some(Outcome::Miss) => self.miss += 1,
            Some(Outcome::Stale | Outcome::Wrong) => self.wrong += 1,
            Some(Outcome::Unexpected | Outcome::Conflict) | None => {}
        }
    }

    /// Records how long an operation took, even if it was abandoned. `read`: when its first half
    /// was answered.
    #[inline]
    pub(crate) fn took(&mut self, at: &Moments, read: Option<u64>) {
        self.response_time.record(at.done.saturating_sub(at.due));
        if self.kind.has_halves() {
            let until = read.unwrap_or(at.done);
            self.read_time.record(until.saturating_sub(at.due));
        }
        if let Some(read) = read {
            self.update_time.record(at.done.saturating_sub(read));
        }
    }

    /// Adds other measurements of the same kind.
    pub(crate) fn merge(&mut self, other: &KindSeen) {
        self.operations += other.operations;
        self.ok += other.ok;
        self.miss += other.miss;
        self.wrong += other.wrong;
        self.response_time.merge(&other.response_time);
        self.read_time.merge(&other.read_time);
        self.update_time.merge(&other.update_time);
    }
}
