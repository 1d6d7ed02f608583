//! All runs of one contender before those of the next.

use super::{Check, GroupObjection, Rule};
use crate::groups::{RunGroup, comparable};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "not_interleaved",
    weight: Weight::Caution,
    threshold: "Checks contenders with two or more runs in one file, and programs that hyperfine \
                repeated. If all runs of one precede \
                all runs of another, that is a caution.",
    why: "A machine changes while it measures: clock speed, other programs, caches, temperature. \
          Running all of A, then all of B attributes the change to B. Simulated with a usual \
          drift, two equal servers were called different in 29 % of such experiments with 5 runs \
          each, and in 60 % with 20 runs, instead of the nominal 5 %.",
    remedy: "Alternate the runs, in random order, or use tiebreak compare.",
    check: Check::All(check),
};

fn check(runs: &[PublishedRun], groups: &[RunGroup]) -> Vec<GroupObjection> {
    let repeats = |group: &RunGroup| runs[group.runs[0]].tool.kind == ToolKind::Program;
    let is_repeated = |group: &&RunGroup| group.runs.len() > 1 || repeats(group);
    let repeated: Vec<&RunGroup> = groups.iter().filter(is_repeated).collect();
    let ends = |group: &RunGroup| {
        let (first, last) = (group.runs.first().copied(), group.runs.last().copied());
        first.zip(last)
    };
    let pairs = repeated.iter().enumerate().filter_map(|(at, group)| {
        let alike = |other: &&&RunGroup| comparable(&runs[group.runs[0]], &runs[other.runs[0]]);
        Some([*group, *repeated[at + 1..].iter().find(alike)?])
    });
    let mut in_blocks = pairs.filter(|pair| {
        let same_file = runs[pair[0].runs[0]].file == runs[pair[1].runs[0]].file;
        let disjoint =
            ends(pair[0]).zip(ends(pair[1])).is_some_and(|(a, b)| a.1 < b.0 || b.1 < a.0);
        same_file && disjoint
    });
    let found = in_blocks.next().map(|pair| GroupObjection {
        weight: Weight::Caution,
        evidence: format!("all runs of {} precede those of {}", pair[0].name, pair[1].name),
        runs: pair.iter().flat_map(|group| group.runs.clone()).collect(),
        lines: Vec::new(),
    });
    found.into_iter().collect()
}
