//! Connections that the target closes after a reply.

use super::{Evidence, Rule};
use crate::evidence::{DriveSummary, Part};
use crate::verdict::{Finding, Weight};
use record::Reuse;
use text::units;

/// A larger share of operations whose connection the target closed is reported, and a larger difference
/// between contenders with the same settings is a caution.
const MOST: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    name: "closed_connections",
    short: "the target closes connections",
    hint: "let it keep them open (keep-alive)",
    weight: Weight::Caution,
    threshold: "Divides the connections that the target closed after a reply, or while they were \
                idle, by the operations of the judged rounds. More than 0.1: a note. A caution if \
                that is also 0.1 more than for another contender whose connections are reused as \
                often. Connections that tiebreak renews itself are not counted.",
    why: "A new connection costs the target and the generator more than a small reply does, over TLS \
          many times as much. A server that closes its connections is then compared with one that \
          keeps them, and not two servers that do the same.",
    remedy: "Configure the target to keep connections open (keep-alive, and no limit of requests for \
             each connection), or measure both with fresh connections (--reuse never).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let parts = evidence.parts();
    let closes = parts.iter().filter(|part| share(part.driven) > MOST);
    closes.map(|part| finding(part, &parts)).collect()
}

fn finding(part: &Part<'_>, all: &[Part<'_>]) -> Finding {
    let driven = part.driven;
    let is_reused_alike =
        |other: &&Part<'_>| other.group == part.group && reuse(other.driven) == reuse(driven);
    let keeps_more = |other: &Part<'_>| share(driven) - share(other.driven) > MOST;
    let differs = all.iter().filter(is_reused_alike).any(keeps_more);
    let weight = if differs { Weight::Caution } else { Weight::Note };
    let per_operation = units::show_percent(share(driven));
    let (closed, operations) =
        (driven.judged.connections.lost_after_replies(), driven.judged.operations);
    let mut seen = format!(
        "the target closed {} in {} ({per_operation}), and others were opened in their place",
        units::show_counted(closed, "connection"),
        units::show_counted(operations, "operation")
    );
    if let Some(connecting) = connecting(driven) {
        let connecting = units::show_percent(connecting);
        seen += &format!(", which took about {connecting} of the connections' time");
    }
    RULE.about_part(part, weight, seen).with_figure(per_operation)
}

/// Connections that the target closed ÷ operations.
fn share(driven: &DriveSummary) -> f64 {
    let judged = &driven.judged;
    judged.connections.lost_after_replies() as f64 / judged.operations.max(1) as f64
}

fn reuse(driven: &DriveSummary) -> Option<Reuse> {
    driven.lane_orders.first().map(|order| order.reuse)
}

/// The share of their time for which connections were opened in place of those that were closed. None if it
/// is not known.
fn connecting(driven: &DriveSummary) -> Option<f64> {
    let judged = &driven.judged;
    let times = [&judged.connect_time, &judged.tls_time, &judged.phases.upgrade];
    let each_ns = times.iter().filter_map(|times| times.quantile(0.5)).sum::<u64>() as f64;
    let closed = judged.connections.lost_after_replies() as f64;
    let all_ns = driven.took_ns as f64 * driven.connections.established as f64;
    (all_ns > 0.0 && each_ns > 0.0).then(|| (each_ns * closed / all_ns).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// Of 1000 operations in each of 4 rounds, this many end a connection of b.
    fn closing(closed: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |_, seen| seen.connections.closed_by_target = closed);
        run
    }

    #[test]
    fn a_contender_that_closes_more_often_is_named() {
        assert_eq!(weights(&closing(100), RULE.name), []);
        assert_eq!(weights(&closing(101), RULE.name), [Weight::Caution]);
        let found = closing(1000).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        let seen = &found[0].evidence;
        assert!(
            seen.starts_with("the target closed 4000 connections in 4000 operations (100 %)"),
            "{seen}"
        );
    }

    #[test]
    fn those_that_are_closed_while_idle_count_too() {
        let mut run = closing(60);
        run.each_seen("b", |_, seen| seen.connections.reopened_at_rest = 60);
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn where_all_do_so_or_are_asked_to_it_is_a_note() {
        let mut both = closing(1000);
        both.each_seen("a", |_, seen| seen.connections.closed_by_target = 950);
        assert_eq!(weights(&both, RULE.name), [Weight::Note; 2]);
        let mut asked = closing(1000);
        asked.each_record("a", |record| record.lane_order.reuse = Reuse::Times(100));
        assert_eq!(weights(&asked, RULE.name), [Weight::Note]);
        let mut single = SampleRun::single().with_operations(1000);
        single.each_seen("a", |_, seen| seen.connections.closed_by_target = 500);
        assert_eq!(weights(&single, RULE.name), [Weight::Note]);
    }

    #[test]
    fn the_time_for_connecting_is_told() {
        let mut run = closing(500);
        run.each_seen("b", |_, seen| {
            let took_ns: u64 = seen.slices.iter().map(|slice| slice.took_ns).sum();
            seen.connections.established = 10;
            // A thousandth of the round for each of 500 connections: of ten connections, 5 %.
            seen.connect_time.record(took_ns / 1000);
        });
        let seen = &run.findings(RULE.name)[0].evidence;
        assert!(
            seen.ends_with("in their place, which took about 5 % of the connections' time"),
            "{seen}"
        );
    }
}
