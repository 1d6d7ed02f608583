//! Launched targets with several nodes, some of which ended during the run.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "lost_nodes",
    short: "a node ended during the run",
    hint: "see its log",
    weight: Weight::Void,
    threshold: "Checks whether all nodes of a launched target still ran after it was driven. If \
                some had ended, it is a caution if all contenders drove that same target, and void \
                if others drove a target that kept all its nodes.",
    why: "A cluster that lost a node does less work for a write, or refuses it: it is no longer \
          the target with which the run began. It may look faster than a cluster that kept its \
          nodes because of that.",
    remedy: "The last lines of the node's log say why it ended. To measure the effect of losing a \
             node, let all contenders drive the same target.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let mut all = evidence.each().map(|(_, driven)| &driven.target.lost_nodes);
    let first = all.next();
    let same = all.all(|lost| Some(lost) == first);
    let weight = if same { Weight::Caution } else { Weight::Void };
    let with_lost = evidence.each().filter(|(_, driven)| !driven.target.lost_nodes.is_empty());
    let found = with_lost.map(|(name, driven)| {
        let lost = lists::listed(&driven.target.lost_nodes);
        RULE.about(name, weight, format!("of the launched nodes, {lost}"))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;
    use record::TargetDone;

    fn found(lost: &[u32]) -> Vec<(Weight, Option<String>, String)> {
        let run = SampleRun::compare(8);
        let mut judge = run.judge();
        for contender in 0..2 {
            let ended = lost.contains(&contender).then(|| "`node3` was killed".to_owned());
            judge.target_done(&TargetDone {
                contender,
                launch: 1,
                lost_nodes: ended.into_iter().collect(),
                ..TargetDone::default()
            });
        }
        let of = |finding: &&Finding| finding.rule == RULE.name;
        let verdict = judge.verdict();
        let summary = |of: &Finding| (of.weight, of.contender.clone(), of.evidence.clone());
        verdict.findings().iter().filter(of).map(summary).collect()
    }

    #[test]
    fn a_target_that_lost_a_node_is_not_compared_with_one_that_did_not() {
        assert_eq!(found(&[]), []);
        let evidence = "of the launched nodes, `node3` was killed".to_owned();
        let of = |name: &str, weight| (weight, Some(name.to_owned()), evidence.clone());
        assert_eq!(found(&[1]), [of("b", Weight::Void)]);
        assert_eq!(found(&[0, 1]), [of("a", Weight::Caution), of("b", Weight::Caution)]);
    }
}
