//! A known truth about Cassandra's two lanes: one of the engine's own (Thrift) and one
//! through the client library (CQL), interleaved against null servers that take equally long,
//! come out as what they cost by themselves says.

use crate::common::{generator_core, server_core};
use crate::driver::truths;
use crate::drivers::{DELAY, PLANTED, delayed, is_apart_by};
use crate::servers::{MS, order};
use ::cassandra::{CassandraAccess, CassandraSettings, Sending};
use drivers::Database;
use engine::workload::preset;
use engine::{MakeLane, Stop};
use record::{
    Address, Consistency, DriveOrder, LaneOrder, LaneTask, Phase, Seen, Verify, Workload,
};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use testserver::null::NullServer;
use thrift::{ThriftAccess, thrift_lanes};

truths! {
    All: thrift_and_cql_at_one_null_cost_differ_by_their_own_costs,
    All: a_planted_cost_of_cql_is_seen,
}

const ROUNDS: u32 = 16;

fn cql_access() -> CassandraAccess {
    let (consistency, settings) = (Consistency::One, CassandraSettings::default());
    CassandraAccess::cheapest(Sending { prepares: true, consistency, replication: 1, settings })
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
        warm_up: record::WarmUp::fixed(100 * MS),
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
    let services = [&::thrift::ROW, &::cassandra::ROW].map(|row| row.null.expect("a service"));
    let (core, generator) = (server_core(), generator_core());
    let apart = thread::spawn(move || {
        sys::affinity::pin(0, &keeper::pin::set(&[core]).expect("ours")).expect("ours");
        let null = NullServer::start(&services, Some(core)).expect("a null server");
        driven(&both_lanes(&null, planted, generator))
    });
    apart.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// An operation takes longer through the library by what it costs the generator more and by what is
/// planted.
fn they_are_apart_by(planted: Duration) {
    let [thrift, cql] = driven_apart(planted);
    let (longer, dearer) = (time(&cql) - time(&thrift), cost(&cql) - cost(&thrift));
    is_apart_by(planted, "CQL against Thrift", longer, dearer);
}

fn thrift_and_cql_at_one_null_cost_differ_by_their_own_costs() {
    they_are_apart_by(Duration::ZERO);
}

/// Checks that the test above can fail: a library that takes 100 µs more is read as one.
fn a_planted_cost_of_cql_is_seen() {
    they_are_apart_by(PLANTED);
}
