//! A known truth about drivers: a lane of the engine's own and a lane through a client
//! library, braided against servers that take equally long, come out equal.

mod common;

use common::witness::witnessed;
use common::{Place, serve};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;
use tiebreak::testserver::Behaviour;
use tiebreak::testserver::null::{Door, NullServer};

/// What each request takes on its way to the server: long against what either lane
/// costs by itself (some tens of microseconds).
const DELAY: Duration = Duration::from_millis(40);
const MATTERS: &str = "2%";

/// Holds back what is sent to this server, each piece for as long.
fn delayed(server: SocketAddr) -> SocketAddr {
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
            thread::spawn(move || pass(client, upstream, DELAY));
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
    // Whoever still reads there is told.
    let _ = to.shutdown(std::net::Shutdown::Both);
}

#[test]
fn a_wire_lane_and_a_driver_lane_at_one_null_cost_are_equal() {
    witnessed("a_wire_lane_and_a_driver_lane_at_one_null_cost_are_equal", || {
        let null = NullServer::start(&[Door::Postgres, Door::Mysql], None).expect("a null server");
        let page = serve(Behaviour::default());
        let [postgres, mysql] = [0, 1].map(|door| delayed(null.addresses()[door]));
        let contenders = [
            format!("wire=http://{}/", delayed(page.address())),
            format!("postgres=postgres://null@{postgres}/null"),
            format!("mysql=mysql://null@{mysql}/null"),
        ];
        let mut words = vec!["compare"];
        words.extend(contenders.iter().map(String::as_str));
        // A page against a row: what is said differs, and is meant to.
        let asks = ["--set", "postgres.query=SELECT 1", "--set", "mysql.query=SELECT 1"];
        words.extend(asks);
        words.extend(["--expect-different", "--connections", "4", "--matters", MATTERS]);
        // Shorter slices than the pilot would choose: what they bias, they bias alike.
        words.extend(["--until-decided", "--slice", "400ms", "--round", "800ms"]);
        let (code, report) = Place::new().report(&words);
        assert_eq!(code, 0, "{:#}", report["findings"]);
        let comparisons = report["comparisons"].as_array().expect("comparisons").iter();
        let primary: Vec<_> = comparisons.filter(|one| one["primary"] == true).collect();
        assert_eq!(primary.len(), 2);
        for one in primary {
            assert_eq!(one["verdict"], "equivalent", "{one:#}");
        }
    });
}
