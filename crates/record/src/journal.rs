//! The lines of a journal.

use crate::{
    AgentClock, AgentReady, Cases, Loaded, Nodes, OwnCost, PilotChoice, Plan, SecondStage,
    SingleRun, StoreReport, TrialRecord,
};
use serde::{Deserialize, Serialize};

/// Major and minor version of the journal's schema. Version 2 had other words and is still read; no release
/// wrote or reads version 1. A change after which older journals cannot be read as they are requires a new
/// major version.
pub const SCHEMA: &str = "tiebreak.journal/3";

/// Line 1, which is on disk before the first target is touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of tiebreak.
    pub version: String,
    /// Identifies the experiment: a hash of the plan without ports, times and the host.
    pub plan_hash: String,
    /// The plan as requested.
    pub plan: Plan,
    /// Start of the run, UTC, RFC 3339.
    pub started: String,
    /// The words of the command, without those that set its length and its output. Empty if any of them can
    /// hold a secret, and in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

/// The content of one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The header, always the first line.
    Header(Box<Header>),
    /// A target is ready: once, or once for each launch.
    Target(TargetReady),
    /// A target's launch ended, or the run ended.
    TargetDone(TargetDone),
    /// What a store reported about itself.
    Store(StoreReport),
    /// The outcome of loading a store's keys.
    Loaded(Loaded),
    /// The own cost of a contender's lane as an earlier run measured it. It is then not measured
    /// again, and there is no trial of the phase `null`.
    OwnCost(OwnCost),
    /// What the pilot chose.
    Pilot(PilotChoice),
    /// The cases of a suite, before round 1.
    Cases(Box<Cases>),
    /// What the first stage of a run of two stages showed, before the second one.
    SecondStage(SecondStage),
    /// One trial, including those of the warm-up and of the pilot.
    Trial(Box<TrialRecord>),
    /// The agents that drive together, before the first of them drives.
    Agents(Vec<AgentReady>),
    /// Their clock models, after each part of the run that they drove.
    Clocks(Vec<AgentClock>),
    /// The result of a published experiment's method, which runs after the rounds.
    SingleRun(SingleRun),
    /// A contender left a ranking, and the others go on without it.
    Withdrawn(Withdrawn),
    /// The end, always the last line of a run that ended.
    End(End),
}

/// A target that is ready to be driven.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetReady {
    /// The contender's number.
    pub contender: u32,
    /// The launch, counted from 1; 0 if it was running already.
    pub launch: u32,
    /// The source of its CPU time: `cgroup_v2`, `cgroup_v1` or `process_clocks`.
    pub cpu_source: Option<String>,
    /// Why its CPU time cannot be read, if it cannot.
    pub cpu_unavailable: Option<String>,
    /// What a watcher reads it by, in words, escaped. None if it has no watcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<String>,
    /// What it reports about itself, such as its version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// Its nodes, before it is driven. None if its servers announce none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
    /// Requests that checked whether it is ready, besides those of trials.
    #[serde(default)]
    pub ready_requests: u64,
    /// How long its launch took, from the start of its first process until it was ready. 0 if it was
    /// running already.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub took_ns: u64,
}

/// Something that a target reports about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The command that was run for it.
    pub command: String,
    /// Its first line, escaped. None if it printed nothing.
    pub line: Option<String>,
}

/// What is known about a target after it was driven for the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetDone {
    /// The contender's number.
    pub contender: u32,
    /// The launch, counted from 1; 0 if it was running already.
    pub launch: u32,
    /// Its peak memory in bytes. None if it cannot be read.
    pub peak_memory_bytes: Option<u64>,
    /// The source of that figure (`cgroup`, `processes`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_source: String,
    /// Sentences, escaped, about its logs that could not be read and cleaned of secrets, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_troubles: Vec<String>,
    /// Sentences, escaped, about its nodes that ended while it was driven and the others
    /// continued, and how they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_nodes: Vec<String>,
    /// Servers on this machine to which it was connected during the warm-up, escaped. They are not
    /// in its CPU time and memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
    /// Its nodes, after it was driven. None if its servers announce none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
    /// What a watcher reported of its machine. None if it has no watcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatcherReport>,
}

/// What a watcher reported about the machine of a target over one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatcherReport {
    /// Why it could not be read any more, escaped. None if it could until the end.
    pub lost: Option<String>,
    /// From the first reading to the last, by the monotonic clock of that machine.
    pub over_ns: u64,
    /// Time stolen from the cores of that machine during that time. None if it is not known.
    pub steal_ns: Option<u64>,
    /// The load of that machine in the minute before the end, in thousandths. None if it is not
    /// known.
    pub load_milli: Option<u64>,
    /// How many times it was read.
    pub questions: u64,
    /// The median time from sending a question to having the answer.
    pub median_ns: u64,
    /// The longest such time.
    pub longest_ns: u64,
}

/// A contender that left a ranking or a sweep. If there are several of one contender, the first says when it left, and the
/// last says why best: why a process ended is known later than that it stopped answering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// The contender's number.
    pub contender: u32,
    /// The launch that was under way, counted from 1. 0 if nothing is launched.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub launch: u32,
    /// The round in which it failed. 0 if that was before the first round, or before that of a launch.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub round: u32,
    /// Why, in a sentence. Text from servers is already escaped.
    pub why: String,
}

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended.
    pub reason: EndReason,
    /// Details for people. Text from servers is already escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All rounds were driven.
    Complete,
    /// A signal requested the end, or what was asked for proved to be impossible. The detail says which.
    Stopped,
    /// A target died or permanently stopped answering.
    TargetFailed,
    /// tiebreak itself failed.
    Failed,
}
