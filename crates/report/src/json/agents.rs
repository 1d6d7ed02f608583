//! What each agent did, if several machines drove.

use judge::verdict::AgentSummary;
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
