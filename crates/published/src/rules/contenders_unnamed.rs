//! Runs that do not say what they are of.

use super::{Check, FoundAmong, Rule};
use crate::groups::Group;
use crate::run::Run;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "contenders_unnamed",
    weight: Weight::Note,
    threshold: "Looks for runs whose output names no target (hey, h2load, oha, k6, vegeta, and all \
                tools for stores and databases), with neither a command line nor a heading (#) above \
                it. Two or more: a note; each is taken for a contender of its own.",
    why: "Whether they are repetitions or contenders decides what may be concluded.",
    remedy: "Put the command line above each run, with its $, or a heading: # nginx.",
    check: Check::All(check),
};

fn check(_: &[Run], groups: &[Group]) -> Vec<FoundAmong> {
    let unnamed: Vec<&Group> = groups.iter().filter(|group| !group.named).collect();
    if unnamed.len() < 2 {
        return Vec::new();
    }
    let evidence = format!("{} runs do not say what they are of", unnamed.len());
    let runs = unnamed.iter().flat_map(|group| group.runs.clone()).collect();
    vec![FoundAmong { weight: Weight::Note, evidence, runs, lines: Vec::new() }]
}
