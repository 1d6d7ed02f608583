//! The line that says whether the headline can be believed.

use super::findings::grouped;
use super::short_name;
use crate::View;
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
    let checks = units::counted(view.rules_checked.into(), "check");
    let all = std::iter::once(checks).chain(others(view));
    format!("{} ({})", headline(view), all.collect::<Vec<String>>().join(", "))
}

/// The same without the others.
pub(crate) fn headline(view: &View) -> String {
    let belief = view.belief();
    let named = belief.finding.map(|finding| named(view, finding));
    let because = named.map_or(": no round is complete".to_owned(), |named| format!(": {named}"));
    let (what, stands, does_not) = match view.comparisons {
        [] => ("the figures", "stand", "do not stand"),
        _ => ("the headline", "stands", "does not stand"),
    };
    match (belief.status, belief.withheld) {
        (HeadlineStatus::DoesNotStand, _) => format!("{what} {does_not}{because}"),
        (HeadlineStatus::Reservation, _) => {
            format!("{what} {stands} with this reservation{because}")
        }
        (HeadlineStatus::Stands, None) => format!("{what} {stands}"),
        (HeadlineStatus::Stands, Some((of, why))) => {
            let b = short_name(&of.b, LONGEST_NAME);
            format!("{what} {stands}: {b} is undecided because {}", shown_sentence(why))
        }
    }
}

/// The finding in one line, with all contenders that it is about.
fn named(view: &View, finding: &Finding) -> String {
    let groups = grouped(view.findings);
    let group = groups.iter().find(|group| group.all.iter().any(|of| std::ptr::eq(*of, finding)));
    group.map_or(String::new(), |group| group.line(ROOM))
}

/// How many findings there are beside the one that is named: `1 other caution and 3 notes`.
fn others(view: &View) -> Option<String> {
    let groups = grouped(view.findings);
    let named = view.belief().finding;
    let is_named = |of: &Finding| named.is_some_and(|named| std::ptr::eq(of, named));
    let rest = groups.iter().filter(|group| !group.all.iter().any(|of| is_named(of)));
    let rest: Vec<&Finding> = rest.flat_map(|group| group.all.iter().copied()).collect();
    let counted = [Weight::Void, Weight::Caution, Weight::Note].into_iter().filter_map(|weight| {
        let n = rest.iter().filter(|of| of.weight == weight).count() as u64;
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
}
