//! Interim looks at a run (`--until-decided`): five looks, declared before round 1.
//!
//! Looking after every round from 6 to 60 with 95 % intervals calls equal programs different 26 %
//! of the time; at the five looks with such intervals it is still 15 %. So the intervals of the
//! looks are wider: one level for all five, α/(4m) for m comparisons. At m = 1 equal programs are
//! then called different 4.03 % of the time at any look (3 million simulated runs), whatever the
//! distribution of the rounds, as long as they are independent and symmetric. Numbers of rounds
//! other than those of the looks are never judged. Where the launch is the replicate, launches take the
//! place of rounds.

use super::signed_rank;
use text::units;
use thiserror::Error;

/// The number of looks.
pub const LOOKS: usize = 5;
/// The rounds of each look, in tenths of the first look's.
const TENTHS: [u64; LOOKS] = [10, 16, 26, 40, 60];
/// Up to this many comparisons the level is α/(4m). Beyond, the steps of the discrete distribution
/// at such small levels leave less margin.
const SPARED_UP_TO: usize = 10;

/// The looks of one run: part of its plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    rounds: [u32; LOOKS],
    level: f64,
}

/// One of the five looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its number, counted from 1.
    pub number: u32,
    /// How many rounds it judges.
    pub rounds: u32,
}

/// The first look has too few rounds to decide anything.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "a first look after {first} {replicates} cannot decide {}: with --until-decided each look \
     judges at the level of {}; the first look needs at least {fewest} {replicates}",
    units::show_counted(*.comparisons as u64, "comparison"),
    units::show_level(*.level)
)]
pub struct TooFewRounds {
    /// Replicates before the first look.
    first: u32,
    /// What they are: rounds or launches.
    replicates: String,
    /// How many comparisons share the error budget.
    comparisons: usize,
    /// The level at which each look judges.
    level: f64,
    /// The fewest that can decide.
    fewest: u32,
}

/// The result of a comparison after some of the looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looked<T> {
    /// The first look that decided or, if none did, the latest one.
    pub at: Look,
    /// What it decided. None if it is undecided so far.
    pub decided: Option<T>,
}

impl Looks {
    /// The looks of a run with `first` `replicates` (rounds or launches) before the first look.
    /// `comparisons` share the error budget `alpha`.
    ///
    /// # Errors
    /// If the first look has too few of them to decide anything.
    pub fn new(
        first: u32,
        replicates: &str,
        comparisons: usize,
        alpha: f64,
    ) -> Result<Looks, TooFewRounds> {
        let level = level(alpha, comparisons);
        let rounds = TENTHS.map(|tenths| {
            let rounds = (u64::from(first) * tenths + 5) / 10;
            u32::try_from(rounds).unwrap_or(u32::MAX)
        });
        let fewest = fewest(comparisons, alpha);
        if first < fewest {
            let replicates = replicates.to_owned();
            return Err(TooFewRounds { first, replicates, comparisons, level, fewest });
        }
        Ok(Looks { rounds, level })
    }

    /// The looks that a record declares, unchanged. None if they are not five ascending numbers,
    /// because their level is then not known. Before the first look there may be too few rounds for
    /// a large family; it then gives no interval.
    pub(crate) fn declared(rounds: &[u32], comparisons: usize, alpha: f64) -> Option<Looks> {
        let rounds = <[u32; LOOKS]>::try_from(rounds).ok()?;
        let ascending = rounds.is_sorted_by(|one, next| one < next);
        ascending.then(|| Looks { rounds, level: level(alpha, comparisons) })
    }

    /// The number of rounds before each look, ascending.
    pub fn rounds(&self) -> [u32; LOOKS] {
        self.rounds
    }

    /// Judges the differences of the rounds at each look made so far, up to the first that decides.
    /// `decides` gets the differences of that look's rounds and the level, and returns the word, or
    /// None if it is undecided. Returns None before the first look. Rounds after the latest look
    /// are judged at the next one.
    pub fn judge<T>(
        &self,
        differences: &[f64],
        decides: impl Fn(&[f64], f64) -> Option<T>,
    ) -> Option<Looked<T>> {
        let mut looked = None;
        for at in self.all() {
            let Some(seen) = differences.get(..at.rounds as usize) else { break };
            let decided = decides(seen, self.level);
            let stop = decided.is_some();
            looked = Some(Looked { at, decided });
            if stop {
                break;
            }
        }
        looked
    }

    fn all(&self) -> impl Iterator<Item = Look> + use<> {
        (1..).zip(self.rounds).map(|(number, rounds)| Look { number, rounds })
    }
}

/// The level of the interval at one look.
pub fn level(alpha: f64, comparisons: usize) -> f64 {
    let comparisons = comparisons.max(1);
    let shares = if comparisons > SPARED_UP_TO { 5.0 } else { 4.0 };
    alpha / (shares * comparisons as f64)
}

/// The fewest rounds before the first look: those at which an interval exists at its level.
pub fn fewest(comparisons: usize, alpha: f64) -> u32 {
    let level = level(alpha, comparisons);
    // At 60 rounds the level can be as low as 2⁻⁵⁹: no family is that large.
    (1..=60).find(|n| signed_rank::critical(*n, level).is_some()).map_or(u32::MAX, |n| n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::stats::signed_rank::{SignedRank, critical};
    use crate::verdict::Word;
    use crate::weigh::word;
    use record::Direction;

    impl Looks {
        fn level(&self) -> f64 {
            self.level
        }

        /// The look that comes just after this many rounds.
        fn after(&self, rounds: u32) -> Option<Look> {
            self.all().find(|look| look.rounds == rounds)
        }

        /// How many rounds the next look needs.
        fn next(&self, rounds: u32) -> Option<u32> {
            self.rounds.into_iter().find(|look| *look > rounds)
        }
    }

    fn ten(comparisons: usize) -> Looks {
        Looks::new(10, "rounds", comparisons, 0.05).expect("enough")
    }

    #[test]
    fn the_looks_of_the_table() {
        let looks = ten(1);
        assert_eq!(looks.rounds(), [10, 16, 26, 40, 60]);
        assert_eq!(looks.level(), 0.0125);
        let critical = looks.rounds().map(|n| critical(n as usize, looks.level()));
        assert_eq!(critical, [3, 20, 78, 225, 577].map(Some));
        let twelve = Looks::new(12, "rounds", 1, 0.05).expect("enough");
        assert_eq!(twelve.rounds(), [12, 19, 31, 48, 72]);
    }

    #[test]
    fn the_level_goes_down_with_the_comparisons() {
        for (comparisons, share) in [(0, 4.0), (1, 4.0), (2, 8.0), (10, 40.0), (11, 55.0)] {
            assert_eq!(level(0.05, comparisons), 0.05 / share, "m = {comparisons}");
        }
    }

    #[test]
    fn a_first_look_must_be_able_to_decide() {
        for (comparisons, rounds) in [(1, 8), (2, 9), (4, 10), (8, 11), (11, 12)] {
            assert_eq!(fewest(comparisons, 0.05), rounds, "m = {comparisons}");
            assert!(Looks::new(rounds, "rounds", comparisons, 0.05).is_ok());
        }
        assert_eq!(
            Looks::new(7, "launches", 2, 0.05).expect_err("too few").to_string(),
            "a first look after 7 launches cannot decide 2 comparisons: with --until-decided \
                 each look judges at the level of 0.625 %; the first look needs at least 9 launches"
        );
    }

    #[test]
    fn looks_come_after_their_rounds_and_at_no_other() {
        let looks = ten(1);
        assert_eq!(looks.after(16), Some(Look { number: 2, rounds: 16 }));
        assert_eq!(looks.after(17), None);
        let next = [0, 10, 11, 40, 60].map(|rounds| looks.next(rounds));
        assert_eq!(next, [Some(10), Some(16), Some(16), Some(60), None]);
    }

    /// The judge's reading of an interval at this level.
    fn decides(differences: &[f64], level: f64) -> Option<Word> {
        let interval = SignedRank::new(differences)?.interval(level)?;
        let word = word(interval, 0.01, Direction::HigherIsBetter);
        (word != Word::Undecided).then_some(word)
    }

    #[test]
    fn the_first_look_that_decides_stands() {
        let looks = ten(1);
        assert_eq!(looks.judge(&[0.1; 9], decides), None);
        let first = looks.judge(&[0.1; 60], decides).expect("there was a look");
        assert_eq!((first.at.rounds, first.decided), (10, Some(Word::Faster)));
        // Undecided at ten; of the thirteen further rounds only six are before a look.
        let mut late = [0.05, -0.05].repeat(5);
        late.extend([0.1; 13]);
        let looked = looks.judge(&late, decides).expect("there was a look");
        assert_eq!(looked, Looked { at: Look { number: 2, rounds: 16 }, decided: None });
        late.extend([0.1; 3]);
        let looked = looks.judge(&late, decides).expect("there was a look");
        assert_eq!((looked.at.number, looked.decided), (3, Some(Word::Faster)));
    }

    fn rounds(random: &mut Random, truth: f64, sd: f64) -> Vec<f64> {
        (0..60).map(|_| truth + sd * random.contaminated()).collect()
    }

    /// The share of runs that a look decided in this way.
    fn share(looks: &Looks, runs: usize, truth: f64, sd: f64, wanted: fn(Word) -> bool) -> f64 {
        let mut random = Random(4);
        let decided = (0..runs).filter(|_| {
            let looked = looks.judge(&rounds(&mut random, truth, sd), decides);
            looked.and_then(|looked| looked.decided).is_some_and(wanted)
        });
        decided.count() as f64 / runs as f64
    }

    #[test]
    fn equal_programs_are_called_different_at_most_5_percent_of_the_time() {
        // Rounds so noisy that nothing is equivalent before the error is made.
        let error = share(&ten(1), 1200, 0.0, 1.0, Word::is_difference);
        eprintln!("called different: {:.2} %", error * 100.0);
        assert!((0.02..=0.05).contains(&error), "{error}");
        // The same looks at 5 % each would be wrong about 15 % of the time.
        let careless = Looks { level: 0.05, ..ten(1) };
        assert!(share(&careless, 300, 0.0, 1.0, Word::is_difference) > 0.1);
    }

    #[test]
    fn a_difference_that_matters_is_rarely_called_equivalent() {
        let error = share(&ten(1), 600, 1.01f64.ln(), 0.01, |word| word == Word::Equivalent);
        eprintln!("called equivalent: {:.2} %", error * 100.0);
        assert!(error > 0.0 && error <= 0.025, "{error}");
    }

    #[test]
    fn large_differences_are_seen_at_the_first_look_and_none_takes_more() {
        let mean = |truth: f64| {
            let (looks, mut random) = (ten(1), Random(9));
            let rounds = (0..200).map(|_| {
                let looked = looks.judge(&rounds(&mut random, truth, 0.015), decides);
                f64::from(looked.expect("sixty rounds").at.rounds)
            });
            rounds.sum::<f64>() / 200.0
        };
        let means = [0.0, 0.02, 0.1].map(mean);
        eprintln!("rounds at a truth of 0, 2 and 10 %: {means:?}");
        assert!(means[0] > means[1] && means[1] > means[2] && means[2] < 11.0, "{means:?}");
    }
}
