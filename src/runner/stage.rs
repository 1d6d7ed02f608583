//! What a run does to the world: it raises targets, drives them and ends them.
//! A wall of its own, so that sessions are tested without servers and clocks.

use crate::targets::store::About;
use engine::Broken;
use record::{Asked, SingleRun, TargetDone, TargetReady, TrialRecord, Workload};
use std::io;
use std::ops::ControlFlow;

/// Takes each trial as it ends.
pub(super) type Each<'a> = dyn FnMut(TrialRecord) -> ControlFlow<()> + 'a;

/// The targets and the engine.
pub(super) trait Stage {
    /// Launches the target of this contender, or finds the one that runs already.
    /// `launch` counts from 1.
    fn raise(&mut self, launch: u32, contender: usize) -> Result<TargetReady, Halt>;

    /// Drives an order: its lanes are these contenders of the plan.
    fn drive(&mut self, order: &Asked, who: &[usize], each: &mut Each<'_>) -> Result<(), Broken>;

    /// Drives the null server in place of their targets, with lanes as plain as
    /// they can be.
    fn drive_null(
        &mut self,
        order: &Asked,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), Broken>;

    /// The protocol of this contender's lane as [`Stage::drive_null`] drives it; none
    /// where what that costs is not to be kept for another run.
    fn plain_protocol(&self, contender: usize) -> Option<String>;

    /// How a launched target ended that was to run; none while all run.
    fn fallen(&mut self) -> Option<String>;

    /// Lets targets of several nodes go on without those that have ended, if others of them
    /// still run. Returns what is to be said of it.
    fn go_on_without(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// What was wrong with the first run of this contender's program that failed;
    /// none where all is well, or it is no program.
    fn complaint(&self, contender: usize) -> Option<String>;

    /// Ends what was launched.
    fn lower(&mut self) -> Vec<TargetDone>;

    /// What the store of this contender says of itself, or why it says nothing;
    /// none where it is no store.
    fn about_store(&mut self, contender: usize) -> Option<Result<About, String>>;

    /// What its store keeps under this key. None if it keeps nothing there.
    fn recall(&mut self, contender: usize, key: &str) -> Result<Option<Vec<u8>>, String>;

    /// Keeps this in its store.
    fn keep(&mut self, contender: usize, key: &str, text: &str) -> Result<(), String>;

    /// Removes it from there.
    fn forget(&mut self, contender: usize, key: &str) -> Result<(), String>;

    /// Makes room in it for the first load of this workload, anew and empty.
    fn make_room(&mut self, contender: usize, workload: &Workload) -> Result<(), String>;

    /// How much the server of this contender works on that a load left to it. Returns None
    /// if it works on nothing later.
    fn at_work(&mut self, _contender: usize) -> Option<AtWork> {
        None
    }

    /// Why this contender's database refuses its statement, in the server's words; none
    /// where it has no single statement, or does not refuse it.
    fn why_refused(&self, _contender: usize) -> Option<String> {
        None
    }

    /// Why its database cannot do the operations of its workload, as far as their
    /// statements tell; none where they can be parsed, or where there are none.
    fn why_not_driven(&self, _contender: usize) -> Option<String> {
        None
    }

    /// One run of the article's method against this contender's target. None if there is no
    /// such method, or it cannot be run against this kind of target.
    fn single_run(&mut self, _contender: usize) -> Option<SingleRun> {
        None
    }

    /// Why this contender's TLS handshake fails, if that can be said.
    fn why_no_tls(&self, contender: usize) -> Option<String>;
}

/// How much a server works that nobody asks anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AtWork {
    /// It tells.
    Tasks {
        /// Tasks that run or wait.
        left: u64,
        /// How many nodes told.
        nodes: u32,
    },
    /// The CPU time of its processes is read.
    Cpu {
        /// Why it does not tell.
        why: String,
        /// Since some moment: two readings have a difference.
        cpu_ns: u64,
        /// How many nodes it has.
        nodes: u32,
    },
    /// Neither can be seen, and why.
    Unseen(String),
}

/// Why a run ends before its last round.
#[derive(Debug)]
pub(super) enum Halt {
    /// The end was asked for.
    Stopped,
    /// A target failed.
    Target(String),
    /// tiebreak failed.
    Broken(String),
    /// The journal cannot be written.
    Disk(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::Disk(error)
    }
}
