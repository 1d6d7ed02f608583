//! Replies with unexpected content.

use super::{Check, Checked, Rule, fine, found, part_of, weight_of};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "failed_checks",
    weight: Weight::Void,
    threshold: "Counts failed checks of the content: k6's checks, and what cassandra-stress \
                reports as not validated. At least one: a caution. More than 1 in 1000 checks or \
                operations: void.",
    why: "A reply with the wrong content, or for a row that does not exist, is not the work that \
          was requested.",
    remedy: "Load the data that is read (cassandra-stress write before read, with the same keys), \
             or fix the server.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let Some(at) = run.figure(Key::FailedChecks).filter(|at| at.value > 0.0) else {
        return fine();
    };
    // A reply may be checked several times.
    let all = run.figure(Key::Checks).or_else(|| run.operations());
    let evidence = format!("{} checks of the content failed", part_of(at.value, all));
    found(weight_of(at.value, all), evidence, [at.line])
}
