//! Reads the figures that benchmark programs print or write: one for each case of a suite.
//!
//! No I/O and no clock: the caller reads the output and the files.
#![forbid(unsafe_code)]

use record::CaseFigure;

/// The longest output that is read, in bytes.
pub const LONGEST: u64 = 16 << 20;

/// What a program printed, or a file that it wrote.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// The path below the directory that was read. Empty for standard output, and for a single file.
    pub path: &'a str,
    /// The content.
    pub bytes: &'a [u8],
}

/// The tool that printed it.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The benchmark harness of Rust's standard library.
    Libtest,
}

impl Kind {
    /// All words that name a kind, in the order in which help shows them. `pattern` is not among them, because it has
    /// a regular expression.
    pub const NAMES: &'static [&'static str] = &["libtest"];

    /// Returns the kind with this name. Returns None if there is none.
    pub fn named(name: &str) -> Option<Kind> {
        (name == "libtest").then_some(Kind::Libtest)
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Libtest => "libtest",
        }
    }

    /// Returns the word in place of `{case}` with which the program runs this case alone. Returns None if its tool
    /// cannot select cases.
    pub fn one_case(&self, _case: &str) -> Option<String> {
        None
    }

    /// Returns the word in place of `{case}` with which the program runs all cases. Returns None if its tool cannot
    /// select cases.
    pub fn all_cases(&self) -> Option<&'static str> {
        None
    }
}

/// Returns the figures of the cases, in the order of the output. Several figures of one case are their median.
/// Without a kind it is found by looking at the output.
///
/// # Errors
/// A sentence that says why there are none, with the remedy.
pub fn read(kind: Option<&Kind>, output: &[Printed<'_>]) -> Result<Vec<CaseFigure>, String> {
    let _ = (kind, output);
    Err("the output has no figures of a known kind".to_owned())
}
