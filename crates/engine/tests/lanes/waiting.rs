//! Replies that take much longer than the others: of one connection, or of the whole server.

use crate::common::{REPLY, drive, lane, order};
use record::{DriveOrder, Failure, LaneOrder, TrialRecord};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The request that is answered late.
const LATE: u64 = 100;
/// A drain of this length would be seen.
const TIMEOUT_NS: u64 = 20_000_000_000;
const MS: u64 = 1_000_000;

/// What happens to request [`LATE`].
#[derive(Clone, Copy)]
enum Fate {
    /// It is never answered.
    Lost,
    /// It is answered after this time.
    Waits(Duration),
    /// Nothing is answered for this time.
    Pauses(Duration),
}

fn serve(fate: Fate) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let state = Arc::new((AtomicU64::new(0), Mutex::new(())));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let state = state.clone();
            thread::spawn(move || answer(stream, fate, &state));
        }
    });
    address
}

fn answer(mut stream: TcpStream, fate: Fate, (requests, all): &(AtomicU64, Mutex<()>)) {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
        let is_late = requests.fetch_add(1, Ordering::Relaxed) == LATE;
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

/// Drives a server without and one with such a request in two rounds of four slices, each with 8 connections on
/// so many workers. Returns the trials of the second one.
fn driven(fate: Fate, workers: usize) -> Vec<TrialRecord> {
    let plain = Fate::Waits(Duration::ZERO);
    let lanes = [plain, fate].map(|fate| {
        let mut lane_order = LaneOrder { timeout_ns: TIMEOUT_NS, ..lane(serve(fate)) };
        lane_order.intensity.connections = 8;
        lane_order
    });
    let (round_ns, slice_ns) = (200 * MS, 50 * MS);
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
        let trials = driven(Fate::Pauses(Duration::from_millis(600)), workers);
        let slices = trials.iter().flat_map(|trial| &trial.seen.slices);
        let longest = slices.map(|slice| slice.took_ns).max().expect("a slice");
        // It began in the 50 ms of a slice.
        assert!(longest > 550 * MS, "{workers}: {longest}");
        let left: u64 = trials.iter().map(|trial| trial.seen.waits.left).sum();
        assert_eq!(left, 0, "{workers}");
    }
}
