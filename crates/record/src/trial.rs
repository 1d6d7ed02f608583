//! One trial: what was asked of a contender in one round, and what was seen.

use crate::{LaneAsked, Seen};
use serde::{Deserialize, Serialize};

/// Which part of a run a trial belongs to. Only rounds are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The requests that asked whether the target is ready.
    Ready,
    /// The first values of a store's keys.
    Load,
    /// Against the null server and not the target: what the lane costs by itself.
    Null,
    /// Before the rounds.
    WarmUp,
    /// The pilot's braid.
    Pilot,
    /// A round.
    Round,
}

/// One contender in one round (or in one warm-up or pilot).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Which part of the run.
    pub phase: Phase,
    /// Round, counted from 1; 0 outside the rounds.
    pub round: u32,
    /// The contender's number in the plan.
    pub contender: u32,
    /// What was asked of it.
    pub asked: LaneAsked,
    /// What was seen.
    pub seen: Seen,
    /// The round was cut short (a stop was asked for): not judged as a round.
    #[serde(default)]
    pub cut_short: bool,
}
