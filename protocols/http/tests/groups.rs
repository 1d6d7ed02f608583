//! Several groups at once: every operation of every group is counted once, also at the server.

use crate::common::{REPLY, drive, drive_until, serve};
use engine::Stop;
use protocol::testing::groups::{adds_up, due, group, wanted};
use protocol::testing::{lane, order, until_done};
use record::{DriveOrder, LaneOrder, Seen};
use std::sync::atomic::Ordering;

#[test]
fn the_server_counts_what_the_groups_count() {
    for workers in [1, 2] {
        let (address, counts) = serve(REPLY, u64::MAX);
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
fn a_run_that_is_stopped_ends_in_the_middle_of_all_groups() {
    let (address, counts) = serve(REPLY, u64::MAX);
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
    let trials = drive_until(&order, &stop);
    raised.join().expect("no panic");
    assert!(trials[0].cut_short);
    adds_up(&trials[0].seen);
}
