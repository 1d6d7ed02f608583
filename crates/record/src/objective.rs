//! Objectives of `--slo`: what the operations at a rate must meet.

use crate::named::named;
use serde::{Deserialize, Serialize};

/// An objective. The capacity of a target is the highest rate at which it is met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// A percentile of response time is at most this.
    ResponseTime {
        /// The percentile.
        percentile: Percentile,
        /// The limit, in nanoseconds. An operation that takes longer, is lost or is not answered is late.
        limit_ns: u64,
    },
    /// At most this fraction of the operations fails: 0.001 is 0.1 %.
    Errors {
        /// The fraction, from 0 to 1.
        fraction: f64,
    },
}

impl Objective {
    /// The fraction of operations that may miss it: 0.01 for a p99.
    pub fn may_miss(self) -> f64 {
        match self {
            Objective::ResponseTime { percentile, .. } => percentile.beyond(),
            Objective::Errors { fraction } => fraction,
        }
    }
}

named! {
    /// A percentile that an objective can limit.
    pub enum Percentile {
        /// The median.
        P50 = "p50",
        /// The 99th percentile.
        P99 = "p99",
        /// The 99.9th percentile.
        P999 = "p99.9",
    }
}

impl Percentile {
    /// The fraction of operations beyond it: 0.01 for the p99.
    pub fn beyond(self) -> f64 {
        match self {
            Percentile::P50 => 0.5,
            Percentile::P99 => 0.01,
            Percentile::P999 => 0.001,
        }
    }
}
