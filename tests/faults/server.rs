//! A server that misbehaves on demand. It counts what it reads and answers in a file, so that
//! the counts outlive SIGKILL.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ARGUMENT: &str = "__server";

/// Its arguments: `PORT KEY=VALUE …`.
///
/// - `count=FILE`: append `r` for each request read, `a` for each answered
/// - `reply=FILE`: answer with these bytes
/// - `say=FILE`: print this first
/// - `exit=STATUS`: end before listening
/// - `drip=1`: send the reply unasked, a byte at a time, and then zeros for ever
/// - `echo=1`: print the environment, and every request as it came
/// - `die=N`: end with status 3 at the N-th request
/// - `once=FILE`: where the file is not there yet, make it with the port in it,
///   and do as `first` says; else append the port and serve
/// - `first=occupy`: bind the port, and then fail to bind it
/// - `first=wait`: never listen
struct Orders(Vec<String>);

impl Orders {
    fn get(&self, key: &str) -> Option<&str> {
        let mut all = self.0.iter().filter_map(|argument| argument.split_once('='));
        all.find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.get(key).map(|text| text.parse().expect("a number"))
    }
}

pub(crate) fn serve() -> ExitCode {
    let orders = Orders(std::env::args().skip(2).collect());
    let port: u16 = orders.0[0].parse().expect("a port");
    if let Some(file) = orders.get("say") {
        print(&fs::read(file).expect("what to say"));
    }
    if let Some(status) = orders.number("exit") {
        return ExitCode::from(status as u8);
    }
    if orders.get("echo").is_some() {
        std::env::vars().for_each(|(name, value)| print(format!("{name}={value}\n").as_bytes()));
    }
    if let Some(failed) = first_try(&orders, port) {
        return failed;
    }
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    print(format!("listening on {}\n", listener.local_addr().expect("bound")).as_bytes());
    let habits = Arc::new(Habits::new(&orders));
    for stream in listener.incoming() {
        let habits = Arc::clone(&habits);
        let stream = stream.expect("a client");
        std::thread::spawn(move || habits.talk(stream));
    }
    ExitCode::SUCCESS
}

/// Prints on standard output at once, and not only when a buffer is full.
fn print(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).expect("a log");
}

fn first_try(orders: &Orders, port: u16) -> Option<ExitCode> {
    let file = orders.get("once")?;
    let first = !fs::exists(file).expect("the case's directory");
    let mut ports = append(file);
    writeln!(ports, "{port}").expect("writes");
    match orders.get("first").filter(|_| first)? {
        "occupy" => {
            let _taken = TcpListener::bind(("127.0.0.1", port)).expect("it was free");
            let error = TcpListener::bind(("127.0.0.1", port)).expect_err("taken");
            print(format!("cannot listen on {port}: {error}\n").as_bytes());
            Some(ExitCode::FAILURE)
        }
        _ => loop {
            std::thread::sleep(Duration::from_secs(1000));
        },
    }
}

fn append(file: &str) -> File {
    OpenOptions::new().append(true).create(true).open(file).expect("the case's directory")
}

struct Habits {
    counts: Option<File>,
    reply: Vec<u8>,
    echo: bool,
    drip: bool,
    die: Option<u64>,
}

impl Habits {
    fn new(orders: &Orders) -> Habits {
        let usual = || b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec();
        Habits {
            counts: orders.get("count").map(append),
            reply: orders.get("reply").map_or_else(usual, |file| fs::read(file).expect("a reply")),
            echo: orders.get("echo").is_some(),
            drip: orders.get("drip").is_some(),
            die: orders.number("die"),
        }
    }

    fn count(&self, what: &[u8; 1]) {
        if let Some(mut file) = self.counts.as_ref() {
            file.write_all(what).expect("counts");
        }
    }

    fn talk(&self, stream: TcpStream) {
        stream.set_nodelay(true).expect("TCP");
        if self.drip {
            return self.drip(&stream);
        }
        let mut reader = BufReader::new(&stream);
        while let Some(request) = read(&mut reader) {
            self.count(b"r");
            if self.echo {
                print(&request);
            }
            if self.is_last() {
                std::process::exit(3);
            }
            if (&stream).write_all(&self.reply).is_err() {
                return;
            }
            self.count(b"a");
        }
    }

    fn drip(&self, mut stream: &TcpStream) {
        print(b"dripping\n");
        for byte in self.reply.iter().chain(std::iter::repeat(&0)) {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn is_last(&self) -> bool {
        use std::sync::atomic::{AtomicU64, Ordering};
        static REQUESTS: AtomicU64 = AtomicU64::new(1);
        let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
        self.die.is_some_and(|last| number >= last)
    }
}

/// Reads a complete request, unchanged.
fn read(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let (mut request, mut body) = (Vec::new(), 0);
    loop {
        let start = request.len();
        if from.read_until(b'\n', &mut request).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&request[start..]).to_ascii_lowercase();
        if let Some(length) = line.strip_prefix("content-length:") {
            body = length.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut rest = vec![0; body];
    from.read_exact(&mut rest).ok()?;
    request.extend(rest);
    Some(request)
}
