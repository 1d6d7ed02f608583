//! The level of suites through recorded journals: equal cases are simulated, written as a journal, and judged by the
//! binary.

use super::causes::suite_with_control;
use super::journal::Journal;
use super::whole_report;
use crate::common::TestDirectory;
use engine::random::Random;
use record::{Case, CaseFigure, Cases, Event};

const CASES: usize = 70;
const ROUNDS: u32 = 14;
/// The standard deviation of the logarithm of a figure.
const DEVIATION: f64 = 0.014;

/// A number of the standard normal distribution, by Box and Muller.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * random.unit().ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// The journal of a suite whose cases cost the same in both contenders, except that the first one costs `first` times
/// as much in the second contender.
fn journal(seed: u64, first: f64) -> Journal {
    let mut journal = Journal::read("closed.jsonl");
    suite_with_control(&mut journal);
    let question = &mut journal.plan().question;
    // Without a control, and so that a difference that does not matter is called as well.
    (question.control, question.matters, question.rounds) = (None, 0.0, ROUNDS);
    journal.repeat_first_round(ROUNDS);
    let name = |case: usize| format!("case {case:02}");
    let compared = (0..CASES).map(|case| Case {
        name: name(case),
        unit: "ns".to_owned(),
        larger_is_better: false,
    });
    let cases = Cases { compared: compared.collect(), replicates: ROUNDS, ..Cases::default() };
    journal.set_cases(Event::Cases(Box::new(cases)));
    let mut random = Random::new(seed, 0);
    for trial in journal.trials() {
        let of_b = trial.contender == super::journal::B;
        let figure = |case: usize| CaseFigure {
            case: name(case),
            value: 100.0
                * (DEVIATION * normal(&mut random)).exp()
                * if of_b && case == 0 { first } else { 1.0 },
            unit: "ns".to_owned(),
            larger_is_better: false,
        };
        trial.seen.programs.figures = (0..CASES).map(figure).collect();
    }
    journal
}

/// The cases that the binary calls different, of the journal with this number.
pub(crate) fn called(directory: &TestDirectory, seed: u64, first: f64) -> Vec<String> {
    let report = whole_report(directory, &format!("run {seed} {first}"), &journal(seed, first), 0);
    let all = report["comparisons"].as_array().expect("a list");
    assert_eq!(all.len(), CASES);
    let is_called = |word: &str| ["slower", "faster"].contains(&word);
    let called = all.iter().filter(|of| is_called(of["verdict"].as_str().expect("a word")));
    called.map(|of| of["case"].as_str().expect("a name").to_owned()).collect()
}

/// One case of these journals costs a tenth more.
#[test]
fn one_dearer_case_of_a_journal_is_called() {
    let directory = TestDirectory::new();
    for seed in 0..5 {
        let called = called(&directory, seed, 1.1);
        assert!(called.contains(&"case 00".to_owned()), "seed {seed}: {called:?}");
    }
}
