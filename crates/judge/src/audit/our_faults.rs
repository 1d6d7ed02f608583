//! Operations that failed because of the generator.

use super::{Evidence, Rule};
use crate::{
    evidence::DriveSummary,
    verdict::{Finding, Weight},
};
use record::{Failure, FaultOwner};
use std::collections::BTreeMap;
use text::{lists, units};

pub(super) const RULE: Rule = Rule {
    name: "our_faults",
    short: "operations failed in the generator",
    hint: "use fewer connections",
    weight: Weight::Void,
    threshold: "Counts the operations of all rounds that failed because the generator ran out of \
                local ports, descriptors or buffer memory. A single one voids the run.",
    why: "Such an operation never tested the target, and those around it were measured by a \
          generator at its limit. No operations are removed from a record to save it.",
    remedy: "no_port: use persistent connections or a lower rate of fresh ones, or widen \
             net.ipv4.ip_local_port_range. no_descriptor: raise the limit (ulimit -n) or use fewer \
             --connections. no_memory: use fewer --connections.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.each().filter_map(|(name, driven)| finding(name, driven)).collect()
}

fn finding(name: &str, driven: &DriveSummary) -> Option<Finding> {
    let ours = driven.outcomes.count(FaultOwner::Generator);
    if ours == 0 {
        return None;
    }
    let classes = driven.outcomes.classes(FaultOwner::Generator, &BTreeMap::new());
    let classes: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
    let evidence = format!(
        "{} failed because of the generator: {}",
        units::show_counted(ours, "operation"),
        lists::listed(&classes)
    );
    let found = RULE.about(name, Weight::Void, evidence).with_figure(lists::listed(&classes));
    let failed = &driven.outcomes.failed;
    let most = failed.iter().filter(|(failure, _)| failure.fault_owner() == FaultOwner::Generator);
    Some(found.with_hint(match most.max_by_key(|(_, n)| **n) {
        Some((Failure::NoPort, _)) => "reuse connections (reuse=N)",
        Some((Failure::NoDescriptor, _)) => "raise ulimit -n, or use fewer connections",
        _ => RULE.hint,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::Failure;

    fn with(failure: Failure, n: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(10_000);
        run.each_seen("a", |round, seen| {
            if round == 2 && n > 0 {
                seen.outcomes.ok -= n;
                seen.outcomes.failed.insert(failure, n);
            }
        });
        run
    }

    #[test]
    fn one_fault_of_the_generator_voids() {
        assert_eq!(weights(&with(Failure::NoPort, 0), RULE.name), []);
        for failure in [Failure::NoPort, Failure::NoDescriptor, Failure::NoMemory] {
            assert_eq!(weights(&with(failure, 1), RULE.name), [Weight::Void], "{failure:?}");
            assert_eq!(weights(&with(failure, 1), "non_success"), []);
        }
        assert_eq!(weights(&with(Failure::Reset, 1), RULE.name), []);
        assert_eq!(weights(&with(Failure::Unreachable, 1), RULE.name), []);
    }

    #[test]
    fn the_hint_is_about_what_ran_out() {
        let hint = |failure| with(failure, 1).findings(RULE.name)[0].hint.clone();
        assert_eq!(hint(Failure::NoPort), "reuse connections (reuse=N)");
        assert_eq!(hint(Failure::NoDescriptor), "raise ulimit -n, or use fewer connections");
        assert_eq!(hint(Failure::NoMemory), RULE.hint);
    }
}
