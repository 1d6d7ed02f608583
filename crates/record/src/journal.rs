//! The lines of a journal.

use crate::{PilotChoice, Plan, TrialRecord};
use serde::{Deserialize, Serialize};

/// Major and minor version of the journal's schema.
pub const SCHEMA: &str = "tiebreak.journal/1";

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
    /// What the pilot chose.
    Pilot(PilotChoice),
    /// One trial, also of the warm-up and of the pilot.
    Trial(Box<TrialRecord>),
    /// Always the last line of a run that ended.
    End(End),
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
