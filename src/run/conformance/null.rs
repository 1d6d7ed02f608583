//! `tiebreak conformance null`: the cost of each lane by itself.

use super::alone;
use super::null_targets::{NullTarget, NullTargets};
use crate::protocols::PROTOCOLS;
use engine::{EngineError, Stop};
use protocol::Family;
use record::{DriveOrder, Host, LaneOrder, LaneTask, Phase, Reuse, Seen, TrialRecord, Verify};
use report::alone::{OwnCost, OwnCosts, SCHEMA, Spread, lane_name};
use std::ops::ControlFlow;
use std::time::Duration;

/// The sending time of a slice: long compared with a round trip, short compared with the time over
/// which a machine's speed drifts.
const SLICE_NS: u64 = 25_000_000;
/// Operations in flight for protocols that support several.
const DEPTH: u32 = 16;

/// What is measured, how long and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) rounds: u32,
    pub(crate) round: Duration,
    pub(crate) connections: u32,
    pub(crate) generator_core: u32,
    pub(crate) server_core: Option<u32>,
}

/// One lane of the measurement.
pub(crate) struct Lane {
    protocol: &'static str,
    depth: u32,
    reuse: Reuse,
    null_target: NullTarget,
    task: LaneTask,
}

impl Lane {
    pub(crate) fn name(&self) -> String {
        lane_name(self.protocol, self.depth, self.reuse == Reuse::Never)
    }
}

/// All lanes: each protocol with one operation in flight on a connection, and with several if it
/// supports them; fresh connections; files in a directory in memory; and a program that does
/// nothing.
pub(crate) fn lanes() -> Vec<Lane> {
    let lane = |protocol, depth, null_target, task| Lane {
        protocol,
        depth,
        reuse: Reuse::Always,
        null_target,
        task,
    };
    let kv = || LaneTask::Drive(alone::workload(Verify::Sample));
    let mut lanes = Vec::new();
    for row in PROTOCOLS.iter() {
        // A web server and a database get one request; a store gets a workload.
        let task = || match row.family {
            Family::Store(_) | Family::Files(_) => kv(),
            Family::Requests(_) | Family::Messages(_) | Family::Sql(_) | Family::Program => {
                LaneTask::Ask
            }
        };
        for variant in row.null_variants {
            let null_target = || NullTarget::Null((variant.access)());
            lanes.push(lane(variant.name, 1, null_target(), task()));
            if variant.deep {
                lanes.push(lane(variant.name, DEPTH, null_target(), task()));
            }
            if variant.fresh {
                lanes.push(Lane {
                    reuse: Reuse::Never,
                    ..lane(variant.name, 1, null_target(), task())
                });
            }
        }
    }
    lanes.push(lane("files", 1, NullTarget::Directory, kv()));
    lanes.push(lane("exec", 1, NullTarget::Program, LaneTask::Ask));
    lanes
}

/// Drives all lanes interleaved; `each` gets every trial of the rounds.
///
/// # Errors
/// When a partner cannot be started, or tiebreak itself failed.
pub(crate) fn measure(
    order: &Order,
    lanes: &[Lane],
    stop: &Stop,
    each: &mut dyn FnMut(&TrialRecord),
) -> Result<Vec<TrialRecord>, EngineError> {
    let partners = lanes.iter().map(|lane| &lane.null_target);
    let partners = NullTargets::raise(partners, order.server_core, stop)?;
    let mut trials = Vec::new();
    partners.drive(drive_order(order, lanes), stop, &mut |trial| {
        if trial.phase == Phase::Round && !trial.cut_short {
            each(&trial);
            trials.push(trial);
        }
        ControlFlow::Continue(())
    })?;
    Ok(trials)
}

fn drive_order(order: &Order, lanes: &[Lane]) -> DriveOrder {
    let lane = |lane: &Lane| -> LaneOrder {
        let connections = lane.null_target.connections(order.connections);
        alone::lane(connections, lane.depth, lane.reuse, lane.task.clone())
    };
    let round_ns = order.round.as_nanos() as u64;
    DriveOrder {
        seed: 1,
        cores: vec![order.generator_core],
        warm_up: record::WarmUp::fixed(round_ns),
        rounds: order.rounds,
        first_round: 1,
        round_ns,
        slice_ns: SLICE_NS.min(round_ns),
        lanes: lanes.iter().map(lane).collect(),
        ..DriveOrder::default()
    }
}

/// How long that takes, without drains.
pub(crate) fn length(order: &Order, lanes: &[Lane]) -> Duration {
    order.round * (order.rounds + 1) * lanes.len() as u32
}

/// The figures of the trials.
///
/// # Errors
/// If no round was complete, or if a lane got no reply in any round.
pub(crate) fn figures(
    order: &Order,
    lanes: &[Lane],
    trials: &[TrialRecord],
    (host, started): (Host, String),
) -> Result<OwnCosts, String> {
    let rounds = trials.iter().map(|trial| trial.round).max();
    let rounds = rounds.ok_or("stopped before the first round: nothing was measured")?;
    let trials_of = |at: usize| trials.iter().filter(move |trial| trial.contender as usize == at);
    let each = lanes.iter().enumerate().map(|(at, lane)| {
        let cost = cost(lane, trials_of(at).map(|trial| &trial.seen));
        cost.ok_or_else(|| {
            let name = lane.name();
            format!("{name}: no reply in any round; if the machine is busy, try a longer --round")
        })
    });
    let slices = || trials.iter().flat_map(|trial| &trial.seen.slices);
    let took: u64 = slices().map(|slice| slice.took_ns).sum();
    let share = |ns: u64| ns as f64 / took.max(1) as f64;
    Ok(OwnCosts {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        started,
        rounds,
        round: order.round.as_secs_f64(),
        connections: order.connections,
        generator_core: order.generator_core,
        server_core: order.server_core,
        waited: share(slices().map(|slice| slice.waited_ns).sum()),
        stolen: share(slices().map(|slice| slice.steal_ns).sum()),
        lanes: each.collect::<Result<_, _>>()?,
        host,
    })
}

/// The cost of one lane over its rounds. Returns None if it has no rounds, or a round without an
/// operation.
fn cost<'a>(lane: &Lane, rounds: impl Iterator<Item = &'a Seen>) -> Option<OwnCost> {
    let (mut cpu, mut rates) = (Vec::new(), Vec::new());
    let (mut operations, mut failed, mut busy_ns, mut took_ns) = (0, 0, 0, 0);
    for seen in rounds.filter(|seen| seen.operations > 0) {
        let used: u64 = seen.slices.iter().map(|slice| slice.generator_cpu_ns).sum();
        let took: u64 = seen.slices.iter().map(|slice| slice.took_ns).sum();
        cpu.push(used as f64 / 1e9 / seen.operations as f64);
        rates.push(seen.operations as f64 * 1e9 / took.max(1) as f64);
        operations += seen.operations;
        failed += seen.operations - seen.outcomes.ok;
        busy_ns += used + seen.slices.iter().map(|slice| slice.waited_ns).sum::<u64>();
        took_ns += took;
    }
    (!cpu.is_empty()).then(|| OwnCost {
        protocol: lane.protocol,
        depth: lane.depth,
        connections: if lane.reuse == Reuse::Never { "fresh" } else { "persistent" },
        operations,
        failed,
        cpu_per_operation: Spread::of(cpu, "s"),
        throughput: Spread::of(rates, "1/s"),
        busy: (busy_ns as f64 / took_ns.max(1) as f64).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real lanes, the real server, some milliseconds each.
    #[test]
    fn every_lane_gets_the_right_replies() {
        let cores = crate::system::cores::Facts::read().expect("cores").allowed;
        let order = Order {
            rounds: 2,
            round: Duration::from_millis(50),
            connections: 4,
            generator_core: cores[cores.len() - 1],
            server_core: (cores.len() > 1).then_some(cores[0]),
        };
        // A keeper is this program started again, and this program is a test.
        let lanes: Vec<Lane> = lanes();
        let lanes =
            lanes.into_iter().filter(|lane| !matches!(lane.null_target, NullTarget::Program));
        let (lanes, stop) = (lanes.collect::<Vec<_>>(), Stop::new().expect("a descriptor"));
        let mut received = 0;
        let trials = measure(&order, &lanes, &stop, &mut |_| received += 1).expect("driven");
        assert_eq!((trials.len(), received), (2 * lanes.len(), 2 * lanes.len()));
        let costs = figures(&order, &lanes, &trials, (Host::default(), String::new()));
        let costs = costs.expect("all lanes");
        for (cost, lane) in costs.lanes.iter().zip(&lanes) {
            assert!(cost.operations > 0 && cost.failed == 0, "{}: {cost:?}", lane.name());
            let cpu = cost.cpu_per_operation;
            assert!(0.0 < cpu.low && cpu.low <= cpu.median && cpu.median <= cpu.high);
        }
        assert_eq!(costs.rounds, 2);
        // Many in flight share the system calls.
        let cpu = |protocol, depth| {
            let same = |cost: &&OwnCost| cost.protocol == protocol && cost.depth == depth;
            costs.lanes.iter().find(same).expect("a lane").cpu_per_operation.median
        };
        for protocol in ["memcached text", "memcached meta", "RESP2", "RESP3"] {
            assert!(cpu(protocol, DEPTH) < cpu(protocol, 1), "{protocol}");
        }
    }

    #[test]
    fn there_are_no_figures_of_nothing() {
        let order = Order {
            rounds: 1,
            round: Duration::from_millis(1),
            connections: 1,
            generator_core: 0,
            server_core: None,
        };
        let nothing = figures(&order, &lanes(), &[], (Host::default(), String::new()));
        let wrong = nothing.expect_err("no figures");
        assert!(wrong.starts_with("stopped before the first round"), "{wrong}");
    }
}
