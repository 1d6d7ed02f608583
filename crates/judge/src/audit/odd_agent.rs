//! One agent that drives unlike the others.

use super::{Evidence, Rule};
use crate::evidence::{AgentDriven, DriveSummary};
use crate::stats::quantile::median;
use crate::verdict::{Finding, Weight};
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "odd_agent",
    short: "one agent drives unlike the others",
    hint: "look at that machine and its network",
    weight: Weight::Caution,
    threshold: "With three agents or more: in closed loop compares the operations of each agent for \
                each of its connections with the median of all agents, and in open loop its \
                operations. A difference of more than a quarter is a caution.",
    why: "All agents have the same share of the load. One that answers for less has a slower \
          machine, a longer network path or a busy neighbour, and the figures of all together are \
          partly about that agent.",
    remedy: "Look at that machine, its network and what else runs there, or leave it out. \
             `tiebreak report RUN --verbose` shows the figures of each agent.",
    check,
};

/// With two agents it is not known which of them is the odd one.
const FEWEST: usize = 3;
const MOST: f64 = 1.25;

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.each().flat_map(|(name, driven)| about(name, driven)).collect()
}

fn about(name: &str, driven: &DriveSummary) -> Vec<Finding> {
    let share = |agent: &AgentDriven| {
        let connections = if driven.closed() { agent.connections.max(1) } else { 1 };
        agent.operations as f64 / connections as f64
    };
    let all: Vec<f64> = driven.agents.each.values().map(share).collect();
    let Some(median) = median(&all).filter(|_| all.len() >= FEWEST) else { return Vec::new() };
    let odd = |(rank, agent): (&u32, &AgentDriven)| {
        let ratio = share(agent) / median;
        if median <= 0.0 || (1.0 / MOST..=MOST).contains(&ratio) {
            return None;
        }
        let seen = format!(
            "agent {rank} ended {} of the operations of a typical agent",
            units::percent(ratio)
        );
        Some(RULE.about(name, Weight::Caution, seen).with_figure(format!("agent {rank}")))
    };
    driven.agents.each.iter().filter_map(odd).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::{AgentSeen, Arrivals};

    fn run(operations: &[u64], connections: &[u64]) -> SampleRun {
        let mut run = SampleRun::compare(4);
        run.each(|record| {
            let each = operations.iter().zip(connections).zip(1..);
            record.agents = each
                .map(|((&operations, &connections), rank)| AgentSeen {
                    rank,
                    operations,
                    connections,
                    ..AgentSeen::default()
                })
                .collect();
        });
        run
    }

    #[test]
    fn an_agent_with_fewer_operations_is_named() {
        for (operations, odd) in
            [(vec![100, 100, 79], 2), (vec![100, 100, 81], 0), (vec![100, 99, 126, 100], 2)]
        {
            let found = weights(&run(&operations, &vec![4; operations.len()]), RULE.name);
            assert_eq!(found, vec![Weight::Caution; odd], "{operations:?}");
        }
        let found = run(&[100, 50, 100, 100], &[4; 4]).findings(RULE.name);
        assert_eq!(
            found[0].evidence,
            "agent 2 ended 50\u{a0}% of the operations of a typical agent"
        );
    }

    #[test]
    fn shares_of_the_connections_may_differ_and_two_agents_say_nothing() {
        assert_eq!(weights(&run(&[200, 100, 100], &[2, 1, 1]), RULE.name), []);
        assert_eq!(weights(&run(&[100, 50], &[4; 2]), RULE.name), []);
        // In open loop the schedule decides, not the connections.
        let open = run(&[100, 100, 100], &[2, 1, 1]).with_arrivals(Arrivals::Constant(100.0));
        assert_eq!(weights(&open, RULE.name), []);
    }
}
