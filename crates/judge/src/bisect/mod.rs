//! The search over commits: which commit of a history made a difference.
//!
//! 1. The first commit (GOOD) is compared with the last one (BAD), to see whether there is anything to find.
//! 2. Weights over the commits guide the search: each unit compares one commit with GOOD or BAD, and moves weight
//!    to one side of it.
//! 3. A commit is named only after a fresh comparison with its parent. A wrong commit costs what its parent costs, so
//!    naming errs in 5 % at most, however the commit was found.
//!
//! The procedure and its constants were simulated before they were written down (docs/METHOD.md, "Search over
//! commits"). There is no I/O: the caller measures what [`Search::step`] asks for and passes the differences to
//! [`Search::observe`]. The same differences always lead to the same steps and the same answer.

mod naming;
mod search;
#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod tests;
mod weights;

pub use naming::Parts;
pub use search::{Search, Settings, most_units};

use crate::stats::signed_rank::SignedRank;
use std::ops::Range;

/// The smallest difference that matters in a search, as a share, unless the command says otherwise.
pub const MATTERS: f64 = 0.03;

/// Units after which there is a look: of GOOD with BAD, and of a fresh comparison.
pub const LOOKS: [usize; 3] = [8, 16, 32];

/// The most fresh comparisons of a search.
pub const ATTEMPTS: usize = 3;

/// The level of GOOD with BAD, at each look.
const WHOLE_LEVEL: f64 = 0.05 / 3.0;
/// The level of a commit with its parent at each look, by attempt: 5 % for all attempts and looks together, on the
/// side that names.
const NAMING_LEVELS: [f64; ATTEMPTS] = [0.05 / 3.0, 0.025 / 3.0, 0.025 / 3.0];
/// The level of GOOD with the parent, and of the commit with BAD, at each look.
const OTHERS_LEVEL: f64 = 0.025 / 3.0;

/// A place in the history: 0 is GOOD, the last one is BAD. The place k is also the number of the commit that could
/// have made the difference: it differs from its parent, k − 1.
pub type Place = usize;

/// The level of the intervals of single commits while the search looks for the side: they are shown, and decide nothing.
const SIDE_LEVEL: f64 = 0.05;

/// What is measured next: these commits against each other, in this many units. A unit is what the replicate of a
/// comparison is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The commits, ascending and without repetition.
    pub places: Vec<Place>,
    /// How many units.
    pub units: usize,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a probe is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Whether GOOD and BAD differ.
    Whole,
    /// On which side of this commit the difference is.
    Side(Place),
    /// Whether this commit differs from its parent, or from the nearest commit before it that can be measured.
    Naming {
        /// The parent.
        parent: Place,
        /// The commit.
        commit: Place,
        /// Counted from 1, at most [`ATTEMPTS`].
        attempt: usize,
    },
}

impl Purpose {
    /// The level of the interval of one commit with the one before it in the probe.
    pub fn level(self, before: Place, after: Place) -> f64 {
        match self {
            Purpose::Whole => WHOLE_LEVEL,
            Purpose::Side(_) => SIDE_LEVEL,
            Purpose::Naming { parent, commit, attempt } if (parent, commit) == (before, after) => {
                NAMING_LEVELS[attempt - 1]
            }
            Purpose::Naming { .. } => OTHERS_LEVEL,
        }
    }
}

/// The next step of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Measure this.
    Measure(Probe),
    /// The search has ended.
    Done(Answer),
}

/// A difference of costs as logarithm of their ratio, with its interval. Above 0 the later commit is dearer (or
/// cheaper, in a search for improvements).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Hodges-Lehmann estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Difference {
    /// The exact signed-rank interval at a level. Returns None if a difference is not a number, or there are too few
    /// for the level.
    pub fn of(differences: &[f64], level: f64) -> Option<Difference> {
        let ranks = SignedRank::new(differences)?;
        let (low, high) = ranks.interval(level)?;
        Some(Difference { estimate: ranks.estimate(), low, high })
    }

    /// The same difference with its sign turned.
    pub fn turned(self) -> Difference {
        Difference { estimate: -self.estimate, low: -self.high, high: -self.low }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// BAD is not dearer than GOOD by what matters.
    NoRegression(Difference),
    /// The last look could not tell whether BAD is dearer than GOOD.
    Undecided(Difference),
    /// One of these commits made the difference. It is one commit, unless commits before it could not be measured.
    Named {
        /// The commits that it may be.
        commits: Range<Place>,
        /// What the fresh comparison showed.
        parts: Parts,
    },
    /// Several commits made the difference.
    Spread {
        /// The commits of the middle part.
        commits: Range<Place>,
        /// What the fresh comparison showed.
        parts: Parts,
    },
    /// No commit was named; it is probably one of these, by the weights of the search. Nothing confirmed that.
    Between {
        /// The commits.
        commits: Range<Place>,
        /// The share of the weight that they hold, 0 to 1.
        weight: f64,
        /// GOOD with BAD.
        whole: Difference,
    },
}
