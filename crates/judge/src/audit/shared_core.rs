//! Generator and target on the same core.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use text::lists;

/// The hint where there is one core.
const TWO_MACHINES: &str = "run the target on another machine";

pub(super) const RULE: Rule = Rule {
    name: "shared_core",
    short: "generator and target may share a core",
    hint: "use different cores (--cores, taskset)",
    weight: Weight::Caution,
    threshold: "Compares the cores that the generator's threads are pinned to with those that a \
                target's processes and threads may use, as far as they are known. It is a caution \
                if a target has no other cores, or if its cores are unknown and the generator uses \
                all of the machine. It is a note if a target may use some of the generator's cores \
                and others as well.",
    why: "On a shared core the two take turns: every cost of the generator is also a cost of the \
          target, differences shrink, and latencies include the wait for the core.",
    remedy: "Pin them to different cores: --cores for the generator, taskset or a cgroup for the \
             target; or run them on two machines.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    let known: Vec<Finding> =
        each.filter_map(|(contender, (name, _))| about(evidence, contender, name)).collect();
    let cautioned = known.iter().any(|finding| finding.weight == Weight::Caution);
    let found = if evidence.question.shares_core && !cautioned {
        let seen = "the generator and the target may run on the same core".to_owned();
        vec![RULE.about_the_run(Weight::Caution, seen)]
    } else {
        known
    };
    let one_core = evidence.question.allowed_cores.len() == 1;
    let fitted = |found: Finding| if one_core { found.with_hint(TWO_MACHINES) } else { found };
    found.into_iter().map(fitted).collect()
}

/// Checks a target whose cores are known.
fn about(evidence: &Evidence, contender: usize, name: &str) -> Option<Finding> {
    let (own, target) = (&evidence.question.generator_cores, evidence.cores_of(contender));
    let (both, apart): (Vec<u32>, Vec<u32>) = target.iter().partition(|core| own.contains(core));
    if both.is_empty() {
        return None;
    }
    let numbers = |cores: &[u32]| {
        let each: Vec<String> = cores.iter().map(u32::to_string).collect();
        format!("core{} {}", if cores.len() > 1 { "s" } else { "" }, lists::listed(&each))
    };
    let ours = format!("the generator is pinned to {}", numbers(own));
    Some(if apart.is_empty() {
        let seen = format!("{ours}, and the target may use only {}", numbers(&both));
        RULE.about(name, Weight::Caution, seen)
    } else {
        let seen = format!("{ours}, and the target may use {} as well", numbers(target));
        RULE.about(name, Weight::Note, seen)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn cores_that_the_plan_knows() {
        let mut run = SampleRun::compare(4);
        assert_eq!(weights(&run, RULE.name), []);
        run.question.shares_core = true;
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn known_cores_of_a_target_decide() {
        let found = |target: &[u32]| {
            let mut run = SampleRun::compare(4);
            run.question.generator_cores = vec![1];
            run.ask_each([vec![0], target.to_vec()], |of, cores| of.target_cores = cores);
            run.findings(RULE.name)
        };
        assert_eq!(found(&[0]), []);
        assert_eq!(found(&[]), []);
        let unpinned = found(&[0, 1]);
        assert_eq!((unpinned.len(), unpinned[0].weight), (1, Weight::Note));
        assert_eq!(unpinned[0].contender.as_deref(), Some("b"));
        assert_eq!(
            unpinned[0].evidence,
            "the generator is pinned to core 1, and the target may use cores 0 and 1 as well"
        );
        assert_eq!(found(&[1])[0].weight, Weight::Caution);
    }

    #[test]
    fn other_cores_are_proposed_where_there_are_some() {
        let hint = |allowed: &[u32]| {
            let mut run = SampleRun::compare(4);
            (run.question.shares_core, run.question.allowed_cores) = (true, allowed.to_vec());
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!([hint(&[0, 1]).as_str(), &hint(&[0])], [RULE.hint, TWO_MACHINES]);
    }
}
