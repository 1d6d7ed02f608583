//! Contenders under different loads.

use super::{Check, GroupObjection, Rule};
use crate::groups::{RunGroup, comparable, differences};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "unequal_load",
    weight: Weight::Caution,
    threshold: "Compares tool, connections, threads, keep-alive, requested rate, pipeline, scale and mode of \
                the contenders that do the same kind of work. Any difference is a caution, and \
                rules out a comparison.",
    why: "A different number of connections, tool or scale changes the question: the difference \
          between the figures may come entirely from that and not from the server.",
    remedy: "Measure all contenders with the same command line except for the address.",
    check: Check::All(check),
};

fn check(runs: &[PublishedRun], groups: &[RunGroup]) -> Vec<GroupObjection> {
    let mut found: Vec<GroupObjection> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let b = &runs[group.runs[0]];
        let first = groups[..at].iter().find(|first| comparable(&runs[first.runs[0]], b));
        let Some(first) = first else { continue };
        let a = &runs[first.runs[0]];
        let differ = differences(a, b);
        if !differ.is_empty() && found.len() < MOST {
            found.push(GroupObjection {
                weight: Weight::Caution,
                evidence: format!(
                    "{} and {} differ in {}",
                    first.name,
                    group.name,
                    listed(&differ)
                ),
                runs: vec![first.runs[0], group.runs[0]],
                lines: vec![(first.runs[0], a.first), (group.runs[0], b.first)],
            });
        }
    }
    found
}

/// The largest number of named pairs.
const MOST: usize = 10;
