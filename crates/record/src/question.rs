//! What the judge is asked: part of the plan, fixed before round 1.

use crate::Consistency;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The questions that a run is to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// What is known of each contender before the run, by number.
    pub contenders: Vec<ContenderAsked>,
    /// The metric on which each comparison's verdict rests.
    pub primary: Metric,
    /// Metrics of the second family, which has an error budget of its own.
    pub secondary: Vec<Metric>,
    /// Groups that are driven at once in every contender, in their order, and their
    /// metrics: of the second family too. Empty: one workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupAsks>,
    /// Which contenders are compared; empty for `run`.
    pub pairs: Vec<Pair>,
    /// Error budget of each family: 0.05 by default (1 − confidence).
    pub alpha: f64,
    /// The smallest difference that matters: 0.01 by default.
    pub matters: f64,
    /// Rounds planned, of all launches together; with looks: at most.
    pub rounds: u32,
    /// How often every target is launched afresh: then the launch is the
    /// replicate, and `rounds` ÷ `restarts` consecutive rounds belong to each.
    /// 0: one launch, or targets that ran already.
    #[serde(default)]
    pub restarts: u32,
    /// After how many rounds a run looks whether it is decided; empty: a run of
    /// a fixed length.
    #[serde(default)]
    pub looks: Vec<u32>,
    /// The contenders are expected to answer differently (`--expect-different`).
    pub expect_different: bool,
    /// The generator shares a core with what it measures, as far as is known.
    pub shares_core: bool,
    /// Groups of two contenders or more, by number, whose targets have a process
    /// in common: its CPU time cannot be told apart.
    #[serde(default)]
    pub sharing: Vec<Vec<u32>>,
    /// Cores that the generator's workers are pinned to; empty: not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generator_cores: Vec<u32>,
    /// Cores that tiebreak may use, those of the generator among them; empty: not
    /// known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_cores: Vec<u32>,
    /// Groups of two contenders or more, by number, that are different ways of
    /// talking to one target: they have the same address and host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_target: Vec<Vec<u32>>,
    /// Names of the codes that are no HTTP statuses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code_names: BTreeMap<u16, String>,
    /// Worker threads of the generator: its CPU time is shared out among them.
    pub workers: u32,
}

impl Question {
    /// Returns the names of the contenders, by number.
    pub fn names(&self) -> Vec<String> {
        self.contenders.iter().map(|contender| contender.name.clone()).collect()
    }

    /// Returns the name of a contender; an empty one if there is no such number.
    pub fn name_of(&self, number: u32) -> &str {
        self.contenders.get(number as usize).map_or("", |contender| contender.name.as_str())
    }

    /// Returns the number of the contender with this name. Returns None if no contender
    /// has it.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.contenders.iter().position(|contender| contender.name == name)
    }

    /// Rounds of each launch; none where there are no restarts.
    pub fn rounds_of_a_launch(&self) -> Option<u32> {
        self.rounds.checked_div(self.restarts)
    }
}

/// What is known of one contender before the run, as far as the judge needs it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContenderAsked {
    /// Its name.
    pub name: String,
    /// What it speaks, as people call it (`HTTP`, `Redis`). Empty: not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// The CPU of its target is in sight.
    pub cpu_in_sight: bool,
    /// Cores that its target may use. Empty: not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_cores: Vec<u32>,
    /// A client library drives it.
    #[serde(default)]
    pub by_library: bool,
    /// Its operations follow from a workload: then verification stands in for comparing
    /// replies.
    #[serde(default)]
    pub from_workload: bool,
    /// Its workload removes keys, so that misses are asked for.
    #[serde(default)]
    pub misses_asked: bool,
    /// The consistency level of each operation. None where the protocol has no levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Consistency>,
    /// The generator does the target's work itself (files).
    #[serde(default)]
    pub done_by_generator: bool,
    /// Its reply has no body by definition (HEAD).
    pub bodiless: bool,
    /// Highest rate of fresh connections that local ports allow, in connects per second;
    /// none where connections persist.
    pub port_limit: Option<f64>,
}

impl ContenderAsked {
    /// Returns a contender of which nothing is known but its name.
    pub fn named(name: &str) -> ContenderAsked {
        ContenderAsked { name: name.to_owned(), ..ContenderAsked::default() }
    }
}

/// What is asked about one group of all contenders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupAsks {
    /// Its name.
    pub name: String,
    /// The metrics that are compared.
    pub metrics: Vec<Metric>,
}

/// Contender `b` against contender `a`, by number: ratios are b/a.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The one compared with.
    pub a: u32,
    /// The one that the verdict speaks of.
    pub b: u32,
}

/// A figure of one trial. The text is the path below `metrics` in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Metric {
    /// Operations per second.
    #[serde(rename = "throughput")]
    Throughput,
    /// Median of response time.
    #[serde(rename = "response_time.p50")]
    ResponseP50,
    /// 99th percentile of response time.
    #[serde(rename = "response_time.p99")]
    ResponseP99,
    /// 99.9th percentile of response time.
    #[serde(rename = "response_time.p999")]
    ResponseP999,
    /// Seconds of the target's CPU for each operation, at rest included.
    #[serde(rename = "target_cpu_per_operation")]
    TargetCpu,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Throughput.
    HigherIsBetter,
    /// Times and costs.
    LowerIsBetter,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 5] = [
        Metric::Throughput,
        Metric::ResponseP50,
        Metric::ResponseP99,
        Metric::ResponseP999,
        Metric::TargetCpu,
    ];

    /// The path below `metrics` in the report.
    pub fn path(self) -> &'static str {
        match self {
            Metric::Throughput => "throughput",
            Metric::ResponseP50 => "response_time.p50",
            Metric::ResponseP99 => "response_time.p99",
            Metric::ResponseP999 => "response_time.p999",
            Metric::TargetCpu => "target_cpu_per_operation",
        }
    }

    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self {
            Metric::Throughput => Direction::HigherIsBetter,
            _ => Direction::LowerIsBetter,
        }
    }

    /// The quantile that it is, for metrics of response time.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Metric::Throughput | Metric::TargetCpu => None,
            Metric::ResponseP50 => Some(0.5),
            Metric::ResponseP99 => Some(0.99),
            Metric::ResponseP999 => Some(0.999),
        }
    }
}
