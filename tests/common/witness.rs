//! A truth about times needs a machine that is left alone. If a hypervisor takes the cores away,
//! a failed test says nothing about tiebreak: the failure is printed, the truth is tried again,
//! and if it fails each time under the same conditions it is undecided, which `./test` reports.
//! More than three undecided truths are a failure: then the run has shown too little.
//!
//! The measured figures go into a table: [`figure`] adds to it, and `./test` prints it at its
//! end.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// Stolen time, as a share of one core, above which a failure says nothing. On the machine where
/// this was written good minutes have 0.1 % and bad ones 5 to 50 %.
const MOST_STOLEN: f64 = 0.03;
const TRIES: u32 = 2;
/// How many truths of one program may stay undecided.
const MOST_UNDECIDED: u32 = 3;

/// The file that receives the table's rows; without it they are written to standard error.
const TABLE: &str = "TIEBREAK_TRUTHS_TABLE";

/// Truths of this program that are undecided so far.
static UNDECIDED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// What the truth that runs here has measured so far: figure and limit.
    static FIGURES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    static COUNTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a test of a known truth.
pub(crate) fn witnessed(name: &str, mut truth: impl FnMut()) {
    let mut stolen = Vec::new();
    for tried in 1..=TRIES {
        FIGURES.take();
        COUNTING.set(false);
        let (begun, before) = (Instant::now(), stolen_seconds());
        let Err(panic) = catch_unwind(AssertUnwindSafe(&mut truth)) else {
            return tabulate(name, &tried.to_string());
        };
        let share = (stolen_seconds() - before) / begun.elapsed().as_secs_f64();
        let share_told = format!("{:.1} %", 100.0 * share);
        let why = told_by(&*panic);
        print(&format!("failure {tried} of {name} ({share_told} of a core stolen): {why}"));
        if share <= MOST_STOLEN || COUNTING.get() {
            tabulate(name, "FAILED");
            resume_unwind(panic);
        }
        stolen.push(share_told);
    }
    let stolen = stolen.join(" and ");
    print(&format!(
        "undecided: {name}: failed {TRIES} times while the hypervisor stole {stolen} of a core"
    ));
    tabulate(name, &format!("undecided after {TRIES}"));
    let undecided = UNDECIDED.fetch_add(1, Ordering::Relaxed) + 1;
    assert!(
        undecided <= MOST_UNDECIDED,
        "{undecided} truths are undecided, and at most {MOST_UNDECIDED} may be"
    );
}

/// Adds a figure and its limit to the row of the current truth. Call it before the assertion, so
/// that the table shows failures, too.
pub(crate) fn figure(figure: impl Display, limit: impl Display) {
    FIGURES.with_borrow_mut(|all| all.push((figure.to_string(), limit.to_string())));
}

/// Runs assertions about exact counts. No disturbance of the machine excuses a wrong count, so a
/// failure here is never tried again.
pub(crate) fn exact<T>(assertions: impl FnOnce() -> T) -> T {
    COUNTING.set(true);
    let result = assertions();
    COUNTING.set(false);
    result
}

/// Time stolen from all cores since the machine started.
pub(crate) fn stolen_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").expect("Linux");
    // "cpu user nice system idle iowait irq softirq steal", in hundredths.
    let steal = stat.split_whitespace().nth(8).and_then(|ticks| ticks.parse::<f64>().ok());
    steal.expect("a number of ticks") / 100.0
}

fn told_by(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Not by a macro, because the harness would capture what a passing test prints.
fn print(line: &str) {
    writeln!(std::io::stderr(), "\n{line}").expect("standard error");
}

/// The rows of this truth, as Markdown: truth, figure, limit, tries.
fn tabulate(name: &str, tries: &str) {
    let truth = name.replace('_', " ");
    let mut figures = FIGURES.take();
    if figures.is_empty() {
        figures.push(("no figure".to_owned(), "its assertions".to_owned()));
    }
    let row =
        |(figure, limit): &(String, String)| format!("| {truth} | {figure} | {limit} | {tries} |");
    let rows = figures.iter().map(row).collect::<Vec<String>>().join("\n");
    let Some(table) = std::env::var_os(TABLE) else { return print(&rows) };
    let table = std::fs::OpenOptions::new().append(true).create(true).open(table);
    writeln!(table.expect("the file of the table"), "{rows}").expect("the table is written");
}
