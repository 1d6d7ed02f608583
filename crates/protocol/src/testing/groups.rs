//! Several workloads at once: what each protocol's tests of groups drive and check.

use super::{lane, order, until_done, verified};
use record::{
    Arrivals, Distribution, DriveOrder, Intensity, Kind, LaneOrder, LaneTask, Seen, Workload,
};

/// The keys of the workloads.
pub const KEYS: u64 = 300;
/// Operations per second of the writers.
pub const WRITES: f64 = 2000.0;

/// A group in closed loop or at a rate.
pub fn group(connections: u32, depth: u32, rate: Option<f64>) -> Intensity {
    let arrivals = rate.map_or(Arrivals::Closed, Arrivals::Constant);
    Intensity { connections, depth, arrivals }
}

/// A workload of several groups, with the kinds of each.
pub fn workload(mixes: &[&[(Kind, f64)]]) -> Workload {
    Workload {
        prefix: "g:".into(),
        distribution: Distribution::Zipf(0.9),
        groups: mixes.iter().map(|mix| mix.len() as u32).collect(),
        ..verified(KEYS, &mixes.concat())
    }
}

/// Readers in closed loop together with writers at a rate, in two rounds, on one worker or two.
pub fn readers_and_writers(
    lane: LaneOrder,
    workload: Workload,
    depth: u32,
    workers: u32,
) -> DriveOrder {
    let groups = vec![group(8, depth, None), group(2, 1, Some(WRITES))];
    let lane = LaneOrder { groups, doing: LaneTask::Drive(workload), ..lane };
    let cores = if workers == 1 { Vec::new() } else { (0..workers).collect() };
    DriveOrder { cores, rounds: 2, slice_ns: 50_000_000, ..order(vec![lane]) }
}

/// Loads all keys of the workload.
pub fn loading(lane: LaneOrder, workload: Workload) -> DriveOrder {
    let (doing, operations) = (LaneTask::load(workload), Some(KEYS));
    until_done(vec![LaneOrder { doing, operations, ..lane }])
}

/// Checks that the figures of all groups are the sums of those of each.
///
/// # Panics
/// If one is not.
pub fn adds_up(seen: &Seen) {
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

/// How many operations are due at a rate in the time of sending.
pub fn due(rate: f64, seen: &Seen) -> u64 {
    let sending: u64 = seen.slices.iter().map(|slice| slice.sending_ns).sum();
    (rate * sending as f64 / 1e9).round() as u64
}

/// How many operations the schedule wanted: on a starved machine some cannot be sent in time.
pub fn wanted(seen: &Seen) -> u64 {
    seen.operations + seen.unsent
}

/// Checks on a server for each of these numbers of workers that readers verify what the writers of another
/// group wrote.
///
/// # Panics
/// If they do not.
pub fn readers_verify_what_writers_of_another_group_wrote(servers: &[(super::Dialect, u32)]) {
    let workload = workload(&[&[(Kind::Get, 3.0), (Kind::MultiGet(5), 1.0)], &[(Kind::Set, 1.0)]]);
    for &((name, start), workers) in servers {
        let server = start();
        let mut load = loading(lane(server.address), workload.clone());
        assert_eq!(server.drive(&mut load)[0].seen.outcomes.ok, KEYS);
        let mut order = readers_and_writers(lane(server.address), workload.clone(), 16, workers);
        let trials = server.drive(&mut order);
        assert_eq!(trials.len(), 2);
        for trial in &trials {
            let (seen, groups) = (&trial.seen, &trial.seen.groups);
            adds_up(seen);
            assert_eq!(seen.outcomes.ok, seen.operations, "{name}: {:?}", seen.outcomes);
            let kinds = |at: usize| groups[at].kinds.iter().map(|of| of.kind).collect::<Vec<_>>();
            assert_eq!(kinds(0), [Kind::Get, Kind::MultiGet(5)]);
            assert_eq!(kinds(1), [Kind::Set]);
            assert_eq!(wanted(&groups[1]), due(WRITES, seen), "{name}");
            assert!(groups[0].operations > groups[1].operations);
        }
        // Reads do not return the first values only: on average there is at least one write per
        // key.
        assert!(trials.iter().map(|trial| trial.seen.groups[1].operations).sum::<u64>() > KEYS);
    }
}

/// Checks that one group alone requests what is requested without groups.
///
/// # Panics
/// If it does not.
pub fn one_group_alone_asks_what_is_asked_without_groups((_, start): super::Dialect) {
    let same = |groups: Vec<Intensity>| {
        let server = start();
        let mut lane = lane(server.address);
        lane.doing = LaneTask::Drive(workload(&[&[(Kind::Get, 1.0), (Kind::Set, 1.0)]]));
        lane.groups = groups;
        lane.intensity.arrivals = Arrivals::Constant(4000.0);
        let seen = server.drive(&mut order(vec![lane]))[0].seen.clone();
        let kinds = seen.kinds.iter().map(|of| (of.kind, of.operations));
        (seen.operations, kinds.collect::<Vec<_>>())
    };
    assert_eq!(same(vec![group(4, 1, Some(4000.0))]), same(Vec::new()));
}
