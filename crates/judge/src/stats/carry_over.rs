//! Tests whether a contender's slice depends on the contender that was driven before it.
//!
//! The predecessor of a slice is random: the contender itself, or another. Work
//! that a contender leaves behind falls into its successor's slice, so slices
//! after itself and slices after another then differ in throughput.

/// Adds up one contender's slices, round by round. Rounds are blocks: only slices of the same round
/// are compared, so drift from round to round does not cause an apparent effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarryOver {
    weight: f64,
    weighted: f64,
    weighted_squares: f64,
    squares_within: f64,
    slices: usize,
    blocks: usize,
}

/// A difference and its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Throughput after itself minus after another, as a share of the mean.
    pub share: f64,
    /// Its standard error, as a share as well.
    pub standard_error: f64,
}

impl CarryOver {
    /// Adds the slices of one round: (driven after itself, throughput).
    pub fn add_round(&mut self, slices: &[(bool, f64)]) {
        let mean = slices.iter().map(|slice| slice.1).sum::<f64>() / slices.len().max(1) as f64;
        let group = |itself: bool| {
            let chosen = slices.iter().filter(|slice| slice.0 == itself);
            Moments::new(chosen.map(|slice| slice.1 / mean))
        };
        let (own, other) = (group(true), group(false));
        if own.n == 0.0 || other.n == 0.0 || mean <= 0.0 {
            return;
        }
        // The variance of a difference of two means is σ²(1/n + 1/m): the best
        // weight of the round is its inverse.
        let weight = own.n * other.n / (own.n + other.n);
        let difference = own.mean - other.mean;
        self.weight += weight;
        self.weighted += weight * difference;
        self.weighted_squares += weight * difference * difference;
        self.squares_within += own.squares + other.squares;
        self.slices += slices.len();
        self.blocks += 1;
    }

    /// The difference over all rounds. None if there is too little data.
    pub fn difference(&self) -> Option<Difference> {
        // One mean per block and one difference are estimated.
        let freedom = self.slices.checked_sub(self.blocks + 1).filter(|n| *n > 0)?;
        let share = self.weighted / self.weight;
        let between = (self.weighted_squares - share * self.weighted).max(0.0);
        let variance = (self.squares_within + between) / freedom as f64;
        Some(Difference { share, standard_error: (variance / self.weight).sqrt() })
    }
}

struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n.max(1.0);
        Moments { n, mean, squares: values.iter().map(|x| (x - mean).powi(2)).sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed noise of about ±1 %, different in every slice.
    fn noise(i: usize) -> f64 {
        1.0 + 0.01 * ((i * 7919 % 101) as f64 / 50.5 - 1.0)
    }

    /// Rounds of 20 slices; `speed` of round r, `after_other` of a slice after
    /// another contender.
    fn rounds(n: usize, speed: impl Fn(usize) -> f64, after_other: f64) -> CarryOver {
        let mut all = CarryOver::default();
        for round in 0..n {
            let slice = |i: usize| {
                let itself = (i * 13 + round * 5) % 7 < 3;
                let effect = if itself { 1.0 } else { after_other };
                (itself, speed(round) * effect * noise(round * 20 + i))
            };
            all.add_round(&(0..20).map(slice).collect::<Vec<_>>());
        }
        all
    }

    #[test]
    fn an_effect_is_found_with_its_size() {
        let found = rounds(10, |_| 20_000.0, 0.95).difference().expect("both kinds of slices");
        assert!((found.share - 0.05).abs() < 0.005, "{found:?}");
        assert!(found.share > 10.0 * found.standard_error, "{found:?}");
    }

    #[test]
    fn drift_between_rounds_fakes_nothing() {
        let drifting = |round: usize| 20_000.0 * 0.8f64.powi(round as i32);
        let found = rounds(10, drifting, 1.0).difference().expect("both kinds of slices");
        assert!(found.share.abs() < 0.005, "{found:?}");
        assert!(found.standard_error < 0.002, "drift would be noise here: {found:?}");
        // Rounds in which only one kind occurs say nothing about the difference.
        let mut one_kind = CarryOver::default();
        one_kind.add_round(&[(true, 100.0), (true, 101.0)]);
        one_kind.add_round(&[(false, 50.0), (false, 51.0)]);
        assert_eq!(one_kind.difference(), None);
    }

    #[test]
    fn two_rounds_by_hand() {
        // Differences 0.15 and 0, both of weight 2/3; squares 0.005 within
        // rounds and 0.0075 between; 6 slices less 2 means and 1 difference.
        let mut all = CarryOver::default();
        all.add_round(&[(true, 110.0), (true, 100.0), (false, 90.0)]);
        all.add_round(&[(true, 50.0), (false, 50.0), (false, 50.0)]);
        let found = all.difference().expect("both kinds of slices");
        assert!((found.share - 0.075).abs() < 1e-12, "{found:?}");
        assert!((found.standard_error - 0.003125f64.sqrt()).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(CarryOver::default().difference(), None);
        let mut two = CarryOver::default();
        two.add_round(&[(true, 1.0), (false, 2.0)]);
        assert_eq!(two.difference(), None);
        let mut still = CarryOver::default();
        still.add_round(&[(true, 0.0), (false, 0.0), (true, 0.0)]);
        assert_eq!(still.difference(), None);
    }
}
