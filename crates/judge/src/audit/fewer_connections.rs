//! Fewer connections than requested.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "fewer_connections",
    short: "fewer connections than requested",
    hint: "raise the target's connection limit",
    weight: Weight::Caution,
    threshold: "Compares how many connections could be opened with how many were requested, in the \
                round in which most were missing. A single missing connection is a caution.",
    why: "In closed loop, throughput and latency depend on the number of connections. With 40 \
          instead of 64 connections another question is answered, and for one contender only.",
    remedy: "Raise the target's connection limit or its backlog, or request a number that all \
             contenders accept (--connections).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let parts = evidence.parts();
    let fewer = parts.iter().map(|part| (part, &part.driven.connections));
    fewer
        .filter(|(_, connections)| connections.established < connections.requested)
        .map(|(part, connections)| {
            let requested = units::show_counted(connections.requested, "connection");
            let seen = format!("{} of {requested} could be opened", connections.established);
            let figure = format!("{} of {}", connections.established, connections.requested);
            RULE.about_part(part, Weight::Caution, seen).with_figure(figure)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn the_worst_round_is_named() {
        let run = |got: u64| {
            let mut run = SampleRun::compare(4);
            run.each_seen("b", |round, seen| {
                seen.connections.established = if round == 3 { got } else { 64 };
            });
            run
        };
        assert_eq!(weights(&run(64), RULE.name), []);
        assert_eq!(weights(&run(63), RULE.name), [Weight::Caution]);
        assert_eq!(run(40).findings(RULE.name)[0].evidence, "40 of 64 connections could be opened");
    }
}
