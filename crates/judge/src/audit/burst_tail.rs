//! Slow replies that come in bursts.

use super::{
    Evidence, Rule,
    remedies::{ROUND, longer},
};
use crate::{
    evidence::Part,
    verdict::{Finding, Weight},
};
use text::units;

/// If the slow replies reach less than this share of the slices that they would reach if they were
/// scattered evenly, they come in bursts.
const LEAST: f64 = 0.5;
/// With fewer slices than this, the test says nothing.
const FEWEST_SLICES: f64 = 10.0;

pub(super) const RULE: Rule = Rule {
    name: "burst_tail",
    short: "slow replies come in bursts",
    hint: "drive longer (--round 5s)",
    weight: Weight::Note,
    threshold: "In slices: counts the slices that contain a reply slower than the p99 of its \
                round, and how many slices the same replies would reach if they were scattered \
                evenly. Less than 50 % of that number is a note.",
    why: "Pauses (garbage collection, flushes, other programs) delay many replies at once. The \
          slowest 1 % are then a few events instead of many, so a p99 is less certain than its \
          standard error says, which assumes that replies are independent.",
    remedy: "Look at the throughput over slices in the report. Drive longer (--round 5s), so that \
             each round contains several bursts.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.parts().iter().filter_map(|part| finding(evidence, part)).collect()
}

fn finding(evidence: &Evidence, part: &Part<'_>) -> Option<Finding> {
    let driven = part.driven;
    let scattered = driven.tail_slices_scattered;
    if scattered < FEWEST_SLICES || driven.tail_slices as f64 >= LEAST * scattered {
        return None;
    }
    let seen = format!(
        "replies slower than the p99 fell in {} of {}; scattered evenly they would reach \
         {scattered:.0}",
        driven.tail_slices,
        units::show_counted(driven.slices, "slice")
    );
    let found = RULE.about_part(part, Weight::Note, seen);
    Some(match longer(evidence, 2.0) {
        Some(option) => found.with_option(ROUND, &option),
        None => found.with_remedy(
            "see the throughput over slices",
            "Look at the throughput over slices in the report.",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// 8 rounds of 4 slices with 1000 replies each, of which the 10 slowest fell in this many
    /// slices of each round.
    fn tail_in(slices: usize) -> SampleRun {
        let mut run = SampleRun::compare(8).with_operations(4000);
        run.each_seen("b", |_, seen| {
            seen.response_time = record::Histogram::new();
            (0..4000u64).for_each(|i| {
                seen.response_time.record(if i < 39 { 50_000_000 } else { 1_000_000 });
            });
            for (i, slice) in seen.slices.iter_mut().enumerate() {
                slice.max_response_ns = if i < slices { 50_000_000 } else { 1_000_000 };
            }
        });
        run
    }

    #[test]
    fn half_of_the_slices_is_the_limit() {
        assert_eq!(weights(&tail_in(4), RULE.name), []);
        assert_eq!(weights(&tail_in(2), RULE.name), []);
        assert_eq!(weights(&tail_in(1), RULE.name), [Weight::Note]);
        assert_eq!(
            tail_in(1).findings(RULE.name)[0].evidence,
            "replies slower than the p99 fell in 8 of 32 slices; scattered evenly they \
             would reach 32"
        );
        assert!(RULE.threshold.contains(&units::show_percent(LEAST)));
    }

    #[test]
    fn few_slices_say_nothing() {
        let mut run = tail_in(1);
        run.records.retain(|record| record.round <= 2);
        assert_eq!(weights(&run, RULE.name), []);
    }

    #[test]
    fn rounds_become_longer_than_they_are() {
        let hint = |seconds: u64| {
            let mut run = tail_in(1);
            run.pilot.as_mut().expect("a pilot").round_ns = seconds * 1_000_000_000;
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(1), RULE.hint);
        assert_eq!(hint(5), "drive longer (--round 10s)");
        assert_eq!(hint(90), "see the throughput over slices");
    }
}
