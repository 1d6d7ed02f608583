//! One request, to see whether a launched target is ready: HTTP/1.0, so that
//! the end of the reply is the end of the connection.

use crate::targets::url::{Login, Place, Protocol, Url};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long one request may take, at most; there will be another.
const LONGEST: Duration = Duration::from_secs(5);

/// How long it may take, at the least: the last look must be one.
const SHORTEST: Duration = Duration::from_millis(100);

/// So much of a reply is read; the rest says nothing about being ready.
const ENOUGH: u64 = 16 << 20;

/// What one request told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A reply.
    Reply {
        /// Its status.
        status: u16,
        /// Bytes of its body.
        bytes: u64,
    },
    /// Something listens, and speaks TLS: the engine will ask it.
    Listens,
    /// No reply, and whether the request went out all the same.
    Nothing {
        /// What happened, in words.
        why: String,
        /// The target may have logged it.
        sent: bool,
    },
}

/// A line that every store answers, whatever its settings: the engine asks
/// again, with the log-in.
fn ask_store(protocol: Protocol, mut stream: Box<dyn Stream>) -> Told {
    let question: &[u8] = match protocol {
        Protocol::Memcached => b"version\r\n",
        // Whether it speaks TLS: it says so before any log-in.
        Protocol::Postgres => &[0, 0, 0, 8, 4, 210, 22, 47],
        // It speaks first.
        Protocol::Mysql => b"",
        _ => b"PING\r\n",
    };
    let told = stream.write_all(question).and_then(|()| stream.read_exact(&mut [0; 1]));
    match told {
        Ok(()) => Told::Listens,
        Err(error) => Told::Nothing { why: talking(&error), sent: true },
    }
}

/// Asks for a path; `left` is what is left of the time to become ready.
pub(super) fn ask(url: &Url, path: &str, left: Duration) -> Told {
    let mut stream = match connect(url, left.clamp(SHORTEST, LONGEST)) {
        Ok(stream) => stream,
        Err(error) => return Told::Nothing { why: connecting(&error), sent: false },
    };
    if url.tls {
        return Told::Listens;
    }
    if url.protocol != Protocol::Http {
        return ask_store(url.protocol, stream);
    }
    let login = url.login.as_ref().map(authorization).unwrap_or_default();
    let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n{login}\r\n", url.host_header());
    if let Err(error) = stream.write_all(request.as_bytes()) {
        return Told::Nothing { why: talking(&error), sent: true };
    }
    let mut reply = Vec::new();
    let read = stream.take(ENOUGH).read_to_end(&mut reply);
    match (parse(&reply), read) {
        // A server that keeps the connection open all the same has answered.
        (Some((status, bytes, true)), _) | (Some((status, bytes, _)), Ok(_)) => {
            Told::Reply { status, bytes }
        }
        (_, Err(error)) => Told::Nothing { why: talking(&error), sent: true },
        (None, Ok(_)) => {
            let why = match reply.is_empty() {
                true => "it closed the connection without a reply",
                false => "it does not speak HTTP there",
            };
            Told::Nothing { why: why.to_owned(), sent: true }
        }
    }
}

trait Stream: Read + Write {}
impl Stream for TcpStream {}
impl Stream for UnixStream {}

fn connect(url: &Url, patience: Duration) -> io::Result<Box<dyn Stream>> {
    match &url.place {
        Place::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(patience))?;
            stream.set_write_timeout(Some(patience))?;
            Ok(Box::new(stream))
        }
        Place::Host { host, port } => {
            let nowhere = || io::Error::new(ErrorKind::NotFound, "the name has no address");
            let mut last = nowhere();
            for address in (host.as_str(), *port).to_socket_addrs()? {
                match TcpStream::connect_timeout(&address, patience) {
                    Ok(stream) => {
                        stream.set_read_timeout(Some(patience))?;
                        stream.set_write_timeout(Some(patience))?;
                        return Ok(Box::new(stream));
                    }
                    Err(error) => last = error,
                }
            }
            Err(last)
        }
        Place::Directory(_) | Place::Program(_) => Err(ErrorKind::Unsupported.into()),
    }
}

/// RFC 7617.
fn authorization(login: &Login) -> String {
    let pair = [login.user.as_slice(), b":", &login.password].concat();
    format!("Authorization: Basic {}\r\n", BASE64_STANDARD.encode(pair))
}

/// Status, bytes of body so far, and whether the length that it announced is
/// there.
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
        ErrorKind::NotFound => "its socket is not there".to_owned(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "it did not accept a connection".to_owned(),
        _ => format!("it cannot be reached: {error}"),
    }
}

fn talking(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "it did not answer".to_owned(),
        _ => "it reset the connection".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Asks a server that answers with these bytes and closes.
    fn told(reply: &'static [u8], url: &str) -> (Told, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut request = vec![0; 1000];
            let count = stream.read(&mut request).expect("a request");
            stream.write_all(reply).expect("it reads");
            String::from_utf8_lossy(&request[..count]).into_owned()
        });
        let url =
            Url::parse(&url.replace("PORT", &port.to_string())).unwrap_or_else(|e| panic!("{e}"));
        let told = ask(&url, "/x?y", LONGEST);
        (told, server.join().expect("served").replace(&port.to_string(), "PORT"))
    }

    #[test]
    fn replies_are_read() {
        let nothing = |why: &str| Told::Nothing { why: why.to_owned(), sent: true };
        for (reply, expected) in [
            (
                &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"[..],
                Told::Reply { status: 200, bytes: 2 },
            ),
            (b"HTTP/1.0 503 No\r\n\r\nlater", Told::Reply { status: 503, bytes: 5 }),
            (b"HTTP/1.1 204\r\n\r\n", Told::Reply { status: 204, bytes: 0 }),
            (b"", nothing("it closed the connection without a reply")),
            (b"HTTP/1.1 200 OK\r\n", nothing("it does not speak HTTP there")),
            (b"SSH-2.0-x\r\n\r\n\r\n", nothing("it does not speak HTTP there")),
        ] {
            assert_eq!(told(reply, "http://127.0.0.1:PORT/").0, expected);
        }
    }

    #[test]
    fn the_request_is_of_http_1_0_and_brings_the_login() {
        let (_, request) = told(b"HTTP/1.0 200 OK\r\n\r\n", "http://u:p@127.0.0.1:PORT/");
        assert_eq!(
            request,
            "GET /x?y HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Basic dTpw\r\n\r\n"
        );
    }

    #[test]
    fn one_that_never_answers_does_not_take_the_time_of_the_next_look() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("bound"));
        let url = Url::parse(&url).unwrap_or_else(|error| panic!("{error}"));
        let asked = std::thread::spawn(move || ask(&url, "/", Duration::ZERO));
        let (_silent, _) = listener.accept().expect("a client");
        let nothing = Told::Nothing { why: "it did not answer".to_owned(), sent: true };
        assert_eq!(asked.join().expect("it gives up"), nothing);
    }

    #[test]
    fn nobody_there_is_told_apart() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let url = |text: &str| Url::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let tls = url(&format!("https://127.0.0.1:{port}/"));
        assert_eq!(ask(&tls, "/", LONGEST), Told::Listens);
        drop(listener);
        let refused = Told::Nothing { why: "it refused the connection".to_owned(), sent: false };
        assert_eq!(ask(&tls, "/", LONGEST), refused);
        let missing = Told::Nothing { why: "its socket is not there".to_owned(), sent: false };
        assert_eq!(ask(&url("http+unix://%2Fno%2Fsocket/"), "/", LONGEST), missing);
    }
}
