//! What each agent did, if several machines drove, and what it cost to start them together.

use judge::verdict::{AgentSummary, GateSummary};
use serde::Serialize;

/// One agent. Times are in seconds.
#[derive(Serialize)]
pub(super) struct AgentData {
    rank: u32,
    operations: u64,
    connections: u64,
    throughput: Option<f64>,
    starts_later_by: f64,
    starts_later_by_at_most: f64,
    clock_bound: f64,
}

impl AgentData {
    pub(super) fn of(agent: &AgentSummary) -> AgentData {
        AgentData {
            rank: agent.rank,
            operations: agent.operations,
            connections: agent.connections,
            throughput: agent.throughput,
            starts_later_by: agent.behind,
            starts_later_by_at_most: agent.most_behind,
            clock_bound: agent.clock_bound,
        }
    }
}

/// The pauses between the slices of a round. Times are in seconds.
#[derive(Serialize)]
pub(super) struct GateData {
    pauses: u64,
    pause: f64,
    longest: f64,
    share: f64,
}

impl GateData {
    pub(super) fn of(gate: &GateSummary) -> GateData {
        let &GateSummary { pauses, pause, longest, share } = gate;
        GateData { pauses, pause, longest, share }
    }
}
