//! Targets that never stop sending: the timeout and a signal still end the run, over plain
//! connections, over TLS and through client libraries.

use crate::common::{TestDirectory, errors};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a target sends unless its client hangs up: a run that reads no clock while bytes
/// arrive would be blocked all that time.
const PATIENCE: Duration = Duration::from_secs(30);
/// The request. The first one is answered, so the target is ready.
const MARK: &[u8] = b"4711";

/// How a target speaks: what follows from a piece of what it is sent.
#[derive(Clone, Copy)]
struct Script {
    greeting: &'static [u8],
    /// The answer to a login, or None if there is no login.
    log_in: fn(&[u8]) -> Option<&'static [u8]>,
    reply: &'static [u8],
    begins: &'static [u8],
    again: &'static [u8],
}

const HTTP: Script = Script {
    greeting: b"",
    log_in: |_| None,
    reply: b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    begins: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    again: b"1\r\nx\r\n",
};

const POSTGRES: Script = Script {
    greeting: b"",
    log_in: |received| (received.first() == Some(&0)).then_some(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"),
    reply: b"T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0\
             D\0\0\0\x0b\0\x01\0\0\0\x011C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I",
    begins: b"T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0",
    again: b"D\0\0\0\x0b\0\x01\0\0\0\x011",
};

const MYSQL_COLUMN: &[u8] = b"\x01\0\0\x01\x01\x17\0\0\x02\x03def\0\0\0\x011\0\x0c\x3f\0\x01\0\
                              \0\0\x08\x81\0\0\0\0\x05\0\0\x03\xfe\0\0\x02\0";

/// Rows are appended later, because their packets have running numbers.
const MYSQL: Script = Script {
    greeting: b"\x4e\0\0\0\x0a5.7.0-null\0\x01\0\0\0abcdefgh\0\x0d\xa2\x21\x02\0\x08\0\x15\
                \0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0",
    log_in: |received| (received.get(3) == Some(&1)).then_some(b"\x07\0\0\x02\0\0\0\x02\0\0\0"),
    reply: b"",
    begins: MYSQL_COLUMN,
    again: b"",
};

impl Script {
    fn reply(&self) -> Vec<u8> {
        match self.reply {
            b"" => [MYSQL_COLUMN, b"\x02\0\0\x04\x011\x05\0\0\x05\xfe\0\0\x02\0"].concat(),
            reply => reply.to_vec(),
        }
    }

    /// What is sent for ever, several of it at once.
    fn endless(&self) -> Vec<u8> {
        match self.again {
            b"" => {
                let row = |number: u8| [2, 0, 0, number.wrapping_add(4), 1, b'1'];
                (0..=255).flat_map(row).collect::<Vec<u8>>().repeat(32)
            }
            again => again.repeat(64 * 1024 / again.len()),
        }
    }
}

/// A target that answers once and then never stops; counts the connections that were
/// sent to until its patience was over.
fn target(speech: Script) -> (u16, Arc<AtomicU64>) {
    let (outlasted, asked) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
    let counted = outlasted.clone();
    let address = protocol::testing::serve(move |stream| {
        // The client is expected to hang up.
        if serve(stream, speech, &asked).is_ok_and(|outlasted| outlasted) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    (address.port(), outlasted)
}

/// Whether the client was sent to until the patience was over.
fn serve(mut stream: TcpStream, speech: Script, asked: &AtomicU64) -> std::io::Result<bool> {
    stream.write_all(speech.greeting)?;
    let mut piece = [0; 4096];
    loop {
        let bytes = stream.read(&mut piece)?;
        let input = &piece[..bytes];
        if let Some(welcome) = (speech.log_in)(input) {
            stream.write_all(welcome)?;
        } else if !input.windows(MARK.len()).any(|part| part == MARK) {
            // The end, or a question beside the measurement.
            return Ok(false);
        } else if asked.fetch_add(1, Ordering::Relaxed) == 0 {
            stream.write_all(&speech.reply())?;
        } else {
            break;
        }
    }
    stream.write_all(speech.begins)?;
    let (gives_up, many) = (Instant::now() + PATIENCE, speech.endless());
    while Instant::now() < gives_up {
        stream.write_all(&many)?;
    }
    Ok(true)
}

const EVERY: [&str; 6] = ["--connections", "2", "--warm-up", "0s", "--out", "run"];

/// Checks that the run ends by itself: each operation is given up at its timeout, and none got a
/// reply.
fn times_out(url: &str, more: &[&str]) -> TestDirectory {
    let directory = TestDirectory::new();
    let short = ["--timeout", "300ms", "--duration", "300ms"];
    let output = directory.tiebreak(&[&["run", url], &EVERY[..], &short[..], more].concat());
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("no operation in") && stderr.contains("timeout"), "{stderr}");
    directory
}

/// Checks that a run that would last an hour ends at a signal.
fn is_interrupted(url: &str, more: &[&str]) -> TestDirectory {
    let directory = TestDirectory::new();
    let long = ["--timeout", "10m", "--duration", "1h"];
    let mut command = directory.command(&[&["run", url], &EVERY[..], &long[..], more].concat());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let journal = directory.file("run/journal.jsonl");
    let driven = || {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        text.contains(r#""phase":"null""#) || text.contains(r#""own_cost""#)
    };
    let gives_up = Instant::now() + PATIENCE;
    while !driven() && Instant::now() < gives_up {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Now the target is driven, or will be in a moment.
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: a signal to a process of ours that was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) }, 0);
    let output = child.wait_with_output().expect("it ends");
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(3), "no round is complete: {stderr}");
    let journal = std::fs::read_to_string(&journal).expect("a journal");
    assert!(journal.contains(r#""reason":"stopped""#), "{stderr}");
    directory
}

fn both(speech: Script, url: impl Fn(u16) -> String, more: &[&str]) {
    for end in [times_out, is_interrupted] {
        let (port, outlasted) = target(speech);
        end(&url(port), more);
        assert_eq!(outlasted.load(Ordering::Relaxed), 0, "the run waited for its target");
    }
}

#[test]
fn an_endless_chunked_reply_stops_no_clock() {
    both(HTTP, |port| format!("http://127.0.0.1:{port}/4711"), &[]);
}

#[test]
fn endless_rows_of_postgresql_stop_no_clock() {
    // Else the reply would end where it is longer than a reply may be.
    let asks = ["--query", "SELECT 4711", "--set", "postgres.protocol=simple"];
    let asks = [&asks[..], &["--set", "postgres.reply.max=1000MB"]].concat();
    both(POSTGRES, |port| format!("postgres=postgres://me@127.0.0.1:{port}/app"), &asks);
}

#[test]
fn endless_rows_of_mysql_stop_no_clock() {
    let asks = ["--query", "SELECT 4711", "--set", "mysql.protocol=text"];
    let asks = [&asks[..], &["--set", "mysql.reply.max=1000MB"]].concat();
    both(MYSQL, |port| format!("mysql=mysql://me@127.0.0.1:{port}/app"), &asks);
}

/// A server with TLS, whose first reply is sound and whose others never end.
struct Node(Child);

const NODE: &str = "
const fs = require('fs'), tls = require('tls');
const chunks = Buffer.from('1\\r\\nx\\r\\n'.repeat(10000));
let asked = 0;
tls.createServer({key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem')}, (socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    if (asked++ === 0) {
      return socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\nConnection: close\\r\\n\\r\\nx');
    }
    socket.write('HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n');
    const again = () => { while (!socket.destroyed && socket.write(chunks)); };
    socket.on('drain', again);
    again();
  });
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
";

impl Node {
    /// Starts it in this place, and says where it listens.
    fn start(directory: &TestDirectory) -> (Node, u16) {
        let words = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
                     -keyout key.pem -out cert.pem";
        let mut openssl = Command::new("openssl");
        openssl.args(words.split_whitespace()).current_dir(directory.path()).stderr(Stdio::null());
        assert!(openssl.status().expect("openssl runs (./test installs it)").success());
        let mut node = Command::new("node");
        node.args(["-e", NODE]).current_dir(directory.path()).stdout(Stdio::piped());
        let mut node = Node(node.spawn().expect("node runs (./test installs it)"));
        let mut line = String::new();
        let out = node.0.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("a port");
        (node, port)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.0.kill().expect("our child");
        self.0.wait().expect("our child");
    }
}

#[test]
fn an_endless_reply_over_tls_stops_no_clock() {
    for end in [times_out, is_interrupted] {
        let directory = TestDirectory::new();
        let (_node, port) = Node::start(&directory);
        end(&format!("https://127.0.0.1:{port}/"), &["--insecure"]);
    }
}
