//! What another search would say beyond this one.

use super::{Bisection, Commit, Ended, Ratio, Shown};

/// Another search that would say more than this one. It is a search of its own, with its own 5 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next<'a> {
    /// The same search in the other direction, in which BAD differs from GOOD by what matters.
    OtherDirection,
    /// The search over all commits after the first one up to the second one, of which this one left out those that do not
    /// touch its paths.
    AllBetween(&'a Commit, &'a Commit),
}

/// The search that would say more than the answer of this one. None if there is none, or this one has not ended.
pub fn next(of: &Bisection) -> Option<Next<'_>> {
    let line = of.answering_line()?;
    match line.answer.as_ref()? {
        Ended::NoRegression { whole } if is_the_other_way(of, whole) => Some(Next::OtherDirection),
        Ended::Named(Shown { first, last, .. }) if line.left_out(*first, *last) > 0 => {
            Some(Next::AllBetween(&line.commits[first - 1], &line.commits[*last]))
        }
        _ => None,
    }
}

/// Whether BAD differs from GOOD in the direction that was not asked for: for sure, and by what matters.
fn is_the_other_way(of: &Bisection, whole: &Ratio) -> bool {
    let Some((low, high)) = whole.bounds() else { return false };
    let matters = 1.0 + of.asked.matters;
    if of.asked.improvement {
        low > 1.0 && whole.ratio >= matters
    } else {
        high < 1.0 && whole.ratio <= 1.0 / matters
    }
}
