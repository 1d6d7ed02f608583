//! A link and servers that fail on demand: what no real server does on request.

use kassandra_client::{Consistency, Error, Kind, Link, Operation, Row, Settings, Value};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// A reply of Thrift to `get_slice` with one column, after its length.
fn slice(sequence: u8, value: &str) -> Vec<u8> {
    let length = u8::try_from(value.len()).expect("short");
    let column =
        [b"\x0b\0\x01\0\0\0\x01n\x0b\0\x02\0\0\0", &[length][..], value.as_bytes()].concat();
    let list = [&b"\x0f\0\0\x0c\0\0\0\x01\x0c\0\x01"[..], &column, b"\0\0\0"].concat();
    framed(&[&b"\x80\x01\0\x02\0\0\0\x09get_slice\0\0\0"[..], &[sequence], &list].concat())
}

fn keyspace_set(sequence: u8) -> Vec<u8> {
    framed(&[&b"\x80\x01\0\x02\0\0\0\x0cset_keyspace\0\0\0"[..], &[sequence], b"\0"].concat())
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("short").to_be_bytes();
    [&length, message].concat()
}

/// Reads one framed request. Returns false when there is none any more.
fn request(stream: &mut TcpStream) -> bool {
    let mut length = [0; 4];
    if stream.read_exact(&mut length).is_err() {
        return false;
    }
    let mut message = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut message).is_ok()
}

/// A server that treats its first connection like this, the second like that …
fn server(connections: Vec<fn(TcpStream)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for serve in connections {
            serve(listener.accept().expect("a connection").0);
        }
    });
    address
}

/// Answers two requests as Cassandra would.
fn answer_first(stream: &mut TcpStream, value: &str) {
    for reply in [keyspace_set(1), slice(2, value)] {
        assert!(request(stream));
        stream.write_all(&reply).expect("it reads");
    }
}

fn link(hosts: &str) -> Link {
    let mut settings = Settings::new(hosts).expect("hosts");
    settings.timeout = Duration::from_millis(300);
    settings.max_reply = 64 << 10;
    Link::new(settings)
}

/// The value of the column that is read.
fn read(link: &mut Link) -> Result<String, Error> {
    let row = Row { keyspace: "k", table: "t", key: &Value::Int(1) };
    let columns = link.run(&row, Consistency::One, &Operation::Row)?;
    match &columns[0].1 {
        Value::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_closed_connection_is_opened_again_before_and_after_the_request_is_sent() {
    let address = server(vec![
        // Closed between two requests: seen before the next one is sent.
        |mut stream| answer_first(&mut stream, "one"),
        // Closed when the third request has come.
        |mut stream| {
            answer_first(&mut stream, "two");
            assert!(request(&mut stream));
        },
        |mut stream| {
            answer_first(&mut stream, "three");
            assert!(!request(&mut stream), "the link was closed");
        },
    ]);
    let mut link = link(&format!("thrift://{address}"));
    assert_eq!(read(&mut link), Ok("one".to_owned()));
    // The end of the connection comes after the reply.
    while link.is_connected() {
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(read(&mut link), Ok("two".to_owned()));
    assert_eq!(read(&mut link), Ok("three".to_owned()));
    link.disconnect();
    assert!(!link.is_connected());
}

#[test]
fn a_new_connection_that_is_closed_is_no_reason_to_repeat() {
    let address = server(vec![|mut stream| assert!(request(&mut stream))]);
    let error = read(&mut link(&format!("thrift://{address}"))).expect_err("it is closed");
    assert_eq!(error.kind, Kind::Connection);
}

#[test]
fn a_late_reply_is_never_taken_for_the_next_one() {
    let address = server(vec![
        |mut stream| {
            assert!(request(&mut stream));
            stream.write_all(&keyspace_set(1)).expect("it reads");
            assert!(request(&mut stream));
            // Waits for the link to give up.
            assert!(!request(&mut stream));
            let _ = stream.write_all(&slice(2, "late"));
        },
        |mut stream| answer_first(&mut stream, "in time"),
    ]);
    let mut link = link(&format!("thrift://{address}"));
    let error = read(&mut link).expect_err("nothing comes");
    assert_eq!(error.kind, Kind::Timeout);
    assert!(!link.is_connected());
    assert_eq!(read(&mut link), Ok("in time".to_owned()));
}

#[test]
fn bytes_between_two_requests_close_the_connection() {
    let address = server(vec![
        |mut stream| {
            assert!(request(&mut stream));
            // The second reply is for a request that was never sent.
            stream.write_all(&keyspace_set(1)).expect("it reads");
            assert!(request(&mut stream));
            stream.write_all(&[slice(2, "one"), slice(3, "forged")].concat()).expect("it reads");
            let _ = stream.read(&mut [0]);
        },
        |mut stream| answer_first(&mut stream, "two"),
    ]);
    let mut link = link(&format!("thrift://{address}"));
    match read(&mut link) {
        // Both came at once, or the second one later.
        Err(error) => assert_eq!(error.kind, Kind::Protocol),
        Ok(value) => {
            assert_eq!(value, "one");
            while link.is_connected() {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
    assert_eq!(read(&mut link), Ok("two".to_owned()));
}

#[test]
fn replies_that_are_too_large_or_no_replies_are_errors_and_cost_the_connection() {
    const CASES: [(&[u8], Kind); 5] = [
        (b"\x7f\xff\xff\xff", Kind::TooLarge),
        (b"\0\x01\0\x01", Kind::TooLarge),
        (b"\xff\xff\xff\xff", Kind::Protocol),
        (b"\0\0\0\x04abcd", Kind::Protocol),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", Kind::TooLarge),
    ];
    for (at, (_, kind)) in CASES.iter().enumerate() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let serving = thread::spawn(move || {
            let mut stream = listener.accept().expect("a connection").0;
            assert!(request(&mut stream));
            stream.write_all(CASES[at].0).expect("it reads");
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.read(&mut [0]);
        });
        let mut link = link(&format!("thrift://{address}"));
        let error = read(&mut link).expect_err("no reply");
        assert_eq!(error.kind, *kind, "{error}");
        assert!(!link.is_connected());
        serving.join().expect("the server's thread");
    }
}

#[test]
fn hosts_are_tried_in_turn_and_all_failures_are_reported() {
    let closed = || {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").to_string()
    };
    let (first, second) = (closed(), closed());
    let error = link(&format!("cql://{first},{second}")).connect().expect_err("nobody listens");
    assert_eq!(error.kind, Kind::Connection);
    assert!(error.message.contains(&first) && error.message.contains(&second), "{error}");
    let address = server(vec![|mut stream| answer_first(&mut stream, "third")]);
    let mut link = link(&format!("thrift://{first},{second},{address}"));
    assert_eq!(link.connect(), Ok(true));
    assert_eq!(link.connect(), Ok(false));
    assert_eq!(read(&mut link), Ok("third".to_owned()));
}

#[test]
fn another_host_is_tried_after_one_that_says_nothing() {
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute = (mute.local_addr().expect("an address"), mute);
    let address = server(vec![|mut stream| answer_first(&mut stream, "other")]);
    let mut link = link(&format!("thrift://{},{address}", mute.0));
    // Which of the two is first depends on the process.
    let value = read(&mut link).or_else(|error| {
        assert_eq!(error.kind, Kind::Timeout);
        read(&mut link)
    });
    assert_eq!(value, Ok("other".to_owned()));
}

#[test]
fn servers_of_another_version_of_cql_are_named() {
    let address = server(vec![|mut stream| {
        stream.read_exact(&mut [0; 9]).expect("a request");
        stream.write_all(b"\x83\0\0\0\x02\0\0\0\0").expect("it reads");
        let _ = stream.read(&mut [0]);
    }]);
    let error = link(&format!("cql://{address}")).connect().expect_err("version 3");
    assert_eq!(error.kind, Kind::Unsupported);
    assert!(error.message.contains("version 3 of CQL"), "{error}");
}
