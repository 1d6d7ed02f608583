//! Figures that cannot be read.

use super::{Check, Checked, Rule, fine, found};
use crate::run::Run;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "unclear_figures",
    weight: Weight::Caution,
    threshold: "Looks for figures that can be read in two ways (5,207 is 5.207 or 5207), or in none. \
                Any: a caution. Such a figure is not used.",
    why: "A figure that is guessed is made up.",
    remedy: "Publish the output as the tool wrote it, in the locale C.",
    check: Check::Run(check),
};

/// Lines that are named.
const MOST: usize = 5;

fn check(run: &Run) -> Checked {
    match run.unclear.len() {
        0 => fine(),
        n => {
            let text = format!("{n} figures cannot be read in one way only, and are not used");
            let text = if n == 1 {
                "1 figure cannot be read in one way only, and is not used".to_owned()
            } else {
                text
            };
            found(Weight::Caution, text, run.unclear.iter().copied().take(MOST))
        }
    }
}
