//! The effects of a run: it launches targets, drives them and ends them. It is a trait, so that
//! sessions are tested without servers and clocks.

use crate::agents::Coordinator;
use engine::EngineError;
use protocol::address::tls::NoTls;
use protocol::side_channel::SideChannel;
use record::{Contender, DriveOrder, SingleRun, TargetDone, TargetReady, TrialRecord};
use std::io;
use std::ops::ControlFlow;

/// Takes each trial as it ends.
pub(super) type Each<'a> = dyn FnMut(TrialRecord) -> ControlFlow<()> + 'a;

/// What a run depends on outside itself.
pub(super) trait Environment: TargetControl + StoreAccess + Explanations {}

impl<T: TargetControl + StoreAccess + Explanations> Environment for T {}

/// Launches, drives and ends the targets.
pub(super) trait TargetControl {
    /// Launches the target of this contender, or finds the one that runs already.
    /// `launch` counts from 1.
    fn launch_target(&mut self, launch: u32, contender: usize) -> Result<TargetReady, Halt>;

    /// Drives an order: its lanes are these contenders of the plan.
    fn drive(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError>;

    /// Drives an order of the pilot or of the rounds, as [`TargetControl::drive`] does: on all agents, if there
    /// are agents, which drive all contenders.
    fn drive_together(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        _is_pilot: bool,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        self.drive(order, who, each)
    }

    /// The agents that drive. None if this process drives alone.
    fn coordinator(&self) -> Option<&Coordinator> {
        None
    }

    /// Drives the null server instead of the targets of these contenders, with lanes without login
    /// and TLS.
    fn drive_null(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError>;

    /// The protocol of this contender's lane as [`TargetControl::drive_null`] drives it. Returns None
    /// if its cost must not be kept for another run.
    fn plain_protocol(&self, contender: usize) -> Option<String>;

    /// The contenders whose launched targets should still run and have ended, and how.
    fn ended_targets(&mut self) -> Vec<(usize, String)>;

    /// Lets targets of several nodes continue without the nodes that have ended, if others still
    /// run. Returns what to report.
    fn continue_without_ended_nodes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the programs of a suite run each case alone, so that contenders take turns case by case.
    fn runs_cases_alone(&self) -> bool {
        false
    }

    /// Sets the cases of the slices that follow, one for each slice of a round. Empty for runs of all cases.
    ///
    /// # Errors
    /// If a program cannot run one of them alone.
    fn set_cases(&mut self, _cases: &[String]) -> Result<(), Halt> {
        Ok(())
    }

    /// The arguments that make the runs of a suite shorter. Returns None if its tools have none.
    fn shorter_runs(&self) -> Option<String> {
        None
    }

    /// Ends the targets of these contenders, if they were launched. No target of theirs is driven any more.
    fn stop_targets(&mut self, which: &dyn Fn(usize) -> bool) -> Vec<TargetDone>;

    /// One run of the article's method against this contender's target. Returns None if there is no
    /// such method, or if it cannot be run against this kind of target.
    fn single_run(&mut self, _contender: usize) -> Option<SingleRun> {
        None
    }
}

/// What is asked of the stores beside the load, and what is kept in them.
pub(super) trait StoreAccess {
    /// The side channel to the store of this contender.
    ///
    /// # Errors
    /// If it has none.
    fn store(&mut self, contender: usize) -> Result<Box<dyn SideChannel + '_>, String>;

    /// How much work that a load left to the server of this contender remains. Returns None if it
    /// does no work after a load.
    fn pending_work(&mut self, _contender: usize) -> Option<PendingWork> {
        None
    }
}

/// Why something failed, where more is known than that it failed.
pub(super) trait Explanations {
    /// The error of the first run of this contender's program that failed. Returns None if all
    /// succeeded, or if it is not a program.
    fn program_error(&self, contender: usize) -> Option<String>;

    /// Why this contender's database refuses its statement, in the server's words. Returns None if
    /// it has no single statement, or does not refuse it.
    fn why_refused(&self, _contender: usize) -> Option<String> {
        None
    }

    /// Why its database cannot execute the operations of its workload, as far as parsing their
    /// statements shows. Returns None if all can be parsed, or if there are none.
    fn why_not_driven(&self, _contender: usize) -> Option<String> {
        None
    }

    /// Why this contender's TLS handshake fails, if that is known.
    fn why_no_tls(&self, contender: usize) -> Option<NoTls>;
}

/// How much work an idle server is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PendingWork {
    /// It reports it.
    Tasks {
        /// Tasks that run or wait.
        left: u64,
        /// How many nodes reported it.
        nodes: u32,
    },
    /// The CPU time of its processes is read.
    Cpu {
        /// Why it does not report it.
        why: String,
        /// CPU time since an arbitrary moment; only differences count.
        cpu_ns: u64,
        /// How many nodes it has.
        nodes: u32,
    },
    /// Why neither can be seen.
    Unseen(String),
}

/// Why a run ended before its last round.
#[derive(Debug)]
pub(super) enum Halt {
    /// The end was requested.
    Stopped,
    /// A target failed.
    Target(String),
    /// tiebreak failed.
    Broken(String),
    /// What was asked for cannot be done, as only the beginning of the run showed.
    Usage(String),
    /// The journal cannot be written.
    Disk(io::Error),
}

impl Halt {
    /// The client library of this contender failed.
    pub(super) fn cannot_be_driven(contender: &Contender, why: &str) -> Halt {
        let Contender { name, target, .. } = contender;
        Halt::Target(format!("`{name}` ({target}) cannot be driven: {why}"))
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::Disk(error)
    }
}
