//! The line that says whether the headline can be believed.

use super::findings::grouped;
use super::short_name;
use crate::sweep::SweepView;
use crate::{View, words};
use judge::belief::HeadlineStatus;
use judge::verdict::{Finding, Weight};
use text::shown::shown_sentence;
use text::{lists, units};

/// Columns for the finding that is named.
const ROOM: usize = 120;
/// Longest name of a contender, in characters.
const LONGEST_NAME: usize = 28;

/// Whether the headline can be believed, the one finding that could change it, and how many others there
/// are: `the headline stands (31 checks, 2 cautions and 1 note)`.
pub(crate) fn audit(view: &View) -> String {
    let named = view.belief().finding;
    let checks = units::counted(view.rules_checked.into(), "check");
    let all = std::iter::once(checks).chain(counted(others(view), named));
    format!("{} ({})", headline(view), all.collect::<Vec<String>>().join(", "))
}

/// Whether the headlines of a sweep can be believed, and how many findings there are. Of its load points, those are
/// named whose headline can be believed least.
fn of_sweep(view: &SweepView) -> String {
    let worst = &view.least_believed().view;
    let (status, because) = parts(worst);
    let is_named = |of: &View| parts(of) == (status.clone(), because.clone());
    let named = view.points.iter().filter(|point| is_named(&point.view));
    let named: Vec<f64> = named.map(|point| point.value).collect();
    let at = if named.len() == view.points.len() {
        "every load point".to_owned()
    } else {
        words::sweep::at(view.sweep.factor, &named)
    };
    let because = because.map_or(String::new(), |because| format!(": {because}"));
    format!("{status} at {at}{because}")
}

/// Whether the headline stands, without the count of other findings.
pub(crate) fn headline(view: &View) -> String {
    if let Some(sweep) = view.sweep() {
        return of_sweep(&sweep);
    }
    match parts(view) {
        (status, Some(because)) => format!("{status}: {because}"),
        (status, None) => status,
    }
}

/// Whether the headline can be believed, and why not or why only with a reservation.
fn parts(view: &View) -> (String, Option<String>) {
    let belief = view.belief();
    let because =
        belief.finding.map_or("no round is complete".to_owned(), |finding| named(view, finding));
    let (what, stands, does_not) = match view.comparisons {
        [] => ("the figures", "stand", "do not stand"),
        _ => ("the headline", "stands", "does not stand"),
    };
    match (belief.status, belief.withheld) {
        (HeadlineStatus::DoesNotStand, _) => (format!("{what} {does_not}"), Some(because)),
        (HeadlineStatus::Reservation, _) => {
            (format!("{what} {stands} with this reservation"), Some(because))
        }
        (HeadlineStatus::Stands, None) => (format!("{what} {stands}"), None),
        (HeadlineStatus::Stands, Some((of, why))) => {
            let b = short_name(&of.b, LONGEST_NAME);
            let because = format!("{b} is undecided because {}", shown_sentence(why));
            (format!("{what} {stands}"), Some(because))
        }
    }
}

/// The finding in one line, with all contenders that it is about.
fn named(view: &View, finding: &Finding) -> String {
    let groups = grouped(view.findings);
    let group = groups.iter().find(|group| group.all.iter().any(|of| std::ptr::eq(*of, finding)));
    group.map_or(String::new(), |group| group.line(ROOM))
}

/// The findings beside the one that is named.
fn others<'a>(view: &View<'a>) -> Vec<&'a Finding> {
    let groups = grouped(view.findings);
    let named = view.belief().finding;
    let is_named = |of: &Finding| named == Some(of);
    let rest = groups.iter().filter(|group| !group.all.iter().any(|of| is_named(of)));
    rest.flat_map(|group| group.all.iter().copied()).collect()
}

/// How many findings there are beside the one that is named: `1 other caution and 3 notes`.
fn counted(others: Vec<&Finding>, named: Option<&Finding>) -> Option<String> {
    let counted = [Weight::Void, Weight::Caution, Weight::Note].into_iter().filter_map(|weight| {
        let n = others.iter().filter(|of| of.weight == weight).count() as u64;
        let other = if named.is_some_and(|named| named.weight == weight) { "other " } else { "" };
        (n > 0).then(|| match weight {
            Weight::Void => format!("{n} {other}void"),
            Weight::Caution => units::counted(n, &format!("{other}caution")),
            Weight::Note => units::counted(n, &format!("{other}note")),
        })
    });
    let counted: Vec<String> = counted.collect();
    (!counted.is_empty()).then(|| lists::listed(&counted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn audited(input: &samples::Parts) -> String {
        audit(&input.view()).replace(units::JOINT, " ")
    }

    #[test]
    fn the_line_says_whether_the_headline_stands() {
        let table = [
            (samples::equivalent(), "the headline stands (19 checks)"),
            (samples::faster(), "the headline stands (19 checks, 1 caution)"),
            (
                samples::empty(),
                "the headline does not stand: the run did not complete: run it again to the end (19 checks)",
            ),
            (
                samples::void(),
                "the headline does not stand: operations failed (new): see its log, or name the code (--expect) (19 checks, 1 caution)",
            ),
            (samples::run(), "the figures stand (19 checks)"),
        ];
        for (input, expected) in table {
            assert_eq!(audited(&input), expected);
        }
    }

    #[test]
    fn the_reservation_is_named_and_the_others_are_counted() {
        let mut input = samples::faster();
        let caution = |rule, of| samples::finding(rule, Weight::Caution, of, "x", "y");
        input.findings.push(caution("too_short", Some("new")));
        input.findings.push(caution("too_short", Some("old")));
        let expected = "the headline stands with this reservation: few operations in a round (new, \
                        old): drive longer (--round 5s) (19 checks, 1 other caution)";
        assert_eq!(audited(&input), expected);
    }

    #[test]
    fn an_undecided_verdict_whose_interval_excludes_1_has_its_reason() {
        let mut input = samples::undecided();
        input.findings.clear();
        let first = &mut input.comparisons[0];
        (first.low, first.withheld) = (Some(1.001), Some("keep: 5 replies are too few".into()));
        let expected = "the headline stands: fresh is undecided because keep: 5 replies are too few (19 checks)";
        assert_eq!(audited(&input), expected);
    }

    #[test]
    fn a_sweep_has_one_line_for_all_its_load_points() {
        let mut all = samples::all().into_iter();
        let (_, void) = all.find(|(name, _)| *name == "sweep").expect("a sample");
        let expected = "the headline does not stand at connections 128: operations failed \
                        (new@connections-128): see its log, or name the code (--expect) (19 checks)";
        assert_eq!(audited(&void), expected);
        let caution = |rule: &str, at: &str| {
            samples::finding(
                rule,
                Weight::Caution,
                Some(&format!("new@connections-{at}")),
                "x",
                "y",
            )
        };
        let with = |findings: &[Finding]| {
            let mut sweep = void.clone();
            sweep.findings = findings.to_vec();
            for (point, value) in sweep.load_points.iter_mut().zip(["1", "8", "32", "128"]) {
                let is_about = |of: &&Finding| {
                    of.contender.as_ref().is_some_and(|name| name.ends_with(&format!("-{value}")))
                };
                point.findings = findings.iter().filter(is_about).cloned().collect();
            }
            audited(&sweep)
        };
        assert_eq!(with(&[]), "the headline stands at every load point (19 checks)");
        let reserved = with(&[caution("too_short", "8"), caution("p99_support", "32")]);
        let expected = "the headline stands with this reservation at connections 8: few operations \
                        in a round (new@connections-8): drive longer (--round 5s) (19 checks, 1 other caution)";
        assert_eq!(reserved, expected);
    }
}
