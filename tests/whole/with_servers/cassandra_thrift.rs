//! `cassandra+thrift://` on a real Cassandra 1.2.8, from the command line to the report.

use super::held_load::{KEYS, killed_when_held, loaded_upto, pass};
use crate::cassandra::Cassandra;
use crate::common::processes::wait_at_most;
use crate::common::turn::CassandraTurn;
use crate::common::{TestDirectory, errors, number};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;
use wire::thrift::{Admin, Column, Consistency, Limits, Login, Op, Opening, Parent, Thrift};
use wire::{Class, Codec, ConnectionState, Events, Out, Reply, Tag};

const ALLOWS_ALL: &str = "AllowAllAuthenticator";
const ASKS_FOR_PASSWORDS: &str = "PasswordAuthenticator";
const PASSWORD: &str = "CANARY-of-cassandra";

/// What the keys of a load begin with.
const LOADED_KEY: &[u8] = b"tiebreak00:";

/// Maximum time of anything here.
const PATIENCE: Duration = Duration::from_secs(60);

fn url(server: &Cassandra, login: &str, keyspace: &str) -> String {
    format!("cassandra+thrift://{login}{}/{keyspace}", server.address())
}

/// `tiebreak load` of 2000 keys: its exit code and what it printed.
fn load(url: &str, more: &[&str]) -> (Option<i32>, String) {
    let directory = TestDirectory::new();
    let words = [&["load", url, "--keys", "2k", "--connections", "8"], more].concat();
    let output = directory.tiebreak(&words);
    assert!(!holds(directory.path(), PASSWORD), "a secret in the directory of the run");
    (output.status.code(), errors(&output).replace('\u{a0}', " "))
}

/// Whether a file of this directory holds the word.
fn holds(directory: &Path, word: &str) -> bool {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| {
        if path.is_dir() {
            holds(&path, word)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).expect("a file")).contains(word)
        }
    })
}

/// A short run on so many keys: its exit code and its report.
fn run(url: &str, keys: &str, more: &[&str]) -> (i32, Value) {
    let short = ["run", url, "--keys", keys, "--connections", "8", "--verify", "all"];
    // At a rate the audit objects to the generator's own delays. Other tests can keep it from its
    // core for tens of milliseconds, which weigh less in a longer run.
    let duration = if more.contains(&"--rate") { "5s" } else { "500ms" };
    let times = ["--duration", duration, "--warm-up", "100ms"];
    TestDirectory::new().report(&[&short[..], &times, more].concat())
}

#[test]
fn what_was_loaded_is_found_and_what_was_written_comes_back() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let server = Cassandra::start(ALLOWS_ALL);
    let url = url(&server, "", "app");
    let loaded = |message: (Option<i32>, String), what: &str| {
        assert!(message.0 == Some(0) && message.1.contains(what), "{what}: {message:?}");
    };
    loaded(load(&url, &[]), "2000 keys loaded in");
    loaded(load(&url, &[]), "2000 keys were loaded before and are unchanged");
    let (code, report) = run(&url, "2k", &["--mix", "get=1"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let read = &report["contenders"][0];
    assert_eq!((&read["outcomes"]["ok"], &read["sent"]["load"]), (&read["operations"], &0.into()));
    for more in [
        &["--mix", "get=4,set=2,multi-get:5=1,read-modify-write=1"][..],
        &["--mix", "get=1,set=1", "--depth", "8"],
        &["--mix", "get=1,read-modify-write=1", "--reuse", "never"],
        &["--mix", "get=1,set=1", "--reuse", "20", "--rate", "500"],
    ] {
        let (code, report) = run(&url, "2k", more);
        assert_eq!(code, 0, "{more:?}: {:#}", report["findings"]);
        let of = &report["contenders"][0];
        assert!(number(&of["operations"]) > 10.0);
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{more:?}: {}", of["outcomes"]);
    }
    for fact in ["Cassandra 1.2.8, Thrift interface 19.36.0", "replication_factor 1"] {
        assert!(report.to_string().contains(fact), "{fact}");
    }
    loaded(load(&url, &[]), "loaded again: its keys were changed after the load");
    loaded(load(&url, &["--value", "64B"]), "loaded again: it holds other keys or values");
    a_key_that_was_not_requested_is_named(&server);
}

fn a_key_that_was_not_requested_is_named(server: &Cassandra) {
    let url = format!("cassandra+thrift://{}/app", with_other_keys(server.address()));
    let (code, report) = run(&url, "2k", &["--mix", "multi-get:5=1"]);
    assert_eq!(code, 4, "no operation succeeds");
    let end = report["end"]["detail"].as_str().expect("why it ended");
    assert!(end.contains(wire::thrift::faults::OTHER_KEY.0), "{end}");
}

/// A proxy in front of the server, which changes the keys in its replies.
fn with_other_keys(server: SocketAddr) -> SocketAddr {
    protocol::testing::serve(move |client| {
        let server = TcpStream::connect(server).expect("the server listens");
        let [from, to] = [&server, &client].map(|stream| stream.try_clone().expect("a descriptor"));
        thread::spawn(move || pass(client, server, |_| ()));
        pass(from, to, change_keys);
    })
}

fn change_keys(piece: &mut [u8]) {
    for at in 0..piece.len().saturating_sub(LOADED_KEY.len()) {
        if piece[at..].starts_with(LOADED_KEY) {
            piece[at + LOADED_KEY.len()] = b'x';
        }
    }
}

#[test]
fn a_load_that_is_killed_goes_on_where_it_was() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let server = Cassandra::start(ALLOWS_ALL);
    let (url, directory) = (url(&server, "", "app"), TestDirectory::new());
    killed_when_held(&directory, server.address(), &url);
    let upto = loaded_upto(&note(&server));
    let output = directory.tiebreak(&["load", &url, "--keys", KEYS, "--connections", "8"]);
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let continues = format!("an interrupted load continues at {upto} of ");
    assert!(stderr.contains(&continues), "{continues}: {stderr}");
    assert!(note(&server).ends_with(" clean"), "{}", note(&server));
    let (code, report) = run(&url, KEYS, &["--mix", "get=1"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let of = &report["contenders"][0];
    assert_eq!((&of["outcomes"]["ok"], &of["sent"]["load"]), (&of["operations"], &0.into()));
}

/// What a load notes in the column family.
fn note(server: &Cassandra) -> String {
    let mut client = Client::new(server, Some("app")).expect("the keyspace is there");
    let note = client.reads("tiebreak00", b"tiebreak00:loaded", b"value");
    String::from_utf8(note.unwrap_or_default()).expect("a text of tiebreak's")
}

#[test]
fn a_level_that_too_few_replicas_can_meet_is_counted_by_its_class() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let server = Cassandra::start(ALLOWS_ALL);
    let url = url(&server, "", "app");
    assert_eq!(load(&url, &[]).0, Some(0));
    let directory = TestDirectory::new();
    let words = ["compare", &format!("one={url}"), &format!("two={url}"), "--keys", "200"];
    let short = ["--rounds", "6", "--round", "100ms", "--slice", "50ms", "--pilot", "200ms"];
    let more = ["--warm-up", "100ms", "--set", "two.consistency=two", "--mix", "get=1"];
    let (code, report) = directory.report(&[&words[..], &short, &more].concat());
    assert_eq!(code, 3, "{:#}", report["findings"]);
    let levels = [0, 1].map(|at| &report["plan"]["contenders"][at]["consistency"]);
    assert_eq!(levels, [&Value::from("one"), &Value::from("two")]);
    let [one, two] = [0, 1].map(|at| &report["contenders"][at]);
    assert_eq!(one["outcomes"]["ok"], one["operations"], "{}", one["outcomes"]);
    assert_eq!(two["outcomes"]["ok"], 0, "{}", two["outcomes"]);
    assert!(report.to_string().contains("unavailable"), "{}", two["outcomes"]);
}

#[test]
fn logins_are_checked_and_what_is_not_tiebreaks_is_left_alone() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let server = Cassandra::start(ASKS_FOR_PASSWORDS);
    let right = url(&server, "cassandra:cassandra@", "mine");
    let (code, message) = load(&url(&server, &format!("cassandra:{PASSWORD}@"), "mine"), &[]);
    assert!(
        code == Some(4) && message.contains("it rejects the user or the password"),
        "{message}"
    );
    assert!(!message.contains(PASSWORD), "{message}");
    let (code, message) = load(&url(&server, "", "mine"), &[]);
    assert!(code == Some(4) && message.contains("invalid_request"), "{message}");
    let mut client = user(&server);
    let mut is_kept = || {
        let mut value = |family| client.reads(family, b"tiebreak00:000000000000", b"mine");
        value("tiebreak00").is_some() && value("other").is_some()
    };
    assert!(is_kept());
    for more in [&[][..], &["--reload"]] {
        let (code, message) = load(&right, more);
        assert!(code == Some(4) && message.contains("the column family `tiebreak00`"), "{message}");
        assert!(message.contains("not made by tiebreak"), "{message}");
        assert!(message.contains("use another keyspace"), "the remedy: {message}");
    }
    assert!(is_kept());
    let another = url(&server, "cassandra:cassandra@", "another");
    assert_eq!(load(&another, &[]).0, Some(0));
    assert_eq!(load(&another, &["--reload"]).0, Some(0));
    assert!(is_kept());
}

/// Makes the keyspace `mine`, with a column family of a name that tiebreak would take and one
/// of another, and a row in each.
fn user(server: &Cassandra) -> Client {
    let mut client = None;
    // A new cluster creates its first user after it has begun to listen.
    wait_at_most(PATIENCE, "the user of the system", || {
        client = Client::new(server, None);
        client.is_some()
    });
    let mut client = client.expect("logged in");
    client.does(&Op::Admin(Admin::AddKeyspace { name: "mine", replication: "1" }));
    let mut client = Client::new(server, Some("mine")).expect("the keyspace is there");
    for family in ["tiebreak00", "other"] {
        let add =
            Admin::AddFamily { keyspace: "mine", name: family, comment: "mine", is_super: false };
        client.does(&Op::Admin(add));
        let value = b"kept".as_slice().into();
        let column = Column { name: b"mine", value, timestamp: 1, ttl: None };
        let parent = Parent { family: family.as_bytes(), super_column: None };
        let (key, consistency) = (b"tiebreak00:000000000000", Consistency::One);
        client.does(&Op::Insert { key, parent, column, consistency });
    }
    client
}

/// A client of its own, with one call in flight.
struct Client {
    stream: TcpStream,
    codec: Thrift,
}

impl Client {
    /// Returns None if it is refused.
    fn new(server: &Cassandra, keyspace: Option<&str>) -> Option<Client> {
        let login = Login { user: Some(("cassandra", "cassandra")), keyspace };
        let codec = Thrift::new(Opening::new(&login).expect("short"), Limits::default(), 1);
        let stream = TcpStream::connect(server.address()).expect("it listens");
        let mut client = Client { stream, codec };
        let mut out = Out::default();
        client.codec.open(&mut out);
        client.stream.write_all(&out.bytes).expect("sent");
        client.receive(|state, _| state == ConnectionState::Ready)?;
        Some(client)
    }

    fn ask(&mut self, op: &Op<'_>) -> Received {
        let mut out = Out::default();
        self.codec.write(op, &mut out).expect("an operation");
        self.stream.write_all(&out.bytes).expect("sent");
        self.receive(|_, received| received.reply.is_some()).expect("Thrift")
    }

    /// Reads until it is done. Returns None if it is refused.
    fn receive(
        &mut self,
        is_done: impl Fn(ConnectionState, &Received) -> bool,
    ) -> Option<Received> {
        let (mut input, mut received) = (Vec::new(), Received::default());
        loop {
            let mut piece = [0; 4096];
            let got = self.stream.read(&mut piece).expect("a reply");
            assert!(got > 0, "it closed the connection");
            input.extend_from_slice(&piece[..got]);
            let read = self.codec.read(&input, &mut Out::default(), &mut received).ok()?;
            input.drain(..read.consumed);
            if is_done(read.state, &received) {
                return Some(received);
            }
        }
    }

    fn does(&mut self, op: &Op<'_>) {
        let received = self.ask(op);
        let why = String::from_utf8_lossy(&received.body);
        assert_eq!(received.reply.map(|reply| reply.class), Some(Class::Ok), "{why}");
    }

    /// The value of a column. Returns None if there is none.
    fn reads(&mut self, family: &str, key: &[u8], column: &[u8]) -> Option<Vec<u8>> {
        let parent = Parent { family: family.as_bytes(), super_column: None };
        let consistency = Consistency::One;
        let received = self.ask(&Op::Get { key, parent, column, consistency });
        received.reply.is_some_and(|reply| reply.class == Class::Ok).then_some(received.body)
    }
}

/// What was answered.
#[derive(Default)]
struct Received {
    body: Vec<u8>,
    reply: Option<Reply>,
}

impl Events for Received {
    fn began(&mut self, _tag: Tag) {}

    fn body(&mut self, _tag: Tag, _item: u32, piece: &[u8]) {
        self.body.extend_from_slice(piece);
    }

    fn done(&mut self, reply: Reply) {
        self.reply = Some(reply);
    }
}
