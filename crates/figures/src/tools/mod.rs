//! The tools whose figures are read. Each file contains one tool.

mod benchmarkjs;
mod cargo_criterion;
mod catch2;
mod criterion;
mod go;
mod google_benchmark;
mod hyperfine;
mod jmh;
mod libtest;
mod mitata;
mod nanobench;
mod pytest_benchmark;
mod tinybench;

use crate::input::Document;
use crate::numbers::number as text_number;
use crate::rows::Rows;
use serde_json::Value;

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The word that names it in an experiment file.
    pub(crate) name: &'static str,
    /// Adds the figures in the output. It adds nothing if the output is of another tool.
    pub(crate) read: fn(&[Document], &mut Rows),
    /// Returns the word with which the program runs this case alone.
    pub(crate) one_case: fn(&str) -> Option<String>,
    /// The word with which the program runs all cases.
    pub(crate) all_cases: Option<&'static str>,
    /// Arguments that make runs shorter.
    pub(crate) shorter_runs: Option<&'static str>,
    /// What to do about two cases of one name. None if they are repeats of one case.
    pub(crate) twice: Option<&'static str>,
    /// Whether a file below the directory that the program wrote to has figures.
    pub(crate) reads_file: fn(&str) -> bool,
}

impl Tool {
    /// Returns the figures in the output. `larger_is_better` is for those from whose unit it does not follow.
    pub(crate) fn rows(&self, documents: &[Document], larger_is_better: Option<bool>) -> Rows {
        let mut rows = Rows::new(self.twice, larger_is_better);
        (self.read)(documents, &mut rows);
        rows
    }
}

/// A tool that cannot select cases, prints one figure for each, and writes single files.
const USUAL: Tool = Tool {
    name: "",
    read: |_, _| {},
    one_case: |_| None,
    all_cases: None,
    shorter_runs: None,
    twice: Some("rename one, or let each contender run one program"),
    reads_file: |_| true,
};

/// The parameters in an object of JSON: `size=10`.
fn params(object: &Value) -> Vec<String> {
    let params = object.as_object().into_iter().flatten();
    params.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or(""))).collect()
}

/// Whether it is a unit of time of the tools for C++.
fn is_time(unit: &str) -> bool {
    ["ns", "us", "ms", "s"].contains(&unit)
}

/// What to do about two cases of one name, if `cargo bench` runs several programs.
const ONE_PROGRAM: Option<&str> = Some(
    "run one benchmark program for each contender, such as with `cargo bench --bench NAME`, or rename one",
);

/// All tools, in the order in which help shows them.
pub(crate) const TOOLS: &[&Tool] = &[
    &criterion::TOOL,
    &cargo_criterion::TOOL,
    &libtest::TOOL,
    &go::TOOL,
    &google_benchmark::TOOL,
    &pytest_benchmark::TOOL,
    &jmh::TOOL,
    &hyperfine::TOOL,
    &catch2::TOOL,
    &nanobench::TOOL,
    &benchmarkjs::TOOL,
    &tinybench::TOOL,
    &mitata::TOOL,
];
