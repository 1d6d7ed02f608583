//! Translates a plan into orders for the engine. Pure.

use super::segments::Segment;
use crate::plan::length::pilot_length::PilotLength;
use crate::plan::pilot;
use judge::capacity::UNCOUNTED_NS;
use record::{
    Address, Arrivals, Contender, Distribution, DriveOrder, Intensity, Kind, LaneOrder, LaneTask,
    Loading, PilotChoice, Plan, Reuse, Share, Verify, WarmUp, Workload,
};
use std::ops::Range;
use text::fnv::fnv1a;

/// How long the request that checks whether a target is ready may wait for its connection before
/// sending ends; its reply may take the whole timeout.
const READY_NS: u64 = 1_000_000_000;
/// The planned length of a slice that lasts as long as one run of a program.
const SHORTEST_SLICE_NS: u64 = 1_000_000;
/// Fresh sockets are driven for at most this long before round 1, so that they are past TCP's slow
/// start.
const LONGEST_RUN_UP_NS: u64 = 1_000_000_000;

/// Operations in flight on each connection of a load.
const LOAD_DEPTH: u32 = 16;
/// A part of a load that takes longer is aborted.
const LONGEST_LOAD_NS: u64 = 3_600_000_000_000;

/// One request to one contender, over one connection. Each of several servers gets a request, and a
/// room gets one message.
pub(super) fn ready(plan: &Plan, contender: usize) -> DriveOrder {
    let servers = plan.contenders[contender].sharding.map_or(1, |sharding| sharding.servers);
    let connections = plan.contenders[contender].asks.members();
    let lane = LaneOrder {
        intensity: Intensity { connections, depth: 1, arrivals: Arrivals::Closed },
        doing: LaneTask::Ask,
        operations: Some(u64::from(servers)),
        groups: Vec::new(),
        ..lane(plan, contender, 0)
    };
    DriveOrder {
        cores: plan.generator_cores.last().copied().into_iter().collect(),
        rounds: 1,
        round_ns: READY_NS,
        slice_ns: READY_NS,
        lanes: vec![lane],
        ..empty_order(plan)
    }
}

/// Writes the first values of some of a store's keys, as fast as it accepts them. Returns None if
/// there is no workload.
pub(super) fn load(plan: &Plan, contender: usize, keys: Range<u64>) -> Option<DriveOrder> {
    let workload = plan.contenders[contender].asks.workload()?.clone();
    let doing = LaneTask::Load(Loading { from: keys.start, workload });
    Some(at_full_speed(plan, contender, doing, keys.end - keys.start))
}

/// Removes the values that a load wrote. Returns None if there is no workload.
pub(super) fn removal(plan: &Plan, contender: usize) -> Option<DriveOrder> {
    let workload = plan.contenders[contender].asks.workload()?.clone();
    // The numbers of one worker follow each other, so that each key has its turn. All workers go on from there.
    let removed = workload.keys.next_multiple_of(plan.workers().into());
    let workload = Workload {
        mix: vec![Share { kind: Kind::Delete, weight: 1.0 }],
        distribution: Distribution::Sequential,
        hot: 1.0,
        verify: Verify::Off,
        groups: Vec::new(),
        ..workload
    };
    let order = at_full_speed(plan, contender, LaneTask::Drive(workload), removed);
    Some(DriveOrder { cores: order.cores.first().copied().into_iter().collect(), ..order })
}

/// So many operations, as fast as the store accepts them.
fn at_full_speed(plan: &Plan, contender: usize, doing: LaneTask, operations: u64) -> DriveOrder {
    let Contender { address, sharding, intensity, .. } = &plan.contenders[contender];
    // A file is read or written at once, and a client of several servers has one operation in
    // flight.
    let one_by_one = matches!(address, Address::Directory(_)) || sharding.is_some();
    let lane = LaneOrder {
        intensity: Intensity {
            depth: if one_by_one { 1 } else { intensity.depth.max(LOAD_DEPTH) },
            arrivals: Arrivals::Closed,
            ..*intensity
        },
        reuse: Reuse::Always,
        operations: Some(operations),
        groups: Vec::new(),
        doing,
        ..lane(plan, contender, 0)
    };
    DriveOrder {
        rounds: 1,
        round_ns: LONGEST_LOAD_NS,
        slice_ns: LONGEST_LOAD_NS,
        lanes: vec![lane],
        ..empty_order(plan)
    }
}

/// A warm-up alone, of these contenders.
pub(super) fn warm_up(plan: &Plan, who: &[usize]) -> DriveOrder {
    DriveOrder { warm_up: plan.warm_up(), lanes: lanes(plan, who, |_| 0), ..empty_order(plan) }
}

/// A warm-up alone, of a launch after the first one.
pub(super) fn warm_up_again(plan: &Plan, choice: &PilotChoice, who: &[usize]) -> DriveOrder {
    DriveOrder { warm_up: plan.warm_up_after(choice.warm_up_ns), ..warm_up(plan, who) }
}

/// The pilot's interleaved part with these contenders, after this warm-up. None if the contenders are warm: then only fresh sockets
/// are driven.
pub(super) fn pilot(
    plan: &Plan,
    length: PilotLength,
    warm_up: Option<WarmUp>,
    who: &[usize],
) -> DriveOrder {
    DriveOrder {
        warm_up: warm_up.unwrap_or(run_up(length.slice_ns)),
        rounds: 1,
        round_ns: length.each_ns,
        slice_ns: length.slice_ns,
        lanes: lanes(plan, who, |_| pilot::BURN_IN_NS),
        ..empty_order(plan)
    }
}

/// The rounds of one segment with these contenders, and with the settings that the pilot chose.
pub(super) fn rounds(
    plan: &Plan,
    choice: &PilotChoice,
    segment: &Segment,
    who: &[usize],
) -> DriveOrder {
    let run_up = run_up(choice.slice_ns);
    DriveOrder {
        // A server that was just launched is warmed up like the first, and so is one whose data were just loaded.
        warm_up: match plan.warm_up_after(choice.warm_up_ns) {
            of_launch if segment.launch.is_some() || choice.load_points_apart => {
                of_launch.at_least(run_up.least_ns)
            }
            _ => run_up,
        },
        first_round: segment.first_round,
        rounds: segment.rounds,
        round_ns: choice.round_ns,
        slice_ns: choice.slice_ns,
        requests: plan.question.requests.len() as u32,
        lanes: lanes(plan, who, |at| choice.burn_in_ns.get(at).copied().unwrap_or(0)),
        ..empty_order(plan)
    }
}

/// The rounds of a suite: a slice of each contender for each of so many cases that are run alone, or one for all. Each
/// slice is one run, however long it takes.
pub(super) fn suite(plan: &Plan, alone: usize) -> DriveOrder {
    let everyone: Vec<usize> = (0..plan.contenders.len()).collect();
    DriveOrder {
        rounds: plan.rounds,
        round_ns: SHORTEST_SLICE_NS * alone.max(1) as u64,
        slice_ns: SHORTEST_SLICE_NS,
        lanes: lanes(plan, &everyone, |_| 0),
        ..empty_order(plan)
    }
}

/// One turn of one contender at this rate. `level` and `round` draw its arrivals, which are the same for every
/// contender, in units of the mean gap.
pub(super) fn turn(plan: &Plan, turn: &TurnOrder) -> DriveOrder {
    let mut lane = lane(plan, turn.contender, UNCOUNTED_NS);
    lane.intensity.arrivals = Arrivals::Poisson(turn.rate);
    let drawn = fnv1a(format!("turn {} of round {}", turn.level, turn.round).as_bytes());
    lane.arrivals_seed = (drawn >> 32) as u32;
    DriveOrder {
        first_round: turn.round.max(1),
        rounds: 1,
        round_ns: turn.length_ns,
        slice_ns: turn.length_ns,
        lanes: vec![lane],
        ..empty_order(plan)
    }
}

/// A turn at one of the rates of a round, or of a search, whose round is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnOrder {
    pub(super) contender: usize,
    pub(super) round: u32,
    /// Which of the rates of its round, or the number of the step of a search.
    pub(super) level: u32,
    /// Operations per second.
    pub(super) rate: f64,
    pub(super) length_ns: u64,
}

/// Fresh sockets are driven for about a slice.
fn run_up(slice_ns: u64) -> WarmUp {
    WarmUp::fixed(slice_ns.min(LONGEST_RUN_UP_NS))
}

/// Warm-up and one round without interleaving: `run`.
pub(super) fn run(plan: &Plan) -> DriveOrder {
    DriveOrder {
        warm_up: plan.warm_up(),
        rounds: 1,
        round_ns: plan.round_ns,
        slice_ns: plan.round_ns,
        lanes: (0..plan.contenders.len()).map(|at| lane(plan, at, 0)).collect(),
        ..empty_order(plan)
    }
}

fn empty_order(plan: &Plan) -> DriveOrder {
    DriveOrder {
        seed: plan.seed,
        first_round: 1,
        cores: plan.generator_cores.clone(),
        ..DriveOrder::default()
    }
}

fn lanes(plan: &Plan, who: &[usize], burn_in_ns: impl Fn(usize) -> u64) -> Vec<LaneOrder> {
    who.iter().map(|at| lane(plan, *at, burn_in_ns(*at))).collect()
}

/// What is asked of one contender.
pub(super) fn lane(plan: &Plan, contender: usize, burn_in_ns: u64) -> LaneOrder {
    let contender = &plan.contenders[contender];
    LaneOrder {
        address: contender.address.clone(),
        intensity: contender.intensity,
        doing: contender.asks.workload().cloned().map_or(LaneTask::Ask, LaneTask::Drive),
        reuse: contender.reuse,
        timeout_ns: contender.timeout_ns,
        burn_in_ns,
        operations: contender.operations,
        arrivals_seed: 0,
        groups: contender.groups.iter().map(|group| group.intensity).collect(),
    }
}
