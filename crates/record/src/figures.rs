//! Suites: programs whose runs give several figures, one for each case. The figures of one contender are compared
//! case by case with those of another one.

use serde::{Deserialize, Serialize};

/// Maximum number of cases of a suite.
pub const MOST_CASES: usize = 2_000;

/// The figure of one case in one run of a program, as its tool reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseFigure {
    /// The name of the case. It is text of a stranger: reports escape it.
    pub case: String,
    /// The figure: finite and above 0, in `unit`.
    pub value: f64,
    /// The unit that all scales of the tool's unit share, such as `ns` for times and `B/s` for rates of bytes. Empty if
    /// it prints none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Whether a larger figure is better, as of a throughput. Ratios are those of its inverse.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub larger_is_better: bool,
}

/// One case that is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The unit of its figure. Empty if the tool prints none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Whether a larger figure is better.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub larger_is_better: bool,
}

/// The cases of a suite: what one run of each contender before round 1 listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// Cases that every contender has, in the order of their names. They are compared.
    pub compared: Vec<Case>,
    /// The names of the cases that only some contenders have, by the number of each contender that has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_in: Vec<OnlyIn>,
    /// The names of cases that were left out so that the run fits into the time that was given (`--within`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Planned replicates, which follow from the number of comparisons.
    pub replicates: u32,
}

/// Cases that one contender has and another one lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnlyIn {
    /// The contender's number.
    pub contender: u32,
    /// Their names.
    pub cases: Vec<String>,
}
