//! What lanes are driven against when they are measured by themselves: the null server, a directory
//! in memory for files, and a program that does nothing for `exec:`.

use super::alone::{self, null_server};
use crate::protocols::PROTOCOLS;
use crate::targets::exec::{Exec, Program};
use crate::targets::launch::OwnDirectory;
use engine::{EngineError, MakeLane, Numbers, Stop};
use protocol::address::ProgramCommand;
use protocol::{Access, Own, TargetKind};
use record::{Address, DriveOrder, LaneOrder, LaneTask, Reuse, TrialRecord, Verify};
use std::ops::ControlFlow;
use std::path::Path;
use testserver::null::NullServer;

/// A directory in memory, on most machines.
const IN_MEMORY: &str = "/dev/shm";
/// Does nothing, as fast as possible.
const NOTHING: &str = "true";
/// Number of threads that write the files of a load.
const THREADS: u32 = 4;

/// What a lane is driven against.
pub(crate) enum NullTarget {
    /// The null server, with this access.
    Null(Box<dyn Access>),
    /// Its own files, all of which exist.
    Directory,
    /// A program, one run for each operation.
    Program,
}

impl NullTarget {
    /// How many connections a lane has with this partner if this many are requested.
    pub(crate) fn connections(&self, connections: u32) -> u32 {
        match self {
            // A lane has only whole rooms.
            NullTarget::Null(access) => connections.next_multiple_of(access.members()),
            NullTarget::Directory => connections,
            NullTarget::Program => 1,
        }
    }
}

/// A partner that is running.
enum RunningNullTarget {
    /// The access, and the service.
    Null(Box<dyn Access>, usize),
    Directory(Box<dyn Access>, OwnDirectory),
    Program(Exec),
}

/// All partners of one measurement. They end with it.
pub(super) struct NullTargets {
    server: NullServer,
    each: Vec<RunningNullTarget>,
}

impl NullTargets {
    /// Starts them; servers run on this core.
    ///
    /// # Errors
    /// If one cannot be started, or if tiebreak itself failed.
    pub(super) fn raise<'a>(
        partners: impl Iterator<Item = &'a NullTarget>,
        core: Option<u32>,
        stop: &Stop,
    ) -> Result<NullTargets, EngineError> {
        let (mut accesses, mut each) = (Vec::new(), Vec::new());
        for null_target in partners {
            each.push(match null_target {
                NullTarget::Null(access) => {
                    accesses.push(access.clone());
                    RunningNullTarget::Null(access.clone(), accesses.len() - 1)
                }
                NullTarget::Directory => directory(stop)?,
                NullTarget::Program => program(core)?,
            });
        }
        Ok(NullTargets { server: null_server(&accesses, core)?, each })
    }

    /// Drives an order that has one lane for each of them.
    pub(super) fn drive(
        &self,
        mut order: DriveOrder,
        stop: &Stop,
        each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        for (lane, null_target) in order.lanes.iter_mut().zip(&self.each) {
            lane.address = match null_target {
                RunningNullTarget::Null(_, service) => {
                    Address::Tcp(self.server.addresses()[*service])
                }
                RunningNullTarget::Directory(_, directory) => address(directory),
                RunningNullTarget::Program(_) => Address::Program,
            };
        }
        let lanes = |(lane, null_target): (usize, &RunningNullTarget)| -> Result<Vec<MakeLane>, EngineError> {
            match null_target {
                RunningNullTarget::Null(access, _) | RunningNullTarget::Directory(access, _) => {
                    Ok(access.lanes(&order, lane))
                }
                RunningNullTarget::Program(exec) => exec.lanes(&order, lane).map_err(EngineError::Helper),
            }
        };
        let lanes = self.each.iter().enumerate().map(lanes).collect::<Result<_, _>>()?;
        engine::run(&order, lanes, Vec::new(), stop, each)
    }
}

/// Files of the workload, loaded: a miss would cost less than what is read.
fn directory(stop: &Stop) -> Result<RunningNullTarget, EngineError> {
    let memory = Path::new(IN_MEMORY);
    let within = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let directory = OwnDirectory::create(&within, "null").map_err(|error| {
        EngineError::system("the directory for the null files cannot be created", error)
    })?;
    let files = PROTOCOLS.of_kind(TargetKind::Directory).files().expect("a directory of files");
    let access = (files.open)(directory.path(), &Own::default(), Numbers::new(1))?;
    let workload = alone::workload(Verify::Off);
    let keys = workload.to_load();
    const LONGEST_NS: u64 = 60_000_000_000;
    let load = LaneOrder {
        address: address(&directory),
        operations: Some(keys),
        ..alone::lane(THREADS, 1, Reuse::Always, LaneTask::load(workload))
    };
    let order = DriveOrder {
        seed: 1,
        rounds: 1,
        first_round: 1,
        round_ns: LONGEST_NS,
        slice_ns: LONGEST_NS,
        lanes: vec![load],
        ..DriveOrder::default()
    };
    let lanes = vec![access.lanes(&order, 0)];
    engine::run(&order, lanes, Vec::new(), stop, &mut |_| ControlFlow::Continue(()))?;
    Ok(RunningNullTarget::Directory(access, directory))
}

fn address(directory: &OwnDirectory) -> Address {
    Address::Directory(directory.path().display().to_string())
}

fn program(core: Option<u32>) -> Result<RunningNullTarget, EngineError> {
    let command = ProgramCommand::parse(NOTHING).map_err(EngineError::Helper)?;
    let mut program = Program::new(command, Some(1));
    program.cores = core.into_iter().collect();
    Exec::start(&program).map(RunningNullTarget::Program).map_err(EngineError::Helper)
}
