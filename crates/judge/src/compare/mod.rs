//! The comparisons: every pair, in the primary metric and in those of the
//! second family.

mod draft;
mod held_back;
mod support;
mod weigh;

pub(crate) use draft::Draft;
pub(crate) use held_back::{HELD_BACK_BELOW, held_back};
pub(crate) use support::Support;
pub(crate) use weigh::{Weighed, word};

use crate::{evidence::Evidence, stats::rounds};
use draft::Asked;

/// All comparisons as they stand before the audit: for each pair the primary
/// metric first.
///
/// Two families, each with an error budget of its own: the primary comparisons,
/// and all others together.
pub(crate) fn drafts(evidence: &Evidence) -> Vec<Draft> {
    let question = &evidence.question;
    let pairs = question.pairs.len();
    let others = pairs * question.secondary.len();
    let mut drafts = Vec::with_capacity(pairs + others);
    for &pair in &question.pairs {
        let primary = Asked { pair, metric: question.primary, primary: true, family: pairs };
        drafts.push(primary.draft(evidence));
        for &metric in &question.secondary {
            let asked = Asked { pair, metric, primary: false, family: others };
            drafts.push(asked.draft(evidence));
        }
    }
    drafts
}

/// The level of each interval of a family of this size.
fn level(evidence: &Evidence, family: usize) -> f64 {
    rounds::level(evidence.question.alpha, family)
}
