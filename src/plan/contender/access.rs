//! How each contender of a plan is accessed.

use crate::plan::Settings;
use crate::plan::contender::local;
use crate::system::remote::Token;
use crate::targets::exec::Program;
use crate::targets::find::{self, ProcessTrees};
use crate::targets::launch::Launch;
use crate::targets::sight::TargetProcesses;
use crate::targets::watch;
use keeper::process::NotVisible;
use protocol::Access;
use std::net::SocketAddr;
use wire::remote::watch::Description;

/// How a contender is accessed. No `Debug`: it holds secrets.
pub enum ContenderAccess {
    /// Its target is already running.
    Attached {
        /// How to talk to it.
        access: Box<dyn Access>,
        /// How its processes are observed, or why they cannot be.
        sight: Result<Observed, NotVisible>,
    },
    /// Its target is launched.
    Launched {
        /// How it is launched.
        launch: Box<Launch>,
        /// The settings of the contender.
        settings: Box<Settings>,
    },
    /// The generator works on its files.
    Files(local::Directory),
    /// A program that is run repeatedly.
    Program {
        /// What is run.
        program: Box<Program>,
    },
}

/// How the processes of a target that is already running are observed.
#[derive(Clone, Debug)]
pub enum Observed {
    /// On this machine.
    Here(TargetProcesses),
    /// Through a watcher.
    Watched(Box<Watcher>),
}

/// A watcher that was asked what it watches.
#[derive(Clone, Debug)]
pub struct Watcher {
    /// Where it listens.
    pub address: SocketAddr,
    /// The token that it knows.
    pub token: Token,
    /// What it watches.
    pub description: Description,
    /// The watched processes, if they run on this machine.
    pub found: Option<ProcessTrees>,
}

impl Watcher {
    /// A watcher that returned this description of its target.
    pub fn new(address: SocketAddr, token: Token, description: Description) -> Watcher {
        let here = description.machine == watch::machine() && description.machine != [0; 16];
        let found = here.then(|| {
            let each = description.pids.iter().filter_map(|pid| find::process(*pid).ok());
            ProcessTrees { roots: each.flat_map(|found| found.roots).collect() }
        });
        Watcher { address, token, description, found }
    }

    /// Whether the two watch the same machine.
    pub fn same_machine(&self, other: &Watcher) -> bool {
        self.description.machine == other.description.machine
            && (self.description.machine != [0; 16] || self.address == other.address)
    }
}

impl Observed {
    /// Cores that any process of the target may use, ascending. Empty if they are not known.
    pub fn cores(&self) -> &[u32] {
        match self {
            Observed::Here(sight) => &sight.cores,
            Observed::Watched(watcher) => &watcher.description.cores,
        }
    }

    /// Whether the two targets have a process in common.
    pub fn shares_process_with(&self, other: &Observed) -> bool {
        if let (Some(one), Some(other)) = (self.found(), other.found()) {
            return one.shares_process_with(other);
        }
        let (Observed::Watched(one), Observed::Watched(other)) = (self, other) else {
            return false;
        };
        let (pids, others) = (&one.description.pids, &other.description.pids);
        one.address == other.address
            || one.same_machine(other) && pids.iter().any(|pid| others.contains(pid))
    }

    /// The processes, if they run on this machine.
    fn found(&self) -> Option<&ProcessTrees> {
        match self {
            Observed::Here(sight) => Some(&sight.found),
            Observed::Watched(watcher) => watcher.found.as_ref(),
        }
    }
}
