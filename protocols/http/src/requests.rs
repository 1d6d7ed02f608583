//! A lane for HTTP/1.1 that sends the requests of a workload, which have parameters.
//!
//! A request is encoded in advance with placeholders in it; an operation copies it into a reused
//! buffer and fills the placeholders: percent-encoded in path and query, unchanged elsewhere.

use crate::reply::{is_expected, outcome};
use engine::codec_lane::{Dialogue, codec_lanes};
use engine::workload::{Argument, Arguments};
use engine::{Encoder, EngineError, MakeLane, Numbers, Seat, Task, Template, TlsAccess};
use protocol::RequestOperations;
use record::{DriveOrder, Kind, Moments, Outcome, Recorder, Workload};
use std::sync::Arc;
use wire::http1::{Http1, Limits, Op, Request};
use wire::{COPIED_BODY_BYTES, Fault, Reply};

/// Placeholder for the length of a body that is not known yet: no body is so long.
const LENGTH: u64 = 8_888_888_888_888_888_888;

/// A request that was encoded in advance.
#[derive(Clone)]
pub struct HttpRequest {
    line: Template,
    /// What precedes the length of the body, and what follows it; without a body everything
    /// precedes it.
    before: Template,
    after: Template,
    body: Body,
    head_only: bool,
}

#[derive(Clone)]
enum Body {
    None,
    /// A body without placeholders that is too long to be copied each time.
    Lent(Arc<[u8]>),
    Made(Template),
}

impl HttpRequest {
    /// Encodes a request in which names of parameters in braces are placeholders.
    ///
    /// # Errors
    /// See [`Request::encode`].
    pub fn new<'n>(
        request: &Request<'_>,
        body: Option<&str>,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<HttpRequest, Fault> {
        let length = body.map(|_| LENGTH);
        let head = Request { body_len: length, ..*request }.encode()?;
        // Names and values of headers may be any bytes, but placeholders are text.
        let head = String::from_utf8_lossy(&head).into_owned();
        let line_ends = head.find("\r\n").unwrap_or(head.len());
        let (line, headers) = head.split_at(line_ends);
        let length = format!("\r\nContent-Length: {LENGTH}");
        let (before, after) = match headers.find(&length).filter(|_| body.is_some()) {
            Some(at) => {
                let begins = at + "\r\nContent-Length: ".len();
                (&headers[..begins], &headers[at + length.len()..])
            }
            None => (headers, ""),
        };
        let template = |text: &str| Template::new(&[text.to_owned()], names.clone());
        let body = body.map(|text| (text, template(text)));
        Ok(HttpRequest {
            line: template(line),
            before: template(before),
            after: template(after),
            body: match body {
                None => Body::None,
                Some((text, made)) if made.is_fixed() && text.len() > COPIED_BODY_BYTES => {
                    Body::Lent(text.as_bytes().into())
                }
                Some((_, made)) => Body::Made(made),
            },
            head_only: request.method == "HEAD",
        })
    }

    /// Writes the request; a body that is not lent follows the head.
    fn write(&self, with: &Arguments, body: &mut Vec<u8>, to: &mut Vec<u8>) {
        to.clear();
        body.clear();
        let as_it_is = |index: usize, to: &mut Vec<u8>| with.get(index).write(to);
        self.line.fill(to, |index, to| percent(with.get(index), to), |_| {});
        self.before.fill(to, as_it_is, |_| {});
        match &self.body {
            Body::None => {}
            Body::Lent(lent) => wire::push_decimal(to, lent.len() as u64),
            Body::Made(made) => {
                made.fill(body, as_it_is, |_| {});
                wire::push_decimal(to, body.len() as u64);
            }
        }
        self.after.fill(to, as_it_is, |_| {});
        to.extend_from_slice(body);
    }
}

/// Appends an argument as part of a path or a query (RFC 3986, 2.3): no character in it can end
/// either.
fn percent(of: Argument<'_>, to: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let bytes = match of {
        Argument::Integer(_) => return of.write(to),
        Argument::Text(bytes) | Argument::Bytes(bytes) => bytes,
    };
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            to.push(byte)
        } else {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
            to.extend_from_slice(&[b'%', high, low]);
        }
    }
}

struct Requests {
    each: Vec<HttpRequest>,
    expect: Vec<u16>,
    encoder: Encoder,
    numbers: Numbers,
    worker: usize,
    body: Vec<u8>,
    bytes: Vec<u8>,
}

impl Requests {
    fn new(
        expect: Vec<u16>,
        requests: RequestOperations<HttpRequest>,
        workload: &Workload,
        seed: u64,
        seat: &Seat,
    ) -> Result<Requests, EngineError> {
        let known = |kind: Kind| matches!(kind, Kind::Custom(number) if (number as usize) < requests.each.len());
        if !workload.mix.iter().all(|share| known(share.kind)) {
            let why = "the workload of a web server must consist of HTTP requests";
            return Err(EngineError::order(why));
        }
        let encoder = Encoder::new(workload, seed, seat.workers, Task::Drive)?;
        Ok(Requests {
            encoder: encoder.with_feeds(&requests.feeds)?,
            each: requests.each,
            expect,
            numbers: requests.numbers,
            worker: seat.worker,
            body: Vec::new(),
            bytes: Vec::new(),
        })
    }
}

impl Dialogue for Requests {
    type Codec = Http1;
    /// The operation's share of the mix.
    type Memo = u32;

    fn codec(&self, _depth: u32) -> Http1 {
        Http1::new(Limits::default())
    }

    fn first(&self, seat: &Seat) -> u64 {
        self.numbers.next(seat.worker)
    }

    fn closes(&mut self, next: u64) {
        self.numbers.keep(self.worker, next);
    }

    #[inline]
    fn operation(&mut self, _codec: &Http1, number: u64, share: &mut u32) -> Op<'_> {
        let drawn = self.encoder.drawn(number);
        *share = drawn.share;
        let Kind::Custom(which) = drawn.kind else { unreachable!("refused when it was made") };
        let request = &self.each[which as usize];
        let parts = self.encoder.parts(&drawn);
        request.write(parts.arguments, &mut self.body, &mut self.bytes);
        let body = match &request.body {
            Body::Lent(lent) => Some(lent),
            Body::None | Body::Made(_) => None,
        };
        Op { head: &self.bytes, body, head_only: request.head_only }
    }

    /// Bodies differ between requests, so they are not digested.
    fn piece(&self, _number: u64, _share: &mut u32, _item: u32, _piece: &[u8]) {}

    fn is_failure(&self, code: u16) -> bool {
        !is_expected(&self.expect, code)
    }

    #[inline]
    fn outcome(
        &mut self,
        _number: u64,
        at: &Moments,
        share: &mut u32,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Outcome> {
        let outcome = outcome(&self.expect, reply);
        seen.replied_of_kind(*share, at, outcome, None);
        Some(outcome)
    }

    fn lost(&self, number: u64, _share: &u32, at: Option<&Moments>, seen: &mut Recorder) {
        // The operation is drawn again because one that was never sent has no share yet.
        seen.lost_of_kind(self.encoder.drawn(number).share, at, None);
    }
}

/// Returns the lanes of one contender, one for each worker.
pub(crate) fn lanes(
    order: &DriveOrder,
    contender: usize,
    (expect, tls): (Vec<u16>, Option<&TlsAccess>),
    requests: &RequestOperations<HttpRequest>,
    workload: &Workload,
) -> Vec<MakeLane> {
    let (requests, workload, seed) = (requests.clone(), workload.clone(), order.seed);
    codec_lanes(order, contender, tls, move |seat| {
        Requests::new(expect.clone(), requests.clone(), &workload, seed, seat)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::{FeedRows, Feeds, preset};
    use record::{Custom, CustomOperation, Feed, FeedOrder, OperationText, Parameter, Share};

    /// Returns the text of each of the first requests.
    fn written(request: &Request<'_>, body: Option<&str>, cells: &[&str]) -> Vec<String> {
        let from = |column: &str| record::Generator::Feed {
            feed: "f".to_owned(),
            column: column.to_owned(),
        };
        let parameters = [("of", from("c")), ("n", "seq(7)".parse().expect("a generator"))];
        let parameters = parameters.map(|(name, from)| Parameter { name: name.to_owned(), from });
        let says = OperationText::Command(Vec::new());
        let name = "r".to_owned();
        let custom = Custom {
            operations: vec![CustomOperation { name, parameters: parameters.to_vec(), says }],
            feeds: vec![Feed {
                name: "f".to_owned(),
                file: String::new(),
                columns: vec!["c".to_owned()],
                rows: cells.len() as u64,
                order: FeedOrder::Sequential,
                hash: String::new(),
            }],
            ..Custom::default()
        };
        let mix = vec![Share { kind: Kind::Custom(0), weight: 1.0 }];
        let workload = Workload { custom, mix, ..preset("kv").expect("a preset") };
        let mut rows = FeedRows::new(1);
        cells.iter().for_each(|cell| rows.push(cell.as_bytes()));
        let encoder = Encoder::new(&workload, 1, 1, Task::Drive).expect("sound");
        let mut encoder = encoder.with_feeds(&Feeds::new(vec![rows])).expect("its feeds");
        let made = HttpRequest::new(request, body, ["of", "n"].into_iter());
        let made = made.unwrap_or_else(|fault| panic!("{}", fault.0));
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut text = |n| {
            let drawn = encoder.drawn(n);
            made.write(encoder.parts(&drawn).arguments, &mut body, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        (0..cells.len() as u64).map(&mut text).collect()
    }

    fn request<'a>(
        method: &'a str,
        path: &'a str,
        headers: &'a [(String, Vec<u8>)],
    ) -> Request<'a> {
        Request { method, path, host: "h", headers, body_len: None }
    }

    #[test]
    fn places_are_percent_encoded_in_path_and_query_alone() {
        let headers = [("X-Of".to_owned(), b"<{of}>".to_vec())];
        let got =
            written(&request("GET", "/a/{of}?n={n}&q={of}", &headers), None, &["a b/?\u{e9}"]);
        assert_eq!(
            got[0],
            "GET /a/a%20b%2F%3F%C3%A9?n=7&q=a%20b%2F%3F%C3%A9 HTTP/1.1\r\nHost: h\r\nUser-Agent: \
             tiebreak\r\nX-Of: <a b/?\u{e9}>\r\n\r\n"
        );
        let smuggled = written(&request("GET", "/{of}", &[]), None, &["x HTTP/1.1\r\nEvil: 1"]);
        assert!(smuggled[0].starts_with("GET /x%20HTTP%2F1.1%0D%0AEvil%3A%201 HTTP/1.1\r\nHost"));
    }

    #[test]
    fn the_length_is_that_of_each_body() {
        let got = written(&request("POST", "/", &[]), Some("{\"of\":\"{of}\"}"), &["", "abcdefgh"]);
        for (text, length) in got.iter().zip([9, 17]) {
            let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
            assert_eq!(body.len(), length, "{text}");
            assert!(head.contains(&format!("\r\nContent-Length: {length}")), "{head}");
        }
        let fixed = "x".repeat(COPIED_BODY_BYTES + 1);
        let lent = written(&request("PUT", "/{n}", &[]), Some(&fixed), &["", ""]);
        assert!(lent[1].starts_with("PUT /8 HTTP/1.1\r\n") && lent[1].ends_with("\r\n\r\n"));
        assert!(lent[1].contains(&format!("Content-Length: {}\r\n", fixed.len())), "{}", lent[1]);
    }
}
