//! The fresh comparison of GOOD, a parent, its commit and BAD, without which no commit is named.

use super::{Difference, LOOKS, NAMING_LEVELS, OTHERS_LEVEL};

/// The three parts of the history in a fresh comparison, at its last look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// GOOD with the parent. None if GOOD is the parent.
    pub before: Option<Difference>,
    /// The parent with the commit.
    pub commit: Difference,
    /// The commit with BAD. None if BAD is the commit.
    pub after: Option<Difference>,
}

impl Parts {
    /// The parts around the commit.
    pub(super) fn others(&self) -> impl Iterator<Item = Difference> {
        [self.before, self.after].into_iter().flatten()
    }
}

/// What a look of a fresh comparison says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    Named(Parts),
    Spread(Parts),
    /// The commit does not differ from its parent as GOOD and BAD do.
    Refuted,
    GoOn,
}

/// A fresh comparison so far: the differences of each part, by unit. Empty where a part does not exist.
#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    pub(super) before: Vec<f64>,
    pub(super) commit: Vec<f64>,
    pub(super) after: Vec<f64>,
}

impl Naming {
    /// What is known now. `theta` is the difference between GOOD and BAD.
    pub(super) fn look(&self, attempt: usize, theta: f64) -> Look {
        let other = |differences: &Vec<f64>| Difference::of(differences, OTHERS_LEVEL);
        let (before, after) = (other(&self.before), other(&self.after));
        let Some(commit) = Difference::of(&self.commit, NAMING_LEVELS[attempt - 1]) else {
            return Look::GoOn;
        };
        let parts = Parts { before, commit, after };
        let above = parts.others().filter(|part| part.low > 0.0).count();
        let are_small = parts.others().all(|part| part.high < theta / 2.0);
        let is_last = self.commit.len() >= LOOKS[LOOKS.len() - 1];
        match commit.low > 0.0 {
            true if above > 0 => Look::Spread(parts),
            true if are_small || is_last => Look::Named(parts),
            true => Look::GoOn,
            false if above == 2 => Look::Spread(parts),
            false if commit.high < theta / 2.0 || is_last => Look::Refuted,
            false => Look::GoOn,
        }
    }
}
