//! Runs that do not name their contender.

use super::{Check, GroupObjection, Rule};
use crate::groups::RunGroup;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "contenders_unnamed",
    weight: Weight::Note,
    threshold: "Looks for runs whose output names no target (hey, h2load, oha, k6, vegeta, and all \
                tools for stores and databases), with neither an address in a command line nor a \
                heading (#) above it. Two or more are a note; they are treated as separate \
                contenders, except repetitions of the same command.",
    why: "The conclusion depends on whether they are repetitions or contenders.",
    remedy: "Put a heading such as # nginx, or a command line with its $ and an address, above \
             each run.",
    check: Check::All(check),
};

fn check(_: &[PublishedRun], groups: &[RunGroup]) -> Vec<GroupObjection> {
    let unnamed: Vec<&RunGroup> = groups.iter().filter(|group| !group.named).collect();
    if unnamed.len() < 2 {
        return Vec::new();
    }
    let evidence = format!("{} runs do not name their contender", unnamed.len());
    let runs = unnamed.iter().flat_map(|group| group.runs.clone()).collect();
    vec![GroupObjection { weight: Weight::Note, evidence, runs, lines: Vec::new() }]
}
