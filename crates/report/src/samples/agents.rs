//! A sample of two agents, one of which starts later than the other.

use super::{Parts, faster};
use judge::verdict::{AgentSummary, GateSummary};

/// Two contenders that two agents drove.
pub(crate) fn agents() -> Parts {
    let mut parts = faster();
    parts.header.plan.agents = 2;
    for contender in &mut parts.contenders {
        let agent = |rank, behind, most_behind, clock_bound| AgentSummary {
            rank,
            operations: contender.operations / 2,
            connections: 32,
            throughput: contender.throughput.map(|rate| rate / 2.0),
            behind,
            most_behind,
            clock_bound,
        };
        contender.agents = vec![agent(1, 0.0, 0.0, 14e-6), agent(2, 31e-6, 412e-6, 19e-6)];
    }
    parts.gate = Some(GateSummary { pauses: 390, pause: 684e-6, longest: 4.2e-3, share: 0.0135 });
    parts
}
