//! A contender whose speed changed during the run.

use super::{Evidence, Rule};
use crate::{
    evidence::{DriveSummary, FEWEST_ROUNDS, Launch, Trial},
    stats::paired_t::{mean, standard_deviation},
    verdict::{Finding, WarmUps, Weight},
};
use record::Metric;
use text::units;

/// A larger change from the first third to the last third is a drift.
const LARGEST: f64 = 0.1;
/// A change of fewer standard errors is noise.
const STANDARD_ERRORS: f64 = 4.0;
/// The fewest values in each third.
const FEWEST: usize = 2;

pub(super) const RULE: Rule = Rule {
    name: "not_steady",
    short: "not steady during the run",
    hint: "warm up longer (--warm-up 30s)",
    weight: Weight::Caution,
    threshold: "Compares the throughput of the first third of the judged slices (in turns: of \
                their 100 ms windows) with that of the last third; with --rate the median response \
                time of the rounds. A change of more than 10 % and of more than 4 standard errors \
                is a caution. With several launches, the first third of each launch is compared with \
                its last third. A warm-up that reached the longest time before the contender had \
                levelled is a note, unless there is a caution.",
    why: "If a contender warms up, fills a cache or leaks, a single figure describes none of the \
          states that it was in. Pairs of the same round still share the same state of the \
          machine, but the contender is not the one of earlier rounds.",
    remedy: "Warm up longer (--warm-up 30s). If it does not settle, look at the throughput over \
             slices in the report, and at the target's memory and caches.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.rounds_of_a_launch();
    let finding = |(name, driven): (&str, &DriveSummary)| {
        finding(name, driven, each).or_else(|| still_cold(name, driven))
    };
    let found = evidence.each().filter_map(finding);
    found.map(|found| found.with_warm_up(evidence, 30)).collect()
}

/// A contender whose warm-up ended too early.
fn still_cold(name: &str, driven: &DriveSummary) -> Option<Finding> {
    let WarmUps { number, longest_ns, cold, .. } = driven.warm_ups;
    if cold == 0 {
        return None;
    }
    let of = if driven.closed() { "throughput" } else { "median response time" };
    let which = if number > 1 { format!(" in {cold} of {number} launches") } else { String::new() };
    let time = units::show_ns(longest_ns);
    let seen = format!("{of} had not levelled after a warm-up of at most {time}{which}");
    Some(RULE.about(name, Weight::Note, seen).with_figure(format!("not level after {time}")))
}

/// `each` is the number of rounds per launch, or None if there is one launch.
fn finding(name: &str, driven: &DriveSummary, each: Option<u32>) -> Option<Finding> {
    let (metric, written, of): (_, fn(f64) -> String, _) = if driven.closed() {
        (Metric::Throughput, units::show_rate, "throughput")
    } else {
        (Metric::ResponseP50, units::show_seconds, "median response time")
    };
    let change = match each {
        Some(few) if few < FEWEST_ROUNDS && driven.closed() && !driven.launches.is_empty() => {
            Change::within_slices_of(&driven.launches)?
        }
        Some(each) => Change::within_launches(driven, metric, each as usize)?,
        None if driven.closed() => {
            let points = driven.timeline.points();
            Change::of_thirds(&points.iter().map(|point| point.1).collect::<Vec<_>>())?
        }
        None => {
            let trials = driven.trials.iter();
            Change::of_thirds(&trials.filter_map(|trial| trial.value(metric)).collect::<Vec<_>>())?
        }
    };
    let Change { from, to, error } = change;
    let size = (to - from).abs();
    if size <= LARGEST * from || size <= STANDARD_ERRORS * error {
        return None;
    }
    let within = if each.is_some() { " of the launches" } else { "" };
    let seen = format!(
        "{of} went from {} in the first third{within} to {} in the last",
        written(from),
        written(to)
    );
    let figure = format!("{} to {}", written(from), written(to));
    let found = RULE.about(name, Weight::Caution, seen).with_figure(figure);
    Some(found.shifting(metric, (to / from).ln()))
}

/// From the mean of a first third to that of a last third.
struct Change {
    from: f64,
    to: f64,
    /// Standard error of the difference.
    error: f64,
}

impl Change {
    fn of_thirds(values: &[f64]) -> Option<Change> {
        let third = values.len() / 3;
        if third < FEWEST {
            return None;
        }
        let (first, last) = (&values[..third], &values[values.len() - third..]);
        let variances = standard_deviation(first)?.powi(2) + standard_deviation(last)?.powi(2);
        let error = (variances / third as f64).sqrt();
        Some(Change { from: mean(first)?, to: mean(last)?, error })
    }

    /// Only rounds of the same launch are compared: launches differ from each other, and that is
    /// not a drift.
    fn within_launches(driven: &DriveSummary, metric: Metric, each: usize) -> Option<Change> {
        let launch = |trial: &Trial| trial.round.saturating_sub(1) as usize / each;
        let launches = driven.trials.chunk_by(|one, next| launch(one) == launch(next));
        let thirds = launches.filter(|trials| trials.len() == each).filter_map(|trials| {
            let values: Option<Vec<f64>> = trials.iter().map(|trial| trial.value(metric)).collect();
            // Of two rounds the first is compared with the second.
            let (values, third) = (values?, (each / 3).max(1).min(each / 2));
            Some((mean(&values[..third])?, mean(&values[each - third..])?))
        });
        Change::of_steps(thirds)
    }

    /// How the figure changed within launches that have few rounds, by their slices.
    fn within_slices_of(launches: &[Launch]) -> Option<Change> {
        let ends = |launch: &Launch| match launch.parts(3)?.as_slice() {
            [first, _, last] => Some((*first, *last)),
            _ => None,
        };
        Change::of_steps(launches.iter().filter_map(ends))
    }

    /// From the means of the first to the means of the last parts of launches.
    fn of_steps(parts: impl Iterator<Item = (f64, f64)>) -> Option<Change> {
        let (first, last): (Vec<f64>, Vec<f64>) = parts.unzip();
        let steps: Vec<f64> = first.iter().zip(&last).map(|(from, to)| to - from).collect();
        let error = standard_deviation(&steps)? / (steps.len() as f64).sqrt();
        Some(Change { from: mean(&first)?, to: mean(&last)?, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, fill, weights};
    use record::Arrivals;

    /// b's operations in a slice: 1000, and `more` additional ones in the last 4 rounds of 12.
    fn closed(more: u64, noise: u64) -> SampleRun {
        let mut run = SampleRun::compare(12);
        run.each_seen("b", |round, seen| {
            for (i, slice) in seen.slices.iter_mut().enumerate() {
                let noise = if i % 2 == 0 { noise } else { 0 };
                slice.operations = 1000 + noise + if round > 8 { more } else { 0 };
            }
        });
        run
    }

    #[test]
    fn ten_percent_and_four_standard_errors() {
        assert_eq!(weights(&closed(99, 10), RULE.name), []);
        assert_eq!(weights(&closed(105, 10), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&closed(130, 600), RULE.name), []);
        assert!(RULE.threshold.contains(&units::show_percent(LARGEST)));
        assert!(RULE.threshold.contains(&format!("{STANDARD_ERRORS:.0} standard errors")));
    }

    #[test]
    fn a_warm_up_that_ended_before_the_contender_levelled_is_noted() {
        let run = |levelled: &[Option<bool>], more: u64| {
            let mut run = closed(more, 10);
            for levelled in levelled {
                run.warm_up("b", 2_500_000_000, *levelled);
            }
            run
        };
        assert_eq!(weights(&run(&[None, Some(true)], 0), RULE.name), []);
        let cold = run(&[Some(true), Some(false)], 0).findings(RULE.name);
        assert_eq!(cold[0].weight, Weight::Note);
        assert_eq!(
            cold[0].evidence,
            "throughput had not levelled after a warm-up of at most 2.5 s in 1 of 2 launches"
        );
        // What it did to the rounds says more.
        assert_eq!(weights(&run(&[Some(false)], 105), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn slices_of_short_launches_are_compared() {
        let run = |slower| SampleRun::with_slow_starts(3, slower);
        assert_eq!(weights(&run(1.05), RULE.name), []);
        assert_eq!(weights(&run(1.3), RULE.name), [Weight::Caution]);
        let found = run(1.3).findings(RULE.name);
        assert!(found[0].evidence.contains("in the first third of the launches"), "{found:?}");
    }

    #[test]
    fn open_loop_looks_at_the_medians_of_the_rounds() {
        let open = |late_us: u64| {
            let mut run = SampleRun::compare(12).with_arrivals(Arrivals::Constant(800.0));
            run.each_seen("b", |round, seen| {
                let jitter = u64::from(round % 2);
                let us = 1000 + jitter + if round > 8 { late_us } else { 0 };
                fill(&mut seen.response_time, us * 1000, 800);
            });
            run
        };
        assert_eq!(weights(&open(95), RULE.name), []);
        assert_eq!(weights(&open(110), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn launches_that_differ_are_no_drift() {
        // 4 launches of 3 rounds; the last round of each has `within` more operations, and later
        // launches have more.
        let run = |within: u64, between: u64| {
            let mut run = closed(0, 10);
            run.question.restarts = 4;
            run.each_seen("b", |round, seen| {
                let launch = u64::from(round - 1) / 3;
                let late = if round % 3 == 0 { within } else { 0 };
                let more = late + launch * between + u64::from(round % 2);
                seen.slices.iter_mut().for_each(|slice| slice.operations += more);
            });
            run
        };
        assert_eq!(weights(&run(0, 200), RULE.name), []);
        assert_eq!(weights(&run(99, 0), RULE.name), []);
        assert_eq!(weights(&run(105, 0), RULE.name), [Weight::Caution]);
        let mut one_launch = run(0, 200);
        one_launch.question.restarts = 0;
        assert_eq!(weights(&one_launch, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn a_single_run_looks_at_its_windows() {
        let mut run = SampleRun::single();
        run.each_seen("a", |_, seen| {
            seen.slices[0].windows =
                (0..30).map(|i| 100 + i % 2 + if i > 19 { 20 } else { 0 }).collect();
            seen.slices[0].took_ns = 3_000_000_000;
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn the_warm_up_becomes_longer_than_it_was() {
        let mut run = closed(200, 10);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        run.warm_up("b", 30_000_000_000, Some(false));
        assert_eq!(run.findings(RULE.name)[0].hint, "warm up longer (--warm-up 60s)");
        // A warm-up that ended too early is found by its own length.
        let mut cold = closed(0, 10);
        cold.warm_up("b", 20_000_000_000, Some(false));
        assert_eq!(cold.findings(RULE.name)[0].hint, "warm up longer (--warm-up 40s)");
    }
}
