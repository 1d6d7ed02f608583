//! How sharp a way of comparing is, from the rounds that runs recorded.
//!
//! `sharpness PERCENT LABEL=REPORT[,REPORT…] …` prints a table, one line for
//! each label: the standard deviation of ln(B/A) of throughput between rounds,
//! the ratio with its interval, how long it took to tell the two apart, and how
//! long a true difference of PERCENT is reckoned to take. Intervals and
//! reckoning are those of the judge, at its usual level of 95 %.
//!
//! `sharpness bias RATIO LABEL=REPORT[,REPORT…] …` prints how far ln(B/A) is from
//! that of the true RATIO. RATIO 0: what the last label found is taken as the truth.

use judge::stats::paired_t::standard_deviation;
use judge::stats::rounds::{Spread, fewest, of_a_fresh_run};
use judge::stats::signed_rank::SignedRank;
use serde_json::Value;
use std::process::ExitCode;

const LEVEL: f64 = 0.05;
/// The smallest difference that matters, unless one says otherwise.
const MATTERS: f64 = 0.01;
/// Of the runs of one length, so many must have told the two apart: the power
/// that the judge reckons with, too.
const MOST: f64 = 0.8;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match table(&arguments) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("sharpness: {message}");
            ExitCode::from(2)
        }
    }
}

fn table(arguments: &[String]) -> Result<String, String> {
    let usage = || {
        "usage: sharpness PERCENT LABEL=REPORT[,REPORT…] …, or sharpness bias RATIO \
         LABEL=REPORT[,REPORT…] …"
            .to_owned()
    };
    let [percent, labels @ ..] = arguments else { return Err(usage()) };
    if percent == "bias" {
        return bias_table(labels).ok_or_else(usage)?;
    }
    let percent: f64 = percent.parse().map_err(|_| usage())?;
    let mut table = format!(
        "{:<18} {:>6}  {:>5}  {:>5}  {:<14}  {:<17}  {}\n",
        "",
        "rounds",
        "sd",
        "B/A",
        "95 % interval",
        "distinguished in",
        format_args!("a true {percent} % takes about")
    );
    for label in labels {
        let (label, files) = label.split_once('=').ok_or_else(usage)?;
        let mut seen = Seen::default();
        for file in files.split(',') {
            seen.read(file)?;
        }
        table +=
            &seen.line(label, percent / 100.0).ok_or(format!("{files}: no rounds to judge"))?;
    }
    Ok(table)
}

/// None where the arguments cannot be understood.
fn bias_table(arguments: &[String]) -> Option<Result<String, String>> {
    let [ratio, labels @ ..] = arguments else { return None };
    let ratio: f64 = ratio.parse().ok()?;
    let mut rows = Vec::new();
    for label in labels {
        let (label, files) = label.split_once('=')?;
        let mut seen = Seen::default();
        if let Err(message) = files.split(',').try_for_each(|file| seen.read(file)) {
            return Some(Err(message));
        }
        rows.push((label, seen));
    }
    let estimate = |seen: &Seen| Some(SignedRank::new(&seen.differences)?.estimate());
    let truth = if ratio > 0.0 { Some(ratio.ln()) } else { estimate(&rows.last()?.1) };
    let mut table = format!("{:<18} {:>6}  {:>6}  {:>7}  bias\n", "", "rounds", "sd", "ln(B/A)");
    for (label, seen) in &rows {
        let line = truth.and_then(|truth| seen.bias(label, estimate(seen)?, truth));
        match line {
            Some(line) => table += &line,
            None => return Some(Err(format!("{label}: too few rounds"))),
        }
    }
    Some(Ok(table))
}

/// The rounds of runs that were conducted in the same way.
#[derive(Default)]
struct Seen {
    /// ln(B/A) of throughput.
    differences: Vec<f64>,
    /// For how many seconds contenders were driven in all of them.
    seconds: f64,
}

impl Seen {
    fn read(&mut self, file: &str) -> Result<(), String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let report: Value =
            serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
        let comparisons = report["comparisons"].as_array().into_iter().flatten();
        let rounds: Vec<f64> = comparisons
            .filter(|comparison| comparison["metric"] == "throughput")
            .flat_map(|comparison| comparison["rounds"].as_array().into_iter().flatten())
            .filter_map(|round| round["ratio"].as_f64())
            .collect();
        let contenders = report["contenders"].as_array().map_or(0, Vec::len);
        let each = report["plan"]["pilot"]["round"].as_f64();
        let each = each.ok_or_else(|| format!("{file}: it has no pilot, so no rounds"))?;
        self.seconds += (rounds.len() * contenders) as f64 * each;
        self.differences.extend(rounds.into_iter().map(f64::ln));
        Ok(())
    }

    fn line(&self, label: &str, effect: f64) -> Option<String> {
        let ranks = SignedRank::new(&self.differences)?;
        let (low, high) = ranks.interval(LEVEL)?;
        let deviation = standard_deviation(&self.differences)?;
        let interval = format!("{:.3} to {:.3}", low.exp(), high.exp());
        let told_apart = match self.told_apart() {
            Some(rounds) => self.time(rounds),
            None => format!("not in {}", self.time(self.differences.len() as u64)),
        };
        let reckoned = self.reckoned(deviation, effect)?;
        Some(format!(
            "{label:<18} {:>6}  {deviation:>5.3}  {:>5.3}  {interval:<14}  {told_apart:<17}  \
             {reckoned}\n",
            self.differences.len(),
            ranks.estimate().exp(),
        ))
    }

    /// The bias as a share of the true ln(B/A), with twice its standard error; where
    /// the two are equal, as it is.
    fn bias(&self, label: &str, estimate: f64, truth: f64) -> Option<String> {
        let rounds = self.differences.len();
        let deviation = standard_deviation(&self.differences)?;
        let error = 2.0 * deviation / (rounds as f64).sqrt();
        let bias = if truth == 0.0 {
            format!("{estimate:+.4} ± {error:.4}")
        } else {
            let share = 100.0 / truth;
            format!("{:+.1} % ± {:.1} %", -share * (estimate - truth), (share * error).abs())
        };
        Some(format!("{label:<18} {rounds:>6}  {deviation:>6.4}  {estimate:>+7.4}  {bias}\n"))
    }

    fn time(&self, rounds: u64) -> String {
        let round = self.seconds / self.differences.len() as f64;
        format!("{:.0} s ({rounds})", rounds as f64 * round)
    }

    /// The fewest rounds n such that most of the stretches of n rounds have an
    /// interval without 1. Stretches overlap, so this is a rough figure; but
    /// unlike looking after every round until it fits, it does not cheat.
    fn told_apart(&self) -> Option<u64> {
        let apart = |stretch: &&[f64]| {
            let interval = SignedRank::new(stretch).and_then(|ranks| ranks.interval(LEVEL));
            interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
        };
        let most = |n: &usize| {
            let stretches = self.differences.windows(*n);
            let all = stretches.len() as f64;
            stretches.filter(apart).count() as f64 >= MOST * all
        };
        let least = fewest(1, LEVEL) as usize;
        (least..=self.differences.len()).find(most).map(|n| n as u64)
    }

    fn reckoned(&self, deviation: f64, effect: f64) -> Option<String> {
        let rounds = self.differences.len();
        let spread = Spread { estimate: effect.ln_1p(), deviation, rounds };
        let (about, up_to) = of_a_fresh_run(&spread, MATTERS.ln_1p(), LEVEL)?;
        let least = u64::from(fewest(1, LEVEL));
        let (about, up_to) = (about.max(least), up_to.max(least));
        if about == up_to {
            Some(self.time(about))
        } else {
            Some(format!("{}, perhaps {}", self.time(about), self.time(up_to)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(differences: impl Iterator<Item = f64>) -> Seen {
        let differences: Vec<f64> = differences.collect();
        Seen { seconds: 2.0 * differences.len() as f64, differences }
    }

    #[test]
    fn a_clear_difference_is_seen_as_soon_as_rounds_can_say_it() {
        let seen = seen((0..12).map(|round| -0.03 + 0.001 * f64::from(round % 3)));
        assert_eq!(seen.told_apart(), Some(6));
        assert_eq!(seen.time(6), "12 s (6)");
    }

    #[test]
    fn a_ratio_that_is_pulled_towards_one_has_a_positive_bias() {
        let seen = seen([-0.6, -0.62, -0.58].into_iter());
        let line = seen.bias("5ms", -0.6, 0.5f64.ln()).expect("three rounds");
        assert!(line.contains("+13.4 %"), "{line}");
        assert!(seen.bias("5ms", -0.6, 0.0).expect("equal").contains("-0.6000 ±"));
    }

    #[test]
    fn no_difference_is_not_seen() {
        let seen = seen((0..12).map(|round| 0.03 * f64::from(round % 2 * 2 - 1)));
        assert_eq!(seen.told_apart(), None);
        let line = seen.line("x", 0.03).expect("twelve rounds");
        assert!(line.contains("0.970 to 1.030  not in 24 s (12)"), "{line}");
    }

    #[test]
    fn what_is_reckoned_is_the_judges() {
        // By hand: ((1.96 + 0.84)·0.06/ln 1.03)² · 1.05 + 2 = 35.9…
        let seen = seen((0..10).map(f64::from));
        let reckoned = seen.reckoned(0.06, 0.03).expect("a number");
        assert!(reckoned.starts_with("72 s (36), perhaps "), "{reckoned}");
        assert_eq!(seen.reckoned(0.001, 0.03).as_deref(), Some("12 s (6)"));
    }
}
