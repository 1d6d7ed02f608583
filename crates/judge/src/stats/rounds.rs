//! Numbers of rounds: the fewest that can decide, the default, and the number that a fresh run
//! would need.

use super::distributions::{chi_square_quantile, normal_two_sided};
use text::units;

/// Fewest rounds of a run without `--rounds`.
pub const DEFAULT_ROUNDS: u32 = 10;
/// How many rounds the default exceeds the fewest by.
const ABOVE_FEWEST: u32 = 2;
/// z of the power for which a fresh run is planned: 80 %.
const Z_OF_POWER: f64 = 0.84;
/// Rounds that the signed-rank interval needs per round of the t interval.
const RANKS_AGAINST_T: f64 = 1.05;
/// The sd of few rounds may be too small by chance; the upper figure uses the sd that is exceeded
/// with this probability.
const CHANCE_OF_SMALLER_SD: f64 = 0.1;

/// The level of each interval of a family (Bonferroni): α/m. Holm's step
/// intervals would be shorter, but cover all truths only 88 to 93 % of the time.
pub fn level(alpha: f64, comparisons: usize) -> f64 {
    alpha / comparisons.max(1) as f64
}

/// The fewest rounds at which `comparisons` can have a verdict: the smallest n
/// with 2^(1−n) ≤ α/m.
pub fn fewest(comparisons: usize, alpha: f64) -> u32 {
    let level = level(alpha, comparisons);
    (1..=1024).find(|n| 0.5f64.powi(*n - 1) <= level).map_or(u32::MAX, |n| n as u32)
}

/// The rounds of a run without `--rounds`: max(10, fewest + 2).
pub fn default_rounds(comparisons: usize, alpha: f64) -> u32 {
    fewest(comparisons, alpha).saturating_add(ABOVE_FEWEST).max(DEFAULT_ROUNDS)
}

/// The launches of a comparison without `--launches`: `fewest` + 4 where a launch is cheap, and + 2 where
/// it is dear (METHOD, "Launches").
pub fn default_launches(comparisons: usize, alpha: f64) -> (u32, u32) {
    let fewest = fewest(comparisons, alpha);
    (fewest.saturating_add(4), fewest.saturating_add(2))
}

/// Returns why `rounds` cannot support this many comparisons, and how many can. None if they can.
pub fn too_few(rounds: u32, comparisons: usize, alpha: f64) -> Option<String> {
    too_few_of("round", "--rounds", rounds, comparisons, alpha)
}

/// Returns why `launches` cannot support this many comparisons in a run in which the launch is the replicate,
/// and how many can. None if they can.
pub fn too_few_launches(launches: u32, comparisons: usize, alpha: f64) -> Option<String> {
    too_few_of("launch", "--launches", launches, comparisons, alpha)
}

/// Returns why so many builds of each side cannot support this many comparisons, and how many can. None if they can.
pub fn too_few_rebuilds(rebuilds: u32, comparisons: usize, alpha: f64) -> Option<String> {
    too_few_of("build", "--rebuilds", rebuilds, comparisons, alpha)
}

/// `thing` names the replicate, and `flag` sets its number.
fn too_few_of(thing: &str, flag: &str, n: u32, comparisons: usize, alpha: f64) -> Option<String> {
    let fewest = fewest(comparisons, alpha);
    if comparisons == 0 || n >= fewest {
        return None;
    }
    let some = units::show_counted(u64::from(n), thing);
    let compared = units::show_counted(comparisons as u64, "comparison");
    let fewer = if comparisons > 1 { " or compare fewer" } else { "" };
    Some(format!(
        "{some} cannot support {compared} at {}; at least {fewest} are needed: use {flag} \
         {}{fewer}",
        units::show_level(alpha),
        default_rounds(comparisons, alpha),
    ))
}

/// The basis for estimating the rounds of a fresh run.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The estimate of ln(b/a).
    pub estimate: f64,
    /// Standard deviation of ln(b/a) between rounds.
    pub deviation: f64,
    /// The number of rounds behind these figures.
    pub rounds: usize,
}

/// The number of rounds with which a fresh run would decide with 80 % probability: an estimate, and
/// an upper figure (the sd of few rounds may be too small by chance). `matters` is ln(1 + δ),
/// `level` that of the interval. None if it cannot be estimated.
pub fn of_a_fresh_run(seen: &Spread, matters: f64, level: f64) -> Option<(u64, u64)> {
    let freedom = seen.rounds.checked_sub(1).filter(|n| *n > 0)?;
    let width = seen.estimate.abs().max(matters - seen.estimate.abs());
    if width <= 0.0 || !seen.deviation.is_finite() {
        return None;
    }
    let z = normal_two_sided(level) + Z_OF_POWER;
    let needed = |deviation: f64| {
        let rounds = RANKS_AGAINST_T * (z * deviation / width).powi(2) + 2.0;
        rounds.ceil() as u64
    };
    let quantile = chi_square_quantile(CHANCE_OF_SMALLER_SD, freedom);
    let larger = seen.deviation * (freedom as f64 / quantile).sqrt();
    Some((needed(seen.deviation), needed(larger)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::signed_rank;

    #[test]
    fn the_fewest_rounds_are_those_of_the_table() {
        let table = [
            (1..=1, 6),
            (2..=3, 7),
            (4..=6, 8),
            (8..=12, 9),
            (15..=24, 10),
            (30..=48, 11),
            (60..=100, 12),
        ];
        for (comparisons, rounds) in table {
            for m in comparisons {
                assert_eq!(fewest(m, 0.05), rounds, "m = {m}");
            }
        }
    }

    #[test]
    fn the_fewest_rounds_are_those_that_have_an_interval() {
        for m in 1..40 {
            for alpha in [0.05, 0.01, 0.1] {
                let n = fewest(m, alpha) as usize;
                assert!(signed_rank::critical(n, level(alpha, m)).is_some());
                assert!(signed_rank::critical(n - 1, level(alpha, m)).is_none());
            }
        }
    }

    #[test]
    fn the_default_is_ten_or_two_more_than_the_fewest() {
        assert_eq!(default_rounds(1, 0.05), 10);
        assert_eq!(default_rounds(6, 0.05), 10);
        assert_eq!(default_rounds(12, 0.05), 11);
        assert_eq!(default_rounds(100, 0.05), 14);
    }

    #[test]
    fn launches_are_four_or_two_more_than_the_fewest() {
        assert_eq!(default_launches(1, 0.05), (10, 8));
        assert_eq!(default_launches(6, 0.05), (12, 10));
    }

    #[test]
    fn too_few_rounds_say_how_many() {
        assert_eq!(
            too_few(6, 4, 0.05).as_deref(),
            Some(
                "6 rounds cannot support 4 comparisons at 5 %; at least 8 are needed: use --rounds \
                 10 or compare fewer"
            )
        );
        assert_eq!(
            too_few(1, 1, 0.025).as_deref(),
            Some(
                "1 round cannot support 1 comparison at 2.5 %; at least 7 are needed: use --rounds \
                 10"
            )
        );
        assert_eq!(
            too_few_launches(5, 1, 0.05).as_deref(),
            Some(
                "5 launches cannot support 1 comparison at 5 %; at least 6 are needed: use \
                 --launches 10"
            )
        );
        assert_eq!(too_few_launches(6, 1, 0.05), None);
        assert_eq!(
            too_few_rebuilds(5, 1, 0.05).as_deref(),
            Some(
                "5 builds cannot support 1 comparison at 5 %; at least 6 are needed: use --rebuilds 10"
            )
        );
        assert_eq!(too_few_rebuilds(6, 1, 0.05), None);
        assert_eq!(too_few(8, 4, 0.05), None);
        assert_eq!(too_few(1, 0, 0.05), None);
    }

    #[test]
    fn the_rounds_of_a_fresh_run() {
        let matters = 1.01f64.ln();
        let spread = |estimate| Spread { estimate, deviation: 0.015, rounds: 10 };
        // By hand: w = 0.00995, ((1.96 + 0.84)·0.015/w)² = 17.818…, ·1.05 + 2.
        assert_eq!(of_a_fresh_run(&spread(0.0), matters, 0.05), Some((21, 43)));
        // A truth halfway between no difference and one that matters is the hardest case.
        let (middle, most) = of_a_fresh_run(&spread(matters / 2.0), matters, 0.05).expect("some");
        assert!(middle > 70 && most > 2 * middle, "{middle} {most}");
        let (wide, _) = of_a_fresh_run(&spread(-0.1), matters, 0.05).expect("some");
        assert_eq!(wide, 3);
        let one = Spread { rounds: 1, ..spread(0.0) };
        assert_eq!(of_a_fresh_run(&one, matters, 0.05), None);
        assert_eq!(of_a_fresh_run(&spread(0.0), 0.0, 0.05), None);
    }
}
