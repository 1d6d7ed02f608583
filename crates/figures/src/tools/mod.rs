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
    /// Whether a file below the directory that the program wrote to has figures.
    pub(crate) reads_file: fn(&str) -> bool,
}

impl Tool {
    /// Returns the figures in the output.
    pub(crate) fn rows(&self, documents: &[Document]) -> Rows {
        let mut rows = Rows::default();
        (self.read)(documents, &mut rows);
        rows
    }
}

/// A tool that cannot select cases, and writes single files.
const USUAL: Tool = Tool {
    name: "",
    read: |_, _| {},
    one_case: |_| None,
    all_cases: None,
    shorter_runs: None,
    reads_file: |_| true,
};

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
