//! The engine against a server that counts: what was sent is what the server received.

use crate::common::{REPLY, drive, drive_reading, drive_stopped, serve};
use engine::{Stop, TargetClock, TargetReading, WatchedReading};
use protocol::testing::{lane, order, until_done};
use record::{Arrivals, DriveOrder, Failure, LaneOrder, Phase, Reuse, WatchedSlice};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn every_request_is_counted_on_both_sides() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let trials = drive(&order(vec![lane(address)]));
    let seen = &trials[0].seen;
    assert!(seen.operations > 10);
    assert_eq!(seen.sent, counts.requests.load(Ordering::Relaxed));
    assert_eq!((seen.outcomes.ok, seen.unfinished), (seen.operations, 0));
    assert_eq!(seen.response_time.len(), seen.operations);
    assert_eq!(counts.connections.load(Ordering::Relaxed), 4);
    assert_eq!(
        (seen.connections.requested, seen.connections.established, seen.connections.opened),
        (4, 4, 4)
    );
}

#[test]
fn what_the_server_says_of_its_own_times_is_recorded() {
    const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nServer-Timing: db;dur=2.5, render;dur=0.25\r\n\
        Content-Length: 5\r\n\r\nhello";
    let (address, _) = serve(REPLY, u64::MAX);
    let lane_order = LaneOrder { operations: Some(500), ..lane(address) };
    let trials = drive(&until_done(vec![lane_order]));
    let parts = trials[0].seen.phases.server.iter();
    let parts: Vec<_> = parts.map(|(name, took)| (name, took.len(), took.max())).collect();
    let [("db", 500, Some(db)), ("render", 500, Some(render))] = parts[..] else {
        panic!("{parts:?}")
    };
    // Histograms have a precision of three digits.
    assert!((2_500_000..2_503_000).contains(&db), "{db}");
    assert!((250_000..250_300).contains(&render), "{render}");
}

/// HTTP/1.1 has one request in flight on a connection, whatever the requested depth is.
#[test]
fn a_depth_above_the_window_is_cut_to_the_window() {
    for arrivals in [Arrivals::Closed, Arrivals::Constant(200_000.0)] {
        let (address, counts) = serve(REPLY, u64::MAX);
        let mut lane_order = LaneOrder { operations: Some(1000), ..lane(address) };
        (lane_order.intensity.arrivals, lane_order.intensity.depth) = (arrivals, 8);
        let trials = drive(&until_done(vec![lane_order]));
        let seen = &trials[0].seen;
        assert_eq!((seen.operations, seen.outcomes.ok), (1000, 1000), "{:?}", seen.outcomes);
        // The server takes whatever arrives at once for one request.
        assert_eq!(counts.requests.load(Ordering::Relaxed), 1000);
        assert_eq!(counts.connections.load(Ordering::Relaxed), 4);
    }
}

/// Drives rounds of this many lanes, with two slices of 10 ms in each. Returns how many connections each
/// trial opened; the server counts them, too. A lane keeps its connections where one waits for its reply at
/// the end of a round, as on a busy machine: such a run is repeated.
fn opened_in_rounds(lanes: usize) -> Vec<u64> {
    let (rounds, slice_ns) = (3, 10_000_000);
    for _ in 0..MOST_RUNS {
        let (address, counts) = serve(REPLY, u64::MAX);
        let order = order(vec![lane(address); lanes]);
        let trials = drive(&DriveOrder { rounds, slice_ns, round_ns: 2 * slice_ns, ..order });
        if trials.iter().any(|trial| trial.seen.waits.left > 0 || trial.seen.operations == 0) {
            continue;
        }
        assert!(trials.iter().all(|trial| trial.seen.connections.established == 4));
        let opened: Vec<u64> = trials.iter().map(|trial| trial.seen.connections.opened).collect();
        assert_eq!(counts.connections.load(Ordering::Relaxed), opened.iter().sum::<u64>());
        return opened;
    }
    panic!("in each of {MOST_RUNS} runs a connection waited longer than its slice");
}

/// One run in ten is repeated where other tests keep both cores busy.
const MOST_RUNS: usize = 50;

#[test]
fn lanes_that_are_compared_get_other_connections_in_each_round() {
    assert_eq!(opened_in_rounds(2), [4; 6]);
    assert_eq!(opened_in_rounds(1), [4, 0, 0], "compared with nothing");
}

#[test]
fn connections_that_do_not_open_are_waited_for_once_and_not_one_by_one() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    // SAFETY: a call without pointers, on a socket that already listens. From now on its queue
    // holds one connection, which is never accepted.
    assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
    let full = listener.local_addr().expect("an address");
    let (address, _) = serve(REPLY, u64::MAX);
    let timeout_ns = 500_000_000;
    let mut waiting = LaneOrder { timeout_ns, ..lane(full) };
    waiting.intensity.connections = 40;
    let lanes = vec![lane(address), waiting];
    let trials = drive(&DriveOrder { rounds: 2, ..order(lanes) });
    let of = |contender| trials.iter().filter(move |trial| trial.contender == contender);
    assert!(
        of(0).all(|trial| trial.seen.connections.established == 4 && trial.seen.outcomes.ok > 0)
    );
    assert!(
        of(1).all(|trial| trial.seen.connections.established < 40 && trial.seen.outcomes.ok == 0)
    );
    let in_round = |round| {
        let trials = trials.iter().filter(move |trial| trial.round == round);
        trials.flat_map(|trial| &trial.seen.slices)
    };
    let end = in_round(1).map(|slice| slice.starts_ns + slice.took_ns).max().expect("slices");
    let start = in_round(2).map(|slice| slice.starts_ns).min().expect("slices");
    // Two at a time, twenty times: waiting for each separately would take 20 timeouts.
    assert!(start - end < 10 * timeout_ns, "{} ms", (start - end) / 1_000_000);
}

#[test]
fn fresh_connections_are_one_each_and_reuse_n_is_exact() {
    for (reuse, per_connection) in [(Reuse::Never, 1), (Reuse::Times(5), 5)] {
        let (address, counts) = serve(REPLY, u64::MAX);
        let mut lane = lane(address);
        lane.reuse = reuse;
        lane.intensity.connections = 1;
        lane.operations = Some(100);
        let trials = drive(&until_done(vec![lane]));
        assert_eq!(trials[0].seen.outcomes.ok, 100, "{reuse:?}");
        assert_eq!(counts.connections.load(Ordering::Relaxed), 100 / per_connection, "{reuse:?}");
        assert_eq!(trials[0].seen.connections.opened, 100 / per_connection);
    }
}

#[test]
fn interleaving_gives_every_contender_its_slices_and_drains_each() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut order = order(vec![lane(address), lane(address)]);
    order.warm_up = record::WarmUp::fixed(20_000_000);
    order.rounds = 2;
    order.slice_ns = 20_000_000;
    let trials = drive(&order);
    assert_eq!(trials.len(), 6);
    let rounds: Vec<_> = trials.iter().filter(|trial| trial.phase == Phase::Round).collect();
    assert!(rounds.iter().all(|trial| trial.seen.slices.len() == 10));
    let sent: u64 = trials.iter().map(|trial| trial.seen.sent).sum();
    assert_eq!(sent, counts.requests.load(Ordering::Relaxed));
    let mut slices: Vec<_> = trials.iter().flat_map(|trial| &trial.seen.slices).collect();
    slices.sort_by_key(|slice| slice.index);
    for pair in slices.windows(2) {
        assert!(pair[0].starts_ns + pair[0].took_ns <= pair[1].starts_ns, "slices overlap");
        assert!(pair[0].took_ns >= pair[0].sending_ns, "a slice ended before its drain");
    }
}

#[test]
fn lanes_are_warmed_up_block_by_block_until_the_workers_agree() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut order = order(vec![lane(address), lane(address)]);
    order.lanes[1].intensity.arrivals = record::Arrivals::Constant(2000.0);
    order.cores = vec![0, 0];
    order.warm_up = record::WarmUp { least_ns: 100_000_000, most_ns: 900_000_000 };
    let trials = drive(&order);
    let (warm_ups, rounds) = trials.split_at(2);
    let sent: u64 = trials.iter().map(|trial| trial.seen.sent).sum();
    assert_eq!(sent, counts.requests.load(Ordering::Relaxed));
    assert!(rounds.iter().all(|trial| trial.levelled.is_none()));
    let all_levelled = warm_ups.iter().all(|trial| trial.levelled == Some(true));
    let longest_ns = warm_ups.iter().map(record::TrialRecord::driven_ns).max().expect("two");
    // At the most, not all have levelled; 14 slices are the fewest that can be compared.
    assert!(longest_ns >= if all_levelled { 700_000_000 } else { 900_000_000 }, "{longest_ns}");
    let slices = |trial: &record::TrialRecord| trial.seen.slices.len();
    assert_eq!(slices(&warm_ups[0]), slices(&warm_ups[1]));
    // A block has a slice of each.
    let index = |trial: &record::TrialRecord| -> Vec<u64> {
        trial.seen.slices.iter().map(|slice| slice.index / 2).collect()
    };
    assert_eq!(index(&warm_ups[0]), index(&warm_ups[1]));
}

#[test]
fn workers_share_connections_and_operations() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut lane = lane(address);
    lane.intensity.connections = 5;
    lane.operations = Some(301);
    let mut order = until_done(vec![lane]);
    order.cores = vec![0, 0];
    let trials = drive(&order);
    assert_eq!(trials.len(), 1);
    assert_eq!(trials[0].seen.outcomes.ok, 301);
    assert_eq!(counts.requests.load(Ordering::Relaxed), 301);
    assert_eq!(counts.connections.load(Ordering::Relaxed), 5);
}

#[test]
fn a_refused_connection_is_theirs_and_was_never_sent() {
    let address = {
        let port = TcpListener::bind("127.0.0.1:0").expect("a port");
        port.local_addr().expect("an address")
    };
    let trials = drive(&order(vec![lane(address)]));
    let seen = &trials[0].seen;
    assert_eq!((seen.sent, seen.outcomes.ok, seen.connections.established), (0, 0, 0));
    assert!(seen.outcomes.failed[&Failure::Refused] >= 4);
    assert_eq!(seen.without_latency, seen.operations);
    assert!(seen.response_time.is_empty());
}

#[test]
fn a_server_that_never_answers_is_censored_at_the_timeout() {
    // The kernel accepts connections; nothing reads from them.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut lane = lane(listener.local_addr().expect("an address"));
    lane.timeout_ns = 300_000_000;
    let trials = drive(&order(vec![lane]));
    let seen = &trials[0].seen;
    assert_eq!(seen.outcomes.failed[&Failure::Timeout], seen.operations);
    assert_eq!(seen.response_time.len(), 4);
    // Three digits: the lowest value of the bucket may be a thousandth lower.
    assert!(seen.response_time.min().expect("samples") >= 299_500_000);
}

#[test]
fn an_open_loop_sends_what_is_due_and_no_more() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut lane = lane(address);
    lane.intensity.arrivals = Arrivals::Constant(1000.0);
    let mut order = order(vec![lane]);
    order.slice_ns = 50_000_000;
    let trials = drive(&order);
    let seen = &trials[0].seen;
    assert_eq!((seen.operations, seen.unsent), (200, 0));
    assert_eq!(counts.requests.load(Ordering::Relaxed), 200);
    assert!(seen.slices.iter().all(|slice| slice.due == 50));
}

#[test]
fn a_peer_that_closes_every_third_time_costs_connections_and_no_operation() {
    let close = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
    let (address, counts) = serve(close, 1);
    let mut lane = lane(address);
    lane.operations = Some(50);
    lane.intensity.connections = 2;
    let trials = drive(&until_done(vec![lane]));
    assert_eq!(trials[0].seen.outcomes.ok, 50);
    assert_eq!(counts.requests.load(Ordering::Relaxed), 50);
}

#[test]
fn a_stop_ends_a_long_turn_and_keeps_what_was_seen() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let trials = drive_stopped(lane(address));
    let seen = &trials[0].seen;
    assert!(trials[0].cut_short && seen.outcomes.ok > 0);
    assert_eq!(seen.sent + seen.unfinished, counts.requests.load(Ordering::Relaxed));
}

#[test]
fn garbage_and_cut_replies_are_the_peers_fault() {
    let cases: [(&'static [u8], Failure); 2] = [
        (b"this is not HTTP at all\r\n\r\n", Failure::Protocol),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", Failure::Closed),
    ];
    for (reply, failure) in cases {
        let (address, counts) = serve(reply, 1);
        let mut lane = lane(address);
        lane.operations = Some(20);
        let trials = drive(&until_done(vec![lane]));
        let seen = &trials[0].seen;
        assert_eq!(seen.outcomes.failed.get(&failure), Some(&20), "{:?}", seen.outcomes);
        assert_eq!(seen.sent, counts.requests.load(Ordering::Relaxed));
    }
}

#[test]
fn the_cpu_of_every_target_is_read_at_both_ends_of_every_slice() {
    let (address, _) = serve(REPLY, u64::MAX);
    let mut order = order(vec![lane(address), lane(address)]);
    order.slice_ns = 50_000_000;
    order.first_round = 5;
    // One more nanosecond at every reading; the other target cannot be read.
    let (readings, counts) = counted(TargetReading::here);
    let targets: Vec<TargetClock> = vec![counts, Box::new(|| None)];
    let trials = drive_reading(&order, &Stop::new().expect("a descriptor"), targets);
    assert!(trials.iter().all(|trial| trial.round == 5));
    let slices: Vec<_> = trials.iter().flat_map(|trial| &trial.seen.slices).collect();
    assert_eq!(slices.len(), 8);
    assert!(slices.iter().all(|slice| slice.target_cpu_ns == [Some(1), None]));
    assert_eq!(readings.load(Ordering::Relaxed), 16);
}

/// A clock that takes each reading from its number, and the count of its readings.
fn counted(
    reading: impl Fn(u64) -> TargetReading + Send + 'static,
) -> (Arc<AtomicU64>, TargetClock) {
    let readings = Arc::new(AtomicU64::new(0));
    let count = readings.clone();
    let read = move || Some(reading(count.fetch_add(1, Ordering::Relaxed) + 1));
    (readings, Box::new(read))
}

#[test]
fn with_two_workers_targets_are_read_once() {
    let (address, _) = serve(REPLY, u64::MAX);
    let mut order = order(vec![lane(address)]);
    order.cores = vec![0, 0];
    let (readings, counts) = counted(|reading| TargetReading::here(reading * 10));
    let stop = Stop::new().expect("a descriptor");
    let trials = drive_reading(&order, &stop, vec![counts]);
    assert_eq!(trials[0].seen.slices[0].target_cpu_ns, [Some(10)]);
    assert_eq!(readings.load(Ordering::Relaxed), 2);
}

#[test]
fn readings_of_a_watcher_are_kept_with_their_times_until_it_is_lost() {
    let (address, _) = serve(REPLY, u64::MAX);
    let mut order = order(vec![lane(address)]);
    order.slice_ns = 50_000_000;
    let mut readings = 0;
    let watcher = move || {
        readings += 1;
        let watched =
            WatchedReading { at_ns: 100 * readings, asked_ns: readings, steal_ns: Some(7) };
        // Lost between the two readings of the third slice.
        (readings < 6).then_some(TargetReading { cpu_ns: 10 * readings, watched: Some(watched) })
    };
    let trials =
        drive_reading(&order, &Stop::new().expect("a descriptor"), vec![Box::new(watcher)]);
    let slices: Vec<_> = trials.iter().flat_map(|trial| &trial.seen.slices).collect();
    let first = WatchedSlice { from_ns: 100, until_ns: 200, asked_ns: [1, 2], steal_ns: Some(0) };
    assert_eq!(slices[0].watched, [Some(first)]);
    let cpu: Vec<_> = slices.iter().map(|slice| slice.target_cpu_ns[0]).collect();
    assert_eq!(cpu, [Some(10), Some(10), None, None]);
    assert!(slices[2..].iter().all(|slice| slice.watched.is_empty()));
}
