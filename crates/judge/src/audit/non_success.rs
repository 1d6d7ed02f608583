//! Operations that did not succeed.

use super::{Evidence, Rule};
use crate::{
    evidence::Part,
    verdict::{Finding, Weight},
};
use record::{Failure, FaultOwner, Objective, Outcomes, Reasons};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use text::shown::shown;
use text::{lists, units};

/// So many reasons are named.
const MOST_REASONS: usize = 3;

/// A larger share of unsuccessful operations voids the run.
pub(super) const MOST: f64 = 0.001;

pub(super) const RULE: Rule = Rule {
    name: "non_success",
    short: "operations failed",
    hint: "see its log, or name the code (--expect)",
    weight: Weight::Void,
    threshold: "Counts the operations of all rounds that did not end in a complete reply with an \
                expected code. At least one: a caution. More than 1 in 1000: void, unless --slo has an \
                objective on errors, which decides then.",
    why: "An error page, a missing page or a refused connection is often much quicker than the \
          real work, so a contender that fails can look fast. Published comparisons have counted \
          404 pages as successes.",
    remedy: "Look at the failures listed here and at the target's own log. If another code is \
             correct, name it (--expect 404). If the target is overloaded, reduce the load: a \
             lower --rate or fewer --connections.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let is_objective = |of: &Objective| matches!(of, Objective::Errors { .. });
    let most = if evidence.question.objectives.iter().any(is_objective) { 1.0 } else { MOST };
    let found = |part: &Part<'_>| finding(part, evidence.question.code_names(part.contender), most);
    evidence.parts_and_requests().iter().filter_map(found).collect()
}

/// `most` is the share of failures above which the run is void.
fn finding(part: &Part<'_>, names: &BTreeMap<u16, String>, most: f64) -> Option<Finding> {
    let outcomes = &part.driven.outcomes;
    // The rule our_faults reports failures of the generator.
    let bad = outcomes.count(FaultOwner::Target) + outcomes.count(FaultOwner::Host);
    let total = outcomes.total();
    if bad == 0 {
        return None;
    }
    let share = bad as f64 / total as f64;
    let weight = if share > most { Weight::Void } else { Weight::Caution };
    let mut classes = outcomes.classes(FaultOwner::Target, names);
    classes.extend(outcomes.classes(FaultOwner::Host, names));
    let counts: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
    let evidence = format!(
        "{bad} of {total} operations were not successful ({}): {}",
        units::show_percent(share),
        lists::listed(&counts)
    ) + &in_words(&part.driven.reasons);
    let most = classes.iter().max_by_key(|(_, n)| **n).map_or("", |(class, _)| class.as_str());
    let figure = format!("{} {most}", units::show_percent(share));
    let found = RULE.about_part(part, weight, evidence).with_figure(figure);
    Some(found.with_hint(&hint(outcomes, names)))
}

/// The most frequent reasons, such as `; why: more headers than the limit (3 times)`.
fn in_words(reasons: &Reasons) -> String {
    let faults = reasons.faults.iter().map(|(text, times)| (text.clone(), *times));
    let said = reasons.said.iter().map(|of| (format!("it said \"{}\"", shown(&of.text)), of.times));
    let mut all: Vec<(String, u64)> = faults.chain(said).collect();
    all.sort_by_key(|(_, times)| Reverse(*times));
    let most = all.iter().take(MOST_REASONS);
    let counted: Vec<String> = most.map(|(text, times)| format!("{text} ({times})")).collect();
    if counted.is_empty() { String::new() } else { format!("; why: {}", counted.join(", ")) }
}

/// Whether a prepared statement was lost or found where another one was expected: clients share a connection.
fn is_of_prepared_statement(code: &u16, names: &BTreeMap<u16, String>) -> bool {
    let name = names.get(code).map(String::as_str);
    matches!(name, Some("no_such_statement" | "duplicate_statement"))
}

/// What helps against the most frequent failure.
fn hint(outcomes: &Outcomes, names: &BTreeMap<u16, String>) -> String {
    let code = outcomes.unexpected.iter().max_by_key(|(_, n)| **n);
    let failed = outcomes.failed.iter().filter(|(of, _)| of.fault_owner() != FaultOwner::Generator);
    let failure = failed.max_by_key(|(_, n)| **n);
    match (code, failure) {
        (Some((code, _)), _) if is_of_prepared_statement(code, names) => {
            "a pooler in transaction mode needs protocol=simple".to_owned()
        }
        (Some((code, n)), failure) if failure.is_none_or(|(_, failed)| failed <= n) => {
            // Only statuses of HTTP can be expected.
            let is_status = !names.contains_key(code);
            let expect = format!("see its log, or name the code (--expect {code})");
            if is_status { expect } else { "see its log".to_owned() }
        }
        (_, Some((Failure::Timeout, _))) => "see its log, or lower the load".to_owned(),
        (_, Some((Failure::Starved, _))) => "use a larger pool, or lower the load".to_owned(),
        (_, Some((Failure::Exit | Failure::Signal, _))) => "see its output".to_owned(),
        (_, Some((Failure::Unreachable, _))) => "see the network".to_owned(),
        _ => "see its log".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// 4 rounds of 1000 operations each, of which `bad` in all have this code.
    fn with_404(bad: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |round, seen| {
            let here = if round == 1 { bad } else { 0 };
            if here > 0 {
                seen.outcomes.ok -= here;
                seen.outcomes.unexpected.insert(404, here);
            }
        });
        run
    }

    #[test]
    fn one_in_a_thousand_is_the_limit() {
        assert_eq!(weights(&with_404(0), RULE.name), []);
        assert_eq!(weights(&with_404(1), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with_404(4), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with_404(5), RULE.name), [Weight::Void]);
    }

    #[test]
    fn the_evidence_names_contender_and_classes() {
        let found = with_404(5).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "5 of 4000 operations were not successful (0.125 %): 5 status_404"
        );
    }

    #[test]
    fn a_lost_prepared_statement_is_that_of_a_pooler() {
        let mut run = with_404(5);
        run.question.contenders[1].code_names = [(404, "no_such_statement".to_owned())].into();
        let hint = &run.findings(RULE.name)[0].hint;
        assert_eq!(hint, "a pooler in transaction mode needs protocol=simple");
    }

    #[test]
    fn a_code_has_the_name_that_its_own_protocol_gives_it() {
        let mut run = with_404(5);
        run.each_seen("a", |_, seen| {
            seen.outcomes.ok -= 1;
            seen.outcomes.unexpected.insert(404, 1);
        });
        run.question.contenders[0].code_names = [(404, "oom".to_owned())].into();
        let found = run.findings(RULE.name);
        let named = |name: &str, class: &str| {
            let about = |of: &&Finding| of.contender.as_deref() == Some(name);
            found.iter().find(about).is_some_and(|of| of.evidence.ends_with(class))
        };
        assert!(named("a", " oom") && named("b", " status_404"), "{found:?}");
    }

    #[test]
    fn the_most_frequent_reasons_are_told_in_words_and_escaped() {
        let mut run = with_404(5);
        run.each_seen("b", |_, seen| {
            for text in ["two lengths", "masked", "two lengths"] {
                seen.reasons.fault(text);
            }
            for words in ["NOPERM \u{1b}[2J", "a", "b"] {
                seen.reasons.said(words.as_bytes());
            }
            seen.reasons.said(b"NOPERM \x1b[2J");
        });
        let seen = &run.findings(RULE.name)[0].evidence;
        let expected = "; why: two lengths (8), it said \"NOPERM \\u{1b}[2J\" (8), masked (4)";
        assert!(seen.ends_with(expected), "{seen}");
    }

    #[test]
    fn a_round_that_is_not_judged_counts_too() {
        let mut run = with_404(0);
        run.each_record("b", |record| {
            if record.round == 4 {
                record.cut_short = true;
                record.seen.outcomes.ok -= 5;
                record.seen.outcomes.failed.insert(record::Failure::Reset, 5);
            }
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Void]);
    }

    #[test]
    fn an_unreachable_network_is_no_success_either() {
        let mut run = with_404(0);
        run.each_seen("b", |_, seen| {
            seen.outcomes.ok -= 1;
            seen.outcomes.failed.insert(record::Failure::Unreachable, 1);
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert!(run.findings(RULE.name)[0].evidence.ends_with(": 4 unreachable"));
    }

    #[test]
    fn a_single_contender_is_voided_as_well() {
        let mut run = SampleRun::single().with_operations(1000);
        run.each_seen("a", |_, seen| {
            seen.outcomes.ok = 0;
            seen.outcomes.unexpected.insert(404, 1000);
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Void]);
    }

    #[test]
    fn the_hint_is_about_the_most_frequent_failure() {
        let hint = |failed: &[(Failure, u64)], codes: u64, names: &[u16]| {
            let mut run = with_404(codes);
            run.question.contenders[1].code_names =
                names.iter().map(|code| (*code, "GONE".into())).collect();
            run.each_seen("b", |_, seen| seen.outcomes.failed.extend(failed.iter().copied()));
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(&[], 3, &[]), "see its log, or name the code (--expect 404)");
        assert_eq!(hint(&[], 3, &[404]), "see its log");
        let timeouts = [(Failure::Timeout, 5), (Failure::NoPort, 9)];
        assert_eq!(hint(&timeouts, 3, &[]), "see its log, or lower the load");
        assert_eq!(hint(&[(Failure::Starved, 1)], 0, &[]), "use a larger pool, or lower the load");
        assert_eq!(hint(&[(Failure::Exit, 1)], 0, &[]), "see its output");
        assert_eq!(hint(&[(Failure::Reset, 1)], 0, &[]), "see its log");
    }
}
