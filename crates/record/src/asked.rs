//! The order to the engine: what to drive, how hard, and in which turns.
//!
//! A contender is only a number here. The engine never sees a name, so it
//! cannot favour one.

use crate::{Address, Workload};
use serde::{Deserialize, Serialize};

/// The order for one call of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Same seed, same operations and same order of slices.
    pub seed: u64,
    /// One worker for each of these cores; empty: one worker, not pinned.
    pub cores: Vec<u32>,
    /// How long each lane is driven before round 1; recorded as warm-up.
    pub warm_up_ns: u64,
    /// How often every contender is driven for `round_ns`.
    pub rounds: u32,
    /// Number of the first of them: a run can take its rounds in several legs.
    pub first_round: u32,
    /// How long each contender is driven in a round.
    pub round_ns: u64,
    /// Sending time of one slice. Equal to `round_ns`: turns.
    pub slice_ns: u64,
    /// One lane for each contender.
    pub lanes: Vec<LaneAsked>,
}

impl Asked {
    /// How many slices each contender gets in a round: at least one.
    pub fn slices_per_round(&self) -> u32 {
        u32::try_from(self.round_ns.div_ceil(self.slice_ns.max(1))).unwrap_or(u32::MAX).max(1)
    }
}

/// The order for one contender, over all workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneAsked {
    /// Where to dial.
    pub address: Address,
    /// How hard it is driven, over all workers.
    #[serde(flatten)]
    pub intensity: Intensity,
    /// The connection policy.
    pub reuse: Reuse,
    /// What its operations are.
    #[serde(default)]
    pub doing: Doing,
    /// After this long without a complete reply an operation is given up and
    /// recorded as censored.
    pub timeout_ns: u64,
    /// Latencies leave out operations due in the first part of a slice.
    pub burn_in_ns: u64,
    /// Stop after this many operations (over all workers).
    pub operations: Option<u64>,
    /// Groups that are driven at once; the intensity above is then that of all together.
    /// Empty: one workload. A group is a number here, as a contender is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Intensity>,
}

/// How hard a contender is driven, or one of several groups of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intensity {
    /// Connections, or places where connections are fresh.
    pub connections: u32,
    /// How many operations may be in flight on one connection: more than one where the
    /// protocol answers in order and connections are persistent.
    #[serde(default = "one")]
    pub depth: u32,
    /// When operation *n* is due.
    pub arrivals: Arrivals,
}

impl Intensity {
    /// The intensity of several groups together: the depth is the largest of theirs.
    pub fn together(groups: &[Intensity]) -> Intensity {
        Intensity {
            connections: groups.iter().map(|group| group.connections).sum(),
            depth: groups.iter().map(|group| group.depth).max().unwrap_or(1),
            arrivals: Arrivals::together(groups),
        }
    }
}

impl LaneAsked {
    /// What is asked of one group, as if it were all that is asked.
    pub fn of_group(&self, group: &Intensity) -> LaneAsked {
        LaneAsked { intensity: *group, groups: Vec::new(), ..self.clone() }
    }
}

fn one() -> u32 {
    1
}

/// What the operations of a lane are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The one request of the contender; of a store: whether it answers.
    #[default]
    Ask,
    /// Keys get their first values: operation *n* writes key *n*.
    Load(Loading),
    /// The operations of the workload.
    Drive(Workload),
}

impl Doing {
    /// Every key gets its first value, from key 0 on.
    pub fn load(workload: Workload) -> Doing {
        Doing::Load(Loading { from: 0, workload })
    }
}

/// Which keys are loaded: as many as the lane has operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loading {
    /// The first of them.
    #[serde(default)]
    pub from: u64,
    /// The workload whose keys they are.
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
    /// Connect anew after this many operations.
    Times(u32),
    /// Each operation takes one of a pool's connections and gives it back.
    Pool(Pool),
}

/// A pool of connections that the operations of a lane share. Client libraries
/// have one, the wire lanes of the engine have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Connections at most, over all workers.
    pub max: u32,
    /// An operation that gets none for this long fails.
    pub wait_ns: u64,
    /// What is done to a connection between two operations.
    #[serde(default)]
    pub upkeep: Upkeep,
}

/// What a pool does to a connection between two operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upkeep {
    /// Nothing.
    #[default]
    Neither,
    /// It is asked whether it answers, before it is handed out.
    Ping,
    /// Its session is set back when it is given back: what was prepared there is
    /// prepared anew.
    Reset,
}

/// When operation *n* is due. Rates are for the whole contender, while driven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// As soon as a connection is free.
    Closed,
    /// Equal gaps; operations per second.
    Constant(f64),
    /// Exponential gaps; operations per second in the mean.
    Poisson(f64),
}

impl Arrivals {
    /// Those of several groups together: closed, where one of them is; else a rate
    /// that is the sum, constant where all are.
    fn together(groups: &[Intensity]) -> Arrivals {
        let rates: Option<f64> = groups.iter().map(|group| group.arrivals.rate()).sum();
        let constant = |group: &Intensity| matches!(group.arrivals, Arrivals::Constant(_));
        match rates {
            None => Arrivals::Closed,
            Some(rate) if groups.iter().all(constant) => Arrivals::Constant(rate),
            Some(rate) => Arrivals::Poisson(rate),
        }
    }

    /// Operations per second asked for; none in closed loop.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Arrivals::Closed => None,
            Arrivals::Constant(rate) | Arrivals::Poisson(rate) => Some(rate),
        }
    }
}
