//! Other programs on the machine.

use super::{Evidence, Rule};
use crate::{
    evidence::DriveSummary,
    verdict::{Finding, Weight},
};
use record::Metric;
use text::units;

/// A larger share of its time that the generator waited for a core is a caution.
const MOST_WAITED: f64 = 0.02;
/// A larger share of stolen time is a caution.
const MOST_STOLEN: f64 = 0.01;

pub(super) const RULE: Rule = Rule {
    name: "host_interference",
    short: "other programs used this machine's cores",
    hint: "use a quieter machine",
    weight: Weight::Caution,
    threshold: "While a contender was driven: how long the generator's threads were ready to run \
                but had no core, and how much time the hypervisor stole. More than 2 % waiting, or \
                more than 1 % stolen, is a caution.",
    why: "Other programs or virtual machines used the cores. Steady interference costs both \
          contenders the same and does little harm in slices; interference that comes and goes \
          triples the scatter of the ratio, and its pauses show up as latency.",
    remedy: "Stop other programs on the machine, pin them to other cores, or use a machine that is \
             not shared. More rounds help against steady interference.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.each().filter_map(|(name, driven)| finding(name, driven)).collect()
}

fn finding(name: &str, driven: &DriveSummary) -> Option<Finding> {
    let share = |ns: u64| (driven.took_ns > 0).then(|| ns as f64 / driven.took_ns as f64);
    let (waited, stolen) = (share(driven.waited_ns)?, share(driven.steal_ns)?);
    if waited <= MOST_WAITED && stolen <= MOST_STOLEN {
        return None;
    }
    let seen = format!(
        "the generator waited for a core for {} of the time, and {} was stolen by the hypervisor",
        units::show_percent(waited),
        units::show_percent(stolen)
    );
    let figure = units::show_percent(waited.max(stolen));
    let found = RULE.about(name, Weight::Caution, seen).with_figure(figure);
    Some(found.shifting(Metric::Throughput, (waited + stolen).ln_1p()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    fn run(waited: f64, stolen: f64) -> SampleRun {
        let mut run = SampleRun::compare(4);
        run.each_seen("a", |_, seen| {
            for slice in &mut seen.slices {
                slice.waited_ns = (slice.took_ns as f64 * waited) as u64;
                slice.steal_ns = (slice.took_ns as f64 * stolen) as u64;
            }
        });
        run
    }

    #[test]
    fn two_percent_waited_or_one_percent_stolen() {
        assert_eq!(weights(&run(0.0199, 0.0099), RULE.name), []);
        assert_eq!(weights(&run(0.0201, 0.0), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&run(0.0, 0.0101), RULE.name), [Weight::Caution]);
        for limit in [MOST_WAITED, MOST_STOLEN] {
            assert!(RULE.threshold.contains(&units::show_percent(limit)));
        }
    }
}
