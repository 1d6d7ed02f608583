//! The published experiment that an experiment file repeats, and the results of the article's own
//! method on this machine.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A published experiment (`[published]` in an experiment file).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The question, as a sentence for people.
    pub question: String,
    /// Who published it, when, and how it was measured: a text for people.
    pub article: String,
    /// Unit of the figures, such as `requests/s`.
    pub unit: String,
    /// The published figures by contender name. They were measured on other machines.
    pub figures: BTreeMap<String, f64>,
    /// The chosen scale of the file (`--scale`). None means the sizes in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
}

/// One run of the article's own method, on the target of one contender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingleRun {
    /// The contender's number.
    pub contender: u32,
    /// The command, escaped and without secrets.
    pub command: String,
    /// The figure that it printed, in the unit of the published figures. None if there is none.
    pub figure: Option<f64>,
    /// Why there is no figure. Empty if there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}
