//! Replies of another length than the first one.

use super::{Check, Checked, Rule, fine, found, part_of};
use crate::key::Key;
use crate::run::Run;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "other_lengths",
    weight: Weight::Caution,
    threshold: "Counts the replies whose length differs from the first one's (ab: Length failures; \
                ab -l does not count them). Any: a caution.",
    why: "Either the page changes (a date, a counter), and ab calls good replies failed; or some \
          replies are error pages or torn, and their time was measured as if they were good.",
    remedy: "Compare two replies with curl. If the page changes, ask for one that does not, or use \
             ab -l and count errors in the server's log.",
    check: Check::Run(check),
};

fn check(run: &Run) -> Checked {
    match run.figure(Key::OtherLength).filter(|at| at.value > 0.0) {
        Some(at) => {
            let of = part_of(at.value, run.operations());
            found(
                Weight::Caution,
                format!("{of} replies had another length than the first one"),
                [at.line],
            )
        }
        None => fine(),
    }
}
