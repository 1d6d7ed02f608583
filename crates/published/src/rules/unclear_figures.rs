//! Figures that cannot be read.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "unclear_figures",
    weight: Weight::Caution,
    threshold: "Looks for figures that can be read in two ways (5,207 is 5.207 or 5207), or in \
                none. Any such figure is a caution, and is not used.",
    why: "A guessed figure is made up.",
    remedy: "Publish the output as the tool wrote it, in the locale C.",
    check: Check::Run(check),
};

/// The largest number of named lines.
const MOST: usize = 5;

fn check(run: &PublishedRun) -> Checked {
    let text = match run.unclear.len() {
        0 => return fine(),
        1 => "1 figure is ambiguous or unreadable, and is not used".to_owned(),
        n => format!("{n} figures are ambiguous or unreadable, and are not used"),
    };
    found(Weight::Caution, text, run.unclear.iter().copied().take(MOST))
}
