//! Keys that a store should hold but does not.

use super::evictions::more_memory;
use super::{Evidence, Rule, statements};
use crate::evidence::Part;
use crate::verdict::{Finding, Weight};
use text::units;

/// A larger share of misses voids the run, and a larger difference of the shares is a caution where a
/// workload causes misses.
const MOST: f64 = 0.01;
/// A difference of fewer standard errors is chance.
const STANDARD_ERRORS: f64 = 4.0;

pub(super) const RULE: Rule = Rule {
    name: "misses",
    short: "keys were not found",
    hint: "give it more memory, or less data (--keys)",
    weight: Weight::Void,
    threshold: "Counts the operations of all rounds that read something that had been written into \
                the store and found nothing, and the statements that returned or changed fewer \
                rows than expected, by name. A workload that removes keys causes misses itself and \
                is not checked for their number. At least one miss: a caution. More than 1 in 100: void. \
                Where the workloads of both contenders of a pair cause misses, shares that are \
                more than 1 % of all operations and 4 standard errors apart are a caution.",
    why: "A store that loses data answers quickly and with little: a miss costs less than a value. \
          A store that evicts what does not fit wins by losing data.",
    remedy: "Give the store more memory or the workload less data \
             (--keys, --value), and check whether something expires or removes keys. For a \
             statement, check whether its rows exist and what it expects (rows, at_least).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let misses_asked = |number: usize| {
        evidence.contender_question(number).is_some_and(|question| question.misses_asked)
    };
    let each = evidence.parts().into_iter().filter(|part| !misses_asked(part.contender));
    let found: Vec<Finding> = each
        .filter_map(|part| {
            let driven = part.driven;
            let (miss, total) = (driven.outcomes.miss, driven.outcomes.total());
            let found = RULE.about_share(&part, (miss, total), MOST, |share| {
                let statements = statements::named(driven, |kind| kind.miss);
                format!("{miss} of {total} operations found nothing ({share}){statements}")
            })?;
            let remedy = more_memory(evidence, part.contender, found.remedy);
            Some(Finding { remedy, ..found }.with_hint(hint(evidence, &part)))
        })
        .collect();
    found.into_iter().chain(differences(evidence)).collect()
}

/// More memory helps a store only if it evicts items.
fn hint(evidence: &Evidence, part: &Part<'_>) -> &'static str {
    let evicted = evidence.contenders.get(part.contender).map(|driven| driven.stored.evicted());
    let evicted = evicted.map(|of| [of.load, of.before, of.rounds]);
    let known = evicted.is_some_and(|of| of.iter().any(Option::is_some));
    let none = evicted.is_some_and(|of| of.iter().all(|count| count.unwrap_or(0) == 0));
    if !statements::named(part.driven, |kind| kind.miss).is_empty() {
        "check its rows, and what it expects (rows, at_least)"
    } else if known && none {
        "check what expires or removes keys"
    } else {
        RULE.hint
    }
}

/// Pairs whose workloads cause misses themselves, but not equally often.
fn differences(evidence: &Evidence) -> Vec<Finding> {
    let parts = evidence.parts();
    let asked = |part: &&Part<'_>| {
        evidence.contender_question(part.contender).is_some_and(|question| question.misses_asked)
    };
    let of = |number: u32| {
        parts.iter().filter(move |part| part.contender == number as usize).filter(asked)
    };
    let pairs = evidence.question.pairs.iter().flat_map(|pair| {
        let counterpart = move |b: &Part<'_>| of(pair.a).find(|a| a.group == b.group);
        of(pair.b).filter_map(move |b| Some((counterpart(b)?, b)))
    });
    pairs.filter_map(|(a, b)| difference(a, b)).collect()
}

fn difference(a: &Part<'_>, b: &Part<'_>) -> Option<Finding> {
    let [of_a, of_b] = [a, b].map(|part| {
        let (miss, total) = (part.driven.outcomes.miss as f64, part.driven.outcomes.total() as f64);
        (miss / total, total)
    });
    let apart = (of_a.0 - of_b.0).abs();
    let variance = |(share, total): (f64, f64)| share * (1.0 - share) / total;
    let error = (variance(of_a) + variance(of_b)).sqrt();
    let (share_a, share_b) = (units::show_percent(of_a.0), units::show_percent(of_b.0));
    (apart > MOST && apart > STANDARD_ERRORS * error).then(|| {
        let seen = format!(
            "{share_b} of its operations found nothing, and {share_a} of those of {}",
            a.name
        );
        RULE.about_part(b, Weight::Caution, seen)
            .with_figure(format!("{share_b} and {share_a}"))
            .with_short("misses are not equally frequent", "check what each store drops or expires")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::statements::tests::with_statement;
    use crate::builder::{SampleRun, weights};

    fn with_misses(misses: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |_, seen| {
            seen.outcomes.ok -= misses;
            seen.outcomes.miss = misses;
        });
        run
    }

    #[test]
    fn one_in_a_hundred_is_the_limit() {
        assert_eq!(weights(&with_misses(0), RULE.name), []);
        assert_eq!(weights(&with_misses(10), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with_misses(11), RULE.name), [Weight::Void]);
        let found = with_misses(11).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(found[0].evidence, "44 of 4000 operations found nothing (1.1 %)");
    }

    #[test]
    fn statements_are_named() {
        let run = with_statement(|kind| kind.miss = 20);
        let found = run.findings(RULE.name);
        assert_eq!(found[0].evidence, "80 of 4000 operations found nothing (2 %): 80 of `read`");
    }

    #[test]
    fn intended_misses_are_not_counted() {
        let mut run = with_misses(500);
        run.ask_each([false, true], |of, misses| of.misses_asked = misses);
        assert_eq!(weights(&run, RULE.name), []);
    }

    /// Both cause misses themselves: of 1000 operations in each of 4 rounds, this many.
    fn intended(a: u64, b: u64) -> SampleRun {
        let mut run = with_misses(b);
        run.each_seen("a", |_, seen| {
            seen.outcomes.ok -= a;
            seen.outcomes.miss = a;
        });
        run.ask_each([true, true], |of, misses| of.misses_asked = misses);
        run
    }

    #[test]
    fn intended_misses_that_differ_are_a_caution() {
        assert_eq!(weights(&intended(50, 60), RULE.name), []);
        assert_eq!(weights(&intended(500, 540), RULE.name), [], "3.6 standard errors");
        assert_eq!(weights(&intended(500, 550), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&intended(50, 75), RULE.name), [Weight::Caution]);
        let found = intended(50, 75).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "7.5 % of its operations found nothing, and 5 % of those of a"
        );
    }

    #[test]
    fn more_memory_is_proposed_unless_nothing_was_evicted() {
        use crate::evidence::store::tests::report;
        use record::StoreMoment::{LoadEnds, RoundsEnd};
        let hint = |run: &SampleRun| run.findings(RULE.name)[0].hint.clone();
        assert_eq!(hint(&with_misses(11)), RULE.hint, "it is not known what it evicts");
        let evicted = |items| {
            let mut run = with_misses(11);
            run.store_reports.push(report(1, LoadEnds, (1000, 10_000, 0)));
            run.store_reports.push(report(1, RoundsEnd, (1000, 10_000, items)));
            run
        };
        assert_eq!(hint(&evicted(5)), RULE.hint);
        assert_eq!(hint(&evicted(0)), "check what expires or removes keys");
        let statement = with_statement(|kind| kind.miss = 20);
        assert_eq!(hint(&statement), "check its rows, and what it expects (rows, at_least)");
    }
}
