//! The calibration of suites: many suites of a real program with 70 cases, whose true differences are known.

use crate::common::TestDirectory;
use crate::driver::{figure, truths};
use crate::equal::Rule;
use crate::suites::{Case, built, compared};
use engine::random::Random;
use judge::Judge;
use record::{
    Address, Cases, End, EndReason, Interleave, LaneOrder, Metric, Pair, Phase, Question, Seen,
};
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

truths! {
    Calibration: seventy_equal_cases_are_rarely_called_different,
    Calibration: three_dearer_cases_of_seventy_are_found_and_no_others,
    Calibration: beside_a_neighbour_three_dearer_cases_are_found_and_no_others,
    Calibration: a_suite_in_a_leaked_order_is_caught_by_its_control,
}

/// In a suite of equal cases any case is called in at most 5 %: a right tool fails with a probability of 4 in 10 000.
/// A tool that calls some case in 20 % of the suites fails with 0.93.
const SUITES: Rule = Rule { looks: &[(40, 4)], fails_at: 14, last: 100 };
/// Cases, and the steps of the shortest one: together 50 ms for each run.
const SEVENTY: &str = "70 2e5";
const CASES: usize = 70;
/// What the dearer cases cost.
const DEARER: f64 = 1.05;
/// The smallest difference that matters, as by default.
const MATTERS: f64 = 1.03;

impl Case {
    /// Whether its interval leaves out that nothing differs. Whether the difference matters is not asked.
    fn differs(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Whether it would be called slower if it cost `factor` times as much: the interval of logarithms moves with them.
    fn would_be_slower(&self, factor: f64) -> bool {
        self.low * factor > 1.0 && self.high * factor > MATTERS
    }
}

fn seventy_equal_cases_are_rarely_called_different() {
    let directory = built();
    let called = SUITES.apply_with_figure("any case: ", |_| {
        let cases = compared(&directory, SEVENTY, (1.0, ""), &[]);
        assert_eq!(cases.len(), CASES);
        cases.iter().any(Case::differs)
    });
    assert!(called.is_ok(), "{called:?}");
}

/// Three cases cost 5 % more. They are found as often as equal cases of the same suites would be if their intervals
/// were moved by 5 %, less four standard errors: so the noise of the machine is that of the same runs. The cases of one
/// suite share its noise, so suites are counted. Of the others any is called in as many suites as of equal ones.
fn finds_the_dearer_ones(directory: &TestDirectory, speed: &str) {
    let (found, expected, suites) = (Cell::new(0), Cell::new(0.0), Cell::new(0));
    let others = SUITES.apply_with_figure("any other case: ", |_| {
        let cases = compared(directory, SEVENTY, (DEARER, speed), &[]);
        let (dearer, equal): (Vec<Case>, Vec<Case>) =
            cases.into_iter().partition(|case| case.is_dearer);
        assert_eq!((dearer.len(), equal.len()), (3, CASES - 3));
        let slower = dearer.iter().filter(|case| case.verdict == "slower").count();
        found.set(found.get() + slower);
        let moved = equal.iter().filter(|case| case.would_be_slower(DEARER)).count();
        expected.set(expected.get() + moved as f64 / equal.len() as f64);
        suites.set(suites.get() + 1);
        equal.iter().any(Case::differs)
    });
    let many = f64::from(suites.get());
    let (share, power) = (found.get() as f64 / (3.0 * many), expected.get() / many);
    let least = power - 4.0 * (power * (1.0 - power) / many).sqrt();
    figure(
        format!("{:.1} % of the dearer cases found in {many} suites", 100.0 * share),
        format!(
            "{:.1} %: {:.1} % of moved ones, less four standard errors",
            100.0 * least,
            100.0 * power
        ),
    );
    assert!(others.is_ok(), "{others:?}");
    assert!(least > 0.0, "the machine is too noisy for this truth: {power}");
    assert!(share >= least, "{share} of {power}");
}

fn three_dearer_cases_of_seventy_are_found_and_no_others() {
    finds_the_dearer_ones(&built(), "");
}

/// All cases of a run cost up to a twentieth more or less, by when it runs: from one run to the next up to 2 %.
fn beside_a_neighbour_three_dearer_cases_are_found_and_no_others() {
    let directory = built();
    let write = |time: f64| {
        let share = 0.05 * (time * std::f64::consts::TAU / 0.5).sin();
        // Renamed, so that no program reads half of it.
        fs::write(directory.file("next"), (1.0 + share).to_string()).expect("a file");
        fs::rename(directory.file("next"), directory.file("speed")).expect("it is there");
    };
    write(0.0);
    let (began, ends) = (Instant::now(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                write(began.elapsed().as_secs_f64());
                thread::sleep(Duration::from_millis(5));
            }
        });
        // So that the thread ends if this fails.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            finds_the_dearer_ones(&directory, "speed");
        }));
        ends.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

const ROUNDS: u32 = 14;
const NAMES: [&str; 3] = ["old", "new", "new-again"];

/// The figures of one run of the program while the machine is slower by this share.
fn figures_of_a_run(directory: &Path, share: f64) -> Vec<record::CaseFigure> {
    fs::write(directory.join("speed"), (1.0 + share).to_string()).expect("a file");
    let words = SEVENTY.split(' ').chain(["1", "speed"]);
    let output = Command::new("./suite").args(words).current_dir(directory).output();
    let printed = figures::Printed { path: "", bytes: &output.expect("it runs").stdout };
    figures::read(None, &[printed]).expect("it prints as go does").figures
}

/// Judges a suite whose runs come in this order of contenders, one after the other, on a machine that becomes slower by
/// 30 % meanwhile. Returns whether the control refuses it.
fn is_refused(directory: &Path, order: &[u32]) -> bool {
    let plain = record::testing::question(&NAMES, ROUNDS);
    let pair = plain.pairs[0];
    let mut judge = Judge::new(&Question {
        is_suite: true,
        primary: Metric::Cost,
        secondary: Vec::new(),
        pairs: vec![pair],
        control: Some(Pair { a: 1, b: 2 }),
        matters: MATTERS - 1.0,
        ..plain
    });
    let choice = record::testing::pilot(NAMES.len(), 0, 0);
    judge.pilot(&record::PilotChoice { interleave: Interleave::Turns, ..choice });
    let case = |of: &record::CaseFigure| record::Case {
        name: of.case.clone(),
        unit: of.unit.clone(),
        larger_is_better: false,
    };
    let compared = figures_of_a_run(directory, 0.0).iter().map(case).collect();
    judge.cases(&Cases { compared, replicates: ROUNDS, ..Cases::default() });
    let mut runs = [0; NAMES.len()];
    let mut trials = Vec::new();
    for (at, contender) in order.iter().enumerate() {
        let round = &mut runs[*contender as usize];
        *round += 1;
        let mut seen = Seen { operations: 1, sent: 1, ..Seen::default() };
        (seen.outcomes.ok, seen.programs.runs) = (1, 1);
        seen.programs.figures = figures_of_a_run(directory, 0.3 * at as f64 / order.len() as f64);
        let lane = LaneOrder::closed(Address::Unix(String::new()), 1);
        trials.push(record::testing::trial(Phase::Round, *round, *contender, lane, seen));
    }
    trials.sort_by_key(|trial| trial.round);
    trials.iter().for_each(|trial| judge.add(trial));
    judge.end(&End { reason: EndReason::Complete, detail: String::new() });
    let verdict = judge.verdict();
    let control = verdict.suite().and_then(|suite| suite.control.as_ref()).expect("it has one");
    assert_eq!(control.comparisons.len(), CASES);
    let differs = control.comparisons.iter().any(|of| of.verdict.is_difference());
    assert_eq!(differs, verdict.void(), "what the control finds voids the run");
    differs
}

/// With all runs of one program before all runs of the next, the control refuses every suite. Where the order of each
/// round is drawn, it refuses as many as it may.
fn a_suite_in_a_leaked_order_is_caught_by_its_control() {
    let directory = built();
    let leaked: Vec<u32> = (0..3).flat_map(|of| [of; ROUNDS as usize]).collect();
    let caught = (0..10).filter(|_| is_refused(directory.path(), &leaked)).count();
    figure(format!("leaked: {caught} of 10 refused"), "all");
    assert_eq!(caught, 10);
    let random = RefCell::new(Random::new(1, 0));
    let drawn = SUITES.apply_with_figure("drawn, by the control: ", |_| {
        let round = || {
            let mut order = [0, 1, 2];
            random.borrow_mut().shuffle(&mut order);
            order
        };
        let order: Vec<u32> = (0..ROUNDS).flat_map(|_| round()).collect();
        is_refused(directory.path(), &order)
    });
    assert!(drawn.is_ok(), "{drawn:?}");
}
