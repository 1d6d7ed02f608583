//! Ports: one that is taken between the choice and the launch, and none left for connections.

use crate::case::{Case, SHORT};
use crate::common::not_tested::{Lack, lacks};
use crate::common::with_client_ports;
use crate::counts::whole;
use crate::experiment::Program;
use crate::processes::wait_for;
use crate::{Test, test};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("ports::taken_once_are_tried_again", taken_once),
        test("ports::taken_each_time_end_the_run", taken_each_time),
        test("ports::of_a_stranger_are_left_to_it", stranger),
        test("ports::run_out_for_persistent_connections", || run_out(Held)),
        test("ports::run_out_for_fresh_connections", || run_out(Fresh)),
    ]
}

/// The server's own first listener takes the port, so the kernel refuses the second bind.
fn taken_once() {
    let case = Case::new();
    compare_with(&case, &["first=occupy"]);
    let ended = case.run(&format!("compare e.toml {SHORT}"));
    ended.expect(0, &[]);
    case.left_nothing(true);
    let ports = ports(&case);
    assert!(ports.len() == 2 && ports[0] != ports[1], "{ports:?}");
    let log = case.read("run/logs/wrong.log");
    let taken = format!("cannot listen on {}: Address already in use (os error 98)\n", ports[0]);
    assert_eq!(log, format!("{taken}listening on 127.0.0.1:{}\n", ports[1]));
    let read = case.read("counts").matches('r').count() as u64;
    assert_eq!(ended.counts(1).sent, read, "{:?}", ended.counts(1));
    ended.server_agrees(0, "right");
}

/// `right` is the test server, `wrong` fails at its first launch as `habits` say.
fn compare_with(case: &Case, habits: &[&str]) {
    let mut orders: Vec<String> = habits.iter().map(|habit| (*habit).to_owned()).collect();
    orders.push(format!("once={}", case.path("ports")));
    orders.push(format!("count={}", case.path("counts")));
    let right = Program::testserver("--delay 0ms").contender("right", "");
    let wrong = Program::habits(&orders).contender("wrong", "");
    case.write("e.toml", format!("expect_different = true\n{right}{wrong}"));
}

fn ports(case: &Case) -> Vec<u16> {
    case.read("ports").lines().map(|port| port.parse().expect("a port")).collect()
}

fn taken_each_time() {
    let case = Case::new();
    let script = "echo PORT >> ports; echo cannot listen: Address already in use; exit 1";
    let right = Program::testserver("--delay 0ms").contender("right", "");
    let wrong = Program::other(&["sh", "-c", script]).contender("wrong", "");
    case.write("e.toml", format!("{right}{wrong}"));
    let ended = case.run(&format!("compare e.toml {SHORT}"));
    ended.expect(
        4,
        &["`wrong`: it exited with status 1 before it was ready", "Address already in use"],
    );
    case.left_nothing(true);
    let mut ports = ports(&case);
    ports.dedup();
    assert_eq!(ports.len(), 3, "three tries, each with a port of its own");
}

/// Another process listens on the target's port: its readiness is checked, but it is never
/// loaded.
fn stranger() {
    let case = Case::new();
    compare_with(&case, &["first=wait"]);
    let running = case.start(&format!("compare e.toml {SHORT}"));
    wait_for("the port", || case.file("ports").exists() && !ports(&case).is_empty());
    let listener = TcpListener::bind(("127.0.0.1", ports(&case)[0])).expect("nobody listens");
    let (tell, message) = mpsc::channel();
    // It ends with this program; nothing is asked of it after the case.
    std::thread::spawn(move || answer(&listener, &tell));
    let ended = running.wait();
    ended.expect(0, &[]);
    case.left_nothing(true);
    let requests: Vec<String> = message.try_iter().collect();
    assert!(!requests.is_empty(), "it was asked");
    assert!(requests.iter().all(|line| line == "GET / HTTP/1.0\r\n"), "{requests:?}");
    let read = case.read("counts").matches('r').count() as u64;
    let counts = ended.counts(1);
    assert!(ports(&case).len() == 2 && counts.failures() == 0, "{counts:?}");
    // The launch's questions to the stranger were another launch's.
    assert_eq!(counts.sent, read, "{counts:?}");
}

fn answer(listener: &TcpListener, tell: &mpsc::Sender<String>) {
    for stream in listener.incoming() {
        let mut stream = stream.expect("a client");
        let mut line = String::new();
        let read = BufReader::new(&stream).read_line(&mut line);
        if read.is_ok_and(|bytes| bytes > 0) {
            let _ = tell.send(line);
        }
        let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nstranger");
    }
}

use Connections::{Fresh, Held};

enum Connections {
    Held,
    Fresh,
}

/// Ten client ports in a separate network namespace.
fn run_out(connections: Connections) {
    if lacks(Lack::Namespaces) {
        return;
    }
    let case = Case::new();
    let keys = match connections {
        Held => "connections = 16",
        Fresh => "reuse = 'never'",
    };
    let right = Program::testserver("--delay 0ms").contender("right", "connections = 1");
    let wrong = Program::testserver("--delay 0ms").contender("wrong", keys);
    case.write("e.toml", format!("{right}{wrong}"));
    let mut command = case.command("unshare", "tiebreak");
    with_client_ports(&mut command, 40000, 40009);
    let words = SHORT.replace("--connections 4", "");
    let ended = case.start_as(command, &format!("compare e.toml {words}")).wait();
    ended.expect(3, &[]);
    case.left_nothing(true);
    assert!(ended.findings("void").contains(&"our_faults".to_owned()), "{}", ended.out);
    assert!(ended.out.contains("no_port"), "{}", ended.out);
    let counts = ended.counts(1);
    assert!(counts.failed("no_port") > 0, "{counts:?}");
    assert_eq!(counts.failures(), counts.failed("no_port"), "ours, and not its own: {counts:?}");
    ended.server_agrees(0, "right");
    ended.server_agrees(1, "wrong");
    let contender = &ended.report()["contenders"][1];
    assert!(whole(&contender["outcomes"]["generator_errors"]["no_port"]) > 0, "{contender}");
    if let Held = connections {
        let (asked, got) =
            (&contender["connections"]["requested"], &contender["connections"]["established"]);
        assert!(whole(asked) == 16 && whole(got) <= 10, "{contender}");
    }
}
