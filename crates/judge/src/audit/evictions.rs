//! Items that a store evicted because it ran out of memory.

use super::{Evidence, Rule};
use crate::verdict::{Evicted, Finding, Weight};
use text::{lists, units};

pub(super) const RULE: Rule = Rule {
    name: "evictions",
    short: "the store evicted items",
    hint: "give it more memory, or less data (--keys)",
    weight: Weight::Caution,
    threshold: "Counts the items that a store reports as evicted for lack of memory during the \
                load, until the first round, and during the rounds. Any eviction is a \
                caution. Stores that do not report evictions cannot be checked.",
    why: "A store that evicts data works with less data than the others, and eviction is work that \
          a store with enough memory does not do. The rule `misses` judges how many reads found \
          nothing because of it.",
    remedy: "Give the store more memory or the workload less data (--keys, --value).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    let found = each.filter_map(|(number, (name, driven))| {
        let evicted_text = evicted_text(driven.stored.evicted())?;
        let shared = match evidence.names(&evidence.same_server(number)).as_slice() {
            [] => String::new(),
            others => format!(", including those of {} on the same server", lists::listed(others)),
        };
        let evidence_text = format!("it evicted {evicted_text}{shared}");
        let found = RULE.about(name, Weight::Caution, evidence_text).with_figure(evicted_text);
        Some(Finding { remedy: more_memory(evidence, number, found.remedy), ..found })
    });
    found.collect()
}

/// Names the setting for memory of a contender's store in a remedy that asks for more, if it is known.
pub(super) fn more_memory(evidence: &Evidence, contender: usize, remedy: String) -> String {
    match evidence.contender_question(contender) {
        Some(of) if !of.memory_setting.is_empty() => {
            let setting = format!("more memory ({} {})", of.protocol, of.memory_setting);
            remedy.replace("more memory", &setting)
        }
        _ => remedy,
    }
}

/// Returns text such as `12 items during the load and 3 items in the rounds`.
fn evicted_text(evicted: Evicted) -> Option<String> {
    let parts = [
        (evicted.load, "during the load"),
        (evicted.before, "between the load and the first round"),
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
    use crate::builder::{SampleRun, weights};
    use crate::evidence::store::tests::report;
    use record::StoreMoment::{LoadBegins, LoadEnds, RoundsBegin, RoundsEnd};

    /// Contender b had evicted this many items at each of four moments.
    fn with_evictions(evictions: [u64; 4]) -> SampleRun {
        let mut run = SampleRun::compare(4);
        let moments = [LoadBegins, LoadEnds, RoundsBegin, RoundsEnd];
        for (when, evictions) in moments.into_iter().zip(evictions) {
            run.store_reports.push(report(0, when, (10, 10, 0)));
            run.store_reports.push(report(1, when, (10, 10, evictions)));
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
            "it evicted 12 items during the load and 1 item in the rounds"
        );
    }

    #[test]
    fn the_remedy_names_the_setting_of_the_store() {
        let mut run = with_evictions([7, 8, 8, 8]);
        assert_eq!(run.findings(RULE.name)[0].remedy, RULE.remedy);
        run.ask_each(["--limit", "--limit"], |of, setting| {
            "Store".clone_into(&mut of.protocol);
            setting.clone_into(&mut of.memory_setting);
        });
        let remedy = &run.findings(RULE.name)[0].remedy;
        assert!(remedy.starts_with("Give the store more memory (Store --limit) or "), "{remedy}");
    }

    #[test]
    fn evictions_of_a_shared_server_name_all_its_contenders() {
        let mut run = with_evictions([0, 0, 2, 2]);
        run.store_reports.iter_mut().for_each(|report| report.server = Some(0));
        let found = run.findings(RULE.name);
        assert_eq!(
            found[0].evidence,
            "it evicted 2 items between the load and the first round, including those of a on the \
             same server"
        );
    }

    #[test]
    fn missing_counts_give_no_finding() {
        let mut run = with_evictions([0, 5, 5, 9]);
        run.store_reports.iter_mut().for_each(|report| report.evictions = None);
        assert_eq!(weights(&run, RULE.name), []);
    }
}
