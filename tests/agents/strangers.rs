//! Processes that do not belong to a group, or break its rules.

use crate::group::{Group, QUICK, TOKEN, contenders, errors, judged, serve, wait_for};
use std::io::Write;
use std::net::TcpStream;
use std::process::Output;
use std::time::Duration;
use testserver::TestServer;
use tiebreak::remote::{Connection, Token, introduce};
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
    wait_for("the coordinator", || {
        connection = Connection::open(group.coordinator, PATIENCE).ok();
        connection.is_some()
    });
    let mut connection = connection.expect("it listens");
    let token = Token::of(TOKEN).expect("a token");
    introduce(&mut connection, Purpose::Agent, &token, PATIENCE).expect("it is known");
    connection
}

fn hello(rank: u32, size: u32, plan_hash: &str) -> Hello {
    let (version, machine) = (env!("CARGO_PKG_VERSION").to_owned(), "a test".to_owned());
    let (plan_hash, clock) = (plan_hash.to_owned(), String::new());
    Hello { rank, size, workers: 1, version, plan_hash, machine, clock }
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

#[test]
fn an_agent_with_another_plan_is_rejected_and_nothing_is_driven() {
    let Scene { group, words, servers: _servers } = scene(2);
    let coordinator = group.start(0, &words);
    let other = group.start(1, &words.replace("--connections 8", "--connections 16"));
    code(&other.output(), 2, "agent 1: its plan is different");
    code(&coordinator.output(), 2, "agent 1: its plan is different");
    assert!(!group.directory.file("run").exists(), "nothing was driven");
}

#[test]
fn another_version_another_size_and_other_workers_are_rejected() {
    type Change = fn(&mut Hello);
    let table: [(Change, &str); 3] = [
        (
            |hello| hello.version = "0.0.0-other".to_owned(),
            "its version of tiebreak is 0.0.0-other",
        ),
        (|hello| hello.size = 7, "it expects 7 processes"),
        (|hello| hello.workers = 9, "it has 9 workers"),
    ];
    let hash = plan_hash();
    for (change, why) in table {
        let Scene { group, words, servers: _servers } = scene(1);
        let coordinator = group.start(0, &words);
        let mut hello = hello(1, 2, &hash);
        change(&mut hello);
        let answer = answer_to(&mut introduced(&group), hello);
        let FromCoordinator::Rejected(reason) = answer else { panic!("{answer:?}") };
        assert!(reason.contains(why), "{reason}");
        code(&coordinator.output(), 2, why);
    }
}

/// What the coordinator says of its plan when it rejects another one.
fn plan_hash() -> String {
    let Scene { group, words, servers: _servers } = scene(1);
    let coordinator = group.start(0, &words);
    let answer = answer_to(&mut introduced(&group), hello(1, 2, "0"));
    let FromCoordinator::Rejected(reason) = answer else { panic!("{answer:?}") };
    code(&coordinator.output(), 2, "its plan is different");
    let (_, hash) = reason.split_once("the coordinator's is ").expect("it is named");
    hash.split(')').next().expect("a word").to_owned()
}

/// An agent that is accepted and then does `misbehaves` in place of the first slice.
fn misbehaving(misbehaves: impl Fn(&mut Connection, Stamps), why: &str) {
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
}

#[test]
fn records_that_are_not_what_was_sent_end_the_run() {
    let done = |agent: &mut Connection, stamps| {
        let done = FromAgent::Done { stamps, started_ns: 0, trials: 1 };
        agent.send(&done, PATIENCE).expect("sent");
        loop {
            match agent.receive(PATIENCE).expect("the coordinator") {
                FromCoordinator::Send { .. } => return,
                FromCoordinator::End => {}
                other => panic!("{other:?}"),
            }
        }
    };
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
    for _ in 0..20 {
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
