//! What no output of these tools shows.

use super::{Check, GroupObjection, Rule};
use crate::groups::RunGroup;
use crate::key::Key;
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "unseen",
    weight: Weight::Note,
    threshold: "Always gives a note about what the output cannot show.",
    why: "A rule that could not be checked is not a rule without an objection.",
    remedy: "Check with other tools: the CPU use of generator and server during the run, the \
             content of a reply, and the server's own counters. tiebreak records all three.",
    check: Check::All(check),
};

fn check(runs: &[PublishedRun], _: &[RunGroup]) -> Vec<GroupObjection> {
    if runs.is_empty() {
        return Vec::new();
    }
    let replies = runs
        .iter()
        .any(|run| run.tool.kind != ToolKind::Database && run.figure(Key::FailedChecks).is_none());
    let mut evidence = String::from(
        "not shown: whether the load generator or the server was the slower part, what else ran on \
         the machine, and in which order the runs were made",
    );
    if replies {
        evidence += "; nor what the replies contained: an error page with status 200 counts as a \
                     success";
    }
    let all = 0..runs.len();
    vec![GroupObjection { weight: Weight::Note, evidence, runs: all.collect(), lines: Vec::new() }]
}
