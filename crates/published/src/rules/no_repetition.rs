//! Contenders that were measured once.

use super::{Check, FoundAmong, Rule};
use crate::groups::Group;
use crate::run::Run;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "no_repetition",
    weight: Weight::Caution,
    threshold: "Counts the runs of each contender under one load. One: a caution.",
    why: "Two runs of one server differ, by 2 to 9 % on the machine that tiebreak was written on, \
          and by more where a server settles differently at each start. One run does not say by how \
          much, so a difference between two contenders cannot be told from that. Requests inside \
          one run are no repetitions.",
    remedy: "At least four runs of each contender, in alternation; better: tiebreak compare.",
    check: Check::All(check),
};

/// Contenders that are named.
const MOST: usize = 5;

fn check(_: &[Run], groups: &[Group]) -> Vec<FoundAmong> {
    let single: Vec<&Group> = groups.iter().filter(|group| group.runs.len() == 1).collect();
    if single.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<String> = single.iter().take(MOST).map(|group| group.name.clone()).collect();
    if single.len() > MOST {
        names.push(format!("{} more", single.len() - MOST));
    }
    let runs = single.iter().flat_map(|group| group.runs.clone()).collect();
    let evidence = format!("one run of {}", listed(&names));
    vec![FoundAmong { weight: Weight::Caution, evidence, runs, lines: Vec::new() }]
}
