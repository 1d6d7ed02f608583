//! Items that a store threw away for want of memory.

use super::{Evidence, Rule};
use crate::verdict::{Evicted, Finding, Weight};
use text::{lists, units};

pub(super) const RULE: Rule = Rule {
    name: "evictions",
    short: "the store evicted items",
    hint: "give it more memory, or less data (--keys)",
    weight: Weight::Caution,
    threshold: "Counts the items that a store says it threw away for want of memory (memcached: \
                evictions, Redis: evicted_keys) while it was loaded, up to the first round and in \
                the rounds. Any: a caution. What a store does not say is not known.",
    why: "A store that throws away what it was given works with less data than the others, and \
          throwing away is work that a store with enough memory does not do. How many of its reads \
          find nothing for it is for the rule `misses` to judge.",
    remedy: "Give the store more memory (memcached -m, Redis maxmemory) or the workload less data \
             (--keys, --value).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    let found = each.filter_map(|(number, (name, driven))| {
        let gone = gone(driven.stored.evicted())?;
        let others = evidence.same_server(number).into_iter();
        let others: Vec<String> =
            others.map(|other| evidence.name(other as u32).to_owned()).collect();
        let whose = match others.as_slice() {
            [] => String::new(),
            others => format!(", its own or of {}, which share its server", lists::listed(others)),
        };
        let told = format!("it threw away {gone}{whose}");
        Some(RULE.about(name, Weight::Caution, told).with_figure(gone))
    });
    found.collect()
}

/// `12 items while it was loaded and 3 items in the rounds`.
fn gone(evicted: Evicted) -> Option<String> {
    let parts = [
        (evicted.load, "while it was loaded"),
        (evicted.before, "between its load and the first round"),
        (evicted.rounds, "in the rounds"),
    ];
    let parts = parts.into_iter().filter_map(|(count, when)| {
        let count = count.filter(|count| *count > 0)?;
        Some(format!("{} {when}", units::show_counted(count, "item")))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| lists::listed(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};
    use crate::evidence::store::tests::said;
    use record::StoreMoment::{LoadBegins, LoadEnds, RoundsBegin, RoundsEnd};

    /// Contender b had thrown away so many items at each of four moments.
    fn with_evictions(evictions: [u64; 4]) -> Run {
        let mut run = Run::compare(4);
        let moments = [LoadBegins, LoadEnds, RoundsBegin, RoundsEnd];
        for (when, evictions) in moments.into_iter().zip(evictions) {
            run.said.push(said(0, when, (10, 10, 0)));
            run.said.push(said(1, when, (10, 10, evictions)));
        }
        run
    }

    #[test]
    fn one_item_is_a_caution() {
        assert_eq!(weights(&with_evictions([7, 7, 7, 7]), RULE.name), []);
        assert_eq!(weights(&with_evictions([7, 8, 8, 8]), RULE.name), [Weight::Caution]);
        let found = with_evictions([7, 19, 19, 20]).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "it threw away 12 items while it was loaded and 1 item in the rounds"
        );
    }

    #[test]
    fn whose_items_they_were_is_not_known_of_a_server_that_is_shared() {
        let mut run = with_evictions([0, 0, 2, 2]);
        run.said.iter_mut().for_each(|said| said.server = Some(0));
        let found = run.findings(RULE.name);
        assert_eq!(
            found[0].evidence,
            "it threw away 2 items between its load and the first round, its own or of a, which \
             share its server"
        );
    }

    #[test]
    fn what_is_not_said_is_no_finding() {
        let mut run = with_evictions([0, 5, 5, 9]);
        run.said.iter_mut().for_each(|said| said.evictions = None);
        assert_eq!(weights(&run, RULE.name), []);
    }
}
