//! The answers of the test server.

use crate::client::{Client, GET, say_and_finish};
use crate::scratch::Scratch;
use crate::{every, start};
use std::io::ErrorKind;
use std::time::Duration;
use testserver::{Behaviour, Body, Delay, Framing, Report, SlowBody, TestServer};

pub const PAGE: &[u8] =
    b"<html><body>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
    </body></html>";

#[test]
fn a_connection_stays_and_counts_are_exact() {
    let server = start(Behaviour::default());
    for _ in 0..3 {
        let mut client = Client::dial(server.address());
        for _ in 0..100 {
            let reply = client.get();
            assert_eq!((reply.status, &*reply.body), (200, PAGE));
        }
    }
    let expected = Report { connections: 3, requests: 300, replies: 300, ..Report::default() };
    assert_eq!(server.stop(), expected);
}

#[test]
fn fresh_connections() {
    let server = start(Behaviour::default());
    for _ in 0..200 {
        assert_eq!(Client::dial(server.address()).get().body, PAGE);
    }
    let report = server.stop();
    assert_eq!((report.connections, report.replies), (200, 200));
}

#[test]
fn pipelined_requests_of_all_kinds_in_small_pieces() {
    let server = start(Behaviour::default());
    let mut client = Client::dial(server.address());
    let line = [
        GET,
        "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789",
        "HEAD / HTTP/1.1\r\n\r\n",
        GET,
    ]
    .concat();
    for step in [1, 7, line.len()] {
        for piece in line.as_bytes().chunks(step) {
            client.send(std::str::from_utf8(piece).expect("text"));
        }
        assert_eq!(client.reply().expect("GET").body, PAGE);
        assert_eq!(client.reply().expect("POST").body, PAGE);
        let (status, head) = client.head().expect("HEAD");
        assert!(status == 200 && head.contains("Content-Length: 87\r\n"), "{head}");
        assert_eq!(client.reply().expect("GET after HEAD").body, PAGE);
    }
    assert_eq!(server.stop().replies, 12);
}

#[test]
fn a_request_body_of_ten_megabytes_is_read_and_left() {
    let server = start(Behaviour::default());
    let mut client = Client::dial(server.address());
    client.send("POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n");
    client.send(&"x".repeat(10_000_000));
    assert_eq!(client.reply().expect("a reply").body, PAGE);
    assert_eq!(client.get().body, PAGE);
    assert_eq!(server.stop().requests, 2);
}

#[test]
fn more_pipelined_than_the_server_keeps_waiting_at_once() {
    let delay = Delay::Fixed(Duration::from_millis(20));
    let server = start(Behaviour { delay, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    client.send(&GET.repeat(5000));
    for number in 0..5000 {
        assert_eq!(client.reply().unwrap_or_else(|e| panic!("reply {number}: {e}")).body, PAGE);
    }
    assert_eq!(server.stop().replies, 5000);
}

#[test]
fn two_hundred_connections_at_once() {
    let server = start(Behaviour::default());
    let mut clients: Vec<Client> = (0..200).map(|_| Client::dial(server.address())).collect();
    for _ in 0..5 {
        clients.iter_mut().for_each(|client| client.send(GET));
        for client in &mut clients {
            assert_eq!(client.reply().expect("a reply").body, PAGE);
        }
    }
    let report = server.stop();
    assert_eq!((report.connections, report.requests, report.replies), (200, 1000, 1000));
}

/// The client reads nothing until the server can send no more.
#[test]
fn a_big_body_waits_for_its_reader() {
    let body: Vec<u8> = (0..30_000_000u32).map(|index| (index % 251) as u8).collect();
    for framing in [Framing::Length, Framing::Chunked, Framing::Http10] {
        let given = Body::Bytes(body.clone().into());
        let server = start(Behaviour { body: given, framing, ..Behaviour::default() });
        let mut held_up = Client::dial(server.address());
        held_up.send(GET);
        let mut other = Client::dial(server.address());
        assert!(other.get().body == body, "the other is served meanwhile");
        assert!(held_up.reply().expect("all of it").body == body);
        assert_eq!(server.stop().replies, 2);
    }
}

#[test]
fn bodies_and_framings() {
    let bodies = [Body::Page(0), Body::Page(1), Body::Page(87), Body::Page(100_000)];
    for body in bodies {
        let Body::Page(length) = body else { continue };
        for framing in [Framing::Length, Framing::Chunked, Framing::Http10] {
            let server = start(Behaviour { body: body.clone(), framing, ..Behaviour::default() });
            for _ in 0..2 {
                assert_eq!(Client::dial(server.address()).get().body.len(), length);
            }
            assert_eq!(server.stop().replies, 2);
        }
    }
}

#[test]
fn http10_closes_after_each_reply() {
    let server = start(Behaviour { framing: Framing::Http10, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    client.send(&GET.repeat(2));
    let reply = client.reply().expect("the first");
    assert!(reply.head.starts_with("HTTP/1.0 200 OK\r\n") && reply.body == PAGE);
    assert_eq!(server.stop().requests, 1, "the second is not even read");
}

#[test]
fn clients_of_http10_and_those_that_say_close() {
    let server = start(Behaviour::default());
    let mut client = Client::dial(server.address());
    for _ in 0..3 {
        client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
        assert!(client.reply().expect("a reply").says("Connection: keep-alive"));
    }
    for last in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"] {
        let mut client = Client::dial(server.address());
        client.send(&[GET, last, GET].concat());
        assert!(!client.reply().expect("the first").says("Connection: close"));
        assert!(client.reply().expect("the last").says("Connection: close"));
        assert_eq!(client.rest().expect("closed in order"), b"");
    }
    assert_eq!(server.stop().requests, 7);
}

#[test]
fn a_client_that_has_finished_still_gets_its_replies() {
    let delay = Delay::Fixed(Duration::from_millis(30));
    let server = start(Behaviour { delay, ..Behaviour::default() });
    let all = say_and_finish(server.address(), &GET.repeat(3));
    let pages = all.windows(PAGE.len()).filter(|bytes| *bytes == PAGE).count();
    assert_eq!(pages, 3);
    assert_eq!(server.stop().replies, 3);
}

#[test]
fn statuses() {
    let status_nth = every(3).map(|nth| (nth, 503));
    let server = start(Behaviour { status: 404, status_nth, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    let statuses: Vec<u16> = (0..6).map(|_| client.get().status).collect();
    assert_eq!(statuses, [404, 404, 503, 404, 404, 503]);
    assert_eq!(server.stop().replies, 6);

    let server = start(Behaviour { status: 204, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    assert_eq!((client.get().body.len(), client.get().status), (0, 204));
}

#[test]
fn random_bodies_differ_from_each_other_but_not_from_run_to_run() {
    let seen = |seed| {
        let server = start(Behaviour { body: Body::Random(500), seed, ..Behaviour::default() });
        let mut client = Client::dial(server.address());
        let bodies = [client.get().body, client.get().body, client.get().body];
        assert!(bodies.iter().all(|body| body.len() == 500));
        bodies
    };
    let first = seen(1);
    assert!(first[0] != first[1] && first[1] != first[2]);
    assert_eq!(first, seen(1));
    assert_ne!(first, seen(2));
}

#[test]
fn every_third_reply_of_a_connection_is_its_last() {
    let server = start(Behaviour { close_every: every(3), ..Behaviour::default() });
    for _ in 0..2 {
        let mut client = Client::dial(server.address());
        client.send(&GET.repeat(5));
        for last in [false, false, true] {
            let reply = client.reply().expect("a reply");
            assert_eq!(reply.says("Connection: close"), last);
            assert_eq!(reply.body, PAGE);
        }
        assert_eq!(client.rest().expect("closed in order"), b"");
        // Data still on its way to the server must not cause a reset, which could take the last
        // reply away from the client.
        client.send(GET);
        std::thread::sleep(Duration::from_millis(20));
        client.send(GET);
    }
    let report = server.stop();
    assert_eq!((report.connections, report.requests, report.replies), (2, 6, 6));
}

#[test]
fn a_slow_body_comes_in_pieces_and_holds_up_only_its_connection() {
    let slow_body = every(4).map(|pieces| SlowBody { pieces, gap: Duration::from_millis(40) });
    for framing in [Framing::Length, Framing::Chunked] {
        let server = start(Behaviour { slow_body, framing, log: true, ..Behaviour::default() });
        let mut client = Client::dial(server.address());
        client.send(&GET.repeat(2));
        let mut other = Client::dial(server.address());
        assert_eq!(other.get().body, PAGE);
        assert_eq!(client.reply().expect("the first").body, PAGE);
        assert_eq!(client.reply().expect("the second").body, PAGE);
        let times = server.stop().reply_times_ns();
        // Three gaps for the first and the other, six for the second.
        assert!(times[0] >= 120_000_000 && times[2] >= 240_000_000, "{times:?}");
        assert!(times[1] < times[2], "{times:?}");
    }
}

#[test]
fn a_unix_socket_beside_tcp() {
    let scratch = Scratch::new();
    let path = scratch.path().join("socket");
    let server = start(Behaviour { unix: Some(path.clone()), ..Behaviour::default() });
    assert_eq!(Client::dial_unix(&path).get().body, PAGE);
    assert_eq!(Client::dial(server.address()).get().body, PAGE);
    let again = Behaviour { unix: Some(path.clone()), ..Behaviour::default() };
    let error = TestServer::start(again, None).err().expect("the path is taken");
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    assert!(path.exists(), "somebody else's socket is not removed");
    assert_eq!(server.stop().replies, 2);
    assert!(!path.exists());
}

#[test]
fn what_cannot_be_started_says_why() {
    let everywhere = "0.0.0.0:0".parse().expect("an address");
    let behaviour = Behaviour { listen: everywhere, ..Behaviour::default() };
    let error = TestServer::start(behaviour, None).err().expect("not loopback");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);

    let error = TestServer::start(Behaviour::default(), Some(1023)).err().expect("no such core");
    assert!(error.to_string().contains("core 1023"), "{error}");

    let first = start(Behaviour::default());
    let taken = Behaviour { listen: first.address(), ..Behaviour::default() };
    let error = TestServer::start(taken, None).err().expect("the port is taken");
    assert!(error.to_string().contains(&first.address().to_string()), "{error}");
}

#[test]
fn dropping_the_handle_frees_the_port() {
    let server = start(Behaviour::default());
    let address = server.address();
    drop(server);
    let again = start(Behaviour { listen: address, ..Behaviour::default() });
    assert_eq!(Client::dial(again.address()).get().body, PAGE);
}
