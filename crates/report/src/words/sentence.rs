//! Sentences in pieces: terminal and page format names and ratios differently.

use super::short_name;
use text::shown::short_case;

/// Longest name in a sentence, in characters. The plan shows names in full.
const LONGEST_NAME: usize = 60;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SentencePart {
    /// Text of tiebreak's own.
    Plain(String),
    /// Name of a contender or case, escaped for display.
    Name(String),
    /// The ratio that the sentence is about.
    Lead(String),
    /// Any other ratio.
    Ratio(String),
}

/// A sentence in pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sentence(pub(crate) Vec<SentencePart>);

/// What comes before the name of a side that is one launch.
pub const THIS_LAUNCH_OF: &str = "this launch of ";

impl Sentence {
    pub(super) fn plain(mut self, text: impl Into<String>) -> Self {
        self.0.push(SentencePart::Plain(text.into()));
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        self.0.push(SentencePart::Name(short_name(name, LONGEST_NAME)));
        self
    }

    /// Adds the name of a case.
    pub(super) fn case(mut self, name: &str) -> Self {
        self.0.push(SentencePart::Name(short_case(name)));
        self
    }

    /// Adds a side of a comparison, which may be one launch of it.
    pub(super) fn side(self, name: &str, is_launch: bool) -> Self {
        let sentence = if is_launch { self.plain(THIS_LAUNCH_OF) } else { self };
        sentence.name(name)
    }

    pub(super) fn lead(mut self, ratio: &str) -> Self {
        self.0.push(SentencePart::Lead(ratio.to_owned()));
        self
    }

    pub(super) fn ratio(mut self, ratio: &str) -> Self {
        self.0.push(SentencePart::Ratio(ratio.to_owned()));
        self
    }

    /// Adds the ends of an interval: the ratios behind the estimate.
    pub(super) fn range(self, ratios: &[String]) -> Self {
        self.ratio(&ratios[1]).plain(" to ").ratio(&ratios[2])
    }

    /// The sentence as plain text, with `times` after each ratio.
    pub(crate) fn text(&self, times: char) -> String {
        let piece = |part: &SentencePart| match part {
            SentencePart::Plain(text) | SentencePart::Name(text) => text.clone(),
            SentencePart::Lead(ratio) | SentencePart::Ratio(ratio) => format!("{ratio}{times}"),
        };
        self.0.iter().map(piece).collect()
    }
}
