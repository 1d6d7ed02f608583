//! Fresh connections that nearly use up the local ports.

use super::{Evidence, Rule};
use crate::{
    evidence::DriveSummary,
    verdict::{Finding, Weight},
};
use record::Reuse;
use text::units;

/// The share of the highest possible rate of fresh connections that is safe.
const MOST: f64 = 0.7;

pub(super) const RULE: Rule = Rule {
    name: "port_pressure",
    short: "local ports nearly used up",
    hint: "use reuse=N, or lower --rate",
    weight: Weight::Caution,
    threshold: "With fresh connections: compares the connections opened per second, pauses between \
                slices included, with the highest rate that local ports allow. Above 70 % is a \
                caution.",
    why: "A closed connection keeps its local port for a while, and finding a free port takes \
          longer the fewer are left. Near the limit, the client's kernel is measured: a contender \
          looked 37 % slower than it was.",
    remedy: "Use persistent connections (reuse=always), reuse each a few times (reuse=N), set a \
             lower --rate, or widen net.ipv4.ip_local_port_range.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let limits = evidence.question.contenders.iter().map(|question| question.port_limit);
    let each = evidence.each().zip(limits);
    each.filter_map(|((name, driven), limit)| finding(name, driven, limit?)).collect()
}

fn finding(name: &str, driven: &DriveSummary, limit: f64) -> Option<Finding> {
    if driven.span_ns == 0 {
        return None;
    }
    let opened = driven.judged.connections.opened as f64 * 1e9 / driven.span_ns as f64;
    if opened <= MOST * limit {
        return None;
    }
    let seen = format!(
        "{} connections opened; local ports allow {}",
        units::show_rate(opened),
        units::show_rate(limit)
    );
    let figure = format!("{} of it", units::show_percent(opened / limit));
    let found = RULE.about(name, Weight::Caution, seen).with_figure(figure);
    Some(found.with_hint(hint(driven)))
}

/// A closed loop has no rate to lower, and each connection may be used a few times already.
fn hint(driven: &DriveSummary) -> &'static str {
    let reuse = driven.lane_orders.first().map(|order| order.reuse);
    match (driven.rate().is_some(), matches!(reuse, Some(Reuse::Times(_)))) {
        (true, false) => RULE.hint,
        (true, true) => "use a larger reuse=N, or lower --rate",
        (false, true) => "use a larger reuse=N, or reuse=always",
        (false, false) => "use reuse=N, or reuse=always",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn seventy_percent_of_the_limit() {
        let opening = |a_round: u64| {
            let mut run = SampleRun::compare(4);
            run.ask_each([None, Some(10_000.0)], |of, limit| of.port_limit = limit);
            run.each_seen("b", |_, seen| {
                // One slice of a second: a turn.
                seen.slices.truncate(1);
                seen.slices[0].took_ns = 1_000_000_000;
                seen.connections.opened = a_round;
            });
            run
        };
        assert_eq!(weights(&opening(7000), RULE.name), []);
        assert_eq!(weights(&opening(7001), RULE.name), [Weight::Caution]);
        assert!(RULE.threshold.contains(&units::show_percent(MOST)));
    }

    #[test]
    fn rests_give_ports_time_to_come_back() {
        let mut run = SampleRun::compare(4);
        run.ask_each([None, Some(10_000.0)], |of, limit| of.port_limit = limit);
        // Two slices of 250 ms, a second from the first start to the last end.
        run.each_seen("b", |_, seen| {
            seen.slices.truncate(2);
            seen.slices[1].starts_ns = seen.slices[0].starts_ns + 750_000_000;
            seen.slices.iter_mut().for_each(|slice| slice.took_ns = 250_000_000);
            seen.connections.opened = 6500;
        });
        assert_eq!(weights(&run, RULE.name), []);
    }

    #[test]
    fn only_what_is_not_set_is_proposed() {
        let hint = |reuse: Reuse, rate: Option<f64>| {
            let mut run = SampleRun::compare(4);
            run.ask_each([None, Some(100.0)], |of, limit| of.port_limit = limit);
            run.each_seen("b", |_, seen| seen.connections.opened = 10_000);
            run.each(|record| record.lane_order.reuse = reuse);
            if let Some(rate) = rate {
                run = run.with_arrivals(record::Arrivals::Constant(rate));
            }
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(Reuse::Never, Some(800.0)), RULE.hint);
        assert_eq!(hint(Reuse::Never, None), "use reuse=N, or reuse=always");
        assert_eq!(hint(Reuse::Times(2), None), "use a larger reuse=N, or reuse=always");
        assert_eq!(hint(Reuse::Times(2), Some(800.0)), "use a larger reuse=N, or lower --rate");
    }
}
