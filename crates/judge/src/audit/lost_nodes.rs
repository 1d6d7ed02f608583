//! Launched targets of several nodes of which some ended while they were driven.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "lost_nodes",
    short: "a node ended in the run",
    hint: "see its log",
    weight: Weight::Void,
    threshold: "Looks whether all nodes of a launched target still ran when it had been driven. If \
                some had ended and all contenders drove that same target: a caution. If others \
                drove a target that kept its nodes: void.",
    why: "A cluster that lost a node does less work for a write, or refuses it: it is another \
          target than the one that the run began with. Against one that kept its nodes it may look \
          faster for it.",
    remedy: "The last lines of the node's log say why it ended. To see what the end of a node does, \
             let all contenders drive the same target.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let mut all = evidence.each().map(|(_, driven)| &driven.target.lost_nodes);
    let first = all.next();
    let weight = match all.all(|lost| Some(lost) == first) {
        true => Weight::Caution,
        false => Weight::Void,
    };
    let with_lost = evidence.each().filter(|(_, driven)| !driven.target.lost_nodes.is_empty());
    let found = with_lost.map(|(name, driven)| {
        let lost = lists::listed(&driven.target.lost_nodes);
        RULE.about(name, weight, format!("of the nodes that were launched {lost}"))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Run;
    use record::TargetDone;

    fn found(lost: &[u32]) -> Vec<(Weight, Option<String>, String)> {
        let run = Run::compare(8);
        let mut judge = run.judge();
        for contender in 0..2 {
            let ended = lost.contains(&contender).then(|| "`node3` was killed".to_owned());
            judge.target_done(&TargetDone {
                contender,
                launch: 1,
                peak_memory_bytes: None,
                memory_source: String::new(),
                log_troubles: Vec::new(),
                lost_nodes: ended.into_iter().collect(),
            });
        }
        let of = |finding: &&Finding| finding.rule == RULE.name;
        let verdict = judge.verdict();
        let told = |of: &Finding| (of.weight, of.contender.clone(), of.evidence.clone());
        verdict.findings().iter().filter(of).map(told).collect()
    }

    #[test]
    fn a_target_that_lost_a_node_is_not_compared_with_one_that_did_not() {
        assert_eq!(found(&[]), []);
        let evidence = "of the nodes that were launched `node3` was killed".to_owned();
        let of = |name: &str, weight| (weight, Some(name.to_owned()), evidence.clone());
        assert_eq!(found(&[1]), [of("b", Weight::Void)]);
        assert_eq!(found(&[0, 1]), [of("a", Weight::Caution), of("b", Weight::Caution)]);
    }
}
