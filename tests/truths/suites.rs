//! Known truths about suites: programs of known work, of which one case costs more and the others cost the same.

use crate::common::{TestDirectory, errors, number};
use crate::driver::{figure, truths};
use serde_json::Value;
use std::fs;
use std::process::Command;

truths! {
    Changed: of_four_cases_the_one_that_costs_half_more_is_called,
}

/// Four cases of a fixed number of steps, printed as `go test -bench` prints them. `dearer` does FACTOR times as many.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
static void run(const char *name, double steps) {
  volatile unsigned long x = 1;
  double began = now();
  for (unsigned long i = 0; i < (unsigned long)steps; i++) x = x * 2862933555777941757UL + 3037000493UL;
  printf("Benchmark%s-1 \t 1 \t %.1f ns/op\n", name, now() - began);
}
int main(int argc, char **argv) {
  (void)argc;
  run("First", 1e6);
  run("Second", 2e6);
  run("Dearer", 2e6 * atof(argv[1]));
  run("Last", 3e6);
}
"#;

/// 12 rounds of about 30 ms for each program. The dearer case is called slower, by half within 5 points, and no other
/// is shown to differ by more than 5 %: CPU time of a fixed loop varies by some percent on a busy machine, and an
/// interval of four comparisons in 12 rounds leaves the truth out in at most 1.25 % of runs, by 5 % far less often. A
/// suite that mixes up its cases, or whose ratios are turned round, fails.
fn of_four_cases_the_one_that_costs_half_more_is_called() {
    let directory = TestDirectory::new();
    fs::write(directory.file("suite.c"), PROGRAM).expect("a file");
    let built = Command::new("cc")
        .args(["-O1", "-o", "suite", "suite.c"])
        .current_dir(directory.path())
        .output()
        .expect("cc is installed");
    assert!(built.status.success(), "{}", errors(&built));
    let words = [
        "compare",
        "old=exec:./suite 1",
        "new=exec:./suite 1.5",
        "--figures",
        "go",
        "--rounds",
        "12",
    ];
    let output = directory.tiebreak(&[&words[..], &["--json", "report.json"]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let report: Value = directory.json("report.json");
    let all = report["comparisons"].as_array().expect("a list");
    assert_eq!(all.len(), 4);
    for of in all {
        let [ratio, low, high] = ["ratio", "low", "high"].map(|key| number(&of[key]));
        let (case, word) = (of["case"].as_str().expect("a name"), &of["verdict"]);
        let shown = format!("{case} {ratio:.3} ({low:.3} to {high:.3})");
        if case == "BenchmarkDearer-1" {
            figure(&shown, "slower, 1.5 within 0.05");
            assert!(word == "slower" && (ratio - 1.5).abs() < 0.05, "{shown}: {word}");
        } else {
            figure(&shown, "not different by more than 5 %");
            assert!(low < 1.05 && high > 0.95, "{shown}: {word}");
        }
    }
}
