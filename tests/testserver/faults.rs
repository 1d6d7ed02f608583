//! How the server fails on request, and how it handles invalid input.

use crate::client::{Client, GET};
use crate::{every, start};
use std::io::{ErrorKind, Read, Write};
use testserver::{Behaviour, Body, Framing, Report};

/// Returns how one request on a separate connection ended.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    Complete,
    Reset,
    Cut,
    NotHttp,
}

fn ask(client: &mut Client) -> Ending {
    match client.ask() {
        Ok(_) => Ending::Complete,
        Err(error) => match error.kind() {
            ErrorKind::ConnectionReset => Ending::Reset,
            ErrorKind::UnexpectedEof => Ending::Cut,
            ErrorKind::InvalidData => Ending::NotHttp,
            other => panic!("{other:?}"),
        },
    }
}

#[test]
fn every_third_request_fails_as_it_should() {
    let base = Behaviour::default;
    let complete = Report { connections: 2, requests: 6, replies: 4, ..Report::default() };
    let cases = [
        (
            Behaviour { reset_nth: every(3), ..base() },
            Ending::Reset,
            Report { resets: 2, ..complete.clone() },
        ),
        (
            Behaviour { truncate_nth: every(3), ..base() },
            Ending::Cut,
            Report { truncated: 2, ..complete.clone() },
        ),
        (
            Behaviour { truncate_nth: every(3), body: Body::Page(0), ..base() },
            Ending::Cut,
            Report { truncated: 2, ..complete.clone() },
        ),
        (
            Behaviour { truncate_nth: every(3), framing: Framing::Chunked, ..base() },
            Ending::Cut,
            Report { truncated: 2, ..complete.clone() },
        ),
        (
            Behaviour { garbage_nth: every(3), ..base() },
            Ending::NotHttp,
            Report { garbage: 2, ..complete },
        ),
    ];
    for (behaviour, fails, expected) in cases {
        let what = format!("{behaviour:?}");
        let server = start(behaviour);
        for _ in 0..2 {
            let mut client = Client::dial(server.address());
            let endings = [ask(&mut client), ask(&mut client)];
            assert_eq!(endings, [Ending::Complete, Ending::Complete], "{what}");
            assert_eq!(ask(&mut client), fails, "{what}");
        }
        assert_eq!(server.stop(), expected, "{what}");
    }
}

#[test]
fn replies_before_a_fault_on_the_same_connection_are_whole() {
    let behaviour = Behaviour { truncate_nth: every(3), ..Behaviour::default() };
    let server = start(behaviour);
    let mut client = Client::dial(server.address());
    client.send(&GET.repeat(4));
    assert_eq!(client.reply().expect("the first").body.len(), 87);
    assert_eq!(client.reply().expect("the second").body.len(), 87);
    let (status, head) = client.head().expect("its head is whole");
    assert!(status == 200 && head.contains("Content-Length: 87"), "{head}");
    assert_eq!(client.rest().expect("closed in order").len(), 43);
    assert_eq!(server.stop().requests, 3, "nothing after it is read");
}

#[test]
fn every_second_connection_is_refused() {
    let server = start(Behaviour { refuse_nth: every(2), ..Behaviour::default() });
    for number in 1..=6 {
        let mut stream = Client::stream(server.address());
        // The reset may arrive before the request is sent.
        let written = stream.write_all(GET.as_bytes());
        let got = written.and_then(|()| stream.read(&mut [0; 1000]));
        assert_eq!(got.is_ok(), number % 2 == 1, "connection {number}: {got:?}");
    }
    let report = server.stop();
    assert_eq!((report.connections, report.refused, report.replies), (6, 3, 3));
}

#[test]
fn a_server_that_never_replies_reads_and_counts() {
    let server = start(Behaviour { never_reply: true, log: true, ..Behaviour::default() });
    let mut stream = Client::stream(server.address());
    stream.write_all(GET.repeat(2000).as_bytes()).expect("it reads");
    stream.shutdown(std::net::Shutdown::Write).expect("an open socket");
    // It closes when we do, and has sent nothing until then.
    assert_eq!(stream.read(&mut [0; 10]).expect("closed in order"), 0);
    let report = server.stop();
    assert_eq!((report.requests, report.replies, report.unanswered), (2000, 0, 2000));
    assert_eq!((report.arrivals_ns.len(), report.reply_times_ns().len()), (2000, 0));
}

#[test]
fn nonsense_is_answered_after_what_was_asked_before() {
    let cases = [
        ("nonsense\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
    ];
    for (nonsense, status) in cases {
        let server = start(Behaviour::default());
        let mut client = Client::dial(server.address());
        client.send(&[GET, nonsense, GET].concat());
        assert_eq!(client.reply().expect("the first").status, 200);
        assert_eq!(client.reply().expect("the complaint").status, status);
        assert_eq!(client.rest().expect("closed in order"), b"");
        let report = server.stop();
        assert_eq!((report.requests, report.replies, report.bad_requests), (1, 1, 1));
    }
}

#[test]
fn clients_that_leave_do_no_harm() {
    let delay = testserver::Delay::Fixed(std::time::Duration::from_millis(20));
    let server = start(Behaviour { delay, ..Behaviour::default() });
    for _ in 0..50 {
        let mut client = Client::dial(server.address());
        client.send(GET);
        // Left with the reply still owed; its place is taken by the next.
        drop(client);
    }
    let mut client = Client::dial(server.address());
    assert_eq!(client.get().body.len(), 87);
    let report = server.stop();
    assert_eq!((report.connections, report.requests), (51, 51));
    assert_eq!(report.replies + report.unanswered, 51);
}
