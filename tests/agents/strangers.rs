//! Processes that do not belong to a group, or break its rules.

use crate::group::{Group, QUICK, TOKEN, contenders, errors, judged, serve, wait_for};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::time::Duration;
use testserver::TestServer;
use tiebreak::system::remote::{Connection, Places, Token, admit, connect};
use wire::remote::Purpose;
use wire::remote::agents::{FromAgent, FromCoordinator, Hello, Stamps};

const MS: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene {
    group: Group,
    words: String,
    servers: [TestServer; 2],
}

fn scene(agents: u32) -> Scene {
    let servers = [serve(MS), serve(MS)];
    let words = format!("{} {QUICK}", contenders(&servers[0], &servers[1]));
    Scene { group: Group::of(agents), words, servers }
}

fn code(output: &Output, code: i32, says: &str) {
    let stderr = errors(output);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(says), "{stderr}");
}

/// A connection that has passed the handshake.
fn introduced(group: &Group) -> Connection {
    let mut connection = None;
    let token = Token::of(TOKEN).expect("a token");
    wait_for("the coordinator", || {
        connection = connect(group.coordinator, Purpose::Agent, &token, PATIENCE).ok();
        connection.is_some()
    });
    connection.expect("it listens, and knows the token")
}

fn hello(rank: u32, size: u32, plan_hash: &str) -> Hello {
    let (version, machine) = (env!("CARGO_PKG_VERSION").to_owned(), "a test".to_owned());
    let (plan_hash, clock) = (plan_hash.to_owned(), String::new());
    let journal = record::journal::SCHEMA.to_owned();
    Hello { rank, size, workers: 1, version, journal, plan_hash, machine, clock }
}

fn answer_to(connection: &mut Connection, hello: Hello) -> FromCoordinator {
    connection.send(&FromAgent::Hello(hello), PATIENCE).expect("sent");
    connection.receive(PATIENCE).expect("an answer")
}

#[test]
fn who_is_missing_is_named() {
    let Scene { group, words, servers: _servers } = scene(3);
    let coordinator = group.start(0, &words.replace("60s", "1s"));
    code(&coordinator.output(), 5, "agents 1, 2 and 3 did not connect within 1 s");
    assert!(!group.directory.file("run").exists(), "nothing was driven");
}

#[test]
fn an_agent_with_another_token_is_refused_and_the_others_wait_for_a_good_one() {
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words);
    std::fs::write(group.directory.file("other"), "another-token-of-the-test").expect("writes");
    let mut wrong = group.command(1, &words);
    wrong.env("TIEBREAK_TOKEN_FILE", group.directory.file("other"));
    let wrong = crate::common::running::Running::new(wrong.spawn().expect("it starts"));
    code(&wrong.output(), 5, "refused the token");
    let good = group.start(1, &words);
    code(&good.output(), 0, "");
    let output = coordinator.output();
    judged(&output, &group.directory);
    // The token is in nothing that was written.
    for name in ["run", "run.agent-1"] {
        for entry in std::fs::read_dir(group.directory.file(name)).expect("a directory") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read(&path).unwrap_or_default();
            let found = text.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn a_second_agent_of_one_rank_is_rejected_and_the_run_goes_on() {
    let Scene { group, words, servers: _servers } = scene(2);
    let coordinator = group.start(0, &words);
    let first = group.start(1, &words);
    wait_for("the first agent's directory", || group.directory.file("run.agent-1").exists());
    code(&group.start(1, &words).output(), 2, "another process is already agent 1");
    let second = group.start(2, &words);
    for agent in [first, second] {
        code(&agent.output(), 0, "");
    }
    let output = coordinator.output();
    judged(&output, &group.directory);
}

/// It may be left over from an earlier run with the same token.
#[test]
fn an_agent_with_another_plan_is_rejected_and_the_run_waits_for_a_good_one() {
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words);
    let other = group.start(1, &words.replace("--connections 8", "--connections 16"));
    code(&other.output(), 2, "agent 1: its plan is different");
    assert!(!group.directory.file("run").exists(), "nothing was driven");
    code(&group.start(1, &words).output(), 0, "");
    let output = coordinator.output();
    judged(&output, &group.directory);
    assert!(errors(&output).contains("agent 1: its plan is different"), "{}", errors(&output));
}

#[test]
fn another_version_another_size_other_workers_and_another_plan_are_rejected() {
    type Change = fn(&mut Hello);
    let table: [(Change, &str); 5] = [
        (
            |hello| hello.version = "0.0.0-other".to_owned(),
            "its version of tiebreak is 0.0.0-other",
        ),
        (
            |hello| hello.journal = "tiebreak.journal/2".to_owned(),
            "it writes tiebreak.journal/2, but the coordinator reads tiebreak.journal/3",
        ),
        (|hello| hello.size = 7, "it expects 7 processes"),
        (|hello| hello.workers = 9, "it has 9 workers"),
        (|hello| hello.plan_hash = "0".to_owned(), "agent 1: its plan is different"),
    ];
    let hash = plan_hash();
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words.replace("60s", "5s"));
    for (change, why) in table {
        let mut hello = hello(1, 2, &hash);
        change(&mut hello);
        let answer = answer_to(&mut introduced(&group), hello);
        let FromCoordinator::Rejected(reason) = answer else { panic!("{answer:?}") };
        assert!(reason.contains(why), "{reason}");
    }
    let output = coordinator.output();
    for (_, why) in table {
        code(&output, 2, why);
    }
    code(
        &output,
        2,
        "agent 1 did not connect within 5 s; the last process that was rejected: agent 1",
    );
    assert!(!group.directory.file("run").exists(), "nothing was driven");
}

/// What the coordinator says of its plan when it rejects another one.
fn plan_hash() -> String {
    let Scene { group, words, servers: _servers } = scene(1);
    let _coordinator = group.start(0, &words);
    let answer = answer_to(&mut introduced(&group), hello(1, 2, "0"));
    let FromCoordinator::Rejected(reason) = answer else { panic!("{answer:?}") };
    let (_, hash) = reason.split_once("the coordinator's is ").expect("it is named");
    hash.split(')').next().expect("a word").to_owned()
}

const OTHER_VERSION: &str =
    "version 1 of tiebreak's remote format, and this tiebreak speaks version 3";

#[test]
fn an_agent_of_version_1_is_refused_and_both_sides_name_the_versions() {
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words.replace("60s", "3s"));
    let mut old = None;
    wait_for("the coordinator", || {
        old = TcpStream::connect(group.coordinator).ok();
        old.is_some()
    });
    let mut old = old.expect("it listens");
    // A hello as version 1 had it.
    old.write_all(&[b"tb\x01\x01\0\0\0\x21\x02", &[7; 32][..]].concat()).expect("sent");
    let mut answer = Vec::new();
    old.read_to_end(&mut answer).expect("an answer");
    assert_eq!(answer, b"tb\x03\x05\0\0\0\x01\x01", "the version in the head is the reason");
    let output = coordinator.output();
    code(&output, 5, "agent 1 did not connect within 3 s; a process at 127.0.0.1: it speaks");
    code(&output, 5, OTHER_VERSION);
}

#[test]
fn a_coordinator_of_version_1_is_named_by_its_agent() {
    let Scene { group, words, servers: _servers } = scene(1);
    let listener = TcpListener::bind(group.coordinator).expect("free");
    let agent = group.start(1, &words);
    let (mut stream, _) = listener.accept().expect("the agent");
    stream.write_all(b"tb\x01\x05\0\0\0\x01\x01").expect("sent");
    code(&agent.output(), 5, OTHER_VERSION);
}

/// What an agent says of an order with other values for these keys, and whether it sent a request.
fn refused(changes: &[(&str, serde_json::Value)]) -> String {
    let Scene { group, words, servers } = scene(1);
    let listener = TcpListener::bind(group.coordinator).expect("free");
    let agent = group.start(1, &words);
    let (stream, peer) = listener.accept().expect("the agent");
    let mut coordinator = Connection::of(stream).expect("a connection");
    let (place, token) = (Places::new(1, 1).take(&coordinator, peer), Token::of(TOKEN));
    let token = token.expect("a token");
    admit(&mut coordinator, Purpose::Agent, &token, &place, PATIENCE).expect("it knows the token");
    let hello = coordinator.receive(PATIENCE).expect("a hello");
    assert!(matches!(hello, FromAgent::Hello(_)), "{hello:?}");
    coordinator.send(&FromCoordinator::Accepted, PATIENCE).expect("sent");
    let lane = json!({"burn_in_ns": 0, "launch": 0, "address": {"tcp": "127.0.0.1:1"}});
    let mut order = json!({
        "seed": 1, "warm_up_ns": 0, "rounds": 1, "first_round": 1, "round_ns": 1_000_000,
        "slice_ns": 1_000_000, "timeout_ns": 10_000_000_000_u64, "is_pilot": true,
        "lanes": [lane, lane],
    });
    for (key, value) in changes {
        order[*key] = value.clone();
    }
    let order = serde_json::to_vec(&order).expect("JSON");
    coordinator.send(&FromCoordinator::Order(order), PATIENCE).expect("sent");
    match coordinator.receive(PATIENCE).expect("an answer") {
        FromAgent::Failed { why, .. } => {
            code(&agent.output(), 5, &why);
            let requests: u64 = servers.map(|server| server.stop().requests).iter().sum();
            assert_eq!(requests, 0, "{why}");
            why
        }
        FromAgent::Ready { .. } => "it is ready".to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn orders_with_numbers_that_no_run_needs_are_refused() {
    assert_eq!(refused(&[]), "it is ready", "the order of this test is a good one");
    let slices = refused(&[("slice_ns", json!(0)), ("round_ns", json!(200_000_000))]);
    assert!(
        slices.starts_with("`slice_ns` of the order is 0; it must be from 400 to "),
        "{slices}"
    );
    let rounds = refused(&[("rounds", json!(u32::MAX))]);
    assert!(rounds.starts_with("`rounds` of the order is 4294967295"), "{rounds}");
    let negative = refused(&[("warm_up_ns", json!(-1))]);
    assert!(negative.starts_with("the order cannot be read"), "{negative}");
}

/// An agent that is accepted and then does `misbehaves` in place of the first slice. Returns what is left
/// of its group.
fn misbehaving(misbehaves: impl Fn(&mut Connection, Stamps), why: &str) -> Group {
    let hash = plan_hash();
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words);
    let mut agent = introduced(&group);
    assert_eq!(answer_to(&mut agent, hello(1, 2, &hash)), FromCoordinator::Accepted);
    let stamps = Stamps { received_ns: 1_000_000, answered_ns: 1_000_000 };
    loop {
        match agent.receive(PATIENCE).expect("the coordinator") {
            FromCoordinator::Ping => agent.send(&FromAgent::Pong(stamps), PATIENCE).expect("sent"),
            FromCoordinator::Order(_) => break,
            other => panic!("{other:?}"),
        }
    }
    misbehaves(&mut agent, stamps);
    code(&coordinator.output(), 5, why);
    group
}

/// Says that it has recorded a trial, and waits until that is requested.
fn done(agent: &mut Connection, stamps: Stamps) {
    let done = FromAgent::Done { stamps, started_ns: 0, trials: 1 };
    agent.send(&done, PATIENCE).expect("sent");
    loop {
        match agent.receive(PATIENCE).expect("the coordinator") {
            FromCoordinator::Send { .. } => return,
            FromCoordinator::End => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn records_that_are_not_what_was_sent_end_the_run() {
    misbehaving(
        |agent, stamps| {
            done(agent, stamps);
            agent.send(&FromAgent::Piece(b"{\"trial\":{}}".to_vec()), PATIENCE).expect("sent");
            let end = FromAgent::PiecesEnd { bytes: 12, digest: [0; 32] };
            agent.send(&end, PATIENCE).expect("sent");
        },
        "agent 1 is lost: its record is damaged",
    );
}

/// A record whose only fault is a number that no run can have.
#[test]
fn a_record_with_an_impossible_number_ends_the_run_and_is_not_written() {
    let trial =
        r#"{"trial":{"phase":"pilot","round":0,"contender":0,"seen":{"ok":9223372036854775808}}}"#;
    let group = misbehaving(
        |agent, stamps| {
            done(agent, stamps);
            agent.send(&FromAgent::Piece(trial.into()), PATIENCE).expect("sent");
            let digest = Sha256::digest(trial.as_bytes()).into();
            let end = FromAgent::PiecesEnd { bytes: trial.len() as u64, digest };
            agent.send(&end, PATIENCE).expect("sent");
        },
        "agent 1 is lost: its record contains a number that is too large",
    );
    let report = group.directory.command(&["report", "run"]).output().expect("it runs");
    assert!(!errors(&report).contains("line"), "the journal is readable: {}", errors(&report));
    assert!(String::from_utf8_lossy(&report.stdout).contains("agent 1 is lost"));
}

#[test]
fn trials_that_were_not_ordered_end_the_run() {
    misbehaving(
        |agent, stamps| {
            let done = FromAgent::Done { stamps, started_ns: 0, trials: u64::MAX };
            agent.send(&done, PATIENCE).expect("sent");
        },
        "agent 1 is lost: it reported more trials than were ordered",
    );
}

#[test]
fn messages_out_of_turn_end_the_run() {
    misbehaving(
        |agent, stamps| agent.send(&FromAgent::Pong(stamps), PATIENCE).expect("sent"),
        "agent 1 is lost: it sent a message that was not expected",
    );
    misbehaving(
        |agent, stamps| {
            let ready = FromAgent::Ready { index: 7, stamps, started_ns: 0, stops: false };
            agent.send(&ready, PATIENCE).expect("sent");
        },
        "agent 1 is lost: it sent a message that was not expected",
    );
}

#[test]
fn garbage_and_silence_hold_up_nobody() {
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words);
    let mut silent = Vec::new();
    wait_for("the coordinator", || {
        silent.extend(TcpStream::connect(group.coordinator));
        !silent.is_empty()
    });
    // More than a coordinator examines at the same time.
    for _ in 0..400 {
        silent.extend(TcpStream::connect(group.coordinator));
    }
    for stream in silent.iter_mut().step_by(2) {
        // It may be closed already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\n\r\n");
    }
    code(&group.start(1, &words).output(), 0, "");
    let output = coordinator.output();
    judged(&output, &group.directory);
}
