//! A comparison before the audit.

use crate::verdict::Comparison;
use crate::weigh::Weighed;
use record::Pair;

/// A comparison, and what the audit needs to know about it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) pair: Pair,
    pub(crate) comparison: Comparison,
    /// The statistics of the replicates. None if a round has no ratio.
    pub(crate) weighed: Option<Weighed>,
    /// Whether more replicates would change nothing: there is a word, or it was withheld for good.
    pub(crate) settled: bool,
}

impl Draft {
    /// Whether it compares this pair by more than one request.
    pub(crate) fn is_about_all(&self, pair: Pair) -> bool {
        self.pair == pair && self.comparison.request.is_none()
    }
}
