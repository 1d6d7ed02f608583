//! Whether the headline of a run can be believed: the one finding that could change it, if there is one.
//!
//! The headline is the verdict of the primary metric of each pair; without comparisons, it is the figures.

use crate::verdict::{CapacityOutcome, Comparison, ContenderSummary, Finding, Weight, Word};
use serde::Serialize;

/// Rules that the headline's own words already tell (`one_launch`), or that are about something else.
const BESIDE_THE_HEADLINE: [&str; 2] = ["one_launch", "log_troubles"];
/// Rules whose cause the verdict of a comparison already takes into account: it is withheld, or only the
/// rest of the difference counts.
const TAKEN_INTO_ACCOUNT: [&str; 2] = ["cpu_at_rest", "generator_bottleneck"];

/// Whether the headline can be believed, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadlineStatus {
    /// No finding could change it.
    Stands,
    /// A finding could change it.
    Reservation,
    /// There is no verdict.
    DoesNotStand,
}

/// Whether the headline can be believed, and why not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief<'a> {
    /// Whether it can.
    pub status: HeadlineStatus,
    /// The finding that could change it, or that refuses it.
    pub finding: Option<&'a Finding>,
    /// A primary comparison that is undecided although its interval has a verdict, and why.
    pub withheld: Option<(&'a Comparison, &'a str)>,
}

/// Whether the searches told all that there is to tell of each contender's capacity, so that a run needs no rounds.
pub fn needs_no_rounds(contenders: &[ContenderSummary]) -> bool {
    let is_told = |of: &ContenderSummary| {
        let outcome = of.capacity.as_ref().map(|capacity| &capacity.outcome);
        matches!(outcome, Some(CapacityOutcome::Below(_) | CapacityOutcome::AtLeast(_)))
    };
    !contenders.is_empty() && contenders.iter().all(is_told)
}

/// Decides it from what the audit found and from the smallest difference that matters.
pub fn belief<'a>(
    contenders: &[ContenderSummary],
    comparisons: &'a [Comparison],
    findings: &'a [Finding],
    complete_rounds: u32,
    matters: f64,
) -> Belief<'a> {
    let primaries: Vec<&'a Comparison> = comparisons.iter().filter(|of| of.primary).collect();
    let of_weight = |weight| findings.iter().filter(move |finding| finding.weight == weight);
    let void = of_weight(Weight::Void).next();
    let no_round = complete_rounds == 0 && !primaries.is_empty() && !needs_no_rounds(contenders);
    if void.is_some() || no_round {
        // A note does not refuse anything.
        let finding = void.or_else(|| of_weight(Weight::Caution).next());
        return Belief { status: HeadlineStatus::DoesNotStand, finding, withheld: None };
    }
    let bears = |finding: &&Finding| {
        let beside = BESIDE_THE_HEADLINE.contains(&finding.rule.as_str());
        let could_change = |of: &&Comparison| could_change(finding, findings, of, matters);
        !beside && (primaries.is_empty() || primaries.iter().any(could_change))
    };
    let finding = of_weight(Weight::Caution).find(bears);
    Belief {
        status: match finding {
            Some(_) => HeadlineStatus::Reservation,
            None => HeadlineStatus::Stands,
        },
        finding,
        withheld: primaries
            .iter()
            .filter(|_| finding.is_none())
            .find_map(|of| Some((*of, of.withheld.as_deref()?))),
    }
}

/// Whether the finding could change the verdict of this comparison.
fn could_change(
    finding: &Finding,
    findings: &[Finding],
    comparison: &Comparison,
    matters: f64,
) -> bool {
    let Some(room) = room(comparison, matters) else { return false };
    if !is_about(finding, comparison) || TAKEN_INTO_ACCOUNT.contains(&finding.rule.as_str()) {
        return false;
    }
    // What the rule found of both sides may add up.
    let of_rule = findings.iter().filter(|of| of.rule == finding.rule && is_about(of, comparison));
    let shift: Option<f64> = of_rule.map(|of| of.bearing.shift_of(comparison.metric)).sum();
    shift.is_none_or(|shift| shift >= room)
}

fn is_about(finding: &Finding, comparison: &Comparison) -> bool {
    let sides = [&comparison.a, &comparison.b];
    let of_pair = finding.contender.as_ref().is_none_or(|name| sides.contains(&name));
    let metrics = finding.bearing.metrics.as_ref();
    of_pair && metrics.is_none_or(|metrics| metrics.contains(&comparison.metric))
}

/// How far the interval may move, as a logarithm, before the verdict changes: not at all if it is undecided.
/// Returns None if there is no verdict, or if it was withheld for a reason that is given.
fn room(comparison: &Comparison, matters: f64) -> Option<f64> {
    if comparison.verdict == Word::Undecided {
        return comparison.withheld.is_none().then_some(0.0);
    }
    let (low, high) = comparison.judged_bounds()?;
    let [low, high] = [low, high].map(|end: f64| end.ln().abs());
    match comparison.verdict {
        Word::Faster | Word::Slower => Some(low.min(high)),
        Word::Equivalent => Some(matters.ln_1p() - low.max(high)),
        Word::Undecided | Word::Void => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::RULES;
    use crate::builder::SampleRun;
    use crate::verdict::{Bearing, CapacitySummary};
    use record::Metric;

    fn finding(rule: &str, contender: Option<&str>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            weight: Weight::Caution,
            contender: contender.map(str::to_owned),
            evidence: String::new(),
            remedy: String::new(),
            short: String::new(),
            figure: None,
            hint: String::new(),
            bearing: Bearing::default(),
        }
    }

    /// A comparison of b with a by throughput, 0.9x (0.89x to 0.91x), and of c with a, undecided.
    fn comparisons() -> Vec<Comparison> {
        let run = SampleRun::with_ratios(&[0.9; 8]);
        let of_b = run.verdict().comparisons()[0].clone();
        let of_b = Comparison { low: Some(0.89), high: Some(0.91), ..of_b };
        let of_c = Comparison { b: "c".to_owned(), verdict: Word::Undecided, ..of_b.clone() };
        vec![of_b, of_c]
    }

    fn status(findings: &[Finding]) -> HeadlineStatus {
        belief(&[], &comparisons(), findings, 8, 0.01).status
    }

    fn shifting(by: f64) -> Finding {
        finding("carry_over", Some("b")).shifting(Metric::Throughput, by)
    }

    #[test]
    fn rules_are_named_as_they_are() {
        let mut named = BESIDE_THE_HEADLINE.iter().chain(&TAKEN_INTO_ACCOUNT);
        assert!(named.all(|name| RULES.iter().any(|rule| rule.name == *name)));
    }

    #[test]
    fn the_first_caution_about_the_headline_is_the_reservation() {
        use HeadlineStatus::{DoesNotStand, Reservation, Stands};
        let about_p99 = finding("p99_support", Some("b")).about(vec![Metric::ResponseP99]);
        let about_throughput = finding("outliers", Some("b")).about(vec![Metric::Throughput]);
        let note = Finding { weight: Weight::Note, ..finding("misses", Some("b")) };
        let void = Finding { weight: Weight::Void, ..finding("misses", Some("c")) };
        let table = [
            (vec![], Stands),
            (vec![finding("misses", Some("a"))], Reservation),
            (vec![finding("misses", None)], Reservation),
            (vec![finding("misses", Some("c"))], Reservation),
            (vec![finding("misses", Some("d"))], Stands),
            (vec![note], Stands),
            (vec![void], DoesNotStand),
            (vec![about_p99.clone()], Stands),
            (vec![about_throughput.clone()], Reservation),
            (vec![finding("one_launch", Some("b")), finding("cpu_at_rest", Some("b"))], Stands),
        ];
        for (findings, expected) in table {
            assert_eq!(status(&findings), expected, "{findings:?}");
        }
        let findings = [about_p99, about_throughput, finding("misses", None)];
        let comparisons = comparisons();
        let named = belief(&[], &comparisons, &findings, 8, 0.01).finding;
        assert_eq!(named.map(|finding| finding.rule.as_str()), Some("outliers"));
    }

    #[test]
    fn a_shift_that_is_known_must_reach_the_next_verdict() {
        // From 0.91 to 1.
        assert_eq!(status(&[shifting(0.094)]), HeadlineStatus::Stands);
        assert_eq!(status(&[shifting(0.095)]), HeadlineStatus::Reservation);
        let of_a = Finding { contender: Some("a".to_owned()), ..shifting(0.05) };
        assert_eq!(status(&[shifting(0.05), of_a]), HeadlineStatus::Reservation, "together");
        let mut comparisons = comparisons();
        comparisons[0].verdict = Word::Equivalent;
        (comparisons[0].low, comparisons[0].high) = (Some(0.998), Some(1.004));
        let of = |by| belief(&[], &comparisons, &[shifting(by)], 8, 0.01).status;
        assert_eq!([of(0.005), of(0.006)], [HeadlineStatus::Stands, HeadlineStatus::Reservation]);
    }

    #[test]
    fn without_a_round_it_does_not_stand() {
        let findings = [finding("interrupted", None)];
        let comparisons = comparisons();
        let seen = belief(&[], &comparisons, &findings, 0, 0.01);
        assert_eq!(seen.status, HeadlineStatus::DoesNotStand);
        assert_eq!(seen.finding, Some(&findings[0]));
        let note = [Finding { weight: Weight::Note, ..finding("misses", Some("b")) }];
        let seen = belief(&[], &comparisons, &note, 0, 0.01);
        assert_eq!((seen.status, seen.finding), (HeadlineStatus::DoesNotStand, None));
    }

    #[test]
    fn capacities_that_the_search_tells_need_no_rounds() {
        use CapacityOutcome::{AtLeast, Below, NotReached};
        let of = |outcomes: [CapacityOutcome; 2]| {
            let contenders = outcomes.map(|outcome| {
                let capacity = CapacitySummary { outcome, objective: None, turns: Vec::new() };
                ContenderSummary { capacity: Some(capacity), ..ContenderSummary::default() }
            });
            let status = belief(&contenders, &comparisons(), &[], 0, 0.01).status;
            (needs_no_rounds(&contenders), status)
        };
        let stands = (true, HeadlineStatus::Stands);
        assert_eq!(of([Below(40.0), AtLeast(Some(3000.0))]), stands);
        assert_eq!(of([AtLeast(None), Below(40.0)]), stands);
        let does_not = (false, HeadlineStatus::DoesNotStand);
        assert_eq!(of([Below(40.0), NotReached]), does_not);
        assert!(!needs_no_rounds(&[]) && !needs_no_rounds(&[ContenderSummary::default()]));
    }

    #[test]
    fn without_comparisons_every_caution_is_about_the_figures() {
        let of = |finding| belief(&[], &[], &[finding], 0, 0.01).status;
        assert_eq!(of(finding("generator_bottleneck", Some("a"))), HeadlineStatus::Reservation);
        assert_eq!(of(finding("log_troubles", Some("a"))), HeadlineStatus::Stands);
    }

    #[test]
    fn why_a_verdict_was_withheld_is_known() {
        // Ten replies of each in a round are too few for a p99.
        let mut run = SampleRun::with_ratios(&[0.9; 8]).with_operations(10);
        run.question.primary = Metric::ResponseP99;
        run.each_seen("b", |_, seen| crate::builder::fill(&mut seen.response_time, 2_000_000, 10));
        let verdict = run.verdict();
        let of_b = &verdict.comparisons()[0];
        assert_eq!((of_b.verdict, of_b.low.is_some_and(|low| low > 1.0)), (Word::Undecided, true));
        let seen = belief(&[], verdict.comparisons(), &[], 8, 0.01);
        assert_eq!(seen.status, HeadlineStatus::Stands);
        let why = seen.withheld.map(|(_, why)| why);
        assert!(why.is_some_and(|why| why.starts_with("a: ")), "{why:?}");
        assert_eq!(SampleRun::with_ratios(&[0.9; 8]).verdict().comparisons()[0].withheld, None);
    }
}
