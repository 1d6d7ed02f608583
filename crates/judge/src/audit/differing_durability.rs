//! Stores of which one waits for the disk at every write, and the other does not.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "differing_durability",
    short: "only one waits for the disk at each write",
    hint: "give both the same settings",
    weight: Weight::Caution,
    threshold: "Asks each store whose workload writes whether it waits for the disk before it \
                acknowledges a write, as its settings say: PostgreSQL fsync, synchronous_commit and \
                unlogged tables; MySQL and MariaDB innodb_flush_log_at_trx_commit and the table's \
                engine; Redis appendonly with appendfsync always; files fsync; memcached never. Of \
                a pair one does and the other does not: a caution. A store that does not say is \
                left out.",
    why: "To wait for the disk takes milliseconds on most machines, and what was acknowledged \
          survives a crash. A store that does not wait is faster for promising less, and not for \
          doing the same work better.",
    remedy: "Give both the same settings, or say in what is told of the result that one may lose \
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
        let told = format!("{waits} waits for the disk at every write, and {other} does not");
        Some(RULE.about(evidence.name(pair.b), Weight::Caution, told))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};
    use crate::evidence::store::tests::said;
    use record::StoreMoment::RoundsEnd;
    use record::StoreSaid;

    fn run(a: Option<bool>, b: Option<bool>) -> Run {
        let mut run = Run::compare(4);
        for (contender, durable) in [(0, a), (1, b)] {
            run.said.push(StoreSaid { durable, ..said(contender, RoundsEnd, (1, 1, 0)) });
        }
        run
    }

    #[test]
    fn one_that_waits_and_one_that_does_not_are_told_apart() {
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
