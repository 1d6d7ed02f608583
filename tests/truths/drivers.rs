//! A known truth about drivers: a lane of the engine's own and a lane through a client
//! library, interleaved against servers that take equally long, come out equal.

use crate::common::witness::{figure, witnessed};
use crate::common::{TestDirectory, number};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;
use testserver::null::{NullServer, Service};

/// What each request takes on its way to the server. Short, so that what a lane adds to it
/// shows: 100 µs are 5 % of it.
pub(crate) const DELAY: Duration = Duration::from_millis(2);
/// A cost of an operation that must be seen.
pub(crate) const PLANTED: Duration = Duration::from_micros(100);
/// 90 µs of the delay, as a ratio of medians: more than what the libraries add to a lane of
/// the engine's own, less than that with what is planted.
///
/// Where this was written the libraries added 13 to 26 µs on a machine that was left alone, and
/// 47 to 73 µs beside builds that kept both cores busy (a load of 20); with what is planted it
/// was 114 to 125 and 135 to 200 µs. The medians of rounds scattered by 1.2 %, so a mean of 16
/// by 0.3 %, which is 6 µs. So a lane that is right is 11 standard errors below the limit, and
/// one that costs 100 µs more has its estimate 3 above it: its interval cannot end below.
const MATTERS: f64 = 1.045;
/// The median, since each operation takes as much longer as its lane costs. A mean such as the
/// throughput moves with what the machine does beside: a pause of 20 ms is 5 % of a round here.
const METRIC: &str = "response_time.p50";

/// Holds back what is sent to this server, each piece for as long.
pub(crate) fn delayed(server: SocketAddr, delay: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let upstream = TcpStream::connect(server).expect("the null server");
            for stream in [&client, &upstream] {
                stream.set_nodelay(true).expect("a socket");
            }
            let ways = [client.try_clone(), upstream.try_clone()].map(|way| way.expect("a handle"));
            let [client_end, upstream_end] = ways;
            thread::spawn(move || pass(client, upstream, delay));
            thread::spawn(move || pass(upstream_end, client_end, Duration::ZERO));
        }
    });
    address
}

fn pass(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let mut piece = [0; 4096];
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        if !delay.is_zero() {
            thread::sleep(delay);
        }
        if to.write_all(&piece[..bytes]).is_err() {
            break;
        }
    }
    // A client that still reads there gets an error.
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// What HTTP, PostgreSQL and MySQL come out as in one comparison, where requests to the
/// databases take so much longer: the medians' verdicts against HTTP, which comes first.
fn compared(planted: Duration) -> Vec<Value> {
    let services = [Service::Stores, Service::Postgres, Service::Mysql];
    let null = NullServer::start(&services, None).expect("a null server");
    let [postgres, mysql] =
        [1, 2].map(|service| delayed(null.addresses()[service], DELAY + planted));
    let contenders = [
        format!("wire=http://{}/", delayed(null.addresses()[0], DELAY)),
        format!("postgres=postgres://null@{postgres}/null"),
        format!("mysql=mysql://null@{mysql}/null"),
    ];
    let mut words = vec!["compare"];
    words.extend(contenders.iter().map(String::as_str));
    // A page against a row: the reports differ, as they should.
    words.extend(["--set", "postgres.query=SELECT 1", "--set", "mysql.query=SELECT 1"]);
    // On one connection a cost of the lane's adds to each operation what it is, and no
    // more: other operations neither hide it nor wait for it.
    let matters = format!("{:.1}%", 100.0 * (MATTERS - 1.0));
    words.extend(["--expect-different", "--connections", "1", "--matters", &matters]);
    words.extend(["--rounds", "16", "--slice", "100ms", "--round", "400ms", "--pilot", "200ms"]);
    let (code, report) = TestDirectory::new().report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let comparisons = report["comparisons"].as_array().expect("comparisons").iter();
    let medians: Vec<_> = comparisons.filter(|one| one["metric"] == METRIC).cloned().collect();
    assert_eq!(medians.len(), 2);
    for one in &medians {
        let [ratio, low, high] = ["ratio", "low", "high"].map(|key| number(&one[key]));
        let lane = one["b"].as_str().expect("a name");
        let limit = if planted.is_zero() { "below" } else { "above" };
        let message = format!("p50 of {lane} {ratio:.3} ({low:.3} to {high:.3})");
        figure(message, format!("{limit} {MATTERS}"));
    }
    medians
}

#[test]
fn a_wire_lane_and_a_driver_lane_at_one_null_cost_are_equal() {
    witnessed("a_wire_lane_and_a_driver_lane_at_one_null_cost_are_equal", || {
        for one in compared(Duration::ZERO) {
            assert_eq!(one["verdict"], "equivalent", "{one:#}");
        }
    });
}

/// Checks that the test above can fail: a driver that cost 100 µs more would not pass.
#[test]
fn a_planted_cost_of_a_driver_is_seen() {
    witnessed("a_planted_cost_of_a_driver_is_seen", || {
        for one in compared(PLANTED) {
            assert_eq!(one["verdict"], "slower", "{one:#}");
            assert!(number(&one["high"]) > MATTERS, "{one:#}");
        }
    });
}
