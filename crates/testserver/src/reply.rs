//! The bytes of replies.

use super::behaviour::{Behaviour, Body, Framing};
use super::request::Persist;
use engine::random::Random;
use std::fmt::Write as _;
use std::sync::Arc;

/// Largest chunk of a chunked body. Smaller bodies are cut in two, so that a
/// client never sees a chunked body of one chunk (except of one byte).
const MAX_CHUNK: usize = 16 * 1024;

/// What is sent instead of HTTP.
pub(super) const GARBAGE: &[u8] = b"\x16\x03\x01\x00This is not HTTP.\r\n\r\n";

/// What a head depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) status: u16,
    pub(super) persist: Persist,
    pub(super) head_only: bool,
}

/// Head and body of a reply as they are sent, framing included.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) head: Arc<[u8]>,
    pub(super) body: Arc<[u8]>,
}

/// Writes replies. Heads are written once for each form, and the body is
/// shared: a reply costs no copy.
pub(super) struct Replies {
    seed: u64,
    framing: Framing,
    header_bytes: usize,
    random: Option<usize>,
    length: usize,
    framed: Arc<[u8]>,
    nothing: Arc<[u8]>,
    heads: Vec<(Form, Arc<[u8]>)>,
}

impl Replies {
    pub(super) fn new(behaviour: &Behaviour) -> Self {
        let (random, body) = match &behaviour.body {
            Body::Page(length) => (None, page(*length).into()),
            Body::Bytes(bytes) => (None, Arc::clone(bytes)),
            Body::Random(length) => (Some(*length), letters(behaviour.seed, 0, *length).into()),
        };
        Replies {
            seed: behaviour.seed,
            framing: behaviour.framing,
            header_bytes: behaviour.header_bytes,
            random,
            length: body.len(),
            framed: framed(behaviour.framing, body),
            nothing: Arc::from([]),
            heads: Vec::new(),
        }
    }

    /// The reply to request `number`.
    pub(super) fn reply(&mut self, number: u64, form: Form) -> Reply {
        let body = if form.head_only || without_body(form.status) {
            Arc::clone(&self.nothing)
        } else if let Some(length) = self.random {
            framed(self.framing, letters(self.seed, number, length).into())
        } else {
            Arc::clone(&self.framed)
        };
        Reply { head: self.head(form), body }
    }

    fn head(&mut self, form: Form) -> Arc<[u8]> {
        if let Some((_, head)) = self.heads.iter().find(|(written, _)| *written == form) {
            return Arc::clone(head);
        }
        let head: Arc<[u8]> = self.written(form).into_bytes().into();
        self.heads.push((form, Arc::clone(&head)));
        head
    }

    fn written(&self, form: Form) -> String {
        let mut head = write_head(form, self.framing, self.length);
        // Before the empty line that ends it.
        head.truncate(head.len() - 2);
        head.push_str(&padding(self.header_bytes));
        head.push_str("\r\n");
        head
    }
}

/// Header lines of this many bytes together, rounded to full lines.
fn padding(bytes: usize) -> String {
    const LINE: usize = 64;
    let name = "X-Padding: ";
    let line = format!("{name}{}\r\n", "x".repeat(LINE - name.len() - 2));
    line.repeat(bytes / LINE)
}

/// RFC 9110, 6.4.1: the final statuses that never have a body.
fn without_body(status: u16) -> bool {
    matches!(status, 204 | 304)
}

fn write_head(form: Form, framing: Framing, length: usize) -> String {
    let Form { status, persist, .. } = form;
    let version = if framing == Framing::Http10 { "1.0" } else { "1.1" };
    let mut head =
        format!("HTTP/{version} {status} {}\r\nServer: tiebreak-testserver\r\n", reason(status));
    if !without_body(status) {
        head.push_str("Content-Type: text/html\r\n");
        match framing {
            // Writing to a String cannot fail.
            Framing::Length => drop(write!(head, "Content-Length: {length}\r\n")),
            Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
            Framing::Http10 => {}
        }
    }
    match (framing, persist) {
        (Framing::Http10, _) | (_, Persist::Implied) => {}
        (_, Persist::KeepAlive) => head.push_str("Connection: keep-alive\r\n"),
        (_, Persist::Close) => head.push_str("Connection: close\r\n"),
    }
    head.push_str("\r\n");
    head
}

/// Reason phrases of the usual statuses; RFC 9112 allows none.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        400 => "Bad Request",
        404 => "Not Found",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "",
    }
}

/// A page of `length` bytes: HTML, if that is long enough.
pub(super) fn page(length: usize) -> Vec<u8> {
    const OPENS: &[u8] = b"<html><body>";
    const CLOSES: &[u8] = b"</body></html>";
    match length.checked_sub(OPENS.len() + CLOSES.len()) {
        Some(filling) => [OPENS, &vec![b'x'; filling], CLOSES].concat(),
        None => vec![b'x'; length],
    }
}

fn letters(seed: u64, number: u64, length: usize) -> Vec<u8> {
    let mut random = Random::new(seed, number);
    let words = std::iter::repeat_with(move || random.next().to_le_bytes());
    let bytes = words.flatten().take(length);
    bytes.map(|byte| b'a' + byte % 26).collect()
}

fn framed(framing: Framing, body: Arc<[u8]>) -> Arc<[u8]> {
    if framing != Framing::Chunked {
        return body;
    }
    let mut bytes = Vec::with_capacity(body.len() + 64);
    for chunk in body.chunks(body.len().div_ceil(2).clamp(1, MAX_CHUNK)) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(status: u16, persist: Persist) -> Form {
        Form { status, persist, head_only: false }
    }

    fn written(behaviour: &Behaviour, form: Form) -> String {
        let reply = Replies::new(behaviour).reply(1, form);
        String::from_utf8([&*reply.head, &*reply.body].concat()).expect("text")
    }

    #[test]
    fn the_default_page_is_87_bytes() {
        let reply = written(&Behaviour::default(), form(200, Persist::Implied));
        let expected = format!(
            "HTTP/1.1 200 OK\r\nServer: tiebreak-testserver\r\nContent-Type: text/html\r\n\
             Content-Length: 87\r\n\r\n<html><body>{}</body></html>",
            "x".repeat(61)
        );
        assert_eq!(reply, expected);
    }

    #[test]
    fn forms() {
        let server = "Server: tiebreak-testserver\r\n";
        let html = "Content-Type: text/html\r\n";
        let with = |framing| Behaviour { framing, body: Body::Page(5), ..Behaviour::default() };
        let cases = [
            (
                Framing::Length,
                form(404, Persist::Close),
                format!(
                    "HTTP/1.1 404 Not Found\r\n{server}{html}Content-Length: 5\r\n\
                     Connection: close\r\n\r\nxxxxx"
                ),
            ),
            (
                Framing::Length,
                form(299, Persist::KeepAlive),
                format!(
                    "HTTP/1.1 299 \r\n{server}{html}Content-Length: 5\r\n\
                     Connection: keep-alive\r\n\r\nxxxxx"
                ),
            ),
            (
                Framing::Length,
                form(204, Persist::Implied),
                format!("HTTP/1.1 204 No Content\r\n{server}\r\n"),
            ),
            (
                Framing::Length,
                Form { head_only: true, ..form(200, Persist::Implied) },
                format!("HTTP/1.1 200 OK\r\n{server}{html}Content-Length: 5\r\n\r\n"),
            ),
            (
                Framing::Chunked,
                form(200, Persist::Implied),
                format!(
                    "HTTP/1.1 200 OK\r\n{server}{html}Transfer-Encoding: chunked\r\n\r\n\
                     3\r\nxxx\r\n2\r\nxx\r\n0\r\n\r\n"
                ),
            ),
            (
                Framing::Http10,
                form(200, Persist::Close),
                format!("HTTP/1.0 200 OK\r\n{server}{html}\r\nxxxxx"),
            ),
        ];
        for (framing, form, expected) in cases {
            assert_eq!(written(&with(framing), form), expected);
        }
    }

    #[test]
    fn lengths_of_pages() {
        for length in [0, 1, 25, 26, 27, 87, 100_000] {
            assert_eq!(page(length).len(), length);
            assert_eq!(letters(1, 1, length).len(), length);
        }
    }

    #[test]
    fn random_bodies_differ_and_can_be_repeated() {
        let behaviour = Behaviour { body: Body::Random(100), ..Behaviour::default() };
        let body =
            |number| Replies::new(&behaviour).reply(number, form(200, Persist::Implied)).body;
        assert_eq!(body(1), body(1));
        assert_ne!(body(1), body(2));
        assert_eq!(body(2).len(), 100);
    }
}
