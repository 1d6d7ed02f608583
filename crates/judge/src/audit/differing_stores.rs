//! Stores that hold different amounts of data at the end.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

/// The largest accepted difference in the growth of items, as a share of the loaded items. It
/// equals the share of misses that the rule on misses accepts.
const ITEMS: f64 = 0.01;

/// The largest accepted difference in the growth of bytes, as a share of the loaded bytes. It is larger because stores count bytes in slabs and buffers, and because
/// the length of a value is drawn again when the value is written again.
const BYTES: f64 = 0.05;

/// Hint and remedy where both are driven at a rate already.
const WITH_RATES: (&str, &str) = (
    "write no new keys, or check what it drops",
    "Use a workload that writes no new keys, and check whether a store expires or evicts items.",
);

pub(super) const RULE: Rule = Rule {
    name: "differing_stores",
    short: "the stores grew differently",
    hint: "use one --rate, or write no new keys",
    weight: Weight::Caution,
    threshold: "Compares by how much the stores of a pair grew or shrank from the load to the end \
                of the rounds, as multiples of what each held when it was loaded, in items and in \
                bytes, as the stores themselves count them. Items that differ by more than 1 % of \
                the loaded ones, or bytes by more than 5 %, are a caution. Stores that do not \
                count, and contenders that share a server, are not compared.",
    why: "A faster contender does more operations and so writes more: at the end its store holds \
          more data to search and to keep in memory than the other's. A store that drops items \
          holds less. The later rounds then compare different work.",
    remedy: "Drive both at the same rate (--rate), or use a workload that writes no new keys. \
             Check whether a store expires or evicts items.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let pairs = evidence.question.pairs.iter();
    let found = pairs.filter_map(|pair| {
        let [a, b] = [pair.a, pair.b].map(|number| growth(evidence, number as usize));
        let (name_a, name_b) = (evidence.name(pair.a), evidence.name(pair.b));
        let differ = |what: &str, a: Option<f64>, b: Option<f64>, most: f64| {
            let (a, b) = a.zip(b)?;
            // The margin keeps a difference that equals the limit from counting because of
            // rounding.
            ((a - b).abs() > most + 1e-9).then(|| {
                format!(
                    "its store ended with {b:.3} times the {what} it was loaded with, the store of \
                     {name_a} with {a:.3} times"
                )
            })
        };
        let items = differ("items", a?.items, b?.items, ITEMS);
        let evidence_text = items.or_else(|| differ("bytes", a?.bytes, b?.bytes, BYTES))?;
        let found = RULE.about(name_b, Weight::Caution, evidence_text);
        let has_rate = |number: u32| {
            evidence.contenders.get(number as usize).is_some_and(|driven| driven.rate().is_some())
        };
        let both_have_rates = has_rate(pair.a) && has_rate(pair.b);
        Some(if both_have_rates { found.with_remedy(WITH_RATES.0, WITH_RATES.1) } else { found })
    });
    found.collect()
}

/// Returns None if the contender shares its server, because its part of the data is unknown.
fn growth(evidence: &Evidence, contender: usize) -> Option<crate::evidence::store::Growth> {
    let alone = evidence.same_server(contender).is_empty();
    alone.then(|| evidence.contenders.get(contender).map(|driven| driven.stored.growth()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use crate::evidence::store::tests::report;
    use record::StoreMoment::{LoadEnds, RoundsEnd};

    /// Both were loaded with 1000 items of 10 bytes; `a` and `b` were added to each by the end.
    fn ended(a: (u64, u64), b: (u64, u64)) -> SampleRun {
        let mut run = SampleRun::compare(4);
        for (contender, (items, bytes)) in [(0, a), (1, b)] {
            run.store_reports.push(report(contender, LoadEnds, (1000, 10_000, 0)));
            run.store_reports.push(report(contender, RoundsEnd, (1000 + items, 10_000 + bytes, 0)));
        }
        run
    }

    #[test]
    fn one_item_in_a_hundred_is_the_limit() {
        assert_eq!(weights(&ended((0, 0), (10, 100)), RULE.name), []);
        let run = ended((0, 0), (11, 110));
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert_eq!(weights(&ended((11, 110), (0, 0)), RULE.name), [Weight::Caution]);
        let found = run.findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "its store ended with 1.011 times the items it was loaded with, the store of a \
             with 1.000 times"
        );
    }

    #[test]
    fn one_byte_in_twenty_is_the_limit() {
        assert_eq!(weights(&ended((0, 0), (0, 500)), RULE.name), []);
        let found = ended((0, 0), (0, 510)).findings(RULE.name);
        assert!(found[0].evidence.contains("1.051 times the bytes"), "{}", found[0].evidence);
    }

    #[test]
    fn shared_servers_and_missing_counts_are_left_out() {
        let mut run = ended((0, 0), (500, 5000));
        run.store_reports.iter_mut().for_each(|report| report.server = Some(0));
        assert_eq!(weights(&run, RULE.name), []);
        let mut run = ended((0, 0), (500, 5000));
        run.store_reports.pop();
        assert_eq!(weights(&run, RULE.name), []);
    }

    #[test]
    fn a_rate_that_there_is_is_not_proposed() {
        let mut run = ended((0, 0), (11, 110));
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        let constant = record::Arrivals::Constant(800.0);
        run.each_record("b", |record| record.lane_order.intensity.arrivals = constant);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint, "a has none");
        let found = run.with_arrivals(constant).findings(RULE.name);
        assert_eq!((found[0].hint.as_str(), found[0].remedy.as_str()), WITH_RATES);
    }
}
