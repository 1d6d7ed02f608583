//! Replies whose length differs from that of the first one.

use super::{Check, Checked, Rule, fine, found, part_of};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "other_lengths",
    weight: Weight::Caution,
    threshold: "Counts the replies whose length differs from that of the first one (ab: Length \
                failures; ab -l does not count them). Any such reply is a caution.",
    why: "Either the page changes (a date, a counter), and ab reports good replies as failed; or \
          some replies are error pages or truncated, and their time was measured as if they were \
          good.",
    remedy: "Compare two replies with curl. If the page changes, use one that does not change, or \
             use ab -l and count errors in the server's log.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let Some(at) = run.figure(Key::OtherLength).filter(|at| at.value > 0.0) else { return fine() };
    let part = part_of(at.value, run.operations());
    let text = format!("{part} replies had a different length than the first one");
    found(Weight::Caution, text, [at.line])
}
