//! Generator and target on one core.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "shared_core",
    weight: Weight::Caution,
    threshold: "Whether the generator may run on a core that a target may run on as well, as far \
                as is known: a caution.",
    why: "Then the two take turns: every cost of the generator's is also one of the target's, \
          differences shrink, and latencies hold the wait for the core.",
    remedy: "Pin them apart: --cores for the generator, taskset or a cgroup for the target; or run \
             them on two machines.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    if !evidence.question.shares_core {
        return Vec::new();
    }
    let seen = "the generator and what it measures may run on the same core".to_owned();
    vec![RULE.about_the_run(Weight::Caution, seen)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};

    #[test]
    fn the_plan_knows() {
        let mut run = Run::compare(4);
        assert_eq!(weights(&run, RULE.name), []);
        run.question.shares_core = true;
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
    }
}
