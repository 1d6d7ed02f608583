//! Runs the known truths, one at a time, and reports three results: a truth passed, failed, or is
//! undecided on this machine.
//!
//! A truth that fails is run again at the end, as a failed test is, and is counted among those that failed
//! at first. If it fails again while others used the machine ([`crate::disturbance`]) it is undecided,
//! which is printed. Up to three undecided truths are no failure; more are one, so that a broken tool
//! cannot hide behind a noisy machine. A second failure on a machine that was left alone is final, and so
//! is the first wrong count ([`exact`]).

use crate::disturbance::Watch;
use crate::size::{Level, sized};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A known truth.
#[derive(Clone, Copy)]
pub(crate) struct Truth {
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    /// It uses the cores so little that all such truths run side by side.
    pub(crate) waits: bool,
    /// Panics if it fails.
    pub(crate) check: fn(),
}

/// Lists truths by level and function. `waits` marks those that run side by side.
macro_rules! truths {
    (@waits) => { false };
    (@waits waits) => { true };
    ($($level:ident $($waits:ident)? : $check:ident),* $(,)?) => {
        pub(crate) const TRUTHS: &[crate::driver::Truth] = &[$(crate::driver::Truth {
            name: stringify!($check),
            level: crate::size::Level::$level,
            waits: truths!(@waits $($waits)?),
            check: $check,
        }),*];
    };
}
pub(crate) use truths;

/// How many truths may stay undecided.
const MOST_UNDECIDED: usize = 3;

/// A truth takes minutes at most; one that hangs fails. In a calibration it may have sixty comparisons.
const LONGEST: Duration = Duration::from_secs(1800);
const LONGEST_OF_CALIBRATION: Duration = Duration::from_secs(4 * 3600);

/// How many rules passed none of their looks ([`first_failure`]).
static FIRST_FAILURES: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// What the truth that runs here has measured so far: figure and limit.
    static FIGURES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    static COUNTING: Cell<bool> = const { Cell::new(false) };
}

/// Adds a figure and its limit to the row of the current truth. Call it before the assertion, so
/// that the table shows failures, too.
pub(crate) fn figure(figure: impl Display, limit: impl Display) {
    FIGURES.with_borrow_mut(|all| all.push((figure.to_string(), limit.to_string())));
}

/// Runs assertions about exact counts. No disturbance of the machine excuses a wrong count.
pub(crate) fn exact<T>(assertions: impl FnOnce() -> T) -> T {
    COUNTING.set(true);
    let result = assertions();
    COUNTING.set(false);
    result
}

/// Reports that a rule passed none of its looks, and goes on to its last comparison.
pub(crate) fn first_failure(what: impl Display) {
    FIRST_FAILURES.fetch_add(1, Ordering::Relaxed);
    println!("failed at first: {what}");
}

/// How one try of a truth ended.
enum Outcome {
    Passed,
    /// A count was wrong, which nothing excuses.
    Wrong,
    Failed,
    /// It failed while the machine was disturbed as this says.
    Disturbed(String),
}

struct Attempt {
    outcome: Outcome,
    figures: Vec<(String, String)>,
}

/// Runs a truth once. It has a thread of its own, since it may hang.
fn attempt(truth: Truth) -> Attempt {
    let started = Instant::now();
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let watch = Watch::start();
        let result = catch_unwind(AssertUnwindSafe(truth.check));
        let outcome = match (result, watch.disturbance()) {
            (Ok(()), _) => Outcome::Passed,
            (Err(panic), disturbance) => {
                println!("{}: {}\n{disturbance}", truth.name, message(&*panic));
                match disturbance.is_large() {
                    _ if COUNTING.get() => Outcome::Wrong,
                    true => Outcome::Disturbed(disturbance.to_string()),
                    false => Outcome::Failed,
                }
            }
        };
        // The receiver is gone if this took too long.
        let _ = sender.send(Attempt { outcome, figures: FIGURES.take() });
    });
    let longest = sized(LONGEST, LONGEST_OF_CALIBRATION);
    let attempt = receiver.recv_timeout(longest).unwrap_or_else(|_| {
        println!("{}: it hangs: not over after {} s", truth.name, longest.as_secs());
        Attempt { outcome: Outcome::Wrong, figures: Vec::new() }
    });
    let word = match attempt.outcome {
        Outcome::Passed => "PASS",
        Outcome::Failed | Outcome::Wrong => "FAIL",
        Outcome::Disturbed(_) => "DISTURBED",
    };
    println!("{word:>12} [{:8.3}s] truths {}", started.elapsed().as_secs_f64(), truth.name);
    attempt
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// What a whole run found.
#[derive(Default)]
struct Results<'a> {
    passed: usize,
    failed: usize,
    undecided: Vec<String>,
    failed_at_first: usize,
    /// The file to which the rows of a truth are appended when it has ended, so that a run which is ended keeps the
    /// figures that it has: truth, figure, limit and tries, as Markdown.
    table: Option<&'a str>,
}

impl Results<'_> {
    fn tabulate(&self, truth: &Truth, attempt: &Attempt, tries: &str) {
        let Some(table) = self.table else { return };
        let truth = truth.name.replace('_', " ");
        let none = [("no figure".to_owned(), "its assertions".to_owned())];
        let figures = if attempt.figures.is_empty() { &none[..] } else { &attempt.figures };
        let row = |(figure, limit): &(String, String)| {
            format!("| {truth} | {figure} | {limit} | {tries} |")
        };
        append(table, &figures.iter().map(row).collect::<Vec<_>>());
    }

    /// Counts a first try. Returns true if the truth must be tried again.
    fn add(&mut self, truth: &Truth, attempt: &Attempt) -> bool {
        match attempt.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Wrong => self.failed += 1,
            Outcome::Failed | Outcome::Disturbed(_) => {
                self.failed_at_first += 1;
                return true;
            }
        }
        let wrong = matches!(attempt.outcome, Outcome::Wrong);
        self.tabulate(truth, attempt, if wrong { "FAILED" } else { "1" });
        false
    }

    fn add_second(&mut self, truth: &Truth, attempt: &Attempt) {
        let tries = match &attempt.outcome {
            Outcome::Passed => {
                self.passed += 1;
                "2"
            }
            Outcome::Failed | Outcome::Wrong => {
                self.failed += 1;
                "FAILED"
            }
            Outcome::Disturbed(why) => {
                self.undecided.push(format!("{}: failed twice; {why}", truth.name));
                "undecided after 2"
            }
        };
        self.tabulate(truth, attempt, tries);
    }

    fn print(&self) {
        for undecided in &self.undecided {
            println!("undecided on this machine: {undecided}");
        }
        let many = self.undecided.len();
        if many > MOST_UNDECIDED {
            println!("{many} truths are undecided, and at most {MOST_UNDECIDED} may be");
        }
        let first = self.failed_at_first + FIRST_FAILURES.load(Ordering::Relaxed) as usize;
        println!("known truths: {first} failed at first, {many} undecided");
        println!("{} passed, {} failed", self.passed, self.failed);
    }

    fn are_good(&self) -> bool {
        self.failed == 0 && self.passed > 0 && self.undecided.len() <= MOST_UNDECIDED
    }
}

/// Runs these truths, and stops at the first failure unless `keeps_going`. Appends the rows of each to this file.
pub(crate) fn run(truths: &[Truth], keeps_going: bool, table: Option<&str>) -> ExitCode {
    let mut results = Results { table, ..Results::default() };
    let (waiting, alone): (Vec<Truth>, Vec<Truth>) = truths.iter().partition(|truth| truth.waits);
    let side_by_side: Vec<Attempt> = thread::scope(|scope| {
        let threads: Vec<_> = waiting.iter().map(|truth| scope.spawn(|| attempt(*truth))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it catches panics")).collect()
    });
    let one_by_one = alone.into_iter().map(|truth| (truth, attempt(truth)));
    let mut again = Vec::new();
    for (truth, attempt) in waiting.into_iter().zip(side_by_side).chain(one_by_one) {
        if results.add(&truth, &attempt) {
            again.push(truth);
        }
        if results.failed > 0 && !keeps_going {
            break;
        }
    }
    if results.failed == 0 || keeps_going {
        again.iter().for_each(|truth| results.add_second(truth, &attempt(*truth)));
    }
    results.print();
    if results.are_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn append(path: &str, rows: &[String]) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    writeln!(file.expect("the table's file"), "{}", rows.join("\n")).expect("it is written");
}
