//! Workers behind one queue, measured by the server's own log.

use crate::client::{Client, GET};
use crate::start;
use std::num::NonZeroU32;
use std::time::Duration;
use testserver::{Behaviour, Delay, Report, TestServer, Workers};

const MS: u64 = 1_000_000;

fn with_workers(count: u32, service: Delay) -> TestServer {
    let count = NonZeroU32::new(count).expect("not zero");
    let workers = Some(Workers { count, service });
    start(Behaviour { workers, log: true, ..Behaviour::default() })
}

/// Sends a request on each of this many connections at once, and waits for all replies.
fn ask_all(server: &TestServer, connections: usize) {
    let mut clients: Vec<Client> =
        (0..connections).map(|_| Client::dial(server.address())).collect();
    clients.iter_mut().for_each(|client| client.send(GET));
    clients.iter_mut().for_each(|client| assert_eq!(client.reply().expect("one").status, 200));
}

/// Lateness of each completion against the earliest schedule that so many workers with this service can have.
fn late_ns(report: &Report, workers: usize, service_ns: u64) -> Vec<u64> {
    let mut free_at = vec![0; workers];
    let times = report.arrivals_ns.iter().zip(&report.completions_ns);
    let late = times.map(|(arrived, completed)| {
        let first = free_at.iter_mut().min().expect("a worker");
        *first = (*first).max(*arrived) + service_ns;
        assert!(*completed >= *first, "{} ns early", *first - completed);
        completed - *first
    });
    late.collect()
}

/// Nine requests at once for four workers: four are served, then four, then one.
#[test]
fn as_many_are_served_at_once_as_there_are_workers() {
    let server = with_workers(4, Delay::Fixed(Duration::from_millis(200)));
    ask_all(&server, 9);
    let report = server.stop();
    let mut late = late_ns(&report, 4, 200 * MS);
    late.sort_unstable();
    // On a busy machine some are late, but not half of them by a whole service.
    assert!(late[4] < 100 * MS, "{late:?}");
}

/// 16 connections keep 8 workers busy with 800 services of 4 ms in the mean: 400 ms altogether, with a standard error
/// of 3.5 %, in which up to 8 services that are still busy at the end are included.
#[test]
fn busy_workers_serve_with_their_mean() {
    let server = with_workers(8, Delay::Exponential(Duration::from_millis(4)));
    let mut clients: Vec<Client> = (0..16).map(|_| Client::dial(server.address())).collect();
    clients.iter_mut().for_each(|client| client.send(&GET.repeat(50)));
    for client in &mut clients {
        for _ in 0..50 {
            assert_eq!(client.reply().expect("a reply").status, 200);
        }
    }
    let report = server.stop();
    assert_eq!((report.requests, report.replies), (800, 800));
    let first = report.arrivals_ns[0];
    let arrived_within = report.arrivals_ns[799] - first;
    assert!(arrived_within < 300 * MS, "the queue ran dry: not the test that was meant");
    let mut ends = report.completions_ns.clone();
    ends.sort_unstable();
    let took = (ends[799] - first) as f64 / 1e6;
    // Four standard errors below; on a busy machine it takes longer.
    assert!(took > 400.0 * (1.0 - 4.0 * 0.035), "{took} ms");
    // Half of the replies at least were not much later than their workers had time for.
    let half = (ends[399] - first) as f64 / 1e6;
    assert!(half < 2.0 * 200.0, "{half} ms for half of them");
}
