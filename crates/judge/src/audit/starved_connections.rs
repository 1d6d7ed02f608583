//! Connections that got no reply while others were served.

use super::{Evidence, Rule};
use crate::evidence::Part;
use crate::verdict::{Finding, Weight};
use record::{Metric, Reuse};
use text::units;

/// A wait is long if it is at least this many times the p99.
const IN_P99: f64 = 20.0;
/// Two or more starved connections void the run if they are more than this share of all.
const MOST: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    name: "starved_connections",
    short: "connections got no reply",
    hint: "use fewer connections, or more workers",
    weight: Weight::Void,
    threshold: "Counts the connections (rooms, or workers that share a pool) with one operation in \
                flight for the whole judged time of a launch, and for at least 20 times the p99. Two \
                or more that are also more than a tenth of all: void. Fewer: a caution. Connections \
                that waited at the end of a launch for at least 20 times the p99 are a note.",
    why: "A server with fewer workers than connections (Apache prefork, PHP-FPM, a thread pool) serves \
          some of them and lets the others wait. Throughput and percentiles are then those of the \
          connections that were served: fewer than the load says, and without the longest waits.",
    remedy: "Use no more connections than the server has workers (-c), or configure more workers. If a \
             single request hangs, look for what it waits for: a lock, a lost packet, a deadlock.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.parts_and_requests().iter().filter_map(finding).collect()
}

fn finding(part: &Part<'_>) -> Option<Finding> {
    let launches = &part.driven.waiting;
    let worst = launches.iter().max_by_key(|launch| (launch.starved(), launch.at_end()))?;
    let p99_ns = part.driven.judged.response_time.quantile(Metric::ResponseP99.quantile()?);
    let is_long = worst.longest_ns() as f64 >= IN_P99 * p99_ns.unwrap_or(0) as f64;
    if worst.at_end() == 0 || !is_long {
        return None;
    }
    let (starved, all) = (worst.starved(), worst.units());
    let what = units_of(part, all);
    if starved == 0 {
        let waiting = worst.at_end();
        let longest = units::show_ns(worst.longest_ns());
        let seen = format!("{waiting} of {all} {what} waited at least {longest} for a reply");
        return Some(about(part, Weight::Note, seen, waiting, all));
    }
    let many = starved >= 2 && starved as f64 > MOST * all as f64;
    let weight = if many { Weight::Void } else { Weight::Caution };
    let span = units::show_ns(worst.span_ns);
    Some(about(
        part,
        weight,
        format!("{starved} of {all} {what} got no reply in {span}"),
        starved,
        all,
    ))
}

fn about(part: &Part<'_>, weight: Weight, seen: String, some: u64, all: u64) -> Finding {
    RULE.about_part(part, weight, seen).with_figure(format!("{some} of {all}"))
}

/// What has one operation after another.
fn units_of(part: &Part<'_>, units: u64) -> &'static str {
    match part.driven.lane_orders.first() {
        Some(order) if matches!(order.reuse, Reuse::Pool(_)) => "workers of the pool",
        Some(order) if units < u64::from(order.intensity.connections) => "rooms",
        _ => "connections",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// In each round of `b`, so many of 64 connections wait since its first slice, and since its last one.
    fn waiting(since_the_first: u64, since_the_last: u64) -> SampleRun {
        let mut run = SampleRun::compare(4);
        run.each_seen("b", |_, seen| {
            let last = seen.slices.last().expect("a slice").index;
            seen.waits.units = 64;
            seen.waits.longest_ns = 4_100_000_000;
            let waits = [(0, since_the_first), (last, since_the_last)];
            seen.waits.at_end = waits.into_iter().filter(|(_, units)| *units > 0).collect();
        });
        run
    }

    #[test]
    fn two_and_more_than_a_tenth_are_void() {
        assert_eq!(weights(&waiting(0, 0), RULE.name), []);
        assert_eq!(weights(&waiting(1, 0), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&waiting(6, 0), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&waiting(7, 0), RULE.name), [Weight::Void]);
        let mut few = waiting(1, 0);
        few.each_seen("b", |_, seen| seen.waits.units = 8);
        assert_eq!(weights(&few, RULE.name), [Weight::Caution], "one is not enough");
        let found = waiting(48, 0).findings(RULE.name);
        assert!(
            found[0].evidence.starts_with("48 of 64 connections got no reply in "),
            "{found:?}"
        );
    }

    #[test]
    fn one_that_waited_at_the_end_is_a_note() {
        let found = waiting(0, 1).findings(RULE.name);
        assert_eq!(found[0].weight, Weight::Note);
        assert_eq!(found[0].evidence, "1 of 64 connections waited at least 4.1 s for a reply");
    }

    #[test]
    fn a_wait_that_is_usual_is_none() {
        let mut run = waiting(48, 0);
        run.each_seen("b", |_, seen| seen.waits.longest_ns = 1);
        assert_eq!(weights(&run, RULE.name), []);
    }
}
