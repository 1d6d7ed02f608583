//! How the number of replicates of a run is found, where the plan does not fix it.

use serde::{Deserialize, Serialize};

/// How many replicates a run has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthRule {
    /// As many as the plan says; with `--until-decided`, at most.
    #[default]
    Fixed,
    /// Short rounds with interim looks if the contenders' slices fit into them, otherwise as many as the
    /// plan says.
    ShortRounds {
        /// Length of such a round.
        round_ns: u64,
        /// The looks; the last one is the end of the run.
        looks: Vec<InterimLook>,
    },
    /// Two stages. The plan says how many replicates the first one has; they show how many more are needed
    /// to see a difference of this share (`--see`).
    See(f64),
    /// As many as the cases of a suite need, which their listing shows.
    Cases,
    /// As many as the plan says. The run is a part of a search over commits, which decides by the replicates of many
    /// runs; this one need not decide anything.
    Part {
        /// The only case of a suite that is run and compared. None for other contenders.
        case: Option<String>,
    },
    /// As many as fit into this time, with the warm-up, the pilot and the launches (`--within`).
    WithinNs(u64),
}

impl LengthRule {
    /// The difference that a run of two stages is to see, as a share.
    pub fn see(&self) -> Option<f64> {
        match self {
            LengthRule::See(share) => Some(*share),
            _ => None,
        }
    }

    /// The time in which a run is to end.
    pub fn within_ns(&self) -> Option<u64> {
        match self {
            LengthRule::WithinNs(ns) => Some(*ns),
            _ => None,
        }
    }
}

/// A look at a run before its end, declared before round 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterimLook {
    /// Replicates that it judges.
    pub replicates: u32,
    /// The error that each family spends at it: each of m comparisons is judged at this level ÷ m.
    pub level: f64,
}

/// What the first stage of a run of two stages showed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondStage {
    /// Replicates of both stages together.
    pub replicates: u32,
    /// The largest standard deviation of ln(b/a) between the replicates of the first stage, of all pairs.
    pub deviation: f64,
    /// The true difference, as a share, that so many replicates call with a chance of 80 %.
    pub sees: f64,
}
