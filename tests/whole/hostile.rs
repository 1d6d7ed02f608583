//! Hostile databases: endless answers do not fill the memory, and no server without TLS is sent
//! the password. The servers are fakes, because no real one does this.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, errors};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What it must not hold in memory, whatever a server sends, in kilobytes: the program
/// itself takes 30 MB, four connections at most 4 MiB each of a reply, of which a library
/// holds up to three copies while its buffers grow.
const MOST_KILOBYTES: u64 = 128 << 10;

/// A fake takes this much at most before it gives up, so that a test that fails ends.
const SENT_AT_MOST: usize = 2 << 30;

const PATIENCE: Duration = Duration::from_secs(60);

/// Everything that clients of a fake sent.
type Received = Arc<Mutex<Vec<u8>>>;

/// Serves each connection by `serve` on a thread of its own, as long as the test runs.
fn fake(serve: fn(&mut Client)) -> (String, Received) {
    let received = Received::default();
    let to = received.clone();
    let address = protocol::testing::serve(move |stream| {
        serve(&mut Client { stream, received: to.clone() });
    });
    (address.to_string(), received)
}

struct Client {
    stream: TcpStream,
    received: Received,
}

impl Client {
    /// What it says next; empty: nothing more.
    fn receives(&mut self) -> Vec<u8> {
        let mut piece = vec![0; 64 << 10];
        let count = self.stream.read(&mut piece).unwrap_or(0);
        piece.truncate(count);
        self.received.lock().expect("no fake panics").extend_from_slice(&piece);
        piece
    }

    /// Returns None if the client has closed the connection.
    fn says(&mut self, bytes: &[u8]) -> Option<()> {
        self.stream.write_all(bytes).ok()
    }

    /// Sends this repeatedly.
    fn never_ends(&mut self, piece: &[u8]) {
        let mut sent = 0;
        while sent < SENT_AT_MOST && self.says(piece).is_some() {
            sent += piece.len();
        }
    }
}

/// Drives a fake for a moment: exit code, output, and the most memory in kilobytes.
fn run(url: &str, more: &[&str]) -> (Option<i32>, String, u64) {
    let directory = TestDirectory::new();
    let words = ["run", url, "--query", "SELECT 1", "--connections", "4", "--timeout", "20s"];
    let short = ["--duration", "300ms", "--warm-up", "0s"];
    let mut command = directory.command(&[&words[..], &short, more].concat());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let status = format!("/proc/{}/status", child.id());
    let output = std::thread::spawn(move || child.wait_with_output());
    let (mut most, gives_up) = (0, Instant::now() + PATIENCE);
    while !output.is_finished() {
        assert!(Instant::now() < gives_up, "it does not end");
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = output.join().expect("it waits").expect("it ran");
    (output.status.code(), errors(&output), most)
}

/// Checks that neither preparatory requests nor operations may return more than allowed, and
/// that the reason is reported.
fn is_bounded(url: &str, more: &[&str]) {
    let (code, message, most) = run(url, more);
    assert!(most > 0, "it was looked at");
    assert!(most < MOST_KILOBYTES, "{most} kB: {message}");
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("is longer than reply.max allows"), "{message}");
}

const PG_LOGGED_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
/// One column of text.
const PG_COLUMNS: &[u8] = b"T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";

/// A row of a column of 1000 bytes.
fn pg_row() -> Vec<u8> {
    let mut row = b"D\0\0\x03\xf2\0\x01\0\0\x03\xe8".to_vec();
    row.resize(11 + 1000, b'x');
    row
}

/// Accepts every login, and returns the beginning of its first message.
fn pg_session(client: &mut Client) -> Option<u8> {
    client.receives();
    client.says(PG_LOGGED_IN)?;
    client.receives().first().copied()
}

#[test]
fn rows_without_end_of_a_postgres_do_not_fill_the_memory() {
    let (address, _) = fake(|client| {
        if pg_session(client) == Some(b'P') {
            // To a prepared statement: no parameters, one column; then any answer.
            let described = [b"1\0\0\0\x04t\0\0\0\x06\0\0", PG_COLUMNS, b"Z\0\0\0\x05I"].concat();
            let _ = client.says(&described);
            client.receives();
            let _ = client.says(b"2\0\0\0\x04");
        } else {
            let _ = client.says(PG_COLUMNS);
        }
        client.never_ends(&pg_row().repeat(64));
    });
    let url = format!("a=postgres://me@{address}/db");
    is_bounded(&url, &[]);
    is_bounded(&url, &["--set", "a.protocol=simple"]);
}

#[test]
fn a_message_without_end_of_a_postgres_does_not_fill_the_memory() {
    let (address, _) = fake(|client| {
        pg_session(client);
        // A row of a gigabyte.
        let _ = client.says(b"D\x40\0\0\0");
        client.never_ends(&[b'x'; 64 << 10]);
    });
    is_bounded(&format!("postgres://me@{address}/db"), &[]);
}

const MY_GREETING: &[u8] = b"\x0a5.7.0-fake\0\x01\0\0\0abcdefgh\0\x0d\xa2\x21\x02\0\x08\0\x15\
                             \0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0";
const MY_OK: &[u8] = b"\0\0\0\x02\0\0\0";
const MY_COLUMN: &[u8] = b"\x03def\0\0\0\x011\0\x0c\x3f\0\x01\0\0\0\xfd\x81\0\0\0\0";
const MY_END: &[u8] = b"\xfe\0\0\x02\0";
const MY_PREPARED: &[u8] = b"\0\x01\0\0\0\x01\0\0\0\0\0\0";

fn my_packet(number: u8, says: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = (says.len() as u32).to_le_bytes();
    [&[a, b, c, number][..], says].concat()
}

/// Accepts every login and answers up to the rows of its first statement: the
/// number of the next packet.
fn my_session(client: &mut Client) -> Option<u8> {
    client.says(&my_packet(0, MY_GREETING))?;
    client.receives();
    client.says(&my_packet(2, MY_OK))?;
    let mut asks = client.receives();
    if asks.get(4) == Some(&0x16) {
        let prepared = [(1, MY_PREPARED), (2, MY_COLUMN), (3, MY_END)];
        client.says(&prepared.map(|(number, says)| my_packet(number, says)).concat())?;
        asks = client.receives();
    }
    asks.first()?;
    let begins = [(1, &b"\x01"[..]), (2, MY_COLUMN), (3, MY_END)];
    client.says(&begins.map(|(number, says)| my_packet(number, says)).concat())?;
    Some(4)
}

#[test]
fn rows_without_end_of_a_mysql_do_not_fill_the_memory() {
    let (address, _) = fake(|client| {
        let Some(first) = my_session(client) else { return };
        // Of 1000 bytes each, as text and in binary alike; 256 of them have all numbers.
        let row = [&b"\0\0\xfc\xe6\x03"[..], &[b'x'; 998]].concat();
        let rows: Vec<u8> =
            (0..=255u8).flat_map(|at| my_packet(first.wrapping_add(at), &row)).collect();
        client.never_ends(&rows);
    });
    is_bounded(&format!("mysql://me@{address}/db"), &[]);
}

#[test]
fn a_packet_without_end_of_a_mysql_does_not_fill_the_memory() {
    let (address, _) = fake(|client| {
        let Some(mut number) = my_session(client) else { return };
        // The longest packet there is: more of it follows.
        loop {
            let packet = my_packet(number, &vec![b'x'; 0xff_ffff]);
            if client.says(&packet).is_none() {
                return;
            }
            number = number.wrapping_add(1);
        }
    });
    is_bounded(&format!("mysql://me@{address}/db"), &[]);
}

const PASSWORD: &str = "CANARY-of-a-password";

/// A login with a password, which must not be sent in the clear.
fn logs_in(address: &str, query: &str) -> (Option<i32>, String) {
    let (code, message, _) = run(&format!("mysql://me:{PASSWORD}@{address}/db{query}"), &[]);
    assert!(!message.contains(PASSWORD), "{message}");
    (code, message)
}

fn has_received(received: &Received, what: &[u8]) -> bool {
    received.lock().expect("no fake panics").windows(what.len()).any(|piece| piece == what)
}

#[test]
fn a_mysql_that_asks_for_the_password_as_it_is_is_refused() {
    let (address, received) = fake(|client| {
        let _ = client.says(&my_packet(0, MY_GREETING));
        client.receives();
        let _ = client.says(&my_packet(2, b"\xfemysql_clear_password\0"));
        client.receives();
    });
    for query in ["", "?allow-public-key-retrieval=true"] {
        let (code, message) = logs_in(&address, query);
        assert_eq!(code, Some(4), "{message}");
        assert!(message.contains("the server requests the password in clear text"), "{message}");
        assert!(message.contains("configure the user for caching_sha2_password"), "{message}");
    }
    assert!(has_received(&received, b"me\0"), "it logged in as far as that");
    assert!(!has_received(&received, PASSWORD.as_bytes()), "the password");
}

/// The packet by which a client asks for the public key.
const ASKS_FOR_KEY: &[u8] = b"\x01\0\0\x05\x02";

#[test]
fn a_mysql_that_offers_its_own_key_for_the_password_needs_permission() {
    let (address, received) = fake(|client| {
        let _ = client.says(&my_packet(0, MY_GREETING));
        client.receives();
        let challenge = b"\xfecaching_sha2_password\0abcdefghijklmnopqrst\0";
        let _ = client.says(&my_packet(2, challenge));
        client.receives();
        let _ = client.says(&my_packet(4, b"\x01\x04"));
        client.receives();
    });
    let (code, message) = logs_in(&address, "");
    assert_eq!(code, Some(4), "{message}");
    for says in ["public key that it sends itself", "?allow-public-key-retrieval=true", "use TLS"] {
        assert!(message.contains(says), "{message}");
    }
    assert!(!has_received(&received, ASKS_FOR_KEY), "it asked for the key");
    logs_in(&address, "?allow-public-key-retrieval=true");
    assert!(has_received(&received, ASKS_FOR_KEY), "allowed, and not asked for");
    assert!(!has_received(&received, PASSWORD.as_bytes()), "the password");
}

/// How many logins the false server below accepts: those before the rounds, and of some lanes.
const HONEST: u32 = 8;

/// The answer to a statement that is sent as text: one row of one column.
fn my_row() -> Vec<u8> {
    let row = [(1, &b"\x01"[..]), (2, MY_COLUMN), (3, MY_END), (4, b"\x011"), (5, MY_END)];
    row.map(|(number, says)| my_packet(number, says)).concat()
}

#[test]
fn a_mysql_that_asks_for_the_password_only_later_does_not_get_it() {
    static LOGINS: AtomicU32 = AtomicU32::new(0);
    let (address, received) = fake(|client| {
        let _ = client.says(&my_packet(0, MY_GREETING));
        client.receives();
        if LOGINS.fetch_add(1, Ordering::SeqCst) < HONEST {
            let _ = client.says(&my_packet(2, MY_OK));
            while !client.receives().is_empty() && client.says(&my_row()).is_some() {}
            return;
        }
        let challenge = b"\xfecaching_sha2_password\0abcdefghijklmnopqrst\0";
        let _ = client.says(&my_packet(2, challenge));
        client.receives();
        let _ = client.says(&my_packet(4, b"\x01\x04"));
        client.receives();
    });
    let url = format!("a=mysql://me:{PASSWORD}@{address}/db");
    let text = ["--set", "a.protocol=text", "--set", "a.reuse=never", "--query", "SELECT 1"];
    let short = ["--duration", "300ms", "--warm-up", "0s", "--connections", "4"];
    let (code, report) = TestDirectory::new().report(&[&["run", &url][..], &text, &short].concat());
    assert!(LOGINS.load(Ordering::SeqCst) > HONEST, "no later login: {report}");
    assert!(!has_received(&received, ASKS_FOR_KEY), "it asked for the key");
    let report = report.to_string();
    assert!(!report.contains(PASSWORD), "{report}");
    assert!(report.contains("public key that it sends itself"), "{report}");
    assert_eq!(code, 3, "{report}");
}

#[test]
fn a_mysql_that_asks_for_the_password_at_a_reset_does_not_get_it() {
    /// The command that logs in again in the same session, as a server so old needs for a reset.
    const CHANGES_USER: u8 = 0x11;
    static RESETS: AtomicU32 = AtomicU32::new(0);
    let (address, received) = fake(|client| {
        let _ = client.says(&my_packet(0, MY_GREETING));
        client.receives();
        let _ = client.says(&my_packet(2, MY_OK));
        while let Some(command) = client.receives().get(4) {
            if *command == CHANGES_USER {
                RESETS.fetch_add(1, Ordering::SeqCst);
                let challenge = b"\xfecaching_sha2_password\0abcdefghijklmnopqrst\0";
                let _ = client.says(&my_packet(1, challenge));
                client.receives();
                let _ = client.says(&my_packet(3, b"\x01\x04"));
            } else {
                let _ = client.says(&my_row());
            }
        }
    });
    let url = format!("a=mysql://me:{PASSWORD}@{address}/db");
    let text =
        ["--set", "a.protocol=text", "--set", "a.pool.max=2", "--set", "a.pool.upkeep=reset"];
    let (_, message, _) = run(&url, &text);
    assert!(RESETS.load(Ordering::SeqCst) > 0, "no reset: {message}");
    // The number of the packet is another one there.
    assert!(!has_received(&received, b"\x01\0\0\x04\x02"), "it asked for the key");
    assert!(!message.contains(PASSWORD), "{message}");
}

/// A client library waits for a silent server; a signal ends the wait in its place.
#[test]
fn the_first_signal_is_heard_while_a_database_is_silent() {
    for scheme in ["postgres", "mysql", "cassandra"] {
        let (address, received) = fake(|client| {
            if client.receives().is_empty() {
                return;
            }
            while !client.receives().is_empty() {}
        });
        let directory = TestDirectory::new();
        let url = format!("{scheme}://me@{address}/app");
        let words = ["run", &url, "--query", "SELECT 1", "--timeout", "10m"];
        let mut command = directory.command(&words);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
        let running = Running::new(child);
        // A MySQL client waits for the greeting.
        let waits = || scheme == "mysql" || !received.lock().expect("no fake panics").is_empty();
        wait_at_most(PATIENCE, "a question", waits);
        std::thread::sleep(Duration::from_millis(300));
        running.signal(libc::SIGINT);
        let output = running.output_within(PATIENCE);
        assert_eq!(output.status.code(), Some(3), "{scheme}: {}", errors(&output));
        assert!(errors(&output).contains("stopped before the first round"), "{scheme}");
    }
}

#[test]
fn a_mysql_with_more_columns_than_there_is_memory_fails_with_the_reason() {
    let (address, _) = fake(|client| {
        let _ = client.says(&my_packet(0, MY_GREETING));
        client.receives();
        let _ = client.says(&my_packet(2, MY_OK));
        let columns = [&b"\xfe"[..], &(1u64 << 40).to_le_bytes()].concat();
        while !client.receives().is_empty() && client.says(&my_packet(1, &columns)).is_some() {}
    });
    let (code, message, most) =
        run(&format!("a=mysql://me@{address}/db"), &["--set", "a.protocol=text"]);
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("the client library requested 35184372088832 bytes"), "{message}");
    assert!(most < MOST_KILOBYTES, "{most} kB: {message}");
}
