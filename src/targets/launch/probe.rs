//! One request, to see whether a launched target is ready. It uses HTTP/1.0, so that the end
//! of the connection is the end of the reply.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use protocol::ReadyRequest;
use protocol::address::{Endpoint, Login, Url};
use protocol::stream::{Deadline, Stream, is_late};
use std::io::{self, ErrorKind};
use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};
use wire::http1;

/// The shortest time for one attempt. The last attempt also gets at least this.
pub(super) const SHORTEST: Duration = Duration::from_millis(100);

/// The longest time that one request may take. Another request follows.
const LONGEST: Duration = Duration::from_secs(5);

/// How many bytes of a reply are read. The rest does not matter for readiness.
const ENOUGH: usize = 16 << 20;

/// The longest head of a reply. Something longer is not HTTP.
const LONGEST_HEAD: usize = 64 << 10;

/// The deadline of one request. `until` is the end of the time in which the target must become ready.
pub(super) fn deadline(until: Instant, stopped: &dyn Fn() -> bool) -> Deadline<'_> {
    let now = Instant::now();
    Deadline { until: until.clamp(now + SHORTEST, now + LONGEST), stopped: Some(stopped) }
}

/// The result of one request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadyAnswer {
    /// A reply.
    Reply {
        status: u16,
        /// Bytes of its body.
        bytes: u64,
        /// The first words of its body.
        words: Option<String>,
    },
    /// Something listens. What it answers is checked by the engine, for example over TLS.
    Listens,
    /// No reply.
    Nothing {
        /// What happened, as text.
        why: String,
        /// Whether the request was sent, so that the target may have logged it.
        sent: bool,
    },
}

/// Sends a line that every store answers regardless of its settings. The engine sends another
/// request with the login.
fn ask_store(question: &[u8], stream: &mut Stream, deadline: Deadline<'_>) -> ReadyAnswer {
    let written = stream.write_all(question, deadline);
    match written.and_then(|()| stream.read(&mut [0; 1], deadline)) {
        Ok(0) => ReadyAnswer::Nothing { why: CLOSED.to_owned(), sent: true },
        Ok(_) => ReadyAnswer::Listens,
        Err(error) => ReadyAnswer::Nothing { why: talking(&error), sent: true },
    }
}

/// The text for a server that did not answer within the time.
pub(super) const NO_ANSWER: &str = "it did not answer";

/// The text for a server that closed the connection at once.
const CLOSED: &str = "it closed the connection without a reply";

/// Sends one request for a path.
pub(super) fn ask(url: &Url, path: &str, deadline: Deadline<'_>) -> ReadyAnswer {
    let mut stream = match connect(url, deadline) {
        Ok(stream) => stream,
        Err(error) => return ReadyAnswer::Nothing { why: connecting(&error), sent: false },
    };
    if url.tls {
        return ReadyAnswer::Listens;
    }
    let head = host_and_login(url);
    let (request, is_upgrade) = match url.protocol.ready {
        ReadyRequest::Page => (format!("GET {path} HTTP/1.0\r\n{head}\r\n"), false),
        // The engine requests another upgrade and sends a message.
        ReadyRequest::Upgrade(lines) => (format!("GET {path} HTTP/1.1\r\n{head}{lines}\r\n"), true),
        ReadyRequest::Answers(question) => return ask_store(question, &mut stream, deadline),
        ReadyRequest::NoServer => unreachable!("there was nothing to connect to"),
    };
    if let Err(error) = stream.write_all(request.as_bytes(), deadline) {
        return ReadyAnswer::Nothing { why: talking(&error), sent: true };
    }
    let (reply, read) = read_reply(&mut stream, is_upgrade, deadline);
    let why = match (parse(&reply), read) {
        (Some((101, ..)), _) if is_upgrade => return ReadyAnswer::Listens,
        (Some((status, ..)), _) if is_upgrade => {
            format!("it answers the upgrade to {} with status {status}", url.protocol.title)
        }
        (Some((status, bytes, is_whole)), read) if is_whole || read.is_ok() => {
            let body = reply.len() - bytes as usize;
            return ReadyAnswer::Reply { status, bytes, words: http1::first_words(&reply[body..]) };
        }
        (_, Err(error)) => talking(&error),
        (_, Ok(())) if reply.is_empty() => CLOSED.to_owned(),
        (_, Ok(())) => "it does not speak HTTP".to_owned(),
    };
    ReadyAnswer::Nothing { why, sent: true }
}

fn connect(url: &Url, deadline: Deadline<'_>) -> io::Result<Stream> {
    match &url.endpoint {
        Endpoint::Unix(path) => Stream::to_socket(path, deadline),
        Endpoint::Host { host, port } => {
            let addresses: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
            Stream::to_host(&addresses, deadline)
        }
        Endpoint::Directory(_) | Endpoint::Program(_) => Err(ErrorKind::Unsupported.into()),
    }
}

/// Reads a reply up to the length that it announced, or to the end of the connection, or only its
/// head. Returns what was read, and an error if the reply is not complete.
fn read_reply(
    stream: &mut Stream,
    only_head: bool,
    deadline: Deadline<'_>,
) -> (Vec<u8>, io::Result<()>) {
    let mut reply = Vec::new();
    let mut piece = [0; 16 << 10];
    while reply.len() < ENOUGH {
        match stream.read(&mut piece, deadline) {
            Ok(0) => break,
            Ok(count) => reply.extend_from_slice(&piece[..count]),
            Err(error) => return (reply, Err(error)),
        }
        match parse(&reply) {
            // The reply is complete, even if the server keeps the connection open.
            Some((_, _, is_whole)) if is_whole || only_head => break,
            None if reply.len() > LONGEST_HEAD => break,
            _ => {}
        }
    }
    (reply, Ok(()))
}

/// The headers that an address determines.
fn host_and_login(url: &Url) -> String {
    let login = url.login.as_ref().map(authorization).unwrap_or_default();
    format!("Host: {}\r\n{login}", url.host_header())
}

/// The header of basic authentication (RFC 7617).
fn authorization(login: &Login) -> String {
    let pair = [login.user.as_slice(), b":", &login.password].concat();
    format!("Authorization: Basic {}\r\n", BASE64_STANDARD.encode(pair))
}

/// Returns the status, the bytes of body so far, and whether the announced length was reached.
/// Returns None if the head is incomplete or is not HTTP.
fn parse(reply: &[u8]) -> Option<(u16, u64, bool)> {
    let end = reply.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&reply[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().ok())?
    });
    let bytes = (reply.len() - end - 4) as u64;
    Some((status, bytes, length.is_some_and(|length| bytes >= length)))
}

fn connecting(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "it refused the connection".to_owned(),
        ErrorKind::NotFound => "its socket does not exist".to_owned(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "it did not accept a connection".to_owned(),
        _ => format!("it cannot be reached: {error}"),
    }
}

fn talking(error: &io::Error) -> String {
    if is_late(error) { NO_ANSWER.to_owned() } else { "it reset the connection".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::PROTOCOLS;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A limit of this time, and a run that is not stopped.
    fn timeout(time: Duration) -> Deadline<'static> {
        deadline(Instant::now() + time, &|| false)
    }

    /// A server that sends a byte of a reply now and then, and never ends.
    fn dripping(reply: &'static [u8]) -> (Url, std::thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("bound"));
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            for byte in reply.iter().chain(std::iter::repeat(&b'x')) {
                std::thread::sleep(Duration::from_millis(20));
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        });
        (PROTOCOLS.url(&url).unwrap_or_else(|error| panic!("{error}")), server)
    }

    #[test]
    fn one_that_drips_gets_no_more_time() {
        for reply in [&b"HTTP/1.1 200 OK\r\nX-Long: "[..], b"HTTP/1.1 200 OK\r\n\r\n"] {
            let (url, server) = dripping(reply);
            let answer = ask(&url, "/", timeout(Duration::from_millis(700)));
            let nothing = ReadyAnswer::Nothing { why: "it did not answer".to_owned(), sent: true };
            assert_eq!(answer, nothing);
            server.join().expect("its connection was closed");
        }
    }

    #[test]
    fn one_that_drips_does_not_outlast_the_stop() {
        let (url, server) = dripping(b"HTTP/1.1 200 OK\r\n\r\n");
        let stop = AtomicBool::new(false);
        let stopped = || stop.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.store(true, Ordering::Relaxed);
            });
            let before = Instant::now();
            let answer = ask(&url, "/", deadline(Instant::now() + LONGEST, &stopped));
            assert!(matches!(answer, ReadyAnswer::Nothing { .. }));
            assert!(before.elapsed() < LONGEST, "it was stopped before its time");
        });
        server.join().expect("its connection was closed");
    }

    /// Sends a request to a server that answers with these bytes and closes the connection.
    fn answer_of(reply: &'static [u8], url: &str) -> (ReadyAnswer, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut request = vec![0; 1000];
            let count = stream.read(&mut request).expect("a request");
            stream.write_all(reply).expect("it reads");
            String::from_utf8_lossy(&request[..count]).into_owned()
        });
        let url = PROTOCOLS
            .url(&url.replace("PORT", &port.to_string()))
            .unwrap_or_else(|e| panic!("{e}"));
        let answer = ask(&url, "/x?y", timeout(LONGEST));
        (answer, server.join().expect("served").replace(&port.to_string(), "PORT"))
    }

    #[test]
    fn replies_are_read() {
        let nothing = |why: &str| ReadyAnswer::Nothing { why: why.to_owned(), sent: true };
        for (reply, expected) in [
            (
                &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"[..],
                ReadyAnswer::Reply { status: 200, bytes: 2, words: Some("ok".to_owned()) },
            ),
            (
                b"HTTP/1.0 503 No\r\n\r\nlater",
                ReadyAnswer::Reply { status: 503, bytes: 5, words: Some("later".to_owned()) },
            ),
            (b"HTTP/1.1 204\r\n\r\n", ReadyAnswer::Reply { status: 204, bytes: 0, words: None }),
            (b"", nothing("it closed the connection without a reply")),
            (b"HTTP/1.1 200 OK\r\n", nothing("it does not speak HTTP")),
            (b"SSH-2.0-x\r\n\r\n\r\n", nothing("it does not speak HTTP")),
        ] {
            assert_eq!(answer_of(reply, "http://127.0.0.1:PORT/").0, expected);
        }
    }

    #[test]
    fn the_request_is_of_http_1_0_and_brings_the_login() {
        let (_, request) = answer_of(b"HTTP/1.0 200 OK\r\n\r\n", "http://u:p@127.0.0.1:PORT/");
        assert_eq!(
            request,
            "GET /x?y HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Basic dTpw\r\n\r\n"
        );
    }

    #[test]
    fn one_that_never_answers_does_not_take_the_time_of_the_next_look() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("bound"));
        let url = PROTOCOLS.url(&url).unwrap_or_else(|error| panic!("{error}"));
        let asking = std::thread::spawn(move || ask(&url, "/", timeout(Duration::ZERO)));
        let (_silent, _) = listener.accept().expect("a client");
        let nothing = ReadyAnswer::Nothing { why: "it did not answer".to_owned(), sent: true };
        assert_eq!(asking.join().expect("it gives up"), nothing);
    }

    #[test]
    fn nobody_there_is_distinguished() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let url = |text: &str| PROTOCOLS.url(text).unwrap_or_else(|e| panic!("{e}"));
        let tls = url(&format!("https://127.0.0.1:{port}/"));
        assert_eq!(ask(&tls, "/", timeout(LONGEST)), ReadyAnswer::Listens);
        drop(listener);
        let refused =
            ReadyAnswer::Nothing { why: "it refused the connection".to_owned(), sent: false };
        assert_eq!(ask(&tls, "/", timeout(LONGEST)), refused);
        let missing =
            ReadyAnswer::Nothing { why: "its socket does not exist".to_owned(), sent: false };
        assert_eq!(ask(&url("http+unix://%2Fno%2Fsocket/"), "/", timeout(LONGEST)), missing);
    }
}
