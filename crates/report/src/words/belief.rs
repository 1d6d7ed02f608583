//! The line that says whether the headline can be believed.

use super::findings::grouped;
use super::short_name;
use crate::sweep::SweepView;
use crate::{View, words};
use judge::belief::HeadlineStatus;
use judge::verdict::{Finding, Weight};
use record::LoadPoint;
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

/// Whether the headlines of a sweep can be believed, and how many findings there are. Of its load points, those are named whose headline can be believed least.
pub(crate) fn of_sweep(view: &SweepView) -> String {
    let Some((_, worst)) = least_believed(view) else {
        return "no load point was driven".to_owned();
    };
    let (status, because) = parts(worst);
    let is_named = |of: &View| parts(of) == (status.clone(), because.clone());
    let at = |has: &dyn Fn(Option<&View>) -> bool| {
        let points = view.points.iter().filter(|point| has(point.view.as_ref()));
        words::sweep::at(view.sweep.factor, points.map(|point| point.at.value))
    };
    let not_driven = view.points.iter().any(|point| point.view.is_none());
    let at_named = if view.driven().all(|(_, of)| is_named(of)) && !not_driven {
        "every load point".to_owned()
    } else {
        at(&|of| of.is_some_and(is_named))
    };
    let rest = view
        .driven()
        .flat_map(|(_, of)| if is_named(of) { others(of) } else { of.findings.iter().collect() });
    let checks = units::counted(worst.rules_checked.into(), "check");
    let all = std::iter::once(format!("{checks} at each load point"));
    let all = all.chain(counted(rest.collect(), worst.belief().finding));
    let because = because.map_or(String::new(), |because| format!(": {because}"));
    let not_driven = if not_driven {
        format!("; not driven: {}", at(&|of| of.is_none()))
    } else {
        String::new()
    };
    let all = all.collect::<Vec<String>>().join(", ");
    format!("{status} at {at_named}{because} ({all}){not_driven}")
}

/// The first of the load points whose headline can be believed least. Returns None if none was driven.
pub(crate) fn least_believed<'a, 'b>(
    view: &'b SweepView<'a>,
) -> Option<(&'a LoadPoint, &'b View<'a>)> {
    let rank = |view: &View| {
        let belief = view.belief();
        (belief.status, belief.withheld.is_some())
    };
    let worst = view.driven().map(|(_, of)| rank(of)).max()?;
    view.driven().find(|(_, of)| rank(of) == worst)
}

/// Whether the headline stands, without the count of other findings.
pub(crate) fn headline(view: &View) -> String {
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
    let is_named = |of: &Finding| named.is_some_and(|named| std::ptr::eq(of, named));
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

    fn of_samples(change: impl Fn(&mut [Option<samples::Parts>])) -> String {
        let (_, mut sweep) = samples::sweeps().swap_remove(0);
        change(&mut sweep.points);
        of_sweep(&sweep.view()).replace(units::JOINT, " ")
    }

    #[test]
    fn a_sweep_has_one_line_for_all_its_load_points() {
        let caution = |rule| samples::finding(rule, Weight::Caution, Some("new"), "x", "y");
        let to_point = |at: usize, points: &mut [Option<samples::Parts>], rule| {
            points[at].as_mut().expect("driven").findings.push(caution(rule));
        };
        let stands = of_samples(|points| points[3] = points[2].clone());
        assert_eq!(
            stands,
            "the headline stands at every load point (19 checks at each load point)"
        );
        let reservation = of_samples(|points| {
            points[3] = points[2].clone();
            to_point(1, points, "too_short");
            to_point(2, points, "too_short");
            to_point(2, points, "p99_support");
        });
        let expected = "the headline stands with this reservation at connections 8, 32: few \
                        operations in a round (new): drive longer (--round 5s) (19 checks at each \
                        load point, 1 other caution)";
        assert_eq!(reservation, expected);
        let refused = of_samples(|points| {
            to_point(0, points, "too_short");
            points[1] = None;
        });
        let expected = "the headline does not stand at connections 128: operations failed (new): see \
                        its log, or name the code (--expect) (19 checks at each load point, 1 caution); \
                        not driven: connections 8";
        assert_eq!(refused, expected);
        let nothing = of_samples(|points| points.fill(None));
        assert_eq!(nothing, "no load point was driven");
    }
}
