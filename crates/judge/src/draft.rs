//! A comparison before the audit.

use crate::verdict::Comparison;
use crate::weigh::Weighed;
use record::Pair;

/// A comparison, and what the audit wants to know of it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) pair: Pair,
    pub(crate) comparison: Comparison,
    /// What the replicates say; none where a round has no ratio.
    pub(crate) weighed: Option<Weighed>,
    /// More replicates would change nothing: there is a word, or it was withheld
    /// for good.
    pub(crate) settled: bool,
}
