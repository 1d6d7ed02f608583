//! What an experiment file says of the published experiment that it repeats, and what the
//! article's own method gives here.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A published experiment (`[published]` in an experiment file).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// What was asked, as a question for people.
    pub question: String,
    /// Who published it, when, and how it was measured: a text for people.
    pub article: String,
    /// Unit of the figures, such as `requests/s`.
    pub unit: String,
    /// The published figures by name of the contender. They were measured on other
    /// machines.
    pub figures: BTreeMap<String, f64>,
    /// The scale of the file that was chosen (`--scale`). None means the file's own sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
}

/// One run of the article's own method, on the target of one contender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingleRun {
    /// The contender's number.
    pub contender: u32,
    /// The command in words, harmless to show.
    pub command: String,
    /// The figure that it printed, in the unit of the published ones. None if there is none.
    pub figure: Option<f64>,
    /// Why there is no figure. Empty if there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}
