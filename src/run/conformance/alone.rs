//! Drives lanes against the null server, so that only the generator is measured.

use engine::workload::preset;
use engine::{EngineError, Stop, TargetClock, TargetReading};
use protocol::{Access, Error};
use record::{
    Address, Arrivals, DriveOrder, Intensity, LaneOrder, LaneTask, Reuse, TrialRecord, Verify,
    Workload,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use testserver::null::{NullServer, Service};

/// The null server always replies sooner.
const TIMEOUT_NS: u64 = 5_000_000_000;

/// The workload `kv`, with which stores are driven.
pub(crate) fn workload(verify: Verify) -> Workload {
    Workload { verify, ..preset("kv").expect("a preset") }
}

/// A lane in closed loop; the address is set once the null server runs.
pub(crate) fn lane(connections: u32, depth: u32, reuse: Reuse, task: LaneTask) -> LaneOrder {
    LaneOrder {
        intensity: Intensity { connections, depth, arrivals: Arrivals::Closed },
        reuse,
        doing: task,
        timeout_ns: TIMEOUT_NS,
        ..LaneOrder::closed(Address::Tcp(([127, 0, 0, 1], 0).into()), connections)
    }
}

/// Drives an order against a null server on this core, one service for each lane that
/// it has one for; the others go where the order says. The server lives as long as the
/// call.
///
/// # Errors
/// If the server cannot be started, or if tiebreak itself failed.
pub(crate) fn drive(
    mut order: DriveOrder,
    accesses: &[Box<dyn Access>],
    core: Option<u32>,
    stop: &Stop,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let server = null_server(accesses, core)?;
    let lanes = order.lanes.iter_mut().zip(accesses);
    let with_services = lanes.filter(|(_, access)| service(&***access).is_some());
    for ((lane, _), address) in with_services.zip(server.addresses()) {
        lane.address = Address::Tcp(*address);
    }
    let lanes = accesses.iter().enumerate().map(|(lane, access)| access.lanes(&order, lane));
    let lanes = lanes.collect();
    // On one core the generator waits for its own server, which disturbs nothing. The server's CPU
    // time is recorded only if both share that core.
    let share = core.is_none_or(|core| order.cores.contains(&core));
    let server = Arc::new(server);
    let read = || {
        let server = server.clone();
        Box::new(move || Some(TargetReading::here(server.cpu_ns()))) as TargetClock
    };
    let clocks = order.lanes.iter().filter(|_| share).map(|_| read()).collect();
    engine::run(&order, lanes, clocks, stop, each)
}

/// A null server with the services that these want, in their order.
///
/// # Errors
/// If it cannot be started.
pub(super) fn null_server(
    accesses: &[Box<dyn Access>],
    core: Option<u32>,
) -> Result<NullServer, EngineError> {
    let services: Vec<Service> = accesses.iter().filter_map(|access| service(&**access)).collect();
    NullServer::start(&services, core)
        .map_err(|error| EngineError::system("the null server cannot start", error))
}

fn service(access: &dyn Access) -> Option<Service> {
    access.null_lane()?.service
}

/// tiebreak itself failed.
pub(crate) fn failed(broken: EngineError) -> Error {
    Error::failed(broken.to_string())
}
