//! Contenders that were measured only once.

use super::{Check, GroupObjection, Rule};
use crate::groups::RunGroup;
use crate::key::Key;
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "no_repetition",
    weight: Weight::Caution,
    threshold: "Counts the runs of each contender under one load. A single run is a caution, except \
                those of hyperfine, which repeats by itself.",
    why: "Two runs of the same server differ, by 2 to 9 % on the machine on which tiebreak was \
          developed, and by more if a server settles differently at each start. A single run does \
          not show by how much, so a difference between two contenders cannot be distinguished \
          from this. Requests within one run are not repetitions.",
    remedy: "Make at least four runs of each contender, in alternation, or use tiebreak compare.",
    check: Check::All(check),
};

/// The largest number of named contenders.
const MOST: usize = 5;

fn check(runs: &[PublishedRun], groups: &[RunGroup]) -> Vec<GroupObjection> {
    // hyperfine repeats by itself, unless it was told not to.
    let repeats = |group: &RunGroup| {
        let run = &runs[group.runs[0]];
        run.tool.kind == ToolKind::Program
            && run.figure(Key::Operations).is_none_or(|at| at.value > 1.0)
    };
    let is_single = |group: &&RunGroup| group.runs.len() == 1 && !repeats(group);
    let single: Vec<&RunGroup> = groups.iter().filter(is_single).collect();
    if single.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = single.iter().map(|group| group.name.clone()).collect();
    let names = lists::first_listed(&names, MOST, |others| format!("{others} more"));
    let runs = single.iter().flat_map(|group| group.runs.clone()).collect();
    let evidence = format!("only one run of {names}");
    vec![GroupObjection { weight: Weight::Caution, evidence, runs, lines: Vec::new() }]
}
