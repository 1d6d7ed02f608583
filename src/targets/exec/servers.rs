//! Servers that are launched for a program, and what the program learns about them.

use super::Program;
use crate::targets::launch::{Launch, ProcessContext, Text, Values};
use std::path::PathBuf;

/// Servers that a program talks to. They run from before its first run until after its
/// last one. No `Debug`: they can hold secrets.
#[derive(Clone)]
pub struct Servers {
    /// How to launch them.
    pub launch: Launch,
    /// The words of the program, with placeholders.
    pub words: Vec<Text>,
    /// The directory of the experiment file. The directory of a recipe's launch is a different one.
    pub directory: PathBuf,
    /// The program's own directory and variables, with placeholders.
    pub context: ProcessContext,
}

impl Servers {
    /// Whether the program and its directory are known only after the servers were launched.
    pub(crate) fn decide_what_runs(&self) -> bool {
        let of_directory = self.context.cwd.iter().flat_map(Text::placeholders);
        self.words[0].placeholders().chain(of_directory).next().is_some()
    }

    /// The program as it is run beside servers that were launched with these values.
    pub(crate) fn with_values(&self, program: &Program, values: &Values) -> Program {
        let command = program.command.with_words(|at| self.words[at].fill(values));
        let mut program = Program { command, ..program.clone() };
        program.set_context(&self.directory, &self.context, values);
        program
    }
}
