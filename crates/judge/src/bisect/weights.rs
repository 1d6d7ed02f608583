//! How probable it is that each commit made the difference, given the units so far.

use super::Place;
use std::ops::Range;

/// A step of the logarithm of two weights' ratio is cut here, so that one odd unit cannot decide.
const MOST_STEP: f64 = 2.0;
/// A side of a probed commit that holds this much ends the units at it.
const SIDE: f64 = 0.8;
/// The search ends when one commit holds this much.
const ENOUGH: f64 = 0.95;

/// The weights of the commits that may have made the difference, and which commits can be measured.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Of the commits from 1; their sum is 1.
    of: Vec<f64>,
    /// By place: the weight of the commits up to it.
    up_to: Vec<f64>,
    /// By place, from GOOD to BAD.
    usable: Vec<bool>,
}

impl Weights {
    /// Every commit has the same weight.
    pub(super) fn equal(commits: usize) -> Weights {
        let of = vec![1.0 / commits as f64; commits];
        let up_to = cumulated(&of);
        Weights { of, up_to, usable: vec![true; commits + 1] }
    }

    pub(super) fn is_usable(&self, place: Place) -> bool {
        self.usable[place]
    }

    pub(super) fn unusable(&mut self, place: Place) {
        self.usable[place] = false;
    }

    /// The weight of a range of commits.
    pub(super) fn sum(&self, commits: Range<Place>) -> f64 {
        self.up_to[commits.end - 1] - self.up_to[commits.start - 1]
    }

    /// Changes weights by the logarithm `l` of how much more probable the unit is if the difference was made by one
    /// of these commits: half of it for them, half against the others.
    pub(super) fn add(&mut self, commits: Range<Place>, l: f64) {
        let half = l.clamp(-MOST_STEP, MOST_STEP) / 2.0;
        for (at, weight) in self.of.iter_mut().enumerate() {
            *weight *= if commits.contains(&(at + 1)) { half.exp() } else { (-half).exp() };
        }
        let sum: f64 = self.of.iter().sum();
        self.of.iter_mut().for_each(|weight| *weight /= sum);
        self.up_to = cumulated(&self.of);
    }

    /// Commits that no measurement can tell apart, because those between them cannot be measured: each range ends
    /// with a commit that can.
    pub(super) fn groups(&self) -> Vec<Range<Place>> {
        let usable: Vec<Place> =
            (0..self.usable.len()).filter(|place| self.usable[*place]).collect();
        usable.windows(2).map(|pair| pair[0] + 1..pair[1] + 1).collect()
    }

    /// The commits that end the search, once they hold enough weight.
    pub(super) fn found(&self) -> Option<Range<Place>> {
        self.groups().into_iter().find(|group| self.sum(group.clone()) >= ENOUGH)
    }

    /// Whether a side of this commit holds enough to go on elsewhere.
    pub(super) fn is_on_a_side(&self, place: Place) -> bool {
        let before = self.sum(1..place + 1);
        before.max(1.0 - before) >= SIDE
    }

    /// The commit to compare next: the one that halves the weights best, of those that can be measured. Returns None
    /// if there is none between GOOD and BAD.
    pub(super) fn middle(&self) -> Option<Place> {
        let inner = (1..self.of.len()).filter(|place| self.usable[*place]);
        let far = |place: &Place| (self.sum(1..*place + 1) - 0.5).abs();
        inner.min_by(|a, b| far(a).total_cmp(&far(b)))
    }

    /// The shortest run of commits that holds enough, made of whole groups, and its weight.
    pub(super) fn shortest(&self) -> (Range<Place>, f64) {
        let groups = self.groups();
        let mut last = 0;
        let runs = (0..groups.len()).map_while(|first| {
            let start = groups[first].start;
            last = (last.max(first)..groups.len())
                .find(|last| self.sum(start..groups[*last].end) >= ENOUGH)?;
            let run = start..groups[last].end;
            Some((run.clone(), self.sum(run)))
        });
        let all = (1..self.of.len() + 1, 1.0);
        runs.min_by_key(|(run, _)| run.len()).unwrap_or(all)
    }
}

/// The sums of the weights up to each place, from that of GOOD, 0, to that of BAD.
fn cumulated(of: &[f64]) -> Vec<f64> {
    let sums = of.iter().scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}
