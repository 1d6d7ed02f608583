//! Contenders that were driven under different settings.

use super::{Evidence, Rule};
use crate::evidence::DriveSummary;
use crate::verdict::{Finding, Weight};
use record::LaneOrder;
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "different_settings",
    short: "driven with different settings",
    hint: "let only what you compare differ",
    weight: Weight::Caution,
    threshold: "Compares the settings of a contender with those of the first one (of the same load point): \
                connections, connection policy, arrivals, timeout, number of operations, and the same for each \
                group. A setting that differs is a note. A setting of one contender that changes \
                from round to round is a caution. Arrivals are not compared where capacities are sought: the \
                rates are what is found.",
    why: "A setting that differs is either the factor under test or an accident; the figures \
          cannot show which. If two settings differ at once, their effects cannot be separated.",
    remedy: "If the difference was not intended, give all contenders the same settings \
             (--connections, --rate, --timeout; --set changes one contender alone). If it was, let \
             it be the only difference.",
    check,
};

const ARRIVALS: &str = "arrivals";

fn check(evidence: &Evidence) -> Vec<Finding> {
    let changed =
        evidence.each().filter(|(_, driven)| changed(&driven.lane_orders)).map(|(name, _)| {
            let seen = "not every round was driven with the same settings".to_owned();
            let hint = "run again with the same settings in every round";
            RULE.about(name, Weight::Caution, seen)
                .with_short("settings changed between rounds", hint)
        });
    let seeks_capacity = evidence.question.seeks_capacity();
    let each: Vec<(&str, &DriveSummary)> = evidence.each().collect();
    // Load points differ on purpose.
    let others = each.chunks(evidence.question.width().max(1)).flat_map(|point| {
        // One that left a ranking has no settings.
        let mut driven =
            point.iter().filter_map(|(name, it)| Some((name, it.lane_orders.first()?)));
        let first = driven.next();
        driven.filter_map(move |(name, order)| {
            let (first_name, first) = first?;
            let mut settings = differing(first, order);
            settings.retain(|setting| setting != ARRIVALS || !seeks_capacity);
            let seen = format!(
                "driven with other settings than {first_name}: {}",
                lists::listed(&settings)
            );
            (!settings.is_empty()).then(|| RULE.about(name, Weight::Note, seen))
        })
    });
    changed.chain(others).collect()
}

fn changed(lane_orders: &[LaneOrder]) -> bool {
    lane_orders.windows(2).any(|two| !differing(&two[0], &two[1]).is_empty())
}

/// Returns the names of the settings that differ. Addresses are not compared, because a launch may
/// get another port than the one before; nor is the burn-in, because it follows from the latency.
fn differing(a: &LaneOrder, b: &LaneOrder) -> Vec<String> {
    let settings = [
        ("connections", a.intensity.connections != b.intensity.connections),
        ("connection policy", a.reuse != b.reuse),
        (ARRIVALS, a.intensity.arrivals != b.intensity.arrivals),
        ("timeout", a.timeout_ns != b.timeout_ns),
        ("number of operations", a.operations != b.operations),
        ("groups", a.groups != b.groups),
    ];
    settings.iter().filter(|setting| setting.1).map(|setting| setting.0.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::{Arrivals, Reuse};

    fn with(change: impl Fn(&mut LaneOrder)) -> SampleRun {
        let mut run = SampleRun::compare(4);
        run.each_record("b", |record| change(&mut record.lane_order));
        run
    }

    #[test]
    fn each_setting_is_named() {
        type Change = fn(&mut LaneOrder);
        let table: [(Change, &str); 5] = [
            (|lane_order| lane_order.intensity.connections = 8, "connections"),
            (|lane_order| lane_order.reuse = Reuse::Never, "connection policy"),
            (|lane_order| lane_order.intensity.arrivals = Arrivals::Constant(10.0), "arrivals"),
            (|lane_order| lane_order.timeout_ns = 1, "timeout"),
            (|lane_order| lane_order.operations = Some(7), "number of operations"),
        ];
        for (change, setting) in table {
            let found = with(change).findings(RULE.name);
            assert_eq!(found.len(), 1, "{setting}");
            assert_eq!(found[0].weight, Weight::Note);
            assert_eq!(found[0].evidence, format!("driven with other settings than a: {setting}"));
        }
        assert_eq!(weights(&with(|lane_order| lane_order.burn_in_ns = 5), RULE.name), []);
    }

    #[test]
    fn one_contender_that_changes_is_a_caution() {
        let mut run = SampleRun::compare(4);
        run.each_record("a", |record| {
            if record.round == 3 {
                record.lane_order.intensity.connections = 8;
            }
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn a_launch_may_have_another_port() {
        let mut run = SampleRun::compare(4);
        run.each_record("a", |record| {
            let port = 8000 + record.round as u16;
            record.lane_order.address = record::Address::Tcp(([127, 0, 0, 1], port).into());
        });
        assert_eq!(weights(&run, RULE.name), []);
    }
}
