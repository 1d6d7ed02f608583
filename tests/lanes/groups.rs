//! Several workloads at once: every operation of every group is counted once, also at the
//! server, and a group knows what another one wrote.

use crate::common::scratch::Scratch;
use crate::common::stores::{Server, StoreProtocol};
use crate::common::{drive, lane, order, until_done};
use ::files::{FilesAccess, Guard};
use engine::{Numbers, Stop, grouped};
use record::{
    Address, Arrivals, Distribution, DriveOrder, Intensity, Kind, LaneOrder, LaneTask, Seen, Share,
    ValueBytes, Verify, Workload,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const KEYS: u64 = 300;

fn group(connections: u32, depth: u32, rate: Option<f64>) -> Intensity {
    let arrivals = rate.map_or(Arrivals::Closed, Arrivals::Constant);
    Intensity { connections, depth, arrivals }
}

/// Returns readers in closed loop together with writers at a rate, on one worker or two.
fn readers_and_writers(lane: LaneOrder, depth: u32, workers: u32) -> DriveOrder {
    let groups = vec![group(8, depth, None), group(2, 1, Some(2000.0))];
    let workload = workload(&[&[(Kind::Get, 3.0), (Kind::MultiGet(5), 1.0)], &[(Kind::Set, 1.0)]]);
    let lane = LaneOrder { groups, doing: LaneTask::Drive(workload), ..lane };
    let cores = if workers == 1 { Vec::new() } else { (0..workers).collect() };
    DriveOrder { cores, rounds: 2, slice_ns: 50_000_000, ..order(vec![lane]) }
}

fn workload(mixes: &[&[(Kind, f64)]]) -> Workload {
    let share = |&(kind, weight): &(Kind, f64)| Share { kind, weight };
    Workload {
        prefix: "g:".into(),
        keys: KEYS,
        distribution: Distribution::Zipf(0.9),
        hot: 1.0,
        value: ValueBytes::Uniform(16, 300),
        compressible: false,
        keys_as: record::KeysAs::Number,
        values_as: record::ValuesAs::Version,
        mix: mixes.concat().iter().map(share).collect(),
        verify: Verify::All,
        commands: Vec::new(),
        custom: record::Custom::default(),
        groups: mixes.iter().map(|mix| mix.len() as u32).collect(),
    }
}

/// The figures of all groups are the sums of those of each.
fn adds_up(seen: &Seen) {
    let sum = |of: fn(&Seen) -> u64| seen.groups.iter().map(of).sum::<u64>();
    assert_eq!(seen.operations, sum(|of| of.operations));
    assert_eq!(seen.sent, sum(|of| of.sent));
    assert_eq!(seen.connections.opened, sum(|of| of.connections.opened));
    assert_eq!(seen.connections.requested, sum(|of| of.connections.requested));
    assert_eq!(seen.response_time.len(), sum(|of| of.response_time.len()));
    for (at, slice) in seen.slices.iter().enumerate() {
        let parts = || seen.groups.iter().map(|of| &of.slices[at]);
        assert_eq!(slice.operations, parts().map(|part| part.operations).sum::<u64>());
        // The longest part, unless late replies of several groups count together.
        let merged = parts().cloned().reduce(|mut all, part| {
            all.merge(&part);
            all
        });
        assert_eq!(Some(slice.took_ns), merged.map(|all| all.took_ns));
        let longest = parts().map(|part| part.took_ns).max();
        assert!(slice.late.is_some() || Some(slice.took_ns) == longest);
        assert!(slice.generator_cpu_ns > 0, "the CPU of all groups is that of the whole");
    }
}

/// Returns how many operations are due at a rate in this time of sending.
fn due(rate: f64, seen: &Seen) -> u64 {
    let sending: u64 = seen.slices.iter().map(|slice| slice.sending_ns).sum();
    (rate * sending as f64 / 1e9).round() as u64
}

/// Returns how many operations the schedule wanted: on a starved machine some cannot be sent in time.
fn wanted(seen: &Seen) -> u64 {
    seen.operations + seen.unsent
}

#[test]
fn the_server_counts_what_the_groups_count() {
    for workers in [1, 2] {
        let (address, counts) = crate::common::serve(crate::common::REPLY, u64::MAX);
        let groups = vec![group(4, 1, None), group(2, 1, Some(2000.0)), group(3, 1, Some(500.0))];
        let lane = LaneOrder { groups, ..lane(address) };
        let cores = (0..workers).collect();
        let order = DriveOrder { cores, slice_ns: 50_000_000, rounds: 3, ..order(vec![lane]) };
        let trials = drive(&order);
        let mut all = Seen::default();
        for trial in &trials {
            adds_up(&trial.seen);
            all.merge(&trial.seen);
        }
        assert_eq!(counts.requests.load(Ordering::Relaxed), all.sent + all.unfinished);
        assert_eq!(counts.connections.load(Ordering::Relaxed), 9);
        assert_eq!(all.outcomes.ok, all.operations);
        assert_eq!(wanted(&all.groups[1]), due(2000.0, &all), "{workers} workers");
        assert_eq!(wanted(&all.groups[2]), due(500.0, &all), "{workers} workers");
        assert!(all.groups[0].operations > 0);
        let of_loop = |at: usize| all.groups[at].loop_time.len();
        assert!(of_loop(0) == 0 && of_loop(1) > 0 && of_loop(1) == of_loop(2));
    }
}

#[test]
fn readers_verify_what_writers_of_another_group_wrote() {
    for (dialogue, workers) in [
        (StoreProtocol::Text, 1),
        (StoreProtocol::Meta, 2),
        (StoreProtocol::Resp2, 2),
        (StoreProtocol::Resp3, 1),
    ] {
        let server = Server::start(dialogue, &[]);
        let order = readers_and_writers(lane(server.address), 16, workers);
        let LaneTask::Drive(workload) = order.lanes[0].doing.clone() else { unreachable!() };
        let mut load = lane(server.address);
        (load.doing, load.operations) = (LaneTask::load(workload), Some(KEYS));
        assert_eq!(server.drive(&mut until_done(vec![load]))[0].seen.outcomes.ok, KEYS);
        let trials = server.drive(&mut order.clone());
        assert_eq!(trials.len(), 2);
        for trial in &trials {
            let (seen, groups) = (&trial.seen, &trial.seen.groups);
            adds_up(seen);
            assert_eq!(seen.outcomes.ok, seen.operations, "{dialogue:?}: {:?}", seen.outcomes);
            let kinds = |at: usize| groups[at].kinds.iter().map(|of| of.kind).collect::<Vec<_>>();
            assert_eq!(kinds(0), [Kind::Get, Kind::MultiGet(5)]);
            assert_eq!(kinds(1), [Kind::Set]);
            assert_eq!(wanted(&groups[1]), due(2000.0, seen), "{dialogue:?}");
            assert!(groups[0].operations > groups[1].operations);
        }
        // Reads do not return the first values only: on average there is at least one write per
        // key.
        assert!(trials.iter().map(|trial| trial.seen.groups[1].operations).sum::<u64>() > KEYS);
    }
}

#[test]
fn files_have_groups_too() {
    let directory = Scratch::memory();
    let numbers = Numbers::new(4);
    let access = FilesAccess { store: Arc::new(directory.store(Guard::Rename)), numbers };
    let address = Address::Directory(directory.0.display().to_string());
    let at = |lane: LaneOrder| LaneOrder { address: address.clone(), ..lane };
    let any = lane(([127, 0, 0, 1], 1).into());
    let mut order = readers_and_writers(at(any.clone()), 1, 1);
    let gets = workload(&[&[(Kind::Get, 1.0)], &[(Kind::Set, 1.0)]]);
    order.lanes[0].doing = LaneTask::Drive(gets.clone());
    let mut load = at(any);
    (load.doing, load.operations) = (LaneTask::load(gets), Some(KEYS));
    for order in [until_done(vec![load]), order] {
        let lanes = grouped(&order, 0, |order| access.lanes(order, 0));
        let stop = Stop::new().expect("a descriptor");
        let loads = order.lanes[0].groups.is_empty();
        let each = &mut |trial: record::TrialRecord| {
            let seen = &trial.seen;
            assert_eq!(seen.outcomes.ok, seen.operations, "{:?}", seen.outcomes);
            if !loads {
                adds_up(seen);
                assert_eq!(wanted(&seen.groups[1]), due(2000.0, seen));
                assert!(seen.groups[0].operations > 0);
            }
            ControlFlow::Continue(())
        };
        engine::run(&order, vec![lanes], Vec::new(), &stop, each).expect("the engine holds");
    }
}

#[test]
fn a_run_that_is_stopped_ends_in_the_middle_of_all_groups() {
    let (address, counts) = crate::common::serve(crate::common::REPLY, u64::MAX);
    let groups = vec![group(4, 1, None), group(2, 1, Some(50.0))];
    let order = until_done(vec![LaneOrder { groups, ..lane(address) }]);
    let stop = Stop::new().expect("a descriptor");
    let raise = stop.clone();
    let raised = std::thread::spawn(move || {
        while counts.requests.load(Ordering::Relaxed) < 100 {
            std::thread::yield_now();
        }
        raise.raise();
    });
    let trials = crate::common::drive_until(&order, &stop);
    raised.join().expect("no panic");
    assert!(trials[0].cut_short);
    adds_up(&trials[0].seen);
}

#[test]
fn one_group_alone_asks_what_is_asked_without_groups() {
    let same = |groups: Vec<Intensity>| {
        let server = Server::start(StoreProtocol::Resp2, &[]);
        let mut lane = lane(server.address);
        let mixes: &[&[(Kind, f64)]] = &[&[(Kind::Get, 1.0), (Kind::Set, 1.0)]];
        lane.doing = LaneTask::Drive(workload(mixes));
        lane.groups = groups;
        lane.intensity.arrivals = Arrivals::Constant(4000.0);
        let seen = server.drive(&mut order(vec![lane]))[0].seen.clone();
        let kinds = seen.kinds.iter().map(|of| (of.kind, of.operations));
        (seen.operations, kinds.collect::<Vec<_>>())
    };
    let of_one = group(4, 1, Some(4000.0));
    assert_eq!(same(vec![of_one]), same(Vec::new()));
}
