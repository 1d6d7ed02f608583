//! A watcher on loopback, and clients of every kind.

use super::*;
use crate::system::remote;
use crate::system::remote::{Connection, Places, RemoteError, Token};
use engine::Stop;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use wire::remote::Purpose;
use wire::remote::handshake::Refusal;
use wire::remote::watch::{Answer, Description, Reading, WatchQuestion};

/// Longer than anything takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A process that is watched, with its watcher.
struct Watching {
    process: Child,
    address: SocketAddr,
    token: Token,
    stop: Stop,
    server: Option<JoinHandle<()>>,
}

impl Watching {
    fn start(limits: Limits) -> Watching {
        // It uses the CPU until it is killed.
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
        let process = command.spawn().expect("a shell");
        let watched = WatchedTarget::process(process.id()).expect("it runs");
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let address = listener.local_addr().expect("bound");
        let (token, stop) = (Token::new().expect("random"), Stop::new().expect("a descriptor"));
        let (its_token, its_stop) = (token.clone(), stop.clone());
        let server = thread::spawn(move || {
            serve(&listener, watched, its_token, limits, &its_stop).expect("a listener");
        });
        Watching { process, address, token, stop, server: Some(server) }
    }

    fn client(&self) -> Client {
        let description = describe(self.address, &self.token).expect("admitted");
        Client::connect(self.address, &self.token, description)
    }

    fn kill(&mut self) {
        self.process.kill().expect("ours");
        self.process.wait().expect("ours");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.stop.raise();
        if let Some(server) = self.server.take() {
            server.join().expect("no panic");
        }
    }
}

fn unhurried() -> Limits {
    Limits { timeout: LONG, ..Limits::default() }
}

/// Waits until the condition holds.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + LONG;
    while !holds() {
        assert!(std::time::Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn it_describes_and_reads_its_process() {
    let watching = Watching::start(unhurried());
    let mut client = watching.client();
    let description = client.description().clone();
    assert_eq!(description.pids, [watching.process.id()]);
    assert_eq!(description.name, format!("process {} (sh)", watching.process.id()));
    assert!(description.machine == machine() && !description.cores.is_empty());
    let first = client.read().expect("it runs");
    let watched = first.watched.expect("by a watcher");
    let mut last = first;
    wait_for("CPU time", || {
        last = client.read().expect("it runs");
        last.cpu_ns > first.cpu_ns
    });
    assert!(last.watched.expect("by a watcher").at_ns > watched.at_ns && watched.asked_ns > 0);
    let (bytes, source) = client.peak_memory().expect("it has memory");
    assert!(bytes > 1000 && ["processes", "cgroup"].contains(&source));
    let report = client.report();
    assert!(report.lost.is_none() && report.over_ns > 0 && report.load_milli.is_some());
    assert!(report.questions >= 4 && report.longest_ns >= report.median_ns);
}

#[test]
fn a_process_that_ended_is_lost_for_good() {
    let mut watching = Watching::start(unhurried());
    let mut client = watching.client();
    assert!(client.read().is_some());
    watching.kill();
    assert_eq!(client.read(), None);
    assert_eq!(client.read(), None);
    assert_eq!(client.report().lost.as_deref(), Some("the watched process ended"));
    assert!(client.peak_memory().is_some(), "as long as it was read");
}

/// A watcher that admits one client, and answers it so.
fn answering(
    answer: impl FnOnce(&mut Connection) + Send + 'static,
) -> (SocketAddr, Token, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    let token = Token::new().expect("random");
    let its_token = token.clone();
    let server = thread::spawn(move || {
        let (stream, peer) = listener.accept().expect("a client");
        let mut connection = Connection::of(stream).expect("a connection");
        let place = Places::new(1, 1).take(&connection, peer);
        let admitted = remote::admit(&mut connection, Purpose::Watch, &its_token, &place, LONG);
        admitted.expect("it knows the token");
        answer(&mut connection);
    });
    (address, token, server)
}

#[test]
fn a_watcher_that_ended_is_lost_for_good() {
    let (address, token, server) = answering(|connection| {
        for cpu_ns in [5, 7] {
            let question: WatchQuestion = connection.receive(LONG).expect("a question");
            let WatchQuestion::Read { number, .. } = question else { panic!("{question:?}") };
            let reading = Reading { number, cpu_ns: Some(cpu_ns), ..Reading::default() };
            connection.send(&Answer::Reading(reading), LONG).expect("sent");
        }
    });
    let mut client = Client::connect(address, &token, Description::default());
    assert_eq!(client.read().map(|reading| reading.cpu_ns), Some(7));
    server.join().expect("no panic");
    assert_eq!((client.read(), client.read()), (None, None));
    let lost = |client: &Client| client.report().lost.expect("lost");
    assert_eq!(lost(&client), "the connection to the watcher was closed");
    let mut late = Client::connect(address, &token, Description::default());
    assert_eq!(late.read(), None);
    assert!(lost(&late).starts_with("the connection to the watcher failed: "), "{}", lost(&late));
}

#[test]
fn readings_that_go_back_are_too_large_or_answer_another_question_are_not_believed() {
    for (wrong, why) in [
        (Reading { number: 1, cpu_ns: Some(4), at_ns: 2, ..Reading::default() }, "decreased"),
        (Reading { number: 1, cpu_ns: Some(5), at_ns: 0, ..Reading::default() }, "decreased"),
        (Reading { number: 9, cpu_ns: Some(6), at_ns: 2, ..Reading::default() }, "unexpected"),
        (Reading { number: 1, cpu_ns: Some(u64::MAX), at_ns: 2, ..Reading::default() }, "larger"),
        (Reading { number: 1, cpu_ns: Some(6), at_ns: 1 << 50, ..Reading::default() }, "larger"),
    ] {
        let (address, token, server) = answering(move |connection| {
            let first = Reading { cpu_ns: Some(5), at_ns: 1, ..Reading::default() };
            for reading in [first, wrong] {
                let _: WatchQuestion = connection.receive(LONG).expect("a question");
                connection.send(&Answer::Reading(reading), LONG).expect("sent");
            }
        });
        let mut client = Client::connect(address, &token, Description::default());
        assert_eq!(client.read(), None, "{wrong:?}");
        let lost = client.report().lost.expect("lost");
        assert!(lost.contains(why), "{lost}");
        server.join().expect("no panic");
    }
}

#[test]
fn a_wrong_token_is_refused() {
    let watching = Watching::start(unhurried());
    let other = Token::new().expect("random");
    let error = describe(watching.address, &other);
    assert_eq!(error, Err(RemoteError::Refused(Refusal::Token)));
    assert!(describe(watching.address, &watching.token).is_ok());
}

/// Everything that arrives until the server closes the connection.
fn until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it was not closed");
    }
    answer
}

#[test]
fn garbage_and_silence_are_closed_and_hold_nobody_up() {
    let short = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
    let watching = Watching::start(short);
    let connect = || TcpStream::connect(watching.address).expect("it listens");
    let mut silent: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    let mut slow = connect();
    slow.write_all(b"tb").expect("sent");
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\0", b"tb\x03\x11\0\0\0\x05aaaaa"] {
        let mut stream = connect();
        stream.write_all(garbage).expect("sent");
        assert_eq!(until_closed(&mut stream), b"", "{}", garbage.escape_ascii());
    }
    let mut other_version = connect();
    other_version.write_all(b"tb\x09").expect("sent");
    assert_eq!(until_closed(&mut other_version), b"tb\x03\x05\0\0\0\x01\x01");
    for stream in silent.iter_mut().chain([&mut slow]) {
        assert_eq!(until_closed(stream), b"");
    }
}

#[test]
fn strangers_keep_nobody_out_who_knows_the_token() {
    let watching = Watching::start(Limits { strangers: 3, ..unhurried() });
    let connect = || TcpStream::connect(watching.address).expect("it listens");
    let mut silent: Vec<TcpStream> = (0..9).map(|_| connect()).collect();
    // The three places are those of the last three, or of a client.
    silent[..6].iter_mut().for_each(|stream| assert_eq!(until_closed(stream), b""));
    assert!(describe(watching.address, &watching.token).is_ok());
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let mut stream = connect();
                    let _ = stream.write_all(b"tb");
                    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
                    let _ = stream.read(&mut [0]);
                }
            });
        }
        let described: Vec<_> =
            (0..20).map(|_| describe(watching.address, &watching.token).err()).collect();
        over.store(true, Ordering::Relaxed);
        assert_eq!(described, vec![None; 20], "among strangers that come again at once");
    });
}

#[test]
fn too_many_clients_are_refused_with_the_reason_and_places_become_free() {
    let watching = Watching::start(Limits { clients: 1, ..unhurried() });
    let first = remote::join(watching.address, Purpose::Watch, &watching.token, LONG);
    assert!(first.is_ok());
    let busy = Err(RemoteError::Refused(Refusal::Busy));
    assert_eq!(describe(watching.address, &watching.token), busy);
    drop(first);
    wait_for("the place of a client", || describe(watching.address, &watching.token).is_ok());
}

#[test]
fn several_clients_are_answered_at_the_same_time() {
    let watching = Watching::start(unhurried());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut client = watching.client();
                assert!((0..50).all(|_| client.read().is_some()));
            });
        }
    });
}
