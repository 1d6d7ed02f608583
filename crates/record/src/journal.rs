//! The lines of a journal.

use crate::{Loaded, OwnCost, PilotChoice, Plan, SingleRun, StoreSaid, TrialRecord};
use serde::{Deserialize, Serialize};

/// Major and minor version of the journal's schema. No release wrote version 1, and none
/// reads it. A change after which older journals cannot be read needs a new major version.
pub const SCHEMA: &str = "tiebreak.journal/2";

/// Line 1: on disk before the first target is touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of tiebreak.
    pub version: String,
    /// Names the experiment: a hash of the plan that leaves out ports, times
    /// and the host.
    pub plan_hash: String,
    /// The plan as asked.
    pub plan: Plan,
    /// Start of the run, UTC, RFC 3339.
    pub started: String,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Always the first line.
    Header(Box<Header>),
    /// A target is ready: once, or once for each launch.
    Target(TargetReady),
    /// A target's launch ended, or the run did.
    TargetDone(TargetDone),
    /// A store said something of itself.
    Store(StoreSaid),
    /// A store's keys are there, or were to be.
    Loaded(Loaded),
    /// What a contender's lane costs by itself, as an earlier run measured it: then it
    /// is not measured again, and there is no trial of the phase `null`.
    OwnCost(OwnCost),
    /// What the pilot chose.
    Pilot(PilotChoice),
    /// One trial, also of the warm-up and of the pilot.
    Trial(Box<TrialRecord>),
    /// What the method of a published experiment gives, after the rounds.
    SingleRun(SingleRun),
    /// Always the last line of a run that ended.
    End(End),
}

/// A target that is ready to be driven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetReady {
    /// The contender's number.
    pub contender: u32,
    /// Which launch, from 1; 0: it ran already.
    pub launch: u32,
    /// Where its CPU time is read: `cgroup_v2`, `cgroup_v1` or `process_clocks`.
    pub cpu_source: Option<String>,
    /// Why its CPU time is out of sight, where it is.
    pub out_of_sight: Option<String>,
    /// What it says of itself, such as its version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// Requests that asked whether it is ready, beside the trials' own.
    #[serde(default)]
    pub ready_requests: u64,
}

/// Something that a target says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The command that asked.
    pub command: String,
    /// Its first line, harmless to show; none where it printed none.
    pub line: Option<String>,
}

/// What is known of a target when it has been driven for the last time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetDone {
    /// The contender's number.
    pub contender: u32,
    /// Which launch, from 1; 0: it ran already.
    pub launch: u32,
    /// The most memory that it had, in bytes; none where it is out of sight.
    pub peak_memory_bytes: Option<u64>,
    /// Where that is from (`cgroup`, `processes`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_source: String,
    /// Logs of it that could not be read through and cleaned of secrets, and why:
    /// sentences, harmless to show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_troubles: Vec<String>,
    /// Nodes of it that ended while it was driven and the others went on, and how:
    /// sentences, harmless to show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_nodes: Vec<String>,
}

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended.
    pub reason: EndReason,
    /// More words, for people; already escaped where a server wrote them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All rounds were driven.
    Complete,
    /// A signal asked for the end.
    Stopped,
    /// A target died or stopped answering for good.
    TargetFailed,
    /// tiebreak itself failed.
    Failed,
}
