//! The exact signed-rank interval with the Hodges-Lehmann estimate.
//!
//! There is one interval, and the verdict is read from it. Nothing is approximated by a normal
//! distribution, because that would be wrong where it matters most: at few rounds and small levels.

/// The null distribution of T⁺, the sum of the ranks of the positive
/// differences, for `n` differences that are symmetric about 0.
#[derive(Clone, Debug)]
pub struct NullDistribution {
    /// P(T⁺ ≤ t) for t up to the middle; above it, symmetry is used.
    at_most: Vec<f64>,
    walsh: usize,
}

impl NullDistribution {
    /// Exact, by the recursion P_k(t) = (P_{k−1}(t) + P_{k−1}(t − k)) / 2.
    /// Halving at every step keeps all terms in range; the relative error at
    /// n = 200 is below 4e-15.
    pub fn new(n: usize) -> Self {
        let walsh = walsh_count(n);
        let mut exactly = vec![0.0; walsh / 2 + 1];
        exactly[0] = 1.0;
        for rank in 1..=n {
            // No sum of ranks up to this one is larger: what is above stays 0.
            let reached = (walsh_count(rank) + 1).min(exactly.len());
            for t in (rank.min(reached)..reached).rev() {
                exactly[t] = (exactly[t] + exactly[t - rank]) / 2.0;
            }
            exactly[..rank.min(reached)].iter_mut().for_each(|p| *p /= 2.0);
        }
        let mut sum = 0.0;
        let at_most = exactly.iter().map(|p| {
            sum += p;
            sum
        });
        NullDistribution { at_most: at_most.collect(), walsh }
    }

    /// P(T⁺ ≤ t).
    pub fn at_most(&self, t: usize) -> f64 {
        if t >= self.walsh {
            return 1.0;
        }
        match self.at_most.get(t) {
            Some(p) => *p,
            // P(T⁺ ≤ t) = 1 − P(T⁺ ≥ t + 1) = 1 − P(T⁺ ≤ M − t − 1).
            None => 1.0 - self.at_most[self.walsh - t - 1],
        }
    }

    /// The largest c with 2·P(T⁺ ≤ c) ≤ `level`. None if n is too small for the level.
    pub fn critical(&self, level: f64) -> Option<usize> {
        self.at_most.partition_point(|p| 2.0 * p <= level).checked_sub(1)
    }
}

/// The largest c with 2·P(T⁺ ≤ c) ≤ `level` for `n` differences.
pub fn critical(n: usize, level: f64) -> Option<usize> {
    NullDistribution::new(n).critical(level)
}

/// M = n(n + 1)/2, the number of Walsh averages, and the largest value of T⁺.
fn walsh_count(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The signed-rank analysis of one list of differences.
#[derive(Clone, Debug)]
pub struct SignedRank {
    walsh: Vec<f64>,
    null: NullDistribution,
}

impl SignedRank {
    /// Returns None if there are no differences, or one is not a finite number.
    pub fn new(differences: &[f64]) -> Option<Self> {
        if differences.is_empty() || differences.iter().any(|d| !d.is_finite()) {
            return None;
        }
        let mut walsh = Vec::with_capacity(walsh_count(differences.len()));
        for (i, a) in differences.iter().enumerate() {
            walsh.extend(differences[i..].iter().map(|b| (a + b) / 2.0));
        }
        walsh.sort_by(f64::total_cmp);
        Some(SignedRank { walsh, null: NullDistribution::new(differences.len()) })
    }

    /// The Hodges-Lehmann estimate: the median of the Walsh averages.
    pub fn estimate(&self) -> f64 {
        let middle = self.walsh.len() / 2;
        match self.walsh.len() % 2 {
            1 => self.walsh[middle],
            _ => (self.walsh[middle - 1] + self.walsh[middle]) / 2.0,
        }
    }

    /// [W(c + 1), W(M − c)], whose coverage is at least 1 − `level`. None if n is too small for the
    /// level.
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        let c = self.null.critical(level)?;
        Some((self.walsh[c], self.walsh[self.walsh.len() - 1 - c]))
    }

    /// The exact dual of the interval: it is at most L exactly if the interval at level L excludes
    /// 0. Zeros and ties count against a difference (other programs drop zeros; then test and
    /// interval can disagree).
    pub fn p(&self) -> f64 {
        let not_above = self.walsh.partition_point(|w| *w <= 0.0);
        let not_below = self.walsh.len() - self.walsh.partition_point(|w| *w < 0.0);
        (2.0 * self.null.at_most(not_above.min(not_below))).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl SignedRank {
        /// The actual coverage of the interval at `level`.
        fn achieved(&self, level: f64) -> Option<f64> {
            Some(1.0 - 2.0 * self.null.at_most(self.null.critical(level)?))
        }
    }

    /// Table of critical values: (n, c) at a level.
    const AT_5_PERCENT: [(usize, Option<usize>); 10] = [
        (5, None),
        (6, Some(0)),
        (7, Some(2)),
        (8, Some(3)),
        (10, Some(8)),
        (12, Some(13)),
        (20, Some(52)),
        (40, Some(264)),
        (60, Some(648)),
        (200, Some(8444)),
    ];
    const AT_1_25_PERCENT: [(usize, Option<usize>); 7] = [
        (7, None),
        (8, Some(0)),
        (10, Some(3)),
        (16, Some(20)),
        (26, Some(78)),
        (40, Some(225)),
        (60, Some(577)),
    ];

    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (n, c) in AT_5_PERCENT {
            assert_eq!(critical(n, 0.05), c, "n = {n}");
        }
        for (n, c) in AT_1_25_PERCENT {
            assert_eq!(critical(n, 0.0125), c, "n = {n}");
        }
    }

    #[test]
    fn the_null_distribution_at_ten_is_exact() {
        let null = NullDistribution::new(10);
        assert_eq!(null.at_most(8), 25.0 / 1024.0);
        assert_eq!(null.at_most(55), 1.0);
        for t in 0..55 {
            assert_eq!(null.at_most(t), 1.0 - null.at_most(54 - t), "symmetry at {t}");
        }
    }

    /// Counts in 256-bit whole numbers, least word first.
    fn add(to: &mut [u64; 4], other: [u64; 4]) {
        let mut carry = false;
        for (mine, theirs) in to.iter_mut().zip(other) {
            let (sum, over) = mine.overflowing_add(theirs);
            let (sum, more) = sum.overflowing_add(u64::from(carry));
            (*mine, carry) = (sum, over || more);
        }
    }

    #[test]
    fn the_relative_error_at_200_is_below_4e_15() {
        let (n, walsh) = (200, walsh_count(200));
        let mut count = vec![[0u64; 4]; walsh / 2 + 1];
        count[0] = [1, 0, 0, 0];
        for rank in 1..=n {
            for t in (rank..count.len()).rev() {
                let with = count[t - rank];
                add(&mut count[t], with);
            }
        }
        let null = NullDistribution::new(n);
        let mut sum = [0u64; 4];
        for (t, exactly) in count.into_iter().enumerate() {
            add(&mut sum, exactly);
            let words = sum.iter().enumerate();
            let whole: f64 = words.map(|(i, w)| *w as f64 * 2f64.powi(64 * i as i32 - 200)).sum();
            let error = (null.at_most(t) / whole - 1.0).abs();
            assert!(error < 4e-15, "t = {t}: {error:e}");
        }
    }

    fn near(got: f64, wanted: f64) -> bool {
        (got - wanted).abs() < 1e-12
    }

    #[test]
    fn the_vectors_of_the_procedure() {
        let ten = [0.031, -0.012, 0.024, 0.007, 0.018, -0.003, 0.042, 0.015, 0.001, 0.029];
        let nine = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01];
        let table = [
            (vec![1.0, 2.0, 4.0, 7.0, 11.0, 16.0], 6.5, (1.0, 16.0), 0.03125),
            (ten.to_vec(), 0.015, (0.002, 0.0285), 0.02734375),
            (nine.to_vec(), -0.46, (-0.786, -0.01), 0.0390625),
            (vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, -1.0], 1.0, (0.0, 2.0), 0.1953125),
            (vec![0.0; 10], 0.0, (0.0, 0.0), 1.0),
        ];
        for (differences, estimate, (low, high), p) in table {
            let ranks = SignedRank::new(&differences).expect("finite");
            let interval = ranks.interval(0.05).expect("enough differences");
            assert!(near(ranks.estimate(), estimate), "{differences:?}: {}", ranks.estimate());
            assert!(near(interval.0, low) && near(interval.1, high), "{interval:?}");
            assert_eq!(ranks.p(), p, "{differences:?}");
        }
        let ranks = SignedRank::new(&ten).expect("finite");
        assert_eq!(ranks.achieved(0.05), Some(0.951171875));
        let wider = ranks.interval(0.0125).expect("enough differences");
        assert!(near(wider.0, -0.003) && near(wider.1, 0.033), "{wider:?}");
    }

    #[test]
    fn fifty_of_the_1024_sign_patterns_of_ten_are_called() {
        let sizes = [1.0, 2.1, 3.3, 4.6, 6.0, 7.5, 9.1, 10.8, 12.6, 14.5];
        let called = |pattern: &u32| {
            let signed = sizes.iter().enumerate();
            let differences: Vec<f64> =
                signed.map(|(i, d)| if pattern >> i & 1 == 1 { *d } else { -*d }).collect();
            let interval = SignedRank::new(&differences).and_then(|ranks| ranks.interval(0.05));
            interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
        };
        assert_eq!((0..1024).filter(called).count(), 50);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        assert!(SignedRank::new(&[]).is_none());
        assert!(SignedRank::new(&[1.0, f64::NEG_INFINITY]).is_none());
        assert!(SignedRank::new(&[f64::NAN]).is_none());
        assert_eq!(SignedRank::new(&[0.5]).map(|ranks| ranks.p()), Some(1.0));
    }

    proptest! {
        #[test]
        fn p_is_the_dual_of_the_interval(
            differences in prop::collection::vec(-20i32..40, 1..24),
            level in 0.001f64..0.5,
        ) {
            let differences: Vec<f64> = differences.iter().map(|d| f64::from(*d)).collect();
            let ranks = SignedRank::new(&differences).expect("finite");
            let interval = ranks.interval(level);
            let leaves_out_0 = interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
            prop_assert_eq!(leaves_out_0, ranks.p() <= level);
        }

        #[test]
        fn order_does_not_matter_and_signs_mirror(
            differences in prop::collection::vec(-1.0f64..1.0, 6..20),
        ) {
            let ranks = SignedRank::new(&differences).expect("finite");
            let mut turned = differences.clone();
            turned.reverse();
            let turned = SignedRank::new(&turned).expect("finite");
            prop_assert_eq!(ranks.interval(0.05), turned.interval(0.05));
            let mirrored: Vec<f64> = differences.iter().map(|d| -d).collect();
            let mirrored = SignedRank::new(&mirrored).expect("finite");
            let (low, high) = ranks.interval(0.05).expect("enough differences");
            prop_assert_eq!(mirrored.interval(0.05), Some((-high, -low)));
            prop_assert_eq!(mirrored.estimate(), -ranks.estimate());
        }
    }
}
