//! Parses just enough of HTTP/1 to find the end of a request. It is separate on purpose: a test
//! server that shared the codec under test would share its mistakes.

use super::behaviour::PathService;

/// Longest head that is read.
const MAX_HEAD: usize = 16 * 1024;

/// A complete request, body included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// HEAD: the reply has no body.
    pub(super) head_only: bool,
    /// What happens to the connection after the reply.
    pub(super) persist: Persist,
    /// Which of the paths with a service time of their own it is for.
    pub(super) path: Option<usize>,
}

/// What happens to the connection after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persist {
    /// It stays open, the default of HTTP/1.1.
    Implied,
    /// It stays open, and the reply must say so (requested by HTTP/1.0).
    KeepAlive,
    /// It is closed.
    Close,
}

/// Why a request was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// It breaks the grammar.
    Malformed,
    /// Its head is longer than 16 KiB.
    TooLarge,
    /// Its body is chunked.
    Unsupported,
}

impl Bad {
    pub(super) fn status(self) -> u16 {
        match self {
            Bad::Malformed => 400,
            Bad::TooLarge => 431,
            Bad::Unsupported => 501,
        }
    }
}

/// Turns received bytes into requests.
#[derive(Debug, Default)]
pub(super) struct Parser {
    bytes: Vec<u8>,
    /// Bytes before this are done with.
    at: usize,
    /// No end of a head starts before this.
    searched: usize,
    /// A request whose body is incomplete, and how much of it is missing.
    in_body: Option<(Request, u64)>,
}

impl Parser {
    /// Adds received bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.searched = self.searched.saturating_sub(self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next request that is complete. After an error the connection is
    /// unusable.
    pub(super) fn next(&mut self, paths: &[PathService]) -> Option<Result<Request, Bad>> {
        if self.in_body.is_none() {
            match self.head(paths)? {
                Ok(begun) => self.in_body = Some(begun),
                Err(bad) => return Some(Err(bad)),
            }
        }
        let (request, left) = self.in_body.as_mut()?;
        let here = usize::try_from(*left).unwrap_or(usize::MAX).min(self.bytes.len() - self.at);
        self.at += here;
        *left -= here as u64;
        if *left > 0 {
            return None;
        }
        let request = *request;
        self.in_body = None;
        Some(Ok(request))
    }

    /// The next head, and the length of the body that follows it.
    fn head(&mut self, paths: &[PathService]) -> Option<Result<(Request, u64), Bad>> {
        // RFC 9112, 2.2: empty lines before a request are skipped.
        while self.bytes[self.at..].starts_with(b"\r\n") {
            self.at += 2;
        }
        let from = self.searched.max(self.at);
        let Some(found) = self.bytes[from..].windows(4).position(|four| four == b"\r\n\r\n") else {
            self.searched = self.bytes.len().saturating_sub(3);
            let too_large = self.bytes.len() - self.at > MAX_HEAD;
            return too_large.then_some(Err(Bad::TooLarge));
        };
        let head = &self.bytes[self.at..from + found];
        let parsed =
            if head.len() > MAX_HEAD { Err(Bad::TooLarge) } else { parse_head(head, paths) };
        self.at = from + found + 4;
        Some(parsed)
    }
}

fn parse_head(head: &[u8], paths: &[PathService]) -> Result<(Request, u64), Bad> {
    let (first, rest) = match head.windows(2).position(|two| two == b"\r\n") {
        Some(end) => (&head[..end], &head[end + 2..]),
        None => (head, &head[..0]),
    };
    let mut words = first.split(|byte| *byte == b' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    let method = method.filter(|m| !m.is_empty() && m.iter().all(u8::is_ascii_uppercase));
    let http10 = match version {
        Some(b"HTTP/1.1") => false,
        Some(b"HTTP/1.0") => true,
        _ => return Err(Bad::Malformed),
    };
    let target = target.filter(|target| !target.is_empty()).ok_or(Bad::Malformed)?;
    if words.next().is_some() {
        return Err(Bad::Malformed);
    }
    let path = target.split(|byte| *byte == b'?').next();
    let path = paths.iter().position(|own| path == Some(own.path.as_bytes()));
    let head_only = method.ok_or(Bad::Malformed)? == b"HEAD";
    let fields = Fields::read(rest)?;
    let persist = match (http10, fields.close, fields.keep_alive) {
        (_, true, _) | (true, false, false) => Persist::Close,
        (true, false, true) => Persist::KeepAlive,
        (false, false, _) => Persist::Implied,
    };
    Ok((Request { head_only, persist, path }, fields.length.unwrap_or(0)))
}

/// The header fields that matter here.
#[derive(Default)]
struct Fields {
    length: Option<u64>,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn read(lines: &[u8]) -> Result<Self, Bad> {
        let mut fields = Fields::default();
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for line in lines {
            let colon = line.iter().position(|byte| *byte == b':').ok_or(Bad::Malformed)?;
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.is_empty() || name.iter().any(u8::is_ascii_whitespace) {
                return Err(Bad::Malformed);
            }
            if name.eq_ignore_ascii_case(b"content-length") {
                let length = number(value).ok_or(Bad::Malformed)?;
                if fields.length.is_some_and(|before| before != length) {
                    return Err(Bad::Malformed);
                }
                fields.length = Some(length);
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                return Err(Bad::Unsupported);
            } else if name.eq_ignore_ascii_case(b"connection") {
                for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    fields.close |= option.eq_ignore_ascii_case(b"close");
                    fields.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
        }
        Ok(fields)
    }
}

/// Parses digits only: `parse` alone would accept a sign.
fn number(digits: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], step: usize) -> Vec<Result<Request, Bad>> {
        let mut parser = Parser::default();
        let mut requests = Vec::new();
        for piece in input.chunks(step) {
            parser.feed(piece);
            while let Some(request) = parser.next(&[]) {
                requests.push(request);
                if request.is_err() {
                    return requests;
                }
            }
        }
        requests
    }

    const STAYS: Result<Request, Bad> = read_as(false, Persist::Implied);
    const CLOSES: Result<Request, Bad> = read_as(false, Persist::Close);
    const SAID: Result<Request, Bad> = read_as(false, Persist::KeepAlive);
    const HEAD: Result<Request, Bad> = read_as(true, Persist::Implied);

    const fn read_as(head_only: bool, persist: Persist) -> Result<Request, Bad> {
        Ok(Request { head_only, persist, path: None })
    }

    #[test]
    fn requests_in_whatever_pieces() {
        type Case<'a> = (&'a str, &'a [Result<Request, Bad>]);
        let cases: &[Case] = &[
            ("", &[]),
            ("GET / HTTP/1.1\r\nHost: x\r\n", &[]),
            ("GET / HTTP/1.1\r\n\r\n", &[STAYS]),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", &[STAYS]),
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", &[STAYS]),
            ("HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET", &[HEAD, STAYS]),
            ("GET / HTTP/1.0\r\n\r\n", &[CLOSES]),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", &[SAID]),
            ("GET / HTTP/1.1\r\nconnection: foo ,CLOSE\r\n\r\n", &[CLOSES]),
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n1234", &[]),
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345", &[STAYS]),
            (
                "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345\r\nHEAD / HTTP/1.1\r\n\r\n",
                &[STAYS, HEAD],
            ),
            (
                "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n\r\n\r\nHEAD / HTTP/1.1\r\n\r\n",
                &[STAYS, HEAD],
            ),
            ("POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", &[STAYS]),
            (
                "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                &[Err(Bad::Malformed)],
            ),
            ("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", &[Err(Bad::Malformed)]),
            (
                "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                &[Err(Bad::Malformed)],
            ),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", &[Err(Bad::Unsupported)]),
            ("GET / HTTP/2\r\n\r\n", &[Err(Bad::Malformed)]),
            ("GET  HTTP/1.1\r\n\r\n", &[Err(Bad::Malformed)]),
            ("GET /a b HTTP/1.1\r\n\r\n", &[Err(Bad::Malformed)]),
            ("get / HTTP/1.1\r\n\r\n", &[Err(Bad::Malformed)]),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", &[Err(Bad::Malformed)]),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", &[Err(Bad::Malformed)]),
            ("\x16\x03\x01\r\n\r\n", &[Err(Bad::Malformed)]),
        ];
        for (input, expected) in cases {
            for step in [1, 2, 7, 16 * 1024] {
                assert_eq!(read(input.as_bytes(), step), *expected, "{input:?} by {step}");
            }
        }
    }

    #[test]
    fn a_head_has_a_limit_and_a_body_has_none() {
        let endless = vec![b'x'; MAX_HEAD + 1];
        assert_eq!(read(&endless, 1000), [Err(Bad::TooLarge)]);
        let long = [b"GET /".as_slice(), &endless, b" HTTP/1.1\r\n\r\n"].concat();
        assert_eq!(read(&long, 1 << 20), [Err(Bad::TooLarge)]);

        let mut parser = Parser::default();
        parser.feed(b"POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n");
        for _ in 0..1000 {
            assert_eq!(parser.next(&[]), None);
            parser.feed(&[b'x'; 10_000]);
        }
        assert!(parser.bytes.len() <= 10_000, "the body is not gathered");
        assert_eq!(parser.next(&[]), Some(STAYS));
    }

    #[test]
    fn the_path_is_compared_whole_and_without_its_query() {
        let paths = ["/a", "/b"]
            .map(|path| PathService { path: path.to_owned(), service: std::time::Duration::ZERO });
        let cases = [
            ("/b", Some(1)),
            ("/b?x=1", Some(1)),
            ("/a", Some(0)),
            ("/", None),
            ("/bb", None),
            ("/b/", None),
            ("/c?/b", None),
        ];
        for (target, expected) in cases {
            let mut parser = Parser::default();
            parser.feed(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes());
            let path = parser.next(&paths).map(|request| request.map(|request| request.path));
            assert_eq!(path, Some(Ok(expected)), "{target}");
        }
    }
}
