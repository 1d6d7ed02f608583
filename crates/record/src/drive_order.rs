//! The order to the engine: what to drive, how hard, and in which order.
//!
//! A contender is only a number here. The engine never sees a name, so it
//! cannot favour one.

use crate::{Address, Workload};
use serde::{Deserialize, Serialize};

/// The order for one call of the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriveOrder {
    /// Same seed, same operations and same order of slices.
    pub seed: u64,
    /// One worker for each of these cores. If empty: one worker, not pinned.
    pub cores: Vec<u32>,
    /// How long each lane is driven before round 1; recorded as warm-up.
    pub warm_up: WarmUp,
    /// Number of rounds, in each of which every contender is driven for `round_ns`.
    pub rounds: u32,
    /// Number of the first round: a run can drive its rounds in several segments.
    pub first_round: u32,
    /// How long each contender is driven in a round.
    pub round_ns: u64,
    /// Sending time of one slice. If it equals `round_ns`, contenders take whole turns.
    pub slice_ns: u64,
    /// How many requests are also driven alone in each round: so many entries of the mix, from the first. 0
    /// if none is.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub requests: u32,
    /// One lane for each contender.
    pub lanes: Vec<LaneOrder>,
}

impl DriveOrder {
    /// How long all lanes are driven, in nanoseconds.
    pub fn planned_ns(&self) -> u64 {
        let each = self.driven_in_round_ns().saturating_mul(u64::from(self.rounds));
        each.saturating_add(self.warm_up.most_ns).saturating_mul(self.lanes.len() as u64)
    }

    /// How long each contender is driven in a round, with the slices of single requests, in nanoseconds.
    pub fn driven_in_round_ns(&self) -> u64 {
        let slice_ns = self.round_ns / u64::from(self.slices_per_round());
        self.round_ns.saturating_add(slice_ns.saturating_mul(self.slices_of_requests()))
    }

    /// How many slices each request gets in a round: half as many as all requests together, at least one.
    /// More would double the time of a comparison for each request, and fewer would tell less about it than
    /// about all.
    pub fn slices_per_request(&self) -> u32 {
        self.slices_per_round().div_ceil(2)
    }

    /// How many slices of one request each contender gets in a round.
    fn slices_of_requests(&self) -> u64 {
        u64::from(self.requests) * u64::from(self.slices_per_request())
    }

    /// How many slices each contender gets in a round (at least one).
    pub fn slices_per_round(&self) -> u32 {
        u32::try_from(self.round_ns.div_ceil(self.slice_ns.max(1))).unwrap_or(u32::MAX).max(1)
    }
}

/// How long lanes are warmed up. The time of a lane is that of its slices, up to their last replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUp {
    /// At least this long.
    pub least_ns: u64,
    /// Until the figure of each lane has levelled, at most this long. If this is not above the least,
    /// the warm-up is one slice of that length, and nothing is tested.
    pub most_ns: u64,
}

impl WarmUp {
    /// A warm-up of this length.
    pub fn fixed(ns: u64) -> WarmUp {
        WarmUp { least_ns: ns, most_ns: ns }
    }

    /// Returns this warm-up, but not shorter than `ns`.
    #[must_use]
    pub fn at_least(self, ns: u64) -> WarmUp {
        WarmUp { least_ns: self.least_ns.max(ns), most_ns: self.most_ns.max(ns) }
    }

    /// Whether it ends when the lanes have levelled.
    pub fn is_by_test(&self) -> bool {
        self.most_ns > self.least_ns
    }
}

/// The order for one contender, over all workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneOrder {
    /// The address to dial.
    pub address: Address,
    /// How hard it is driven, over all workers.
    #[serde(flatten)]
    pub intensity: Intensity,
    /// The connection policy.
    pub reuse: Reuse,
    /// Its operations.
    #[serde(default)]
    pub doing: LaneTask,
    /// After this time without a complete reply an operation is abandoned and recorded as
    /// censored.
    pub timeout_ns: u64,
    /// Length of the first part of a slice, whose operations are left out of the latencies.
    pub burn_in_ns: u64,
    /// Stop after this many operations (over all workers).
    pub operations: Option<u64>,
    /// Draws other arrivals than those of the seed alone, which also decides the operations. 0 draws those of the
    /// seed. Lanes with equal values have equal gaps, in units of their mean.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub arrivals_seed: u32,
    /// Groups that are driven at once; the intensity above is then that of all together. Empty
    /// if there is one workload. A group is only a number here, as a contender is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Intensity>,
}

/// How hard a contender is driven, or one of several groups of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intensity {
    /// Connections or, if connections are fresh, how many may be open at once.
    pub connections: u32,
    /// How many operations may be in flight on one connection: more than one only if the
    /// protocol answers in order and connections are persistent.
    #[serde(default = "one")]
    pub depth: u32,
    /// When operation *n* is due.
    pub arrivals: Arrivals,
}

impl Intensity {
    /// The intensity of several groups together. The depth is the largest of theirs.
    pub fn together(groups: &[Intensity]) -> Intensity {
        Intensity {
            connections: groups.iter().map(|group| group.connections).sum(),
            depth: groups.iter().map(|group| group.depth).max().unwrap_or(1),
            arrivals: Arrivals::together(groups),
        }
    }
}

impl LaneOrder {
    /// The order for a closed loop with one operation at a time on each of these connections, which are kept, and a
    /// timeout of 30 s.
    pub fn closed(address: Address, connections: u32) -> LaneOrder {
        LaneOrder {
            address,
            intensity: Intensity { connections, depth: 1, arrivals: Arrivals::Closed },
            reuse: Reuse::Always,
            doing: LaneTask::Ask,
            timeout_ns: 30_000_000_000,
            burn_in_ns: 0,
            operations: None,
            arrivals_seed: 0,
            groups: Vec::new(),
        }
    }

    /// The order for one group, as if it were the only one.
    pub fn of_group(&self, group: &Intensity) -> LaneOrder {
        LaneOrder { intensity: *group, groups: Vec::new(), ..self.clone() }
    }
}

fn one() -> u32 {
    1
}

/// The operations of a lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneTask {
    /// The one request of the contender; for a store: whether it answers.
    #[default]
    Ask,
    /// Loads the first values of keys: operation *n* writes key *n*.
    Load(Loading),
    /// The operations of the workload.
    Drive(Workload),
}

impl LaneTask {
    /// Loads the first value of every key, from key 0 on.
    pub fn load(workload: Workload) -> LaneTask {
        LaneTask::Load(Loading { from: 0, workload })
    }
}

/// Which keys are loaded: as many as the lane has operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loading {
    /// The first key.
    #[serde(default)]
    pub from: u64,
    /// The workload that the keys belong to.
    #[serde(flatten)]
    pub workload: Workload,
}

/// The connection policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reuse {
    /// Persistent connections.
    Always,
    /// Connect for every operation, inside the measured time.
    Never,
    /// Reconnect after this many operations.
    Times(u32),
    /// Each operation takes a connection of a pool and gives it back.
    Pool(Pool),
}

/// A pool of connections that the operations of a lane share. Lanes through client libraries
/// support it, the engine's own protocols do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Maximum number of connections, over all workers.
    pub max: u32,
    /// An operation that gets no connection within this time fails.
    pub wait_ns: u64,
    /// What is done to a connection between two operations.
    #[serde(default)]
    pub maintenance: Maintenance,
}

/// What a pool does to a connection between two operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maintenance {
    /// Nothing.
    #[default]
    Neither,
    /// Before it is handed out, the server is asked whether it still answers.
    Ping,
    /// When it is given back, its session is reset, so statements must be prepared again.
    Reset,
}

/// When operation *n* is due. Rates are those of the whole contender while it is driven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// As soon as a connection is free.
    Closed,
    /// Equal gaps, with this rate in operations per second.
    Constant(f64),
    /// Exponential gaps, with this mean rate in operations per second.
    Poisson(f64),
}

impl Arrivals {
    /// The arrivals of several groups together: closed if one of them is; otherwise the sum of
    /// the rates, constant if all are constant.
    fn together(groups: &[Intensity]) -> Arrivals {
        let rates: Option<f64> = groups.iter().map(|group| group.arrivals.rate()).sum();
        let constant = |group: &Intensity| matches!(group.arrivals, Arrivals::Constant(_));
        match rates {
            None => Arrivals::Closed,
            Some(rate) if groups.iter().all(constant) => Arrivals::Constant(rate),
            Some(rate) => Arrivals::Poisson(rate),
        }
    }

    /// The requested rate in operations per second. Returns None in a closed loop.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Arrivals::Closed => None,
            Arrivals::Constant(rate) | Arrivals::Poisson(rate) => Some(rate),
        }
    }
}
