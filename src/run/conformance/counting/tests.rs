//! Comparisons with given results, since no server can tell one contender from the other when both
//! have its URL.

use super::*;
use crate::run::judging::example;
use record::TrialRecord;

fn found(word: Word, interval: (f64, f64)) -> Found {
    Found { word, interval: Some(interval), round: 0.2 }
}

const EQUAL: (Word, (f64, f64)) = (Word::Undecided, (0.99, 1.01));
const DIFFERENT: (Word, (f64, f64)) = (Word::Slower, (0.9, 0.95));
const REFUSED: (Word, (f64, f64)) = (Word::Void, (0.5, 0.9));

/// One server is compared with itself, and the comparisons find this. When they run out, the test
/// is stopped.
fn equal(results: impl IntoIterator<Item = (Word, (f64, f64))>) -> (EqualPair, Vec<(u32, u32)>) {
    let mut results = results.into_iter();
    let mut asked = Vec::new();
    let alike = compare_equal(|number, all| {
        asked.push((number, all));
        Ok(results.next().map(|(word, interval)| found(word, interval)))
    });
    (alike.expect("no comparison failed"), asked)
}

#[test]
fn equal_servers_pass_after_twenty() {
    let (alike, asked) = equal([DIFFERENT; 2].into_iter().chain([EQUAL; 60]));
    assert_eq!((alike.compared, alike.different, alike.passed), (20, 2, Some(true)));
    assert_eq!((asked.first(), asked.last()), (Some(&(1, 20)), Some(&(20, 20))));
    let width = alike.median_width.expect("a width");
    assert!((width - (1.01 / 0.99 - 1.0)).abs() < 1e-12, "{width}");
}

#[test]
fn a_server_that_differs_from_itself_fails_at_the_tenth_time() {
    let (alike, asked) = equal([DIFFERENT, EQUAL, EQUAL].into_iter().cycle());
    assert_eq!((alike.compared, alike.different, alike.passed), (28, 10, Some(false)));
    assert_eq!(alike.longest_round, Some(0.2));
    assert_eq!(asked[19..21], [(20, 20), (21, 60)]);
}

#[test]
fn refused_comparisons_are_repeated_twice_and_count_for_nothing() {
    let (alike, asked) = equal([REFUSED; 2].into_iter().chain([EQUAL; 60]));
    assert_eq!((alike.compared, alike.void, alike.passed), (22, 2, Some(true)));
    assert_eq!(asked.last(), Some(&(22, 22)));
    assert!(alike.median_width.is_some_and(|width| width < 0.03), "{alike:?}");
    let (alike, _) = equal([EQUAL, REFUSED, EQUAL, REFUSED, REFUSED, EQUAL]);
    assert_eq!((alike.compared, alike.void, alike.passed), (5, 3, None));
}

#[test]
fn a_stop_leaves_no_result() {
    let (alike, _) = equal([EQUAL; 7]);
    assert_eq!((alike.compared, alike.passed), (7, None));
}

fn known(results: &[(Word, (f64, f64))]) -> PlantedDifference {
    let mut results = results.iter();
    let known = compare_known(10, |_| Ok(results.next().map(|(word, at)| found(*word, *at))));
    known.expect("no comparison failed")
}

#[test]
fn what_known_differences_are_counted_as() {
    let right = (Word::Slower, (0.90, 0.92));
    let missed = (Word::Undecided, (0.90, 1.01));
    let off = (Word::Slower, (0.95, 0.97));
    let opposite = (Word::Faster, (1.01, 1.02));
    let all = known(&[right, missed, off, opposite, REFUSED, right, right]);
    assert_eq!((all.compared, all.found, all.wrong, all.void), (6, 3, 1, 1));
    assert_eq!(all.covered, 3, "1 / 1.1 is 0.909");
    assert_eq!(known(&[right; 2]).compared, 2, "it was stopped");
}

#[test]
fn the_longest_round_is_kept() {
    let mut sizes = Sizes::default();
    for round in [0.2, 0.4, 0.3] {
        sizes.add(&Found { round, ..found(Word::Undecided, (0.9, 1.1)) });
    }
    assert_eq!(sizes.longest_round, Some(0.4));
}

#[test]
fn a_difference_below_one_that_was_missed_does_not_count() {
    let difference = |percent, found| PlantedDifference {
        percent,
        compared: 6,
        found,
        ..PlantedDifference::default()
    };
    let table = [
        ([6, 6, 6], Some(1)),
        ([6, 5, 3], Some(3)),
        ([6, 4, 6], Some(10)),
        ([4, 6, 6], None),
        ([0, 0, 0], None),
    ];
    for ([ten, three, one], expected) in table {
        let known = [difference(10, ten), difference(3, three), difference(1, one)];
        assert_eq!(smallest_found(&known), expected, "{ten} {three} {one}");
    }
    assert_eq!(smallest_found(&[]), None);
}

/// A journal whose second contender takes so many times as long in each round.
fn recorded(times: impl Fn(u32) -> f64) -> Judged {
    example::judged(&[], |trial| {
        let times = if trial.contender == 1 { times(trial.round) } else { 1.0 };
        for slice in &mut trial.seen.slices {
            slice.took_ns = (slice.took_ns as f64 * times) as u64;
        }
    })
}

/// Rounds scatter by 1 % around this.
fn about(times: f64) -> impl Fn(u32) -> f64 {
    move |round| times * if round % 2 == 0 { 1.01 } else { 0.99 }
}

fn equal_journals(judged: &Judged) -> EqualPair {
    compare_equal(|_, _| Ok(Some(Found::of(judged)))).expect("no comparison failed")
}

fn known_journals(judged: &Judged) -> PlantedDifference {
    compare_known(10, |_| Ok(Some(Found::of(judged)))).expect("no comparison failed")
}

#[test]
fn journals_of_one_server_pass_and_those_of_two_fail() {
    let alike = equal_journals(&recorded(about(1.0)));
    assert_eq!((alike.compared, alike.different, alike.void), (20, 0, 0));
    assert_eq!((alike.passed, alike.longest_round), (Some(true), Some(1.0)));
    let width = alike.median_width.expect("a width");
    assert!((0.001..0.03).contains(&width), "{width}");
    for times in [0.9, 1.1] {
        let alike = equal_journals(&recorded(about(times)));
        assert_eq!((alike.compared, alike.different, alike.passed), (10, 10, Some(false)));
    }
}

#[test]
fn journals_of_a_known_difference_are_counted_by_word_and_interval() {
    let counts = |judged: &Judged| {
        let known = known_journals(judged);
        (known.found, known.wrong, known.void, known.covered)
    };
    assert_eq!(counts(&recorded(about(1.1))), (6, 0, 0, 6));
    assert_eq!(counts(&recorded(about(1.2))), (6, 0, 0, 0), "found, but 20 % are not 10 %");
    assert_eq!(counts(&recorded(about(0.9))), (0, 6, 0, 0));
    // Three rounds of ten say the opposite.
    let noisy = recorded(|round| if round % 3 == 0 { 0.8 } else { 1.12 });
    assert_eq!(counts(&noisy), (0, 0, 0, 6));
}

#[test]
fn a_journal_of_replies_that_are_errors_is_void() {
    let errors = |trial: &mut TrialRecord| {
        trial.seen.codes = [(404, trial.seen.operations)].into();
        let outcomes = &mut trial.seen.outcomes;
        outcomes.unexpected = [(404, std::mem::take(&mut outcomes.ok))].into();
    };
    let judged = example::judged(&[], errors);
    let alike = equal_journals(&judged);
    assert_eq!((alike.compared, alike.void, alike.passed), (3, 3, None));
    assert_eq!(known_journals(&judged).void, 6);
}
