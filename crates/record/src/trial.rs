//! One trial: what was requested of a contender in one round, and what was measured.

use crate::{AgentSeen, LaneOrder, Seen};
use serde::{Deserialize, Serialize};

/// Which part of a run a trial belongs to. Only rounds are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The requests that checked whether the target is ready.
    Ready,
    /// The load of a store's keys.
    Load,
    /// The lane's own cost, measured against the null server and not the target.
    Null,
    /// The warm-up before the rounds.
    WarmUp,
    /// The pilot.
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
    /// The order.
    #[serde(rename = "requested")]
    pub lane_order: LaneOrder,
    /// The measurements.
    pub seen: Seen,
    /// Whether the round was cut short because a stop was requested. It is then not judged.
    #[serde(default)]
    pub cut_short: bool,
    /// Whether the warm-up ended because this contender had levelled. None for a warm-up of a fixed length,
    /// and for every other phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levelled: Option<bool>,
    /// What each agent did, by rank. Empty if this process drove alone.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::limits::read_agents"
    )]
    pub agents: Vec<AgentSeen>,
}

impl TrialRecord {
    /// How long the contender was driven, up to the last replies.
    pub fn driven_ns(&self) -> u64 {
        let slices = self.seen.slices.iter();
        slices.map(|slice| slice.took_ns.max(slice.sending_ns)).sum()
    }
}
