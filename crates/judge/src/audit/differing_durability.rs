//! Two stores of which only one waits for the disk at every write.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "differing_durability",
    short: "only one waits for the disk at each write",
    hint: "give both the same settings",
    weight: Weight::Caution,
    threshold: "Asks each store whose workload writes whether its settings, and the kind of its \
                table, make it wait for the disk before it acknowledges a write. If one \
                store of a pair waits and the other does not, that is a caution. A store that does \
                not report its settings is not compared.",
    why: "Waiting for the disk takes milliseconds on most machines, and data that was acknowledged \
          survives a crash. A store that does not wait is faster because it promises less, not \
          because it does the same work better.",
    remedy: "Give both the same settings, or state with the result that one of them may lose \
             writes that it acknowledged.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let durable = |number: u32| evidence.contenders.get(number as usize)?.stored.durable();
    let found = evidence.question.pairs.iter().filter_map(|pair| {
        let (a, b) = durable(pair.a).zip(durable(pair.b))?;
        let (waits, other) = match (a, b) {
            (true, false) => (pair.a, pair.b),
            (false, true) => (pair.b, pair.a),
            _ => return None,
        };
        let (waits, other) = (evidence.name(waits), evidence.name(other));
        let evidence_text =
            format!("{waits} waits for the disk at every write, and {other} does not");
        Some(RULE.about(evidence.name(pair.b), Weight::Caution, evidence_text))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use crate::evidence::store::tests::report;
    use record::StoreMoment::RoundsEnd;
    use record::StoreReport;

    fn run(a: Option<bool>, b: Option<bool>) -> SampleRun {
        let mut run = SampleRun::compare(4);
        for (contender, durable) in [(0, a), (1, b)] {
            run.store_reports
                .push(StoreReport { durable, ..report(contender, RoundsEnd, (1, 1, 0)) });
        }
        run
    }

    #[test]
    fn a_pair_of_which_one_waits_is_found() {
        for (a, b, wanted) in [
            (Some(true), Some(true), None),
            (Some(false), Some(false), None),
            (Some(true), None, None),
            (None, Some(false), None),
            (Some(true), Some(false), Some("a waits for the disk at every write, and b does not")),
            (Some(false), Some(true), Some("b waits for the disk at every write, and a does not")),
        ] {
            let found = run(a, b).findings(RULE.name);
            assert_eq!(found.first().map(|found| found.evidence.as_str()), wanted, "{a:?} {b:?}");
        }
        assert_eq!(weights(&run(Some(true), Some(false)), RULE.name), [Weight::Caution]);
    }
}
