//! An experiment as it was typed: everything that has a default is optional.

use crate::plan::experiment::RunInput;
use crate::plan::settings::declared::Declared;
use crate::plan::settings::group_given::GroupGiven;
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::{Command, RunSettings, Settings, WorkloadSettings};
use protocol::address::tls::Trust;

/// An experiment as typed. No `Debug`: it holds logins and headers.
#[derive(Clone, Default)]
pub struct Spec {
    /// The command that makes the plan.
    pub command: Command,
    /// Addresses, recipes and an experiment file, each as `WHAT` or `NAME=WHAT`.
    pub contenders: Vec<String>,
    /// Settings of all contenders.
    pub common: Settings,
    /// Settings of the run.
    pub run: RunSettings,
    /// What is done to the data of stores.
    pub workload: WorkloadSettings,
    /// Several workloads at once in each contender. Empty means one workload.
    pub groups: Vec<GroupGiven>,
    /// One setting at several values; see [`crate::plan::sweep`].
    pub sweep: Option<SweepSettings>,
    /// How many agents drive (`--agents`). 0 if this process drives alone.
    pub agents: u32,
    /// The revisions that are compared (`--against`).
    pub against: Against,
    /// The scale of the experiment file (`--scale`). None means its own sizes.
    pub scale: Option<String>,
    /// `NAME.key=value`.
    pub sets: Vec<String>,
    /// `HOST:PORT:HOST:PORT`.
    pub connect_to: Vec<String>,
    /// What TLS trusts.
    pub trust: Trust,
    /// Whether public addresses may be loaded.
    pub allow_public: bool,
    /// Whether commands that affect more than the contender's own keys are sent. Only the command
    /// line can allow this, not an experiment file.
    pub allow_destructive: bool,
    /// Whether an experiment file outside the current directory is allowed.
    pub allow_file: bool,
    /// How many replicates, of a run that is a part of a search and decides nothing by itself.
    pub units: Option<u32>,
    /// The only case of a suite that such a run compares.
    pub case: Option<String>,
    /// The words of the command for the journal. Empty if they may not be recorded.
    pub words: Vec<String>,
}

/// Which revisions of one contender are compared: what was typed beside the contenders. Empty if revisions are not compared.
#[derive(Clone, Debug, Default)]
pub struct Against {
    /// The revisions that the working tree is compared with.
    pub revisions: Vec<String>,
    /// The contender of the file. None if it has only one.
    pub contender: Option<String>,
    /// Whether each revision has its own file.
    pub is_their_experiment: bool,
    /// How often each side is built. None means once, without replicates of builds.
    pub rebuilds: Option<u32>,
}

impl Spec {
    /// A spec in which only the contenders are given.
    pub fn new(command: Command, contenders: Vec<String>) -> Spec {
        Spec { command, contenders, ..Spec::default() }
    }

    /// The settings of a file without what this spec, which was typed, replaces: lengths, and a ranking where objectives
    /// or load points are asked for.
    pub(super) fn of_file(&self, file: &RunSettings) -> RunSettings {
        let mut kept = self.run.lengths_of(file);
        if self.units.is_some() {
            kept = kept.of_load();
        }
        if self.sweep.is_some() || !self.run.slo.is_empty() {
            (kept.rank, kept.by) = (false, None);
        }
        kept
    }

    /// This spec, completed with what an experiment file says where nothing was typed.
    pub(super) fn over(&self, file: &RunInput) -> Spec {
        Spec {
            run: self.run.clone().over(&self.of_file(&file.settings)),
            workload: self.workload.clone().over(&file.workload),
            groups: file.groups.clone(),
            ..self.clone()
        }
    }
}
