//! An experiment as it was typed: everything that has a default is optional.

use crate::plan::experiment::RunSettings;
use crate::plan::groups::GroupGiven;
use crate::plan::sweep::SweepAsked;
use crate::plan::{Settings, WorkloadAsked};
use crate::targets::tls::Trust;
use record::Interleave;
use std::time::Duration;

/// Which command asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Two contenders or more.
    Compare,
    /// One contender, driven without a break.
    Run,
    /// A comparison of embedded targets.
    Demo,
    /// Stores, loaded and not driven.
    Load,
}

/// An experiment as typed. No `Debug`: it holds logins and headers.
#[derive(Clone)]
pub struct Spec {
    /// Which command asks.
    pub command: Command,
    /// Addresses, recipes and an experiment file, each as `WHAT` or `NAME=WHAT`.
    pub contenders: Vec<String>,
    /// Settings of all contenders.
    pub common: Settings,
    /// What is done to the data of stores.
    pub workload: WorkloadAsked,
    /// Several workloads at once in each contender; empty: one.
    pub groups: Vec<GroupGiven>,
    /// One setting at several values; see [`crate::plan::sweep`].
    pub sweep: Option<SweepAsked>,
    /// `NAME.key=value`.
    pub sets: Vec<String>,
    /// `HOST:PORT:HOST:PORT`.
    pub connect_to: Vec<String>,
    /// What TLS trusts.
    pub trust: Trust,
    /// Public addresses may be loaded.
    pub allow_public: bool,
    /// How contenders take turns.
    pub interleave: Option<Interleave>,
    /// Length of a slice.
    pub slice: Option<Duration>,
    /// Rounds.
    pub rounds: Option<u32>,
    /// How long each contender is driven in a round.
    pub round: Option<Duration>,
    /// How long each contender is driven before the pilot.
    pub warm_up: Option<Duration>,
    /// How long each contender is driven in the pilot.
    pub pilot: Option<Duration>,
    /// How long `run` drives.
    pub duration: Option<Duration>,
    /// After how many operations `run` stops.
    pub operations: Option<u64>,
    /// Fixes the operations and the order of slices.
    pub seed: Option<u64>,
    /// How many cores the generator uses.
    pub cores: Option<u32>,
    /// The smallest difference that matters, as a share.
    pub matters: Option<f64>,
    /// Level of the intervals, as a share.
    pub confidence: Option<f64>,
    /// How often every target is launched afresh.
    pub restarts: Option<u32>,
    /// Look five times whether it is decided, in place of a fixed length.
    pub until_decided: bool,
    /// What the verdict must show.
    pub requirements: Vec<String>,
    /// Send commands that reach beyond the contender's own keys. Only the command line
    /// can say so, no experiment file.
    pub allow_destructive: bool,
    /// Do what an experiment file says that lies elsewhere.
    pub allow_file: bool,
    /// Compare all pairs, not only with the first.
    pub all_pairs: bool,
    /// The contenders are expected to answer differently.
    pub expect_different: bool,
}

impl Spec {
    /// Nothing typed but the contenders.
    pub fn new(command: Command, contenders: Vec<String>) -> Spec {
        Spec {
            command,
            contenders,
            common: Settings::default(),
            workload: WorkloadAsked::default(),
            groups: Vec::new(),
            sweep: None,
            sets: Vec::new(),
            connect_to: Vec::new(),
            trust: Trust::default(),
            allow_public: false,
            interleave: None,
            slice: None,
            rounds: None,
            round: None,
            warm_up: None,
            pilot: None,
            duration: None,
            operations: None,
            seed: None,
            cores: None,
            matters: None,
            confidence: None,
            restarts: None,
            until_decided: false,
            requirements: Vec::new(),
            allow_destructive: false,
            allow_file: false,
            all_pairs: false,
            expect_different: false,
        }
    }

    /// This spec, and what an experiment file says where nothing was typed.
    pub(super) fn over(&self, file: &RunSettings) -> Spec {
        Spec {
            workload: self.workload.over(&file.workload),
            groups: file.groups.clone(),
            rounds: self.rounds.or(file.rounds),
            round: self.round.or(file.round),
            warm_up: self.warm_up.or(file.warm_up),
            slice: self.slice.or(file.slice),
            interleave: self.interleave.or(file.interleave),
            seed: self.seed.or(file.seed),
            cores: self.cores.or(file.generator_cores),
            matters: self.matters.or(file.matters),
            confidence: self.confidence.or(file.confidence),
            restarts: self.restarts.or(file.restarts),
            until_decided: self.until_decided || file.until_decided,
            all_pairs: self.all_pairs || file.all_pairs,
            expect_different: self.expect_different || file.expect_different,
            ..self.clone()
        }
    }
}
