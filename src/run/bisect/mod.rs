//! The search over the commits of a repository (`tiebreak bisect`): which history is searched, what is measured next,
//! and the record from which an interrupted search goes on.
//!
//! `judge::bisect` decides. Each probe is a comparison with a journal of its own, below `probes/` in the directory of
//! the search; the state is what follows from these journals, in the order that the record (`bisect.json`) has them.

mod history;
mod recording;
mod searching;
#[cfg(test)]
mod tests;

pub(crate) use history::{below_the_top, skipped};
pub(crate) use recording::{Keeping, RECORD};
pub(crate) use searching::{ProbeToMeasure, ROLES, Searching};

use protocol::Error;
use std::path::Path;

/// What became of the run of a probe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    /// For each commit but the first, by unit: the logarithm of its cost over that of the first one.
    Whole(Vec<Vec<f64>>),
    /// The commit with this position in the probe does not build or start, and why.
    Unusable(usize, String),
    /// The audit refused it, and why.
    Void(String),
    /// It was stopped or killed before its last unit.
    Unfinished,
    /// It failed, and that says nothing about whether a commit builds and starts.
    Failed(Error),
}

/// Measures commits.
pub(crate) trait Measuring {
    /// Compares the commits of a probe in a run in this directory, which does not exist yet.
    ///
    /// # Errors
    /// If tiebreak itself fails.
    fn measure(&mut self, what: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error>;

    /// Reads the run of a probe.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, what: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error>;

    /// Tells the user something.
    fn say(&self, sentence: &str);
}
