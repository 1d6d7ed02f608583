//! Several machines that drive the same contenders together: what each of them did, and how their
//! records become one.

use crate::{Seen, TrialRecord};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What one agent did in a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentSeen {
    /// Its rank, from 1: rank 0 coordinates and drives nothing.
    pub rank: u32,
    /// Operations that ended in its slices.
    pub operations: u64,
    /// Connections that it was asked to open.
    pub connections: u64,
    /// Start to last reply of its slices, summed.
    pub took_ns: u64,
    /// How much later than the first agent it started its slices, summed.
    pub behind_ns: u64,
    /// The most of that in one slice.
    pub most_behind_ns: u64,
    /// How wrong its clock model may be, at most.
    pub bound_ns: u64,
}

/// An agent that takes part in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentReady {
    /// Its rank, from 1.
    pub rank: u32,
    /// How many workers it has.
    pub workers: u32,
    /// Its processor and kernel, escaped.
    pub machine: String,
    /// What disciplines its clock, if that is visible. It is evidence and is not relied on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clock: String,
}

/// The clock model of one agent after the rounds, or a part of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentClock {
    /// Its rank, from 1.
    pub rank: u32,
    /// Its clock minus the coordinator's, both `CLOCK_MONOTONIC_RAW`, in seconds: machines may have
    /// been started years apart.
    pub offset_s: f64,
    /// How much faster its clock is, in millionths.
    pub drift_ppm: f64,
    /// Half the smallest round trip plus the largest residual: how wrong the model may be.
    pub bound_ns: u64,
    /// The smallest round trip.
    pub round_trip_ns: u64,
    /// Exchanges of four time stamps that it rests on.
    pub exchanges: u64,
    /// Slices that it was told too late to start in time.
    pub late: u64,
}

/// One agent's record of a trial. The times of its slices are on the coordinator's clock.
#[derive(Clone, Debug)]
pub struct AgentPart {
    /// Its rank, from 1.
    pub rank: u32,
    /// How wrong these times may be.
    pub bound_ns: u64,
    /// What it recorded.
    pub trial: TrialRecord,
}

/// Why records cannot be merged. Agents are named by their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// No agent recorded the trial.
    #[error("no agent recorded the trial")]
    NoRecord,
    /// Two agents recorded different trials.
    #[error("agents {one} and {other} recorded different trials")]
    DifferentTrials {
        /// The one.
        one: u32,
        /// The other.
        other: u32,
    },
    /// Two agents recorded different slices of one trial that was not cut short.
    #[error("agents {one} and {other} recorded different slices of one trial")]
    DifferentSlices {
        /// The one.
        one: u32,
        /// The other.
        other: u32,
    },
}

/// Merges what the agents recorded of one trial, slice by slice. A slice lasts from the first
/// start to the last reply of any agent.
///
/// # Errors
/// Returns an error if they do not describe the same trial or the same slices. Only a trial that
/// was cut short may lack slices.
pub fn merge(parts: &[AgentPart]) -> Result<TrialRecord, MergeError> {
    let Some((first, others)) = parts.split_first() else {
        return Err(MergeError::NoRecord);
    };
    let mut trial = first.trial.clone();
    for other in others {
        check(first, other)?;
        trial.seen.merge(&other.trial.seen);
        trial.cut_short |= other.trial.cut_short;
    }
    trial.agents = parts.iter().map(|part| seen(part, &trial.seen)).collect();
    trial.agents.sort_by_key(|agent| agent.rank);
    Ok(trial)
}

fn check(one: &AgentPart, other: &AgentPart) -> Result<(), MergeError> {
    let which = |part: &AgentPart| (part.trial.phase, part.trial.round, part.trial.contender);
    if which(one) != which(other) || one.trial.lane_order != other.trial.lane_order {
        return Err(MergeError::DifferentTrials { one: one.rank, other: other.rank });
    }
    if one.trial.cut_short || other.trial.cut_short {
        return Ok(());
    }
    let indices = |part: &AgentPart| -> Vec<(u64, Option<u32>)> {
        part.trial.seen.slices.iter().map(|slice| (slice.index, slice.after)).collect()
    };
    if indices(one) == indices(other) {
        Ok(())
    } else {
        Err(MergeError::DifferentSlices { one: one.rank, other: other.rank })
    }
}

/// What one agent did, beside the merged record of all.
fn seen(part: &AgentPart, all: &Seen) -> AgentSeen {
    let mut agent = AgentSeen {
        rank: part.rank,
        connections: part.trial.seen.connections.requested,
        bound_ns: part.bound_ns,
        ..AgentSeen::default()
    };
    for slice in &part.trial.seen.slices {
        // An agent can report any numbers; the coordinator refuses sums that no run can have.
        agent.operations = agent.operations.saturating_add(slice.operations);
        agent.took_ns = agent.took_ns.saturating_add(slice.took_ns);
        if let Ok(at) = all.slices.binary_search_by_key(&slice.index, |slice| slice.index) {
            let behind_ns = slice.starts_ns.saturating_sub(all.slices[at].starts_ns);
            agent.behind_ns = agent.behind_ns.saturating_add(behind_ns);
            agent.most_behind_ns = agent.most_behind_ns.max(behind_ns);
        }
    }
    agent
}
