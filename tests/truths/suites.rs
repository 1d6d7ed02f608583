//! Known truths about suites: programs of known work, of which some cases cost more and the others cost the same.

use crate::common::{TestDirectory, errors, number};
use crate::driver::{figure, truths};
use serde_json::Value;
use std::fs;
use std::process::Command;

truths! {
    Changed: of_four_cases_the_one_that_costs_half_more_is_called,
}

/// `suite CASES STEPS FACTOR [SPEED]`: cases of a fixed number of steps, printed as `go test -bench` prints them. Some are
/// twice or three times as long as others. [`is_dearer`] says which ones do FACTOR times as many steps. All of them do
/// as many times more as the file SPEED says, as if the machine were slower.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(int argc, char **argv) {
  double speed = 1;
  FILE *file = argc > 4 ? fopen(argv[4], "r") : NULL;
  if (file && fscanf(file, "%lf", &speed) != 1) return 1;
  for (int number = 0; number < atoi(argv[1]); number++) {
    double steps = atof(argv[2]) * (1 + number % 3) * speed;
    if (number % 23 == 2) steps *= atof(argv[3]);
    volatile unsigned long x = 1;
    double began = now();
    for (unsigned long i = 0; i < (unsigned long)steps; i++) x = x * 2862933555777941757UL + 3037000493UL;
    printf("BenchmarkCase%02d-1 \t 1 \t %.1f ns/op\n", number, now() - began);
  }
}
"#;

/// Whether the case of this number is one of those that do FACTOR times as many steps.
fn is_dearer(number: usize) -> bool {
    number % 23 == 2
}

/// A directory with the program.
pub(crate) fn built() -> TestDirectory {
    let directory = TestDirectory::new();
    fs::write(directory.file("suite.c"), PROGRAM).expect("a file");
    let words = ["-O1", "-o", "suite", "suite.c"];
    let built = Command::new("cc").args(words).current_dir(directory.path()).output();
    let built = built.expect("cc is installed");
    assert!(built.status.success(), "{}", errors(&built));
    directory
}

/// The interval of a case: the ratio of what it costs, at the level of all cases together.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) is_dearer: bool,
    pub(crate) ratio: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) verdict: String,
}

/// Compares the program with itself, where the dearer cases of the second one do `factor` times as many steps. Returns
/// the cases in the order of their numbers.
pub(crate) fn compared(
    directory: &TestDirectory,
    program: &str,
    (factor, speed): (f64, &str),
    more: &[&str],
) -> Vec<Case> {
    let old = format!("old=exec:./suite {program} 1 {speed}");
    let new = format!("new=exec:./suite {program} {factor} {speed}");
    let words = ["compare", &old, &new, "--figures", "go", "--json", "report.json"];
    let output = directory.tiebreak(&[&words[..], more].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = directory.json("report.json");
    let all = report["comparisons"].as_array().expect("a list");
    let case = |(at, of): (usize, &Value)| Case {
        name: of["case"].as_str().expect("a name").to_owned(),
        is_dearer: is_dearer(at),
        ratio: number(&of["ratio"]),
        low: number(&of["low"]),
        high: number(&of["high"]),
        verdict: of["verdict"].as_str().expect("a word").to_owned(),
    };
    all.iter().enumerate().map(case).collect()
}

/// 12 rounds of about 20 ms for each program. The dearer case is called slower, by half within 5 points, and no other
/// is shown to differ by more than 5 %: CPU time of a fixed loop varies by some percent on a busy machine, and an
/// interval of four comparisons in 12 rounds leaves the truth out in at most 1.25 % of runs, by 5 % far less often. A
/// suite that mixes up its cases, or whose ratios are turned round, fails.
fn of_four_cases_the_one_that_costs_half_more_is_called() {
    let cases = compared(&built(), "4 1e6", (1.5, ""), &["--rounds", "12"]);
    assert_eq!(cases.len(), 4);
    for Case { name, is_dearer, ratio, low, high, verdict } in cases {
        let shown = format!("{name} {ratio:.3} ({low:.3} to {high:.3})");
        if is_dearer {
            figure(&shown, "slower, 1.5 within 0.05");
            assert!(verdict == "slower" && (ratio - 1.5).abs() < 0.05, "{shown}: {verdict}");
        } else {
            figure(&shown, "not different by more than 5 %");
            assert!(low < 1.05 && high > 0.95, "{shown}: {verdict}");
        }
    }
}
