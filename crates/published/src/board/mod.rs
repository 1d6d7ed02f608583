//! Leaderboards: lists of entries with a published figure each, such as the two boards whose format is known.
//!
//! A file is recognised by its content ([`recognition`]). [`list`] makes lists of its figures and judges each of them.

mod arena;
mod document;
pub mod list;
mod recognition;
mod rows;
pub mod sentences;
mod web_frameworks;

use text::shown::shown_sentence;

pub use list::{Answer, BoardEntry, BoardList};
pub(crate) use recognition::{Kept, read};
pub use rows::{Board, BoardMetric, Unit};

/// What is wrong with a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardError {
    /// The index of its file.
    pub file: usize,
    /// The line, if it is about one.
    pub line: Option<u64>,
    /// What is wrong, with the key, and what to do. Not escaped.
    pub text: String,
}

impl BoardError {
    /// The whole message, escaped, given the names of the files.
    pub fn message(&self, files: &[String]) -> String {
        let file = files.get(self.file).map_or("", String::as_str);
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{file}{line}: {}", shown_sentence(&self.text))
    }
}
