//! A difference between contenders that changed during the run.

use super::{Evidence, Rule, figure_name};
use crate::{
    draft::Draft,
    verdict::{Finding, Weight},
};
use record::Pair;
use text::{lists, units};

pub(super) const RULE: Rule = Rule {
    name: "autocorrelated_rounds",
    short: "the difference changed during the run",
    hint: "warm up longer (--warm-up 30s)",
    weight: Weight::Caution,
    threshold: "The lag-1 autocorrelation of ln(b/a) from round to round (with several launches: \
                from launch to launch), for every compared metric; of a suite, for \
                the mean over all cases. A value above −1/n + \
                1.67(n−2)/(n√(n−1)) (0.345 at 10 rounds, 0.295 at 20, 0.229 at 40) is a caution. \
                The finding states the ratio in the first and in the last third of the rounds.",
    why: "The order in which contenders are driven is drawn at random, so a machine whose speed \
          drifts does not make ln(b/a) of a round resemble that of the next. If they do resemble \
          each other, the difference itself changed during the run: one of the two warms up, leaks \
          or has state. The interval and its level are valid, but the verdict is about the average \
          over this run, and another run may have another average. The absence of this finding \
          proves little: with 10 rounds, a correlation of 0.5 is detected in one run of three.",
    remedy: "Compare the first with the last third, and look at the ratio round by round in the \
             report. Warm up longer (--warm-up 30s), drive longer until the ratio settles, or look \
             for state that a target accumulates: caches, compiled code, memory that grows.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.question.pairs.iter().filter_map(|pair| finding(evidence, *pair)).collect()
}

fn finding(evidence: &Evidence, pair: Pair) -> Option<Finding> {
    let drafts = evidence.overall().iter().filter(|draft| draft.is_about_all(pair));
    let alarm = |draft: &Draft| {
        let weighed = draft.weighed.as_ref().filter(|weighed| weighed.interval.is_some());
        let alarm = weighed?.alarm?;
        let [first, last] =
            [alarm.first_third, alarm.last_third].map(|d| units::show_ratio(d.exp()));
        let metric = draft.comparison.metric;
        let seen = format!(
            "{} {first} and {last} (lag 1: {:.2})",
            figure_name(&draft.comparison),
            alarm.lag_1
        );
        Some((metric, alarm.last_third - alarm.first_third, seen))
    };
    let alarms: Vec<_> = drafts.filter_map(alarm).collect();
    if alarms.is_empty() {
        return None;
    }
    let metrics: Vec<String> = alarms.iter().map(|(_, _, seen)| seen.clone()).collect();
    let (a, b) = (evidence.name(pair.a), evidence.name(pair.b));
    let replicates = if evidence.rounds_of_a_launch().is_some() { "launches" } else { "rounds" };
    let seen = format!(
        "the difference itself changed during the run; ratio of {b} to {a} in the first and in the \
         last third of the {replicates}: {}. The verdict is about the average over this run",
        lists::listed(&metrics)
    );
    let found = RULE.about(b, Weight::Caution, seen);
    let found = found.with_warm_up(evidence, 30);
    let found = found.about(alarms.iter().map(|(metric, ..)| *metric).collect());
    Some(alarms.iter().fold(found, |found, (metric, by, _)| found.shifting(*metric, *by)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use crate::verdict::Word;

    #[test]
    fn a_slow_wave_is_found_and_a_zigzag_is_not() {
        let wave: Vec<f64> = (0..10).map(|i| 1.05 + 0.01 * f64::from(i / 3)).collect();
        let zigzag: Vec<f64> = (0..10).map(|i| 1.05 + 0.01 * f64::from(i % 2)).collect();
        assert_eq!(weights(&SampleRun::with_ratios(&wave), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&SampleRun::with_ratios(&zigzag), RULE.name), []);
    }

    #[test]
    fn with_restarts_launches_are_examined() {
        // The rounds of a launch resemble each other; the launches do not.
        let ratio = |round: u32| 1.05 + 0.01 * f64::from((round / 5) % 2);
        let run = SampleRun::with_ratios(&(0..50).map(ratio).collect::<Vec<_>>());
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert_eq!(weights(&run.with_restarts(10), RULE.name), []);
    }

    #[test]
    fn the_caution_has_both_thirds_and_the_verdict_stands() {
        let wave: Vec<f64> = (0..10).map(|i| 1.005 + 0.01 * f64::from(i / 3)).collect();
        let run = SampleRun::with_ratios(&wave);
        let verdict = run.verdict();
        let comparison = &verdict.comparisons()[0];
        // p below the level and an interval without 1 are the same statement.
        assert!(comparison.p.is_some_and(|p| p < 0.01));
        assert_eq!(comparison.verdict, Word::Faster);
        assert_eq!(comparison.because, [""; 0]);
        assert_eq!(
            run.findings(RULE.name)[0].evidence,
            "the difference itself changed during the run; ratio of b to a in the first and \
             in the last third of the rounds: throughput 1.005x and 1.028x (lag 1: 0.60). The \
             verdict is about the average over this run"
        );
    }

    #[test]
    fn a_warm_up_that_there_was_is_not_proposed() {
        let wave: Vec<f64> = (0..10).map(|i| 1.05 + 0.01 * f64::from(i / 3)).collect();
        let mut run = SampleRun::with_ratios(&wave);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        run.warm_up("b", 30_000_000_000, None);
        let found = &run.findings(RULE.name)[0];
        assert_eq!(found.hint, "warm up longer (--warm-up 60s)");
        assert!(found.remedy.contains("--warm-up 60s"), "{}", found.remedy);
    }
}
