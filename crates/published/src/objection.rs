//! What a rule objects to, and on which lines.

use judge::verdict::Weight;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Name of the file, escaped.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The text of the line, escaped. Empty if it was not kept.
    pub quote: String,
}

/// What a rule objects to.
#[derive(Clone, Debug)]
pub struct Objection {
    /// Name of the rule.
    pub rule: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// Whether it concerns one run by itself, not what several runs can show.
    pub alone: bool,
    /// Indices of the runs that it concerns.
    pub runs: Vec<usize>,
    /// What was seen.
    pub evidence: String,
    /// The lines that show it.
    pub source_lines: Vec<SourceLine>,
}

/// A rule that could not be applied to a run, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRule {
    /// Name of the rule.
    pub rule: &'static str,
    /// Index of the run.
    pub run: usize,
    /// The missing figure.
    pub missing: &'static str,
}

/// The most severe objection to a run by itself.
pub(crate) fn weight(objections: &[Objection], run: usize) -> Option<Weight> {
    let alone = objections.iter().filter(|objection| objection.alone);
    let about = alone.filter(|objection| objection.runs.contains(&run));
    about.map(|objection| objection.weight).max()
}
