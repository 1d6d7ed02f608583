//! The looks of a run of short rounds: three, declared before round 1, after 8 (or as many as the larger
//! family of comparisons needs), 16 and 32 rounds.
//!
//! Each look spends a share of the error budget: 1, 1.5 and 3.5 % of 5 %. Equal programs are then called
//! different 4.7 % of the time at any look, whatever the distribution of the rounds, as long as they are
//! symmetric and their sizes can be exchanged (60 000 simulated runs). A run ends early only if the answer is
//! plain, which brings that to 3.5 %. Everything is judged at the last look that was made: METHOD, "The default
//! run".

use super::rounds;
use record::InterimLook;

/// Rounds of the first look, where the comparisons can be decided by so few.
const FIRST: u32 = 8;
/// Rounds of the later looks.
const LATER: [u32; 2] = [16, 32];
/// The share of the error budget that each look spends.
const SHARES: [f64; 3] = [0.2, 0.3, 0.7];
/// A difference below this share is not plain, however sure it is.
const PLAIN: f64 = 0.05;

/// The looks of a run whose larger family has this many comparisons. Returns None if it has so many that the
/// first look would not come before the second.
pub fn looks(alpha: f64, comparisons: usize) -> Option<Vec<InterimLook>> {
    let levels = SHARES.map(|share| share * alpha);
    let first = rounds::fewest(comparisons, levels[0]).max(FIRST);
    let numbers = [first, LATER[0], LATER[1]].into_iter();
    let looks = numbers.zip(levels).map(|(replicates, level)| InterimLook { replicates, level });
    (first < LATER[0]).then(|| looks.collect())
}

/// The last look that judges at most this many replicates, with its number, counted from 1. Returns None
/// before the first one.
pub(crate) fn latest(looks: &[InterimLook], replicates: usize) -> Option<(u32, InterimLook)> {
    let made = (1..).zip(looks.iter().copied());
    made.take_while(|(_, look)| look.replicates as usize <= replicates).last()
}

/// Whether the interval of ln(b/a) shows so much that the run may end early: all of it is beyond ± 5 %, or
/// ± `matters` if that is more, or all of it is within ± `matters`.
pub(crate) fn is_plain((low, high): (f64, f64), matters: f64) -> bool {
    let (margin, far) = (matters.ln_1p(), matters.max(PLAIN).ln_1p());
    low > far || high < -far || (low >= -margin && high <= margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::stats::signed_rank::{SignedRank, critical};

    #[test]
    fn the_looks_of_the_table() {
        let of = |comparisons| {
            let looks = looks(0.05, comparisons).expect("looks");
            looks.iter().map(|look| look.replicates).collect::<Vec<_>>()
        };
        assert_eq!(of(1), [8, 16, 32]);
        // p50, p99 and CPU time of one pair.
        assert_eq!(of(3), [10, 16, 32]);
        assert_eq!(of(6), [11, 16, 32]);
        assert_eq!(looks(0.05, 1000), None);
        let levels = looks(0.05, 1).expect("looks");
        let c = levels.iter().map(|look| critical(look.replicates as usize, look.level));
        assert_eq!(c.collect::<Vec<_>>(), [0, 21, 151].map(Some));
        assert_eq!(critical(10, levels[0].level), Some(3));
    }

    #[test]
    fn what_lies_between_two_looks_is_not_judged() {
        let looks = looks(0.05, 1).expect("looks");
        let at = |n| latest(&looks, n).map(|(number, look)| (number, look.replicates));
        let wanted = [None, None, Some((1, 8)), Some((1, 8)), Some((2, 16)), Some((3, 32))];
        assert_eq!([0, 7, 8, 15, 16, 40].map(at), wanted);
    }

    #[test]
    fn a_sure_difference_of_four_percent_is_not_plain() {
        let of = |low: f64, high: f64, matters| is_plain((low.ln(), high.ln()), matters);
        assert!(of(1.051, 1.2, 0.01) && of(0.8, 0.95, 0.01) && of(0.995, 1.005, 0.01));
        assert!(!of(1.03, 1.2, 0.01) && !of(0.8, 0.953, 0.01) && !of(0.98, 1.005, 0.01));
        // With a larger difference that matters the bound goes along.
        assert!(!of(1.051, 1.2, 0.1) && of(0.95, 1.09, 0.1) && of(1.051, 1.09, 0.1));
        assert!(of(1.11, 1.2, 0.1));
    }

    /// The interval at the end of a run of such rounds, and how many rounds it had. `ends` says whether it
    /// ends at an interval before the last look.
    fn run(
        differences: &[f64],
        first: u32,
        ends: impl Fn((f64, f64)) -> bool,
    ) -> ((f64, f64), u32) {
        let mut looks = looks(0.05, 1).expect("looks");
        looks[0].replicates = first;
        let interval = |look: &InterimLook| {
            let seen = &differences[..look.replicates as usize];
            SignedRank::new(seen).and_then(|ranks| ranks.interval(look.level)).expect("enough")
        };
        let last = looks.last().expect("three");
        let early = looks[..2].iter().map(|look| (interval(look), look.replicates));
        early
            .into_iter()
            .find(|(of, _)| ends(*of))
            .unwrap_or_else(|| (interval(last), last.replicates))
    }

    fn excludes((low, high): (f64, f64), truth: f64) -> bool {
        low > truth || high < truth
    }

    #[test]
    fn equal_programs_are_called_different_at_most_5_percent_of_the_time() {
        const RUNS: u32 = 8000;
        let mut random = Random(11);
        let (mut any, mut plain) = (0, 0);
        for _ in 0..RUNS {
            let d = random.differences(32, 0.0, 0.1);
            any += u32::from(excludes(run(&d, 8, |of| excludes(of, 0.0)).0, 0.0));
            plain += u32::from(excludes(run(&d, 8, |of| is_plain(of, 0.01)).0, 0.0));
        }
        let [any, plain] = [any, plain].map(|errors| f64::from(errors) / f64::from(RUNS));
        eprintln!(
            "called different: {any:.4} at any look, {plain:.4} if only plain answers end a run"
        );
        assert!((0.04..=0.053).contains(&any), "{any}");
        assert!((0.028..=0.045).contains(&plain), "{plain}");
    }

    #[test]
    fn large_differences_end_a_run_early_and_are_covered() {
        const RUNS: u32 = 1500;
        let mut random = Random(5);
        let mut of = |truth: f64| {
            let (mut rounds, mut covers) = (0, 0);
            for _ in 0..RUNS {
                let d = random.differences(32, truth.ln_1p(), 0.02);
                let (interval, n) = run(&d, 8, |of| is_plain(of, 0.01));
                rounds += n;
                covers += u32::from(!excludes(interval, truth.ln_1p()));
            }
            [rounds, covers].map(|sum| f64::from(sum) / f64::from(RUNS))
        };
        let seen = [0.03, 0.1, 0.2].map(&mut of);
        eprintln!("rounds and coverage at 3, 10 and 20 %: {seen:?}");
        assert!(seen[0][0] > 31.0 && seen[1][0] < 10.0 && seen[2][0] < 8.5, "{seen:?}");
        assert!(seen.iter().all(|[_, covers]| (0.95..=0.999).contains(covers)), "{seen:?}");
    }
}
