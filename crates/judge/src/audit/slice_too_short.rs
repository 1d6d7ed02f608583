//! Slices that are short compared with the latency.

use super::{Evidence, Rule, remedies::round_ns};
use crate::{
    evidence::Part,
    verdict::{Finding, Weight},
};
use text::units;

/// The pilot aims at a slice of this many p99.
const AIM_CLOSED: f64 = 2.0;
const AIM_OPEN: f64 = 100.0;
/// The p99 of the pilot differs from that of the rounds, so a slice may be shorter than the aim by
/// up to a fifth.
const TOLERANCE: f64 = 0.8;

/// The shortest round that is a default: a round of one of several launches.
const SHORTEST_ROUND_MS: u64 = 500;

pub(super) const RULE: Rule = Rule {
    name: "slice_too_short",
    short: "slices are short for this latency",
    hint: "use --interleave turns",
    weight: Weight::Caution,
    threshold: "In slices: compares the length of a slice with the p99 of the contender with the \
                highest p99. The aim is 2 x p99, with --rate 100 x p99. More than 20 % below the \
                aim is a caution.",
    why: "Every slice starts with empty queues and ends with a drain. The shorter a slice is \
          compared with the latency, the larger the share of its start and end: ratios are pulled \
          towards 1, and tails read too low because queues had no time to build.",
    remedy: "Leave the choice of the slice to the pilot (no --slice), or let contenders take whole turns \
             (--interleave turns). A --slice must be at least as long as the aim that the finding names.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    if !evidence.is_interleaved_in_slices() {
        return Vec::new();
    }
    let finding = |part: Part<'_>| {
        let driven = part.driven;
        let planned = evidence.pilot.as_ref().map(|choice| choice.slice_ns);
        let slice_ns = planned.or(driven.shortest_slice_ns)?;
        let p99_ns = driven.judged.response_time.quantile(0.99)?;
        let aim = if driven.closed() { AIM_CLOSED } else { AIM_OPEN };
        let times = slice_ns as f64 / p99_ns as f64;
        let seen = format!(
            "a slice of {} is {times:.1} x the p99 of {}; {aim:.0} x is long enough",
            units::show_ns(slice_ns),
            units::show_ns(p99_ns)
        );
        let figure = format!("{times:.1} x p99");
        let hint = longer_slice(evidence, aim * p99_ns as f64);
        let finding = || {
            let found = RULE.about_part(&part, Weight::Caution, seen).with_figure(figure);
            found.with_hint(&hint)
        };
        (times < TOLERANCE * aim).then(|| (times, finding()))
    };
    let shortest =
        evidence.parts().into_iter().filter_map(finding).min_by(|a, b| a.0.total_cmp(&b.0));
    shortest.into_iter().map(|(_, finding)| finding).collect()
}

/// The option that sets slices that are long enough, if they fit into a round.
fn longer_slice(evidence: &Evidence, aim_ns: f64) -> String {
    let aim_ms = (aim_ns / 1e6).ceil() as u64;
    let round_ms = round_ns(evidence) / 1_000_000;
    match aim_ms {
        _ if aim_ms > round_ms => RULE.hint.to_owned(),
        ..=SHORTEST_ROUND_MS => format!("use --slice {aim_ms}ms"),
        // The pilot may have made the rounds longer than those that are the default.
        _ => format!("use --slice {aim_ms}ms --round {round_ms}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::{Arrivals, Interleave};

    /// Replies take 1 ms, those of b `slower` times as long.
    fn run(slice_ns: u64, slower: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_slice(slice_ns);
        run.each_seen("b", |_, seen| {
            let n = seen.response_time.len();
            seen.response_time = record::Histogram::new();
            (0..n).for_each(|_| seen.response_time.record(slower * 1_000_000));
        });
        run
    }

    #[test]
    fn a_fifth_below_the_aim_is_the_limit() {
        assert_eq!(weights(&run(3_210_000, 2), RULE.name), []);
        assert_eq!(weights(&run(3_190_000, 2), RULE.name), [Weight::Caution]);
        assert_eq!(run(3_190_000, 2).findings(RULE.name)[0].contender.as_deref(), Some("b"));
        // Too short for both: the slower one is named.
        assert_eq!(run(1_000_000, 2).findings(RULE.name)[0].contender.as_deref(), Some("b"));
        let open = |slice_ns| run(slice_ns, 2).with_arrivals(Arrivals::Poisson(800.0));
        assert_eq!(weights(&open(160_500_000), RULE.name), []);
        assert_eq!(weights(&open(159_500_000), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn turns_have_no_slices() {
        let mut turns = run(1_000_000, 2);
        turns.pilot.as_mut().expect("a pilot").interleave = Interleave::Turns;
        assert_eq!(weights(&turns, RULE.name), []);
    }

    #[test]
    fn the_text_names_the_aims() {
        for aim in [AIM_CLOSED, AIM_OPEN] {
            assert!(RULE.threshold.contains(&format!("{aim:.0} x p99")));
        }
        assert!(RULE.threshold.contains(&units::show_percent(1.0 - TOLERANCE)));
    }

    #[test]
    fn the_hint_is_a_slice_that_is_long_enough() {
        let hint = |slice_ns, slower| run(slice_ns, slower).findings(RULE.name)[0].hint.clone();
        assert_eq!(hint(50_000_000, 100), "use --slice 201ms");
        // The plan refuses a slice that is longer than its round, which may be 500 ms by default.
        assert_eq!(hint(100_000_000, 300), "use --slice 601ms --round 1000ms");
        // Longer than a round of one second.
        assert_eq!(hint(500_000_000, 600), "use --interleave turns");
    }
}
