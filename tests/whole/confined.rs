//! A reply of some bytes that would end or freeze the process fails its contender alone: what was measured
//! before stays. The null server answers, and a relay before it sends the replies that no real server sends.

use crate::announced::{EXECUTE, HEAD, pass, value};
use crate::common::running::Running;
use crate::common::{TestDirectory, errors};
use serde_json::Value;
use std::net::{SocketAddr, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use testserver::null::NullServer;

/// Replies that are passed on unchanged: those of some rounds.
const SOUND: u32 = 6_000;

/// Much more than a run takes, and much less than what the replies below request.
const MOST_KILOBYTES: i64 = 300 << 10;

/// A result with rows whose columns begin like this.
fn rows(columns: u32) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let numbers = [2, 1, columns].map(u32::to_be_bytes).concat();
    [numbers, text("k"), text("t")].concat()
}

/// One column of lists of lists.
fn nested() -> Vec<u8> {
    [rows(1), vec![0, 1, b'c'], [0, 0x20].repeat(1 << 20)].concat()
}

/// Rows without columns, which take no bytes.
fn endless() -> Vec<u8> {
    [rows(0), i32::MAX.to_be_bytes().to_vec()].concat()
}

/// A node before the null server, whose executed statements return this body after a while.
fn node(null: SocketAddr, body: Vec<u8>) -> SocketAddr {
    let count = Arc::new(AtomicU32::new(0));
    protocol::testing::serve(move |client| {
        let server = TcpStream::connect(null).expect("the null server listens");
        let requests = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let hostile = Arc::new(Mutex::new(Vec::new()));
        let (count, chosen) = (count.clone(), hostile.clone());
        std::thread::spawn(move || {
            pass(requests, |frame| {
                if frame[4] == EXECUTE && count.fetch_add(1, Ordering::Relaxed) > SOUND {
                    chosen.lock().unwrap().push([frame[2], frame[3]]);
                }
            })
        });
        pass((server, client), |frame| {
            if hostile.lock().unwrap().contains(&[frame[2], frame[3]]) {
                frame.truncate(5);
                frame.extend(value(&body));
                assert!(frame.len() > HEAD);
            }
        });
    })
}

/// The words of a comparison of a sound node with a hostile one that returns this body.
fn comparison(null: &NullServer, body: Vec<u8>) -> Vec<String> {
    let null = null.addresses()[0];
    let urls = [("sound", null), ("hostile", node(null, body))];
    let urls = urls.map(|(name, address)| format!("{name}=cassandra://{address}/app"));
    let load = ["--query", "SELECT key FROM system.local", "--connections", "2"];
    let files = ["--out", "run", "--json", "report.json"];
    let short = [
        "--rounds",
        "10000",
        "--round",
        "40ms",
        "--slice",
        "20ms",
        "--pilot",
        "100ms",
        "--warm-up",
        "0s",
    ];
    let words = [&["compare", &urls[0], &urls[1]][..], &load, &short, &files].concat();
    words.into_iter().map(str::to_owned).collect()
}

/// Drives this comparison: what was printed, and the report of what was measured before.
fn compared(body: Vec<u8>) -> (String, Value) {
    let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
        .expect("a null server");
    let directory = TestDirectory::new();
    let output = directory.tiebreak(&comparison(&null, body));
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    // SAFETY: an all-zero rusage is valid, and the pointer is.
    let peak_kilobytes = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage.ru_maxrss
    };
    assert!(peak_kilobytes < MOST_KILOBYTES, "{peak_kilobytes} kB: {}", errors(&output));
    (errors(&output), directory.json("report.json"))
}

fn fails_alone(body: Vec<u8>, why: &str) {
    let (message, report) = compared(body);
    is_the_failure_of_one(&message, &report, why);
}

/// Whether the message and the report name the contender with the cause, and the rounds before it are kept.
fn is_the_failure_of_one(message: &str, report: &Value, why: &str) {
    for says in ["`hostile` (cassandra://127.0.0.1:", "cannot be driven: ", why] {
        assert!(message.contains(says), "{says}: {message}");
    }
    assert!(
        report["end"]["detail"].as_str().is_some_and(|detail| detail.contains(why)),
        "{report}"
    );
    let rounds = &report["contenders"][0]["rounds"];
    assert!(rounds.as_array().is_some_and(|rounds| rounds.len() > 2), "{rounds}");
}

#[test]
fn in_an_agent_too_it_fails_its_contender_alone() {
    let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
        .expect("a null server");
    let directory = TestDirectory::new();
    let words = comparison(&null, rows(i32::MAX as u32));
    std::fs::write(directory.file("token"), "a-token-that-is-only-for-this-test").expect("writes");
    // Nobody else uses this address: so no port is taken.
    let [.., high, low] = std::process::id().to_be_bytes();
    let coordinator = format!("127.{}.{low}.1:9311", 64 | high & 63);
    let process = |rank: &str| {
        let more = ["--agents", "env", "--cores", "1", "--gather", "60s"].map(str::to_owned);
        let mut command = directory.command(&[&words[..], &more].concat());
        command.env("TIEBREAK_COORDINATOR", &coordinator).env("TIEBREAK_RANK", rank);
        command.env("TIEBREAK_TOKEN_FILE", directory.file("token")).env("TIEBREAK_SIZE", "2");
        command.stderr(Stdio::piped());
        Running::new(command.spawn().expect("it starts"))
    };
    let both = ["0", "1"].map(process).map(Running::output);
    for output in &both {
        assert_eq!(output.status.code(), Some(4), "{}", errors(output));
    }
    let why = "agent 1: the client library requested";
    is_the_failure_of_one(&errors(&both[0]), &directory.json("report.json"), why);
}

#[test]
fn more_columns_than_there_is_memory() {
    fails_alone(rows(i32::MAX as u32), "the client library requested");
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn types_that_are_nested_too_deeply() {
    fails_alone(nested(), "exhausted the stack");
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn rows_without_end() {
    fails_alone(endless(), "computed for 4 s over a reply");
}
