//! Connections that a slice left waiting, because the reply to one operation did not come in its time.

use crate::Slice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An operation that begins in the first part of a slice, which is this fraction of its sending time, waits
/// through that slice.
const START: u64 = 20;

/// Returns the index of the first slice that an operation waits through: that of `slice`, in which it began so
/// many nanoseconds after the start, or the next one.
pub fn first_waited_through(slice: &Slice, began_after_ns: u64) -> u64 {
    slice.index + u64::from(began_after_ns > slice.sending_ns / START)
}

/// What became of the units that slices left waiting. A unit has operations of its own: it is a connection,
/// a room, or a worker that uses a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// How many times a unit was left.
    pub left: u64,
    /// The longest time from an operation's request to its end, or to the end of the trial if it still
    /// waited then.
    pub longest_ns: u64,
    /// Of the replies, how many were read while another contender was driven: their times are upper bounds.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub read_at_rest: u64,
    /// How many units the contender has. 0 if none waited at the end of the trial.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub units: u32,
    /// Units that still waited at the end of the trial, by the index of the first slice that they waited
    /// through: the one in which their operation began, if it began in the first twentieth of it. In several merged trials, a unit counts for each trial at whose end it waited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at_end: BTreeMap<u64, u64>,
}

impl Waits {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Waits::default()
    }

    /// Adds those of another worker or of another trial.
    pub(crate) fn merge(&mut self, other: &Waits) {
        self.left += other.left;
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.read_at_rest += other.read_at_rest;
        self.units = self.units.max(other.units);
        for (slice, units) in &other.at_end {
            *self.at_end.entry(*slice).or_default() += units;
        }
    }
}
