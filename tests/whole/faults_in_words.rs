//! Every fault of every codec that a server can cause reaches the terminal in its words. A fault that is added to a
//! codec fails this test until it has a case here or is listed as one that no server causes alone.

use crate::common::{TestDirectory, errors, stdout};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use wire::Fault;
use wire::websocket;

/// A fault by its name, and what the server sends to cause it.
struct Case {
    protocol: &'static Protocol,
    name: &'static str,
    fault: Fault,
    bytes: Vec<u8>,
    when: When,
}

/// When the server sends it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// In reply to the first request: the target is not ready.
    AtReadiness,
    /// In reply to requests for keys that hold this text, in a run with these arguments.
    Later(&'static str, &'static [&'static str]),
}

/// One of our codecs, how its server is addressed, and the answer of a server without faults.
struct Protocol {
    codec: &'static str,
    scheme: &'static str,
    path: &'static str,
    /// Which requests are answered with the fault at readiness: those that contain this text.
    bad: &'static str,
    good: fn(&[u8]) -> Vec<u8>,
    /// Faults without a case here: a server that closes has words of its own, and so have bytes without a request;
    /// the others are found by the codec in what tiebreak itself asks, or in replies to logins. Thrift's `OTHER_KEY`
    /// has its case with a real node, in `with_servers/cassandra_thrift.rs`.
    without_case: &'static [&'static str],
}

static HTTP: Protocol = Protocol {
    codec: "http1",
    scheme: "http",
    path: "/",
    bad: "",
    good: |_| Vec::new(),
    without_case: &[
        "CLOSED_BEFORE_REPLY",
        "CLOSED_IN_REPLY",
        "ANSWERS_NOTHING",
        "IN_FLIGHT",
        "NOT_REUSABLE",
        "METHOD",
        "CONNECT",
        "PATH",
        "HOST",
        "HEADER_NAME",
        "HEADER_VALUE",
        "TWO_HOSTS",
        "ASKED_CODING",
        "ASKED_LENGTH",
    ],
};
static WEBSOCKET: Protocol = Protocol {
    codec: "websocket",
    scheme: "ws",
    path: "/",
    bad: "",
    good: |_| Vec::new(),
    without_case: &[
        "CLOSED_BEFORE_REPLY",
        "CLOSED_IN_REPLY",
        "CLOSED_IN_UPGRADE",
        "OWN_HEADER",
        "ASKED_EXTENSION",
        "OWN_ROOM",
        "OTHER_KIND",
        "IN_FLIGHT",
        "NOT_OPEN",
        "NOT_REUSABLE",
    ],
};
static RESP: Protocol = Protocol {
    codec: "resp",
    scheme: "redis",
    path: "",
    bad: "EXISTS",
    good: |request| match request {
        _ if holds(request, "INFO") => b"$0\r\n\r\n".to_vec(),
        _ if holds(request, "EXISTS") => b":0\r\n".to_vec(),
        _ if holds(request, "\r\nGET\r\n") => b"$-1\r\n".to_vec(),
        _ if holds(request, "GETRANGE") => b"$0\r\n\r\n".to_vec(),
        _ => b"+OK\r\n".repeat(count(request, "\r\nSET\r\n").max(1)),
    },
    without_case: &[
        "CLOSED_BEFORE_REPLY",
        "CLOSED_IN_REPLY",
        "CLOSED_IN_OPENING",
        "ANSWERS_NOTHING",
        "NOT_OPEN",
        "IN_FLIGHT",
        "NOT_REUSABLE",
        "NO_ARGUMENTS",
        "COMMAND",
        "USER_WITHOUT_PASSWORD",
        "LOADING",
        "NOAUTH",
        "WRONGPASS",
        "NOPERM",
        "NOPROTO",
        "DENIED",
        "MAX_CLIENTS",
        "HELLO",
        "AUTH",
        "SELECT",
    ],
};
static MEMCACHED: Protocol = Protocol {
    codec: "memcached",
    scheme: "memcached",
    path: "",
    bad: "version",
    good: |request| match request {
        _ if holds(request, "version") => b"VERSION 1\r\n".to_vec(),
        _ if holds(request, "set ") => b"STORED\r\n".repeat(count(request, "set ")),
        _ => b"END\r\n".to_vec(),
    },
    without_case: &[
        "CLOSED_BEFORE_REPLY",
        "CLOSED_IN_REPLY",
        "ANSWERS_NOTHING",
        "TOO_MANY_CONNECTIONS",
        "IN_FLIGHT",
        "NOT_REUSABLE",
        "KEY",
        "NO_KEYS",
        "ASKED_VALUE",
    ],
};
static THRIFT: Protocol = Protocol {
    codec: "thrift",
    scheme: "cassandra+thrift",
    path: "/app",
    bad: "",
    good: |_| Vec::new(),
    without_case: &[
        "CLOSED_BEFORE_REPLY",
        "CLOSED_IN_REPLY",
        "CLOSED_IN_OPENING",
        "ANSWERS_NOTHING",
        "OTHER_KEY",
        "NOT_OPEN",
        "IN_FLIGHT",
        "NOT_REUSABLE",
        "NO_ARGUMENTS",
        "TOO_LONG",
        "AUTHENTICATION",
        "AUTHORIZATION",
        "KEYSPACE",
        "LOGIN",
    ],
};

fn holds(request: &[u8], text: &str) -> bool {
    count(request, text) > 0
}

fn count(request: &[u8], text: &str) -> usize {
    request.windows(text.len().max(1)).filter(|window| *window == text.as_bytes()).count()
}

/// Cases of one codec: the name of each fault, and the bytes that cause it.
macro_rules! cases {
    ($protocol:ident, $codec:ident, $when:expr, [$(($name:ident, $bytes:expr),)*]) => {
        [$(Case {
            protocol: &$protocol,
            name: stringify!($name),
            fault: wire::$codec::faults::$name,
            bytes: $bytes.to_vec(),
            when: $when,
        }),*]
    };
}

/// A reply with this head and body.
fn page(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n", body.as_ref()].concat()
}

/// The chunks of a reply.
fn chunks(body: impl AsRef<[u8]>) -> Vec<u8> {
    page("Transfer-Encoding: chunked\r\n", body)
}

fn of_http() -> Vec<Case> {
    let long = "a".repeat(200_000);
    cases!(
        HTTP,
        http1,
        When::AtReadiness,
        [
            (NOT_HTTP1, b"SSH-2.0-x\r\n"),
            (STATUS_LINE, b"HTTP/1.1 20 OK\r\n\r\n"),
            (HEADER, page("hello\r\n", "")),
            (HEAD_TOO_LONG, page(&format!("X: {long}"), "")),
            (TOO_MANY_HEADERS, page(&"X: a\r\n".repeat(1000), "")),
            (TOO_MANY_INFORMATIONAL, "HTTP/1.1 100 Continue\r\n\r\n".repeat(200).as_bytes()),
            (SWITCHED, b"HTTP/1.1 101 Switching\r\n\r\n"),
            (CONTENT_LENGTH, page("Content-Length: x\r\n", "")),
            (CONTENT_LENGTHS, page("Content-Length: 1\r\nContent-Length: 2\r\n", "")),
            (LENGTH_AND_CODING, page("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "")),
            (CODING, page("Transfer-Encoding: gzip\r\n", "")),
            (CODING_IN_HTTP10, b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            (CHUNK, chunks("xyz\r\n")),
            (CHUNK_TOO_LARGE, chunks("fffffffffffffffff\r\n")),
            (CHUNK_LINE_TOO_LONG, chunks(format!("1;{}", &long[..2000]))),
            (TRAILER, chunks("0\r\nx\r\n\r\n")),
            (TRAILERS_TOO_LONG, chunks(format!("0\r\nX: {long}"))),
        ]
    )
    .into()
}

/// The upgrade that follows from the key of the request, with a further header.
const UPGRADE: &str = "\0upgrade\0";

/// An upgrade, and what follows it once the client has sent a message.
fn frames(bytes: &[u8]) -> Vec<u8> {
    [UPGRADE.as_bytes(), b"\r\n", bytes].concat()
}

fn upgraded(header: &str) -> Vec<u8> {
    [UPGRADE, header, "\r\n"].concat().into_bytes()
}

fn of_websocket() -> Vec<Case> {
    let head = "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\n";
    cases!(
        WEBSOCKET,
        websocket,
        When::AtReadiness,
        [
            (NOT_UPGRADED, page("Content-Length: 0\r\n", "")),
            (OTHER_UPGRADE, format!("{head}Upgrade: x\r\n\r\n").as_bytes()),
            (
                ACCEPT,
                format!("{head}Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n").as_bytes()
            ),
            (DEFLATE, upgraded("Sec-WebSocket-Extensions: permessage-deflate\r\n")),
            (EXTENSION, upgraded("Sec-WebSocket-Extensions: x\r\n")),
            (SUBPROTOCOL, upgraded("Sec-WebSocket-Protocol: x\r\n")),
            (CLOSE_FRAME, frames(b"\x88\x00")),
            (RESERVED_BIT, frames(b"\xc1\x00")),
            (OPCODE, frames(b"\x83\x00")),
            (MASKED, frames(b"\x81\x80abcd")),
            (LONG_LENGTH, frames(b"\x81\x7e\x00\x01a")),
            (HUGE_LENGTH, frames(b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff")),
            (FRAME_TOO_LONG, frames(b"\x81\x7f\x00\x00\x00\xff\xff\xff\xff\xff")),
            (LONG_CONTROL, frames(b"\x89\x7e\x00\x7e")),
            (CUT_CONTROL, frames(b"\x09\x00")),
            (NO_MESSAGE, frames(b"\x80\x00")),
            (IN_MESSAGE, frames(b"\x01\x01a\x81\x01b")),
            (NOT_UTF8, frames(b"\x81\x01\xff")),
            (CLOSE_PAYLOAD, frames(b"\x88\x01x")),
            (MESSAGE_TOO_LONG, frames(b"\x01\x01a\x00\x7f\x00\x00\x00\x00\x04\x00\x00\x00")),
            (EMPTY_FRAMES, frames(&[b"\x01\x00".as_slice(), &[0; 400_000]].concat())),
        ]
    )
    .into()
}

fn of_resp() -> Vec<Case> {
    let at_readiness = cases!(
        RESP,
        resp,
        When::AtReadiness,
        [
            (NOT_RESP, b"x\r\n"),
            (LINE_END, b":1\n"),
            (LINE_TOO_LONG, format!(":{}", "1".repeat(5000)).as_bytes()),
            (LENGTH, b"$x\r\n"),
            (INTEGER, b":x\r\n"),
            (NUMBER, b",x\r\n"),
            (VERBATIM, b"=1\r\na\r\n"),
            (BULK_TOO_LONG, b"$99999999999\r\n"),
            (TOO_DEEP, b"*1\r\n".repeat(200)),
            (PUSH_INSIDE, b"*1\r\n>1\r\n+x\r\n"),
        ]
    );
    let of_keys = cases!(
        RESP,
        resp,
        When::Later("GET\r\n$23\r\ntiebreak00:0", &[]),
        [(UNEXPECTED, b":1\r\n"),]
    );
    let several = When::Later("MGET", &["--mix", "multi-get:2=1"]);
    let of_several_keys = cases!(RESP, resp, several, [(OTHER_COUNT, b"*1\r\n$-1\r\n"),]);
    at_readiness.into_iter().chain(of_keys).chain(of_several_keys).collect()
}

fn of_memcached() -> Vec<Case> {
    let at_readiness = cases!(
        MEMCACHED,
        memcached,
        When::AtReadiness,
        [
            (UNEXPECTED, b"HELLO\r\n"),
            (LINE_END, b"VERSION 1\n"),
            (LINE_TOO_LONG, format!("VERSION {}", "a".repeat(100_000)).as_bytes()),
        ]
    );
    let later = cases!(
        MEMCACHED,
        memcached,
        When::Later("get ", &[]),
        [
            (VALUE_LINE, b"VALUE {key}\r\n"),
            (LENGTH, b"VALUE {key} 0 x\r\n"),
            (VALUE_TOO_LONG, b"VALUE {key} 0 99999999999\r\nx"),
            (VALUE_END, b"VALUE {key} 0 1\r\nabc\r\nEND\r\n"),
            (OTHER_KEY, b"VALUE k 0 1\r\na\r\nEND\r\n"),
        ]
    );
    // On a busy machine there are few operations, and the preset's are nearly all reads.
    let of_stores = cases!(
        MEMCACHED,
        memcached,
        When::Later("set ", &["--mix", "set=1"]),
        [(OUT_OF_STEP, b"ERROR\r\n"),]
    );
    at_readiness.into_iter().chain(later).chain(of_stores).collect()
}

/// A frame of Thrift with this reply to `describe_version`.
fn framed(fields: &[u8]) -> Vec<u8> {
    message(0x8001_0002, "describe_version", fields)
}

fn message(kind: u32, name: &str, fields: &[u8]) -> Vec<u8> {
    let length = (name.len() as u32).to_be_bytes();
    let text = [&kind.to_be_bytes()[..], &length, name.as_bytes(), &[0; 4], fields].concat();
    [&(text.len() as u32).to_be_bytes()[..], &text].concat()
}

fn of_thrift() -> Vec<Case> {
    cases!(
        THRIFT,
        thrift,
        When::AtReadiness,
        [
            (FRAME, [0xff; 4]),
            (FRAME_END, framed(&[0, 0])),
            (VERSION, message(0x8002_0002, "describe_version", &[0])),
            (OTHER_CALL, message(0x8001_0002, "x", &[0])),
            (TYPE, framed(b"\x63\x00\x00")),
            (LENGTH, framed(b"\x0b\x00\x00\xff\xff\xff\xff\x00")),
            (TOO_DEEP, framed(&b"\x0c\x00\x05".repeat(200))),
            (UNEXPECTED, framed(b"\x08\x00\x00\x00\x00\x00\x01\x00")),
        ]
    )
    .into()
}

/// Answers one client until it closes. Returns None then.
fn answer(client: &mut TcpStream, case: &Case) -> Option<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let got = client.read(&mut buffer).ok().filter(|got| *got > 0)?;
        let request = &buffer[..got];
        let marks = match case.when {
            When::AtReadiness => case.protocol.bad,
            When::Later(marks, _) => marks,
        };
        let reply = if marks.is_empty() || holds(request, marks) {
            let (head, rest) = of_upgrade(&with_key(&case.bytes, request), request);
            client.write_all(&head).ok()?;
            if !rest.is_empty() {
                // The frames answer a message.
                client.read(&mut buffer).ok().filter(|got| *got > 0)?;
            }
            rest
        } else {
            (case.protocol.good)(request)
        };
        client.write_all(&reply).ok()?;
    }
}

/// The bytes with the key that memcached is asked for.
fn with_key(bytes: &[u8], request: &[u8]) -> Vec<u8> {
    let (text, request) = (std::str::from_utf8(bytes), String::from_utf8_lossy(request));
    match (text, request.split_whitespace().nth(1)) {
        (Ok(text), Some(key)) => text.replace("{key}", key).into_bytes(),
        _ => bytes.to_vec(),
    }
}

/// The upgrade that these bytes ask for, and what follows it. All of them if they ask for none.
fn of_upgrade(bytes: &[u8], request: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let Some(rest) = bytes.strip_prefix(UPGRADE.as_bytes()) else {
        return (bytes.to_vec(), Vec::new());
    };
    let request = String::from_utf8_lossy(request).into_owned();
    let key = request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
    let accept = websocket::accept(key.unwrap_or_default().as_bytes());
    let head = [
        b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ",
        &accept[..],
        b"\r\n",
    ]
    .concat();
    match rest.strip_prefix(b"\r\n") {
        Some(frames) => ([&head[..], b"\r\n"].concat(), frames.to_vec()),
        None => ([&head[..], rest].concat(), Vec::new()),
    }
}

/// What the program prints when it drives the server of this case.
fn printed(case: &Case) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Each connection has a thread: tiebreak opens several at once.
            thread::scope(|clients| {
                for client in listener.incoming() {
                    if ended.load(Ordering::SeqCst) {
                        return;
                    }
                    let mut client = client.expect("a client");
                    clients.spawn(move || answer(&mut client, case));
                }
            });
        });
        let directory = TestDirectory::new();
        let url = format!("{}://{address}{}", case.protocol.scheme, case.protocol.path);
        let mut words = vec!["run", &url, "-c", "1", "--duration", "50ms", "--warm-up", "0s"];
        words.extend(["--timeout", "5s", "--verbose"]);
        if let When::Later(_, more) = case.when {
            words.extend(["--keys", "10"]);
            words.extend(more);
        }
        let output = directory.tiebreak(&words);
        ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(address));
        errors(&output) + &stdout(&output)
    })
}

#[test]
fn every_fault_reaches_the_terminal_in_its_words() {
    let all: Vec<Case> = [of_http(), of_websocket(), of_resp(), of_memcached(), of_thrift()]
        .into_iter()
        .flatten()
        .collect();
    let lanes = all.chunks(all.len().div_ceil(4));
    let wrong: Vec<String> = thread::scope(|scope| {
        let lanes: Vec<_> = lanes
            .map(|cases| {
                scope.spawn(|| {
                    let wrong = |case: &Case| {
                        let text = printed(case).split_whitespace().collect::<Vec<_>>().join(" ");
                        let name = format!("{} {}", case.protocol.codec, case.name);
                        (!text.contains(case.fault.0)).then(|| format!("{name}: {text}"))
                    };
                    cases.iter().filter_map(wrong).collect::<Vec<_>>()
                })
            })
            .collect();
        lanes.into_iter().flat_map(|lane| lane.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for protocol in [&HTTP, &WEBSOCKET, &RESP, &MEMCACHED, &THRIFT] {
        let cases = all.iter().filter(|case| case.protocol.codec == protocol.codec);
        let with_case: BTreeSet<String> = cases.map(|case| case.name.to_owned()).collect();
        let without: BTreeSet<String> =
            protocol.without_case.iter().map(|name| (*name).to_owned()).collect();
        assert!(with_case.is_disjoint(&without), "{}", protocol.codec);
        assert_eq!(names(protocol.codec), &with_case | &without, "{}", protocol.codec);
    }
}

/// The names of a codec's faults, from its source: its own, and those that it has in common with others.
fn names(codec: &str) -> BTreeSet<String> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/wire/src").join(codec).join("faults.rs");
    let source = std::fs::read_to_string(file).expect("the faults of a codec");
    let constants = source.lines().filter_map(|line| line.strip_prefix("pub const "));
    let own = constants.filter_map(|line| Some(line.split_once(": Fault")?.0));
    let common = source.split_once("pub use crate::faults::{").map_or("", |(_, rest)| rest);
    let common = common.split_once('}').map_or("", |(common, _)| common);
    let common = common.split(',').map(str::trim).filter(|name| !name.is_empty());
    own.chain(common).map(str::to_owned).collect()
}
