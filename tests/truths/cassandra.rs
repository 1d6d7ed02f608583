//! A known truth about Cassandra's two lanes: one of the engine's own (Thrift) and one
//! through the client library (CQL), interleaved against null servers that take equally long,
//! come out as what they cost by themselves says.

use crate::common::{generator_core, server_core};
use crate::driver::{figure, truths};
use crate::drivers::{DELAY, MOST_APART, PLANTED, delayed};
use crate::servers::{MS, order};
use drivers::Database;
use drivers::cassandra::{CassandraAccess, Protocol};
use engine::workload::preset;
use engine::{MakeLane, Stop, ThriftAccess, thrift_lanes};
use record::{
    Address, CassandraSettings, Consistency, DriveOrder, LaneOrder, LaneTask, Phase, Seen, Verify,
    Workload,
};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use testserver::null::{NullServer, Service};

truths! {
    Changed: thrift_and_cql_at_one_null_cost_differ_by_their_own_costs,
    All: a_planted_cost_of_cql_is_seen,
}

const ROUNDS: u32 = 16;

/// Differences between operations of the two lanes, in microseconds.
struct Compared {
    /// How much longer it takes through the library.
    longer: f64,
    /// How much more CPU time it costs the generator.
    dearer: f64,
}

fn cql_access() -> CassandraAccess {
    let (consistency, settings) = (Consistency::One, CassandraSettings::default());
    CassandraAccess::cheapest(Protocol { prepares: true, consistency, replication: 1, settings })
}

/// Thrift and CQL on one connection each, to servers that are delayed.
fn both_lanes(null: &NullServer, planted: Duration, generator: u32) -> DriveOrder {
    let kv = Workload { verify: Verify::Sample, ..preset("kv").expect("a preset") };
    let doings = [LaneTask::Drive(kv), LaneTask::Ask];
    let lane = |at: usize, to| -> LaneOrder {
        let mut lane = order(Address::Tcp(to), doings[at].clone()).lanes.remove(0);
        lane.intensity.connections = 1;
        lane
    };
    let [thrift, cql] = [0, 1].map(|service| null.addresses()[service]);
    DriveOrder {
        cores: vec![generator],
        warm_up_ns: 100 * MS,
        rounds: ROUNDS,
        round_ns: 200 * MS,
        slice_ns: 100 * MS,
        lanes: vec![lane(0, delayed(thrift, DELAY)), lane(1, delayed(cql, DELAY + planted))],
        ..order(Address::Tcp(thrift), LaneTask::Ask)
    }
}

/// What each lane did in all rounds.
fn driven(order: &DriveOrder) -> [Seen; 2] {
    let makers: Vec<Vec<MakeLane>> =
        vec![thrift_lanes(order, 0, &ThriftAccess::without_log_in()), cql_access().lanes(order, 1)];
    let mut all: [Seen; 2] = Default::default();
    engine::run(order, makers, Vec::new(), &Stop::new().expect("a descriptor"), &mut |trial| {
        if trial.phase == Phase::Round {
            all[trial.contender as usize].merge(&trial.seen);
        }
        ControlFlow::Continue(())
    })
    .expect("the engine holds");
    for seen in &all {
        assert_eq!(seen.outcomes.ok, seen.operations, "{:?}", seen.outcomes);
    }
    all
}

/// Response time of an operation that is quicker than nine of ten, in microseconds.
fn time(seen: &Seen) -> f64 {
    seen.response_time.quantile(0.1).expect("operations") as f64 / 1e3
}

/// CPU time of an operation, in microseconds: in the slice in which it was the least, as an
/// own cost is measured.
fn cost(seen: &Seen) -> f64 {
    let driven = seen.slices.iter().filter(|of| of.operations > 0);
    let costs = driven.map(|of| of.generator_cpu_ns as f64 / 1e3 / of.operations as f64);
    costs.reduce(f64::min).expect("slices")
}

/// Starts both servers and drives both lanes, in a thread that is on the servers' core: what
/// delays runs there, too. On the generator's core it would disturb one lane and not the other.
fn driven_apart(planted: Duration) -> [Seen; 2] {
    let services = [Service::Stores, Service::Cql];
    let (core, generator) = (server_core(), generator_core());
    let apart = thread::spawn(move || {
        keeper::pin::pin(0, &keeper::pin::set(&[core]).expect("ours")).expect("ours");
        let null = NullServer::start(&services, Some(core)).expect("a null server");
        driven(&both_lanes(&null, planted, generator))
    });
    apart.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn compared(planted: Duration) -> Compared {
    let [thrift, cql] = driven_apart(planted);
    let longer = time(&cql) - time(&thrift);
    let dearer = cost(&cql) - cost(&thrift);
    let side = if planted.is_zero() { "within" } else { "beyond" };
    figure(
        format!("CQL takes {longer:.0} µs longer and costs {dearer:.1} µs more than Thrift"),
        format!("{side} {MOST_APART:.0} µs of each other"),
    );
    Compared { longer, dearer }
}

fn thrift_and_cql_at_one_null_cost_differ_by_their_own_costs() {
    let Compared { longer, dearer } = compared(Duration::ZERO);
    assert!(dearer > 0.0, "the library costs nothing: {dearer:.1} µs");
    assert!((longer - dearer).abs() < MOST_APART, "{longer:.1} µs, {dearer:.1} µs");
}

/// Checks that the test above can fail: a library that added 100 µs would not pass.
fn a_planted_cost_of_cql_is_seen() {
    let Compared { longer, dearer } = compared(PLANTED);
    assert!(longer - dearer > MOST_APART, "{longer:.1} µs, {dearer:.1} µs");
}
