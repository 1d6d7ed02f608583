//! Successful replies without a body.

use super::{Evidence, Rule, non_success::MOST};
use crate::{
    evidence::{DriveSummary, Part},
    verdict::{Finding, Weight},
};

/// Statuses of HTTP other than 200: a redirect, or a resource that was created, is complete without a body.
const OTHER_STATUSES: std::ops::RangeInclusive<u16> = 201..=599;

pub(super) const RULE: Rule = Rule {
    name: "empty_reply",
    short: "replies have no body",
    hint: "check with curl -i; if it is meant, --expect-empty",
    weight: Weight::Void,
    threshold: "Counts the replies 200 of all rounds to GET requests with an empty body. Replies to other \
                methods and with other expected codes may be without a body, and so may all where \
                --expect-empty says so. At least one: a caution. More than 1 in 1000: void.",
    why: "A server that answers a GET with 200 and an empty body did none of the work. It is fast because it \
          does not work.",
    remedy: "Look at the reply with curl -i. If the target is meant to send no body, say so with \
             --expect-empty.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let bodiless = |number: usize| {
        evidence.contender_question(number).is_some_and(|question| {
            question.bodiless || question.may_be_empty || question.from_workload
        })
    };
    let parts = evidence.parts().into_iter().filter(|part| !bodiless(part.contender));
    parts.filter_map(|part| finding(&part)).collect()
}

fn finding(part: &Part<'_>) -> Option<Finding> {
    let driven = part.driven;
    let empty = driven.empty.saturating_sub(with_other_codes(driven));
    let total = driven.outcomes.total();
    RULE.about_share(part, (empty, total), MOST, |share| {
        format!(
            "{empty} of {total} operations ended in a successful reply with an empty body ({share})"
        )
    })
}

/// Counts the expected replies with other codes.
fn with_other_codes(driven: &DriveSummary) -> u64 {
    let expected = |(code, all): (&u16, &u64)| {
        all - driven.outcomes.unexpected.get(code).copied().unwrap_or(0).min(*all)
    };
    driven.codes.range(OTHER_STATUSES).map(expected).sum()
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
    fn replies_that_may_be_without_a_body_are_not_counted() {
        for code in [204, 201, 202, 302] {
            assert_eq!(weights(&with_empty(1000, code), RULE.name), [], "{code}");
        }
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
