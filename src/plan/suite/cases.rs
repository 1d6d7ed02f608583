//! Which cases are compared, and how often: what follows from one run of each contender before round 1. Pure.

use judge::stats::rounds::{default_rounds, too_few, too_few_rebuilds};
use record::{Case, CaseFigure, Cases, LengthRule, OnlyIn, Question};
use std::collections::BTreeMap;
use text::shown::shown;
use text::units::{show_counted, show_ns};
use text::{glob, lists};

/// The most names that a sentence lists.
const MOST_NAMED: usize = 5;

/// Returns the cases that all contenders have, and the replicates that so many need. `figures` are those of each
/// contender, by number.
///
/// # Errors
/// When no case is compared, or contenders measure one in different units.
pub(crate) fn compared(question: &Question, figures: &[Vec<CaseFigure>]) -> Result<Cases, String> {
    let only = only_case(question, figures)?;
    let mut all: BTreeMap<&str, Vec<(usize, &CaseFigure)>> = BTreeMap::new();
    for (contender, figures) in figures.iter().enumerate() {
        if let Some(name) = only.filter(|name| !figures.iter().any(|of| of.case == *name)) {
            return Err(has_no_case(question, contender, name));
        }
        for figure in figures.iter().filter(|of| only.is_none_or(|name| of.case == name)) {
            let of = all.entry(&figure.case).or_default();
            // A contender counts once for each case.
            if of.last().is_none_or(|(last, _)| *last != contender) {
                of.push((contender, figure));
            }
        }
    }
    let mut cases = Cases::default();
    let mut only_in = vec![Vec::new(); figures.len()];
    for (name, of) in all {
        if of.len() < figures.len() {
            of.iter().for_each(|(contender, _)| only_in[*contender].push(name.to_owned()));
            continue;
        }
        let first = of[0].1;
        let case = |figure: &CaseFigure| Case {
            name: name.to_owned(),
            unit: figure.unit.clone(),
            larger_is_better: figure.larger_is_better,
        };
        if let Some((other, figure)) = of.iter().find(|(_, it)| case(it) != case(first)) {
            let unit = |figure: &CaseFigure| {
                if figure.unit.is_empty() { "no unit".to_owned() } else { shown(&figure.unit) }
            };
            return Err(format!(
                "the figure of the case `{}` has the unit {} in `{}` and {} in `{}`, which cannot be compared",
                shown(name),
                unit(first),
                question.name_of(0),
                unit(figure),
                question.name_of(*other as u32)
            ));
        }
        cases.compared.push(case(first));
    }
    if cases.compared.is_empty() {
        let example = |(at, names): (usize, &Vec<String>)| {
            let first = names
                .first()
                .map_or("none".to_owned(), |name| format!("such as `{}`", shown(name)));
            format!(
                "`{}` has {} ({first})",
                question.name_of(at as u32),
                show_counted(names.len() as u64, "case")
            )
        };
        let each: Vec<String> = only_in.iter().enumerate().map(example).collect();
        return Err(format!(
            "no case is in all contenders, so nothing can be compared: {}",
            each.join(", ")
        ));
    }
    let each = (0..).zip(only_in).filter(|(_, names)| !names.is_empty());
    cases.only_in = each.map(|(contender, cases)| OnlyIn { contender, cases }).collect();
    cases.replicates = replicates(question, cases.compared.len());
    Ok(cases)
}

/// The whole name of the only case that is asked for: it is that of the first contender.
///
/// # Errors
/// When that has no such case, or several. The message begins with the contender.
fn only_case<'a>(
    question: &Question,
    figures: &'a [Vec<CaseFigure>],
) -> Result<Option<&'a str>, String> {
    let LengthRule::Part { case: Some(typed) } = &question.length else { return Ok(None) };
    let names = figures.iter().take(1).flatten().map(|of| of.case.as_str());
    match glob::fitting(&glob::of_name(typed), names)[..] {
        [] => Err(has_no_case(question, 0, typed)),
        [one] => Ok(Some(one)),
        ref all => Err(format!("`{}`: the case {}", question.name_of(0), several(typed, all))),
    }
}

fn has_no_case(question: &Question, contender: usize, name: &str) -> String {
    format!("`{}` has no case `{}`", question.name_of(contender as u32), shown(name))
}

/// Says that a name without its part in parentheses is that of several cases.
pub(crate) fn several(name: &str, cases: &[&str]) -> String {
    let quoted: Vec<String> = cases.iter().map(|case| format!("`{}`", shown(case))).collect();
    format!(
        "`{}` fits {}: write the whole name of one",
        shown(name),
        lists::first_listed(&quoted, MOST_NAMED, |others| show_counted(others, "other"))
    )
}

/// The rounds for so many cases: those of the plan if they were given.
fn replicates(question: &Question, cases: usize) -> u32 {
    match question.length {
        LengthRule::Fixed | LengthRule::Part { .. } => question.rounds,
        _ => default_rounds(comparisons(question, cases), question.alpha),
    }
}

/// The comparisons of the larger family: that of a control has one for each case.
fn comparisons(question: &Question, cases: usize) -> usize {
    cases.saturating_mul(question.pairs.len().max(1))
}

/// Why so many rounds cannot decide about so many cases. Returns None if they can. `are_rebuilt` says whether each
/// round has builds of its own.
pub(crate) fn too_few_rounds(
    question: &Question,
    cases: &Cases,
    are_rebuilt: bool,
) -> Option<String> {
    if matches!(question.length, LengthRule::Part { .. }) {
        return None;
    }
    let comparisons = comparisons(question, cases.compared.len());
    let too_few = if are_rebuilt { too_few_rebuilds } else { too_few };
    too_few(cases.replicates, comparisons, question.alpha)
}

/// Leaves out the dearest cases, one after another, until all rounds fit into the time that is left. `costs_ns` is what
/// each case takes in a round of all contenders, in the order of the cases. Returns what a round takes, in nanoseconds.
///
/// # Errors
/// When not even one case fits. The message says how long the cheapest takes.
pub(crate) fn fit_into(
    question: &Question,
    cases: &mut Cases,
    mut costs_ns: Vec<u64>,
    left_ns: u64,
) -> Result<u64, String> {
    loop {
        let round_ns = costs_ns.iter().sum::<u64>();
        let all_ns = round_ns.saturating_mul(cases.replicates.into());
        if all_ns <= left_ns {
            return Ok(round_ns);
        }
        let dearest = (0..costs_ns.len()).max_by_key(|at| costs_ns[*at]);
        let Some(dearest) = dearest.filter(|_| costs_ns.len() > 1) else {
            return Err(format!(
                "the time does not suffice for {} of the cheapest case, which take {}",
                show_counted(cases.replicates.into(), "round"),
                show_ns(all_ns)
            ));
        };
        costs_ns.remove(dearest);
        cases.left_out.push(cases.compared.remove(dearest).name);
        cases.left_out.sort();
        cases.replicates = replicates(question, cases.compared.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::testing;

    fn figure(case: &str, unit: &str) -> CaseFigure {
        CaseFigure {
            case: case.to_owned(),
            value: 5.0,
            unit: unit.to_owned(),
            larger_is_better: false,
        }
    }

    fn figures(cases: &[&str]) -> Vec<CaseFigure> {
        cases.iter().map(|case| figure(case, "ns")).collect()
    }

    fn question() -> Question {
        Question {
            is_suite: true,
            length: LengthRule::Cases,
            ..testing::question(&["old", "new"], 10)
        }
    }

    fn names(cases: &Cases) -> Vec<&str> {
        cases.compared.iter().map(|case| case.name.as_str()).collect()
    }

    #[test]
    fn cases_of_all_contenders_are_compared_by_their_names() {
        let cases =
            compared(&question(), &[figures(&["c", "a", "x"]), figures(&["a", "c", "y", "z"])]);
        let cases = cases.expect("two cases");
        assert_eq!(names(&cases), ["a", "c"]);
        let only = |contender, cases: &[&str]| OnlyIn {
            contender,
            cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        };
        assert_eq!(cases.only_in, [only(0, &["x"]), only(1, &["y", "z"])]);
        assert_eq!((cases.compared[0].unit.as_str(), cases.replicates), ("ns", 10));
    }

    #[test]
    fn replicates_follow_from_the_cases_of_all_pairs_unless_they_are_given() {
        let all: Vec<String> = (0..70).map(|number| format!("{number:02}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let two = [figures(&all), figures(&all)];
        let of = |question: &Question| compared(question, &two).expect("cases").replicates;
        assert_eq!(of(&question()), 14, "2^-11 is not above 0.05 / 70");
        let mut three = question();
        three.pairs = vec![record::Pair { a: 0, b: 1 }; 2];
        assert_eq!(of(&three), 15);
        let fixed = Question { length: LengthRule::Fixed, ..question() };
        let cases = compared(&fixed, &two).expect("cases");
        assert_eq!(cases.replicates, 10);
        assert_eq!(
            too_few_rounds(&fixed, &cases, false).as_deref(),
            Some(
                "10 rounds cannot support 70 comparisons at 5 %; at least 12 are needed: use --rounds 14 or compare fewer"
            )
        );
        let of_rebuilds = too_few_rounds(&fixed, &cases, true).expect("too few");
        assert!(of_rebuilds.contains("use --rebuilds 14 or"), "{of_rebuilds}");
        assert_eq!(too_few_rounds(&fixed, &Cases { replicates: 12, ..cases }, false), None);
    }

    #[test]
    fn a_case_is_named_without_its_part_in_parentheses_if_it_is_the_only_one() {
        let named = |typed: &str, old: &[&str], new: &[&str]| {
            let question = Question {
                length: LengthRule::Part { case: Some(typed.to_owned()) },
                ..question()
            };
            let cases = compared(&question, &[figures(old), figures(new)])?;
            Ok::<_, String>(names(&cases).join(", "))
        };
        let all = ["Max", "Max (slug)", "Sum (slug)", "Sum/8 (slug)", "Sum/8 (other)"];
        assert_eq!(named("Sum", &all, &all).as_deref(), Ok("Sum (slug)"));
        assert_eq!(named("Sum (slug)", &all, &all).as_deref(), Ok("Sum (slug)"));
        assert_eq!(named("Max", &all, &all).as_deref(), Ok("Max"), "a whole name comes first");
        let several = named("Sum/8", &all, &all).expect_err("two");
        assert_eq!(
            several,
            "`old`: the case `Sum/8` fits `Sum/8 (slug)` and `Sum/8 (other)`: write the whole name of one"
        );
        // It is the same case in all contenders.
        let other = named("Sum", &all, &["Sum (other)"]).expect_err("another case");
        assert_eq!(other, "`new` has no case `Sum (slug)`");
        assert_eq!(named("S*", &all, &all).expect_err("no pattern"), "`old` has no case `S*`");
    }

    #[test]
    fn a_contender_counts_once_for_a_case() {
        let none = compared(&question(), &[figures(&["a", "a"]), figures(&["b"])]);
        assert!(none.is_err(), "both figures of `a` are of one contender: {none:?}");
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        let none = compared(&question(), &[figures(&["a", "b"]), figures(&["c"])]);
        assert_eq!(
            none.unwrap_err(),
            "no case is in all contenders, so nothing can be compared: `old` has 2 cases (such as `a`), `new` has 1 \
             case (such as `c`)"
        );
        let units = compared(&question(), &[figures(&["a"]), vec![figure("a", "MB/s")]]);
        assert_eq!(
            units.unwrap_err(),
            "the figure of the case `a` has the unit ns in `old` and MB/s in `new`, which cannot be compared"
        );
    }

    #[test]
    fn the_dearest_cases_are_left_out_and_never_rounds() {
        let all = [figures(&["a", "b", "c", "d"]), figures(&["a", "b", "c", "d"])];
        let cases = || compared(&question(), &all).expect("cases");
        let costs = vec![40, 10, 30, 20];
        let fit = |left_ns| {
            let mut cases = cases();
            fit_into(&question(), &mut cases, costs.clone(), left_ns).map(|_| cases)
        };
        let whole = fit(1000).expect("all fit");
        assert_eq!((names(&whole).len(), whole.left_out.len(), whole.replicates), (4, 0, 10));
        let cut = fit(600).expect("three fit");
        assert_eq!(
            (names(&cut), cut.left_out.clone(), cut.replicates),
            (vec!["b", "c", "d"], vec!["a".to_owned()], 10)
        );
        assert_eq!(names(&fit(599).expect("two fit")), ["b", "d"]);
        assert_eq!(
            fit(99).unwrap_err(),
            "the time does not suffice for 10 rounds of the cheapest case, which take 100 ns"
        );
    }
}
