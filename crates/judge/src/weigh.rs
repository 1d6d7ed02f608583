//! Derives an interval from the differences of the rounds, and a word from the interval.

use crate::{
    stats::{autocorrelation, autocorrelation::Alarm, paired_t, signed_rank::SignedRank},
    verdict::Word,
};
use record::Direction;

/// What the differences d = ln(b/a) of the rounds say at one level.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    /// Hodges-Lehmann estimate.
    pub(crate) estimate: f64,
    /// The signed-rank interval. None if n is too small.
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) p: f64,
    /// The paired t interval.
    pub(crate) t: Option<(f64, f64)>,
    /// Raised if the differences are correlated from round to round.
    pub(crate) alarm: Option<Alarm>,
    /// Standard deviation of d. None below two rounds.
    pub(crate) deviation: Option<f64>,
}

impl Weighed {
    /// Returns None without differences, or if one is not finite.
    pub(crate) fn new(d: &[f64], level: f64) -> Option<Self> {
        let ranks = SignedRank::new(d)?;
        Some(Weighed {
            estimate: ranks.estimate(),
            interval: ranks.interval(level),
            p: ranks.p(),
            t: paired_t::interval(d, level),
            alarm: autocorrelation::alarm(d),
            deviation: paired_t::standard_deviation(d),
        })
    }
}

/// The word of an interval of ln(b/a), in this order: inside ± ln(1 + δ) it is equivalent; without
/// 0 it is faster or slower; otherwise undecided.
pub(crate) fn word(interval: (f64, f64), matters: f64, direction: Direction) -> Word {
    let (low, high) = interval;
    let margin = matters.ln_1p();
    let more_is_better = direction == Direction::HigherIsBetter;
    if low >= -margin && high <= margin {
        Word::Equivalent
    } else if low > 0.0 {
        if more_is_better { Word::Faster } else { Word::Slower }
    } else if high < 0.0 {
        if more_is_better { Word::Slower } else { Word::Faster }
    } else {
        Word::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use Direction::{HigherIsBetter, LowerIsBetter};
    use proptest::prelude::*;

    #[test]
    fn words_in_their_order_and_by_direction() {
        let table = [
            ((-0.005, 0.005), Word::Equivalent, Word::Equivalent),
            // Inside the margin although it excludes 0: equivalent comes first.
            ((0.002, 0.008), Word::Equivalent, Word::Equivalent),
            ((0.0, 0.0), Word::Equivalent, Word::Equivalent),
            ((0.002, 0.02), Word::Faster, Word::Slower),
            ((-0.02, -0.002), Word::Slower, Word::Faster),
            ((-0.02, 0.02), Word::Undecided, Word::Undecided),
            ((0.0, 0.02), Word::Undecided, Word::Undecided),
        ];
        for (interval, higher, lower) in table {
            assert_eq!(word(interval, 0.01, HigherIsBetter), higher, "{interval:?}");
            assert_eq!(word(interval, 0.01, LowerIsBetter), lower, "{interval:?}");
        }
        assert_eq!(word((0.0, 0.001), 0.0, HigherIsBetter), Word::Undecided);
    }

    #[test]
    fn the_margin_is_ln_of_one_plus_delta() {
        let margin = 0.01f64.ln_1p();
        assert_eq!(word((-margin, margin), 0.01, HigherIsBetter), Word::Equivalent);
        assert_eq!(word((-0.01, margin), 0.01, HigherIsBetter), Word::Undecided);
    }

    /// The sign of every difference was drawn at random, whatever the machine did: p and interval
    /// are those of the signed ranks, and agree.
    #[test]
    fn correlated_rounds_keep_their_interval() {
        let slow: Vec<f64> = (0..12).map(|i| 0.01 + f64::from(i) / 1000.0).collect();
        let weighed = Weighed::new(&slow, 0.05).expect("finite");
        let ranks = SignedRank::new(&slow).expect("finite");
        assert!(weighed.alarm.is_some());
        assert_eq!(weighed.interval, ranks.interval(0.05));
        assert_eq!(weighed.p, ranks.p());
    }

    #[test]
    fn few_rounds_have_no_interval_and_no_alarm() {
        let ten = [0.031, -0.012, 0.024, 0.007, 0.018, -0.003, 0.042, 0.015, 0.001, 0.029];
        assert_eq!(Weighed::new(&ten, 0.05).expect("finite").alarm, None);
        assert!(Weighed::new(&ten[..5], 0.05).expect("finite").interval.is_none());
        assert!(Weighed::new(&[], 0.05).is_none());
    }

    #[test]
    fn a_95_percent_interval_covers_the_truth_in_at_least_927_of_1000_runs() {
        let (mut random, truth) = (Random(7), 0.1f64.ln_1p());
        let mut covers = || {
            let d = random.differences(10, truth, 0.015);
            let interval = Weighed::new(&d, 0.05).and_then(|weighed| weighed.interval);
            interval.is_some_and(|(low, high)| low <= truth && truth <= high)
        };
        let covered = (0..1000).filter(|_| covers()).count();
        assert!((927..990).contains(&covered), "{covered}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        /// One server compared with itself: the sizes of the differences do not matter, their signs
        /// are random. Of all patterns of signs at most 4.88 % are called different at n = 10; this
        /// tests the whole path to the word.
        #[test]
        fn a_server_is_rarely_called_different_from_itself(
            sizes in prop::collection::vec(0.02f64..0.2, 10),
        ) {
            let mut called = 0;
            for pattern in 0u32..1024 {
                let sign = |i: usize| if pattern >> i & 1 == 1 { 1.0 } else { -1.0 };
                let d: Vec<f64> = sizes.iter().enumerate().map(|(i, d)| sign(i) * d).collect();
                let interval = Weighed::new(&d, 0.05).and_then(|weighed| weighed.interval);
                let word = interval.map(|interval| word(interval, 0.01, HigherIsBetter));
                called += u32::from(word.is_some_and(Word::is_difference));
            }
            prop_assert_eq!(called, 50);
        }
    }
}
