//! Suites: programs whose runs give the figures of several cases.

use super::*;
use crate::stats::{rounds, signed_rank::SignedRank};
use crate::verdict::{FailedCase, SuitePair};
use record::OnlyIn;

const NAMES: [&str; 2] = ["old", "new"];

/// A suite of 14 rounds in which the cases of b cost so many times as much as those of a.
fn with_costs(ratios: &[f64]) -> SampleRun {
    let cost = |round: u32, contender: u32, case: usize| {
        // Nothing is without noise, and the same noise on both sides keeps the ratio.
        let common = 1.0 + 0.01 * f64::from(round % 5);
        100.0 * common * if contender == 1 { ratios[case] } else { 1.0 }
    };
    SampleRun::suite(&NAMES, (ratios.len(), 14), cost)
}

fn words(run: &SampleRun) -> Vec<Word> {
    run.verdict().comparisons().iter().map(|of| of.verdict).collect()
}

fn pair(run: &SampleRun) -> SuitePair {
    run.verdict().suite().expect("a suite").pairs[0].clone()
}

/// Changes the figures of one contender in one round.
fn spoil(run: &mut SampleRun, name: &str, round: u32, change: impl Fn(&mut Seen)) {
    run.each_seen(name, |of, seen| {
        if of == round {
            change(seen);
        }
    });
}

#[test]
fn each_case_is_a_comparison_of_cost_at_the_level_of_all_together() {
    let run = with_costs(&[1.1, 0.9, 1.0, 1.0]);
    let verdict = run.verdict();
    assert_eq!(words(&run), [Word::Slower, Word::Faster, Word::Equivalent, Word::Equivalent]);
    let first = &verdict.comparisons()[0];
    assert_eq!(first.case.as_deref(), Some("case 00"));
    assert_eq!((first.metric, first.primary, first.replicates), (Metric::Cost, true, 14));
    assert!((first.confidence - (1.0 - 0.05 / 4.0)).abs() < 1e-12, "{}", first.confidence);
    assert!(first.ratio.is_some_and(|ratio| (ratio - 1.1).abs() < 1e-9));
    let middle = first.middle.expect("figures");
    assert!((middle.b / middle.a - 1.1).abs() < 1e-9 && middle.a > 99.0, "{middle:?}");
    let of = pair(&run);
    assert_eq!((of.slower, of.faster, of.equivalent, of.undecided), (1, 1, 2, 0));
    assert_eq!((of.a.as_str(), of.b.as_str(), of.cases()), ("old", "new", 4));
    assert_eq!(verdict.findings(), [], "no rule about replies or rates");
}

#[test]
fn the_pairs_share_one_family() {
    let cost = |_, contender: u32, _| if contender == 2 { 1.2 } else { 1.0 };
    let run = SampleRun::suite(&["a", "b", "c"], (3, 14), cost);
    let verdict = run.verdict();
    let suite = verdict.suite().expect("a suite");
    assert_eq!(suite.pairs.iter().map(|of| of.slower).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(suite.pairs[1].comparisons, 3..6);
    let expected = 1.0 - 0.05 / 6.0;
    assert!(verdict.comparisons().iter().all(|of| (of.confidence - expected).abs() < 1e-12));
}

#[test]
fn of_a_figure_of_which_more_is_better_the_inverse_is_compared() {
    let mut run = with_costs(&[1.25, 1.25]);
    let cases = run.cases.as_mut().expect("a suite");
    (cases.compared[1].unit, cases.compared[1].larger_is_better) = ("MB/s".to_owned(), true);
    run.each(|record| {
        let figure = &mut record.seen.programs.figures[1];
        (figure.unit, figure.larger_is_better) = ("MB/s".to_owned(), true);
    });
    assert_eq!(words(&run), [Word::Slower, Word::Faster]);
    let ratio = run.verdict().comparisons()[1].ratio.expect("a ratio");
    assert!((ratio - 0.8).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_case_without_a_figure_in_any_round_has_no_verdict_and_the_others_go_on() {
    let mut run = with_costs(&[1.1, 1.1, 1.1, 1.1]);
    spoil(&mut run, "new", 3, |seen| drop(seen.programs.figures.remove(0)));
    spoil(&mut run, "old", 9, |seen| seen.programs.figures[1].unit = "us".to_owned());
    spoil(&mut run, "new", 14, |seen| {
        seen.programs.figures[2].value = f64::NAN;
    });
    let verdict = run.verdict();
    assert_eq!(words(&run), [Word::Undecided, Word::Undecided, Word::Undecided, Word::Slower]);
    let of = pair(&run);
    assert_eq!((of.slower, of.undecided, of.failed.len()), (1, 0, 3));
    let failed = |case: &str, contender: &str, round, why: &str| FailedCase {
        case: case.to_owned(),
        contender: contender.to_owned(),
        round,
        why: why.to_owned(),
    };
    let unit = "a figure in another unit than before round 1";
    assert_eq!(
        of.failed,
        [
            failed("case 00", "new", 3, "no figure"),
            failed("case 01", "old", 9, unit),
            failed("case 02", "new", 14, "no figure"),
        ]
    );
    let because = &verdict.comparisons()[0].because;
    assert_eq!(because, &["new: no figure in round 3"]);
    // A run that fails is why its cases have no figure, and is no reason to refuse the others.
    spoil(&mut run, "new", 5, |seen| {
        seen.programs.failed = 1;
        seen.programs.figures.remove(3);
        (seen.outcomes.ok, seen.outcomes.failed) = (0, [(Failure::Exit, 1)].into());
    });
    assert_eq!(pair(&run).failed[3], failed("case 03", "new", 5, "a run failed"));
    assert!(!run.verdict().void());
}

/// The figures of warm-ups and of rounds that were cut short are not judged.
#[test]
fn only_figures_of_complete_rounds_count() {
    let mut run = with_costs(&[1.1, 1.0]);
    spoil(&mut run, "new", 14, |seen| seen.programs.figures.clear());
    assert_eq!(pair(&run).failed.len(), 2);
    run.each_record("new", |record| record.cut_short = record.round == 14);
    let verdict = run.verdict();
    assert_eq!((verdict.complete_rounds(), verdict.comparisons()[0].replicates), (13, 13));
    assert_eq!(pair(&run).failed, []);
    assert_eq!(words(&run), [Word::Slower, Word::Equivalent]);
}

#[test]
fn cases_of_one_side_are_listed_and_not_compared() {
    let mut run = with_costs(&[1.0]);
    let cases = run.cases.as_mut().expect("a suite");
    cases.only_in = vec![OnlyIn { contender: 1, cases: vec!["fresh".to_owned()] }];
    cases.left_out = vec!["slow".to_owned()];
    let verdict = run.verdict();
    let suite = verdict.suite().expect("a suite");
    let only_in = &suite.only_in[0];
    assert_eq!(
        (only_in.contender.as_str(), &only_in.cases[..]),
        ("new", &["fresh".to_owned()][..])
    );
    assert_eq!((&suite.left_out[..], verdict.comparisons().len()), (&["slow".to_owned()][..], 1));
}

/// A suite of two cases whose control costs so many times as much as its original.
fn with_control(ratios: [f64; 2]) -> SampleRun {
    let cost = |_, contender: u32, case: usize| match contender {
        2 => 100.0 * ratios[case],
        _ => 100.0,
    };
    let mut run = SampleRun::suite(&["old", "new", "new again"], (2, 14), cost);
    run.question.pairs.truncate(1);
    run.question.control = Some(Pair { a: 1, b: 2 });
    run
}

#[test]
fn a_control_that_differs_from_itself_refuses_the_run() {
    let run = with_control([1.1, 1.0]);
    let verdict = run.verdict();
    assert!(verdict.void());
    let finding = &run.findings("control")[0];
    assert_eq!(
        finding.evidence,
        "the control, the same program against itself, differs in 1 of 2 cases: case 00 1.100x"
    );
    assert_eq!(words(&run), [Word::Void, Word::Void]);
    let suite = verdict.suite().expect("a suite");
    assert_eq!((suite.pairs.len(), suite.pairs[0].void), (1, 2));
    let control = suite.control.as_ref().expect("a control");
    assert_eq!((control.pair.slower, control.pair.equivalent), (1, 1));
    assert_eq!(control.comparisons.len(), 2);
}

#[test]
fn a_control_that_does_not_differ_is_told_and_refuses_nothing() {
    let verdict = with_control([1.0, 1.0]).verdict();
    assert!(!verdict.void());
    let control = verdict.suite().and_then(|suite| suite.control.as_ref()).expect("a control");
    assert_eq!(control.pair.equivalent, 2);
    assert_eq!(verdict.comparisons().len(), 2, "the control is no part of the answer");
    let level = verdict.comparisons()[0].confidence;
    assert_eq!(control.comparisons[0].confidence, level);
}

/// A difference that grows in all cases is named, and one extreme round of a case is said to weigh heavily.
#[test]
fn rules_about_rounds_look_at_the_mean_of_all_cases() {
    let cost = |round: u32, contender: u32, _| {
        if contender == 1 { 1.0 + 0.01 * f64::from(round) } else { 1.0 }
    };
    let run = SampleRun::suite(&NAMES, (5, 14), cost);
    let found = &run.findings("autocorrelated_rounds")[0];
    assert!(found.evidence.contains("mean cost of all cases 1.025x and 1.125x"), "{found:?}");
    let cost = |round: u32, contender: u32, _| match (round, contender) {
        (1, 1) => 1.5,
        (round, 1) => 1.0 + 0.001 * f64::from(round % 3),
        _ => 1.0,
    };
    let run = SampleRun::suite(&NAMES, (5, 14), cost);
    let found = &run.findings("first_round")[0];
    assert!(
        found.evidence.starts_with("mean cost of all cases of new to old is 1.500x"),
        "{found:?}"
    );
    let named = "in 5 of 5 cases: case 00 1.001x, case 01 1.001x, case 02 1.001x, case 03 1.001x and case 04 1.001x";
    let outliers = &run.findings("outliers")[0];
    assert!(outliers.evidence.ends_with(named), "{outliers:?}");
    assert_eq!(outliers.weight, Weight::Caution, "slower by ranks alone");
    let alone = SampleRun::suite(&NAMES, (1, 14), cost);
    assert_eq!(words(&alone), [Word::Equivalent]);
    assert_eq!(alone.findings("outliers")[0].weight, Weight::Note, "undecided by means");
}

#[test]
fn a_suite_with_looks_ends_when_every_case_is_settled() {
    let mut run = with_costs(&[1.1, 1.0]).with_looks();
    run.cases.iter_mut().for_each(|cases| cases.replicates = 60);
    assert!(run.judge().decided());
    let mut noisy = run.clone();
    noisy.each_seen("new", |round, seen| {
        let figure = &mut seen.programs.figures[1];
        figure.value *= if round % 2 == 0 { 1.2 } else { 0.8 };
    });
    assert!(!noisy.judge().decided());
    // A failed case never has a figure again.
    spoil(&mut noisy, "old", 1, |seen| drop(seen.programs.figures.remove(1)));
    assert!(noisy.judge().decided());
}

mod simulated;
