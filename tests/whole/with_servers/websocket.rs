//! WebSocket through the whole program, against echoes of three languages that other people's
//! code understands: libevent in C, PHP's streams and Node's `ws`.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, assert_sound, errors, number};
use crate::web::{certificate, free_port, nginx, nginx_with};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/contenders/websocket");

/// The directory in which the echoes were built, once for all tests and runs of them. The tests may be
/// processes of their own, so one of them builds while the others wait.
fn built() -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (directory, lock) = (tmp.join("websocket"), tmp.join("websocket.lock"));
    let mut make = Command::new("flock");
    make.arg(lock).args(["make", "-C", SOURCES, "all"]);
    let made = make.arg(format!("OUT={}", directory.display())).output();
    let made = made.expect("flock and make (./test installs them)");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    directory
}

/// Contenders of an experiment file that launches all three.
fn launched() -> String {
    let built = built();
    let built = built.display();
    format!(
        "[contender.c]\nurl = 'ws://127.0.0.1:{{port}}/'\nlaunch = ['{built}/echo', '{{port}}']\n\
         [contender.php]\nurl = 'ws://127.0.0.1:{{port}}/'\n\
         launch = ['php', '{SOURCES}/php/server.php', '{{port}}']\n\
         [contender.node]\nurl = 'ws://127.0.0.1:{{port}}/'\n\
         launch = ['node', '{built}/node/server.js', '{{port}}']\n"
    )
}

/// Flags of a short comparison. The length of a slice is given, since the pilot would make turns of
/// seconds for a server that the other tests slow down.
const SHORT: [&str; 12] = [
    "--rounds",
    "8",
    "--round",
    "50ms",
    "--slice",
    "25ms",
    "--warm-up",
    "50ms",
    "--pilot",
    "100ms",
    "--connections",
    "4",
];

fn contenders(report: &Value) -> &[Value] {
    report["contenders"].as_array().expect("contenders")
}

#[test]
fn echoes_are_launched_and_every_message_of_theirs_comes_back() {
    let directory = TestDirectory::new();
    std::fs::write(directory.file("x.toml"), launched()).expect("writes");
    for more in [
        &["--message-size", "16"][..],
        &["--message", "binary", "--message-size", "70kB"],
        &["--reuse", "never"],
        &["--reuse", "5"],
        &["--depth", "8"],
    ] {
        let arguments = [&["compare", "x.toml"][..], &SHORT, more].concat();
        let (code, report) = directory.report(&arguments);
        assert_eq!(code, 0, "{more:?}: {}", report["findings"]);
        assert_eq!(contenders(&report).len(), 3);
        for contender in contenders(&report) {
            let outcomes = &contender["outcomes"];
            assert!(contender["operations"].as_u64() > Some(0), "{more:?}: {contender}");
            assert_eq!(outcomes["ok"], contender["operations"], "{more:?}: {outcomes}");
            // From connections that were opened before the rounds, too.
            let upgrade = &contender["metrics"]["upgrade_time"]["p50"];
            assert!(number(upgrade) > 0.0, "{more:?}: {upgrade}");
        }
    }
}

/// Every member of every room gets every message, from servers of three languages of which
/// one is Node's `ws`.
#[test]
fn broadcasts_come_to_all_members_of_a_room() {
    let directory = TestDirectory::new();
    std::fs::write(directory.file("x.toml"), launched()).expect("writes");
    let chat = ["compare", "x.toml", "--workload", "chat", "--connections", "12"];
    for (members, more) in [
        (2, &["--reuse", "always"][..]),
        (4, &["--message", "binary", "--message-size", "70kB"]),
        (4, &["--reuse", "never", "--message-size", "16"]),
        (6, &["--reuse", "5"]),
        (12, &["--rate", "200/s"]),
    ] {
        let members = members.to_string();
        // Messages have several lengths, and so few of them may have another median.
        let all = ["--members", &members, "--expect-different"];
        let arguments = [&chat[..], &SHORT[..10], &all, more].concat();
        println!("{more:?}");
        let run = directory.report(&arguments);
        assert_sound(&run);
        let report = run.1;
        assert_eq!(contenders(&report).len(), 3);
        for contender in contenders(&report) {
            assert!(contender["operations"].as_u64() > Some(0), "{more:?}: {contender}");
            assert_eq!(
                contender["outcomes"]["ok"], contender["operations"],
                "{more:?}: {contender}"
            );
        }
    }
}

/// Two contenders, one server: their messages meet in no room.
#[test]
fn contenders_of_one_server_are_in_different_rooms() {
    let directory = TestDirectory::new();
    let echo = Echo::start(free_port());
    let (a, b) = (format!("a={}", echo.url), format!("b={}", echo.url));
    let chat = ["compare", &a, &b, "--workload", "chat", "--connections", "8"];
    let differ = ["--set", "a.members=8", "--set", "b.members=2", "--set", "b.reuse=never"];
    let differ = [&differ[..], &["--expect-different"]].concat();
    let (code, report) = directory.report(&[&chat[..], &SHORT[..10], &differ].concat());
    assert_eq!(code, 0, "{}", report["findings"]);
    for contender in contenders(&report) {
        assert!(contender["operations"].as_u64() > Some(0), "{contender}");
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender}");
    }
    let members = |at: usize| report["plan"]["contenders"][at]["messages"]["members"].as_u64();
    assert_eq!((members(0), members(1)), (Some(8), Some(2)), "{}", report["plan"]);
}

/// A server that only echoes brings each message to its sender alone.
#[test]
fn a_server_without_rooms_is_named_before_the_run() {
    let directory = TestDirectory::new();
    let port = free_port();
    let script = "const {WebSocketServer} = require('ws');
        new WebSocketServer({host: '127.0.0.1', port: +process.argv[2]})
        .on('connection', (s) => s.on('message', (m, b) => s.send(m, {binary: b})));";
    std::fs::write(directory.file("echo.js"), script).expect("writes");
    let mut command = Command::new("node");
    command.arg(directory.file("echo.js")).arg(port.to_string()).stdin(Stdio::null());
    let modules = built().join("node/node_modules");
    let child = command.env("NODE_PATH", modules).spawn().expect("node (./test installs it)");
    let _echo = Echo { child, url: String::new(), port };
    let reached = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    wait_at_most(Duration::from_secs(60), "the echo", reached);
    let url = format!("ws://127.0.0.1:{port}/");
    let chat = ["run", &url, "--workload", "chat", "--connections", "8", "--timeout", "1s"];
    let output = directory.tiebreak(&chat);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert!(errors(&output).contains("not every member of a room"), "{}", errors(&output));
}

/// A server that is ended with the test.
struct Echo {
    child: Child,
    url: String,
    port: u16,
}

impl Echo {
    /// The one in C: it is ready at once.
    fn start(port: u16) -> Echo {
        let mut command = Command::new(built().join("echo"));
        let child = command.arg(port.to_string()).stdin(Stdio::null()).spawn().expect("built");
        Echo { child, url: format!("ws://127.0.0.1:{port}/"), port }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_that_is_killed_and_comes_back_is_counted_and_driven_on() {
    let directory = TestDirectory::new();
    let echo = Echo::start(free_port());
    let arguments =
        ["run", &echo.url, "--connections", "8", "--duration", "4s", "--warm-up", "50ms"];
    let mut command = directory.command(&[&arguments[..], &["--quiet", "--out", "run"]].concat());
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let child = Running::new(child.expect("starts"));
    // One connection checks whether it is ready.
    let sockets = format!("/proc/{}/fd", echo.child.id());
    let opened = || std::fs::read_dir(&sockets).is_ok_and(|descriptors| descriptors.count() > 12);
    wait_at_most(Duration::from_secs(60), "eight connections", opened);
    std::thread::sleep(Duration::from_secs(1));
    let port = echo.port;
    drop(echo);
    let _back = Echo::start(port);
    let output = child.output();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report = directory.json("run/report.json");
    let [contender] = contenders(&report) else { panic!("one contender") };
    let outcomes = &contender["outcomes"];
    let of = |class: &str| outcomes["target_errors"][class].as_u64().unwrap_or(0);
    let lost: u64 = ["closed", "reset", "refused"].into_iter().map(of).sum();
    let ok = outcomes["ok"].as_u64().expect("a count");
    assert_eq!(Some(ok + lost), contender["operations"].as_u64(), "{outcomes}");
    // Each of the eight was in flight, and none was answered.
    assert!(lost >= 8 && ok > lost, "{outcomes}");
    assert!(contender["connections"]["opened"].as_u64() >= Some(16), "{contender}");
}

#[test]
fn a_server_that_does_not_upgrade_is_named_before_the_run() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let echo = Echo::start(free_port());
    let page = format!("page=ws://127.0.0.1:{}/", nginx.port);
    let none = format!("none=ws://127.0.0.1:{}/no/such", nginx.port);
    for (other, wanted) in [
        (page, "it answers with HTTP 200 and does not upgrade to WebSocket"),
        (none, "it has no WebSocket at this path (HTTP 404)"),
    ] {
        let output =
            directory.tiebreak(&["compare", &format!("echo={}", echo.url), &other, "--quiet"]);
        assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
        assert!(errors(&output).contains(wanted), "{}", errors(&output));
    }
}

#[test]
fn a_room_is_named_by_tiebreak_alone_and_belongs_to_websocket() {
    for (url, wanted) in [
        ("ws://127.0.0.1:1/?room=7", "leave out `room` from the query"),
        ("http://127.0.0.1:1/", "--workload chat is for servers of messages (ws://)"),
        ("redis://127.0.0.1:1/", "--workload chat is for servers of messages (ws://)"),
    ] {
        let output = TestDirectory::new().tiebreak(&["run", url, "--workload", "chat"]);
        assert_eq!(output.status.code(), Some(2), "{url}: {}", errors(&output));
        assert!(errors(&output).contains(wanted), "{url}: {}", errors(&output));
    }
}

#[test]
fn what_websocket_cannot_use_is_refused_by_name() {
    let url = "ws://127.0.0.1:1/";
    for (arguments, wanted) in [
        (
            &["-H", "Sec-WebSocket-Extensions: permessage-deflate"][..],
            "no extension (permessage-deflate) is supported",
        ),
        (&["-H", "Upgrade: h2c"], "leave out Upgrade, Connection and Sec-WebSocket-Key"),
        (&["-d", "x"], "set message and message_size"),
        (&["--message-size", "8"], "is not a message size from 16 B"),
        (&["--message", "blob"], "is not a kind of message: text or binary"),
        (&["--workload", "kv"], "no contender is one"),
        (&["--members", "4"], "members requires rooms: add --workload chat"),
        (&["--workload", "chat", "--members", "1"], "is not a number of members from 2 to 1000"),
        (
            &["--workload", "chat", "--connections", "20"],
            "20 connections cannot be divided into rooms of 8 members: give a multiple of \
             members, such as --connections 24",
        ),
        (&["--workload", "chat", "--depth", "2"], "only one message in flight; leave out depth"),
        (&["--workload", "chat", "--keys", "5"], "--workload chat does not use keys"),
    ] {
        let output = TestDirectory::new().tiebreak(&[&["run", url][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(wanted), "{arguments:?}: {}", errors(&output));
    }
}

/// nginx ends TLS in front of the echo.
#[test]
fn over_tls_the_certificate_is_verified_and_every_message_comes_back() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let echo = Echo::start(free_port());
    let (key, certificate) = certificate(&served);
    let port = free_port();
    let _nginx = nginx_with(
        &served,
        &format!(
            "listen 127.0.0.1:{port} ssl; ssl_certificate {}; ssl_certificate_key {};\n\
             location = /echo {{ proxy_pass http://127.0.0.1:{}; proxy_http_version 1.1;\n\
             proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }}",
            certificate.display(),
            key.display(),
            echo.port
        ),
    );
    let url = format!("wss://127.0.0.1:{port}/echo");
    let short = ["run", &url, "--duration", "500ms", "--warm-up", "50ms", "--connections", "4"];
    let distrusted = directory.tiebreak(&short);
    assert_eq!(distrusted.status.code(), Some(4), "{}", errors(&distrusted));
    assert!(errors(&distrusted).contains("--cacert"), "{}", errors(&distrusted));
    let trusted = ["--cacert", certificate.to_str().expect("plain")];
    for (trust, reuse) in [(&trusted[..], "always"), (&trusted, "never"), (&["--insecure"], "5")] {
        let arguments = [&short[..], trust, &["--reuse", reuse]].concat();
        let (code, report) = directory.report(&arguments);
        assert_eq!(code, 0, "{reuse}: {}", report["findings"]);
        let contender = &contenders(&report)[0];
        assert!(number(&contender["operations"]) > 0.0, "{reuse}");
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{reuse}: {contender}");
        assert!(number(&contender["metrics"]["tls_time"]["p50"]) > 0.0, "{reuse}");
    }
}
