//! Successful replies without a body.

use super::{Evidence, Rule, non_success::MOST};
use crate::{
    evidence::{DriveSummary, Part},
    verdict::{Finding, Weight},
};
use text::units;

/// Codes whose replies never have a body (RFC 9110).
const BODILESS_CODES: [u16; 3] = [204, 205, 304];

pub(super) const RULE: Rule = Rule {
    name: "empty_reply",
    short: "replies have no body",
    hint: "check with curl -i; use 204 if it is intended",
    weight: Weight::Void,
    threshold: "Counts the successful replies of all rounds with an empty body, unless the method \
                (HEAD) or the code (204, 205, 304) requires an empty body. At least one: a \
                caution. More than 1 in 1000: void.",
    why: "A server that answers 200 with an empty body did none of the work. It is fast because it \
          does not work.",
    remedy: "Look at the reply with curl -i. If the target is meant to send no body, let it answer \
             204, or send HEAD requests.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let bodiless = |number: usize| {
        evidence
            .contender_question(number)
            .is_some_and(|question| question.bodiless || question.from_workload)
    };
    let parts = evidence.parts().into_iter().filter(|part| !bodiless(part.contender));
    parts.filter_map(|part| finding(&part)).collect()
}

fn finding(part: &Part<'_>) -> Option<Finding> {
    let driven = part.driven;
    let empty = driven.empty.saturating_sub(empty_by_definition(driven));
    if empty == 0 {
        return None;
    }
    let total = driven.outcomes.total();
    let share = empty as f64 / total as f64;
    let weight = if share > MOST { Weight::Void } else { Weight::Caution };
    let evidence = format!(
        "{empty} of {total} operations ended in a successful reply with an empty body ({})",
        units::show_percent(share)
    );
    Some(RULE.about_part(part, weight, evidence).with_figure(units::show_percent(share)))
}

/// Counts the expected replies whose code rules out a body.
fn empty_by_definition(driven: &DriveSummary) -> u64 {
    let expected = |code: &u16| {
        let all = driven.codes.get(code).copied().unwrap_or(0);
        all - driven.outcomes.unexpected.get(code).copied().unwrap_or(0).min(all)
    };
    BODILESS_CODES.iter().map(expected).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    fn with_empty(empty: u64, code: u16) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("a", |round, seen| {
            seen.codes = [(code, 1000)].into();
            seen.empty = if round == 1 { empty } else { 0 };
        });
        run
    }

    #[test]
    fn one_in_a_thousand_is_the_limit() {
        assert_eq!(weights(&with_empty(0, 200), RULE.name), []);
        assert_eq!(weights(&with_empty(4, 200), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with_empty(5, 200), RULE.name), [Weight::Void]);
        assert_eq!(with_empty(5, 200).findings(RULE.name)[0].contender.as_deref(), Some("a"));
    }

    #[test]
    fn replies_that_have_no_body_by_definition_are_not_empty() {
        assert_eq!(weights(&with_empty(1000, 204), RULE.name), []);
        let mut head = with_empty(1000, 200);
        head.ask_each([true, true], |of, bodiless| of.bodiless = bodiless);
        assert_eq!(weights(&head, RULE.name), []);
    }

    #[test]
    fn an_unexpected_204_excuses_nothing() {
        let mut run = with_empty(5, 200);
        run.each_seen("a", |_, seen| {
            seen.codes = [(200, 990), (204, 10)].into();
            seen.outcomes.ok = 990;
            seen.outcomes.unexpected = [(204, 10)].into();
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Void]);
    }
}
