//! Replies that take much longer than the others: of one connection, or of the whole server.

use crate::common::{REPLY, drive};
use protocol::testing::{lane, order, serve as on_threads};
use record::{DriveOrder, Failure, LaneOrder, TrialRecord};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The first request with this number on its connection is answered late. Its worker knows the p99 by then.
const LATE: u64 = 110;
/// A drain of this length would be seen.
const TIMEOUT_NS: u64 = 20_000_000_000;
const MS: u64 = 1_000_000;

/// What happens to that request.
#[derive(Clone, Copy)]
enum Fate {
    /// It is never answered.
    Lost,
    /// It is answered after this time.
    Waits(Duration),
    /// Nothing is answered for this time.
    Pauses(Duration),
    /// Each connection is closed after so many replies.
    Ends(u64),
}

fn serve(fate: Fate) -> SocketAddr {
    let state = (AtomicBool::new(false), Mutex::new(()));
    on_threads(move |stream| answer(stream, fate, &state))
}

fn answer(mut stream: TcpStream, fate: Fate, (has_been, all): &(AtomicBool, Mutex<()>)) {
    let mut buffer = [0; 4096];
    for number in 0.. {
        let is_over = matches!(fate, Fate::Ends(replies) if number == replies);
        if is_over || !stream.read(&mut buffer).is_ok_and(|read| read > 0) {
            return;
        }
        let is_late = number == LATE && !has_been.swap(true, Ordering::Relaxed);
        match fate {
            Fate::Lost if is_late => continue,
            Fate::Waits(time) if is_late => thread::sleep(time),
            Fate::Pauses(time) => {
                let _all = all.lock().expect("nobody panics");
                thread::sleep(if is_late { time } else { Duration::ZERO });
            }
            _ => {}
        }
        // Each takes a moment, so that one connection does not get the whole core.
        thread::sleep(Duration::from_micros(200));
        if stream.write_all(REPLY).is_err() {
            return;
        }
    }
}

/// A server that serves so many connections at a time, each until it has ended.
fn with_threads(threads: usize, fate: Fate) -> SocketAddr {
    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").expect("a port"));
    let address = listener.local_addr().expect("an address");
    for _ in 0..threads {
        let listener = listener.clone();
        let state = Default::default();
        thread::spawn(move || {
            listener.incoming().flatten().for_each(|stream| answer(stream, fate, &state));
        });
    }
    address
}

fn driven(fate: Fate, workers: usize) -> Vec<TrialRecord> {
    driven_beside(serve(fate), workers)
}

/// Drives a server without late replies and this one in three rounds of eight slices, each with 8 connections on
/// so many workers. Returns the trials of this one.
fn driven_beside(server: SocketAddr, workers: usize) -> Vec<TrialRecord> {
    let lanes = [serve(Fate::Waits(Duration::ZERO)), server].map(|server| {
        let mut lane_order = LaneOrder { timeout_ns: TIMEOUT_NS, ..lane(server) };
        lane_order.intensity.connections = 8;
        lane_order
    });
    let (round_ns, slice_ns) = (400 * MS, 50 * MS);
    // All of them share a core: the number of workers matters here, not their speed.
    let cores = vec![0; workers];
    let order = order(lanes.to_vec());
    let trials = drive(&DriveOrder { rounds: 3, round_ns, slice_ns, cores, ..order });
    trials.into_iter().filter(|trial| trial.contender == 1).collect()
}

#[test]
fn a_lost_reply_is_left_waiting_until_the_run_ends() {
    for workers in [1, 8] {
        let trials = driven(Fate::Lost, workers);
        for trial in &trials {
            for slice in &trial.seen.slices {
                assert!(slice.took_ns < TIMEOUT_NS / 2, "{workers}: {slice:?}");
            }
        }
        let [first, second, last] = &trials[..] else { panic!("{workers}: {}", trials.len()) };
        assert_eq!(first.seen.waits.left, 1, "{workers}");
        assert_eq!((last.seen.waits.units, last.seen.waits.at_end.values().sum()), (8, 1));
        assert_eq!(second.seen.connections.opened, 7, "{workers}: it is not reopened");
        assert_eq!(second.seen.outcomes.failed, [].into(), "{workers}");
        assert_eq!(last.seen.outcomes.failed, [(Failure::Waiting, 1)].into(), "{workers}");
        let longest = last.seen.response_time.max().expect("a reply");
        assert!(longest > 400 * MS, "{workers}: since the first round, {longest}");
        assert!(last.seen.operations > 100, "{workers}: the others go on");
    }
}

#[test]
fn a_late_reply_is_counted_and_its_connection_goes_on() {
    for workers in [1, 8] {
        let trials = driven(Fate::Waits(Duration::from_millis(400)), workers);
        let all = |count: fn(&TrialRecord) -> u64| trials.iter().map(count).sum::<u64>();
        assert_eq!(all(|trial| trial.seen.waits.left), 1, "{workers}");
        assert_eq!(all(|trial| trial.seen.outcomes.failed.values().sum()), 0, "{workers}");
        assert_eq!(all(|trial| trial.seen.outcomes.ok), all(|trial| trial.seen.operations));
        let in_slices = all(|trial| trial.seen.slices.iter().map(|slice| slice.operations).sum());
        assert_eq!(
            all(|trial| trial.seen.operations),
            in_slices + 1,
            "{workers}: it is in no slice"
        );
        let longest = trials.iter().filter_map(|trial| trial.seen.response_time.max()).max();
        assert!(longest.is_some_and(|longest| longest > 390 * MS), "{workers}: {longest:?}");
        assert!(trials[2].seen.waits.at_end.is_empty(), "{workers}");
    }
}

#[test]
fn a_pause_of_the_whole_server_counts_in_full() {
    for workers in [1, 8] {
        let is_counted = || {
            let trials = driven(Fate::Pauses(Duration::from_millis(600)), workers);
            let slices = trials.iter().flat_map(|trial| &trial.seen.slices);
            let longest = slices.map(|slice| slice.took_ns).max().expect("a slice");
            let left: u64 = trials.iter().map(|trial| trial.seen.waits.left).sum();
            // It began in the 50 ms of a slice. If it began after them, others had their replies before it.
            assert!(longest > 550 * MS || left > 0, "{workers}: {longest}");
            left == 0
        };
        // It begins with one reply in a few thousand: on a machine that has no time, rarely in those 50 ms.
        assert!((0..5).any(|_| is_counted()), "{workers}");
    }
}

#[test]
fn a_server_with_few_threads_serves_the_same_connections_in_all_rounds() {
    // With 8 workers, each has one connection, and most of the others wait.
    for workers in [1, 8] {
        let trials = driven_beside(with_threads(2, Fate::Ends(u64::MAX)), workers);
        for trial in &trials {
            assert!(trial.seen.operations > 20, "{workers}: {:?}", trial.seen.outcomes);
            for slice in &trial.seen.slices {
                assert!(slice.took_ns < TIMEOUT_NS / 2, "{workers}: {slice:?}");
            }
        }
        let [first, .., last] = &trials[..] else { panic!("{}", trials.len()) };
        assert_eq!((first.seen.waits.left, last.seen.connections.opened), (6, 0), "{workers}");
        // They waited since the first round, however late a busy machine sent their first request.
        let first_round = first.seen.slices.last().expect("a slice").index;
        let since_first = last.seen.waits.at_end.range(..=first_round);
        assert_eq!(since_first.map(|(_, units)| units).sum::<u64>(), 6, "{workers}");
    }
}

#[test]
fn a_server_whose_threads_wait_for_clients_that_stay_out_does_not_pause() {
    // A thread takes the next connection after 40 replies, whose client was left and stays out.
    for trial in driven_beside(with_threads(2, Fate::Ends(40)), 1) {
        for slice in &trial.seen.slices {
            assert!(slice.took_ns < TIMEOUT_NS / 10, "{slice:?}");
        }
    }
}
