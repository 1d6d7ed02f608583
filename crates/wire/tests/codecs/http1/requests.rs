//! Requests: what is written, what is refused, and that nothing is injected.

use proptest::prelude::*;
use wire::Fault;
use wire::http1::{Request, faults};

type Headers = Vec<(String, Vec<u8>)>;

fn headers(list: &[(&str, &str)]) -> Headers {
    list.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect()
}

fn encode(method: &str, given: &[(&str, &str)], body_len: Option<u64>) -> Result<String, Fault> {
    let headers = headers(given);
    let request = Request { method, path: "/p?q=1", host: "h:81", headers: &headers, body_len };
    Ok(String::from_utf8(request.encode()?).unwrap())
}

#[test]
fn what_is_written() {
    let host = "Host: h:81\r\n";
    let agent = "User-Agent: tiebreak\r\n";
    for (method, given, body_len, expected) in [
        ("GET", &[][..], None, format!("{host}{agent}")),
        ("HEAD", &[], None, format!("{host}{agent}")),
        ("GET", &[], Some(3), format!("{host}{agent}Content-Length: 3\r\n")),
        ("POST", &[], None, format!("{host}{agent}Content-Length: 0\r\n")),
        ("PUT", &[], None, format!("{host}{agent}Content-Length: 0\r\n")),
        ("PATCH", &[], Some(0), format!("{host}{agent}Content-Length: 0\r\n")),
        ("DELETE", &[], None, format!("{host}{agent}")),
        (
            "POST",
            &[],
            Some(u64::MAX),
            format!("{host}{agent}Content-Length: 18446744073709551615\r\n"),
        ),
        ("GET", &[("host", "other")], None, format!("{agent}host: other\r\n")),
        ("GET", &[("USER-AGENT", "x")], None, format!("{host}USER-AGENT: x\r\n")),
        ("GET", &[("X", "")], None, format!("{host}{agent}X: \r\n")),
        ("GET", &[("A", "1"), ("A", "2")], None, format!("{host}{agent}A: 1\r\nA: 2\r\n")),
        // The length of the body is written once, by the codec.
        (
            "PUT",
            &[("content-length", " 7 ")],
            Some(7),
            format!("{host}{agent}Content-Length: 7\r\n"),
        ),
        ("GET", &[("Content-Length", "0")], None, format!("{host}{agent}Content-Length: 0\r\n")),
    ] {
        let written = encode(method, given, body_len);
        assert_eq!(written, Ok(format!("{method} /p?q=1 HTTP/1.1\r\n{expected}\r\n")));
    }
}

#[test]
fn values_keep_their_bytes() {
    let headers: Headers = vec![("X".into(), b"\x80\xff\ta b".to_vec())];
    let request =
        Request { method: "GET", path: "*", host: "[::1]:80", headers: &headers, body_len: None };
    let expected =
        b"GET * HTTP/1.1\r\nHost: [::1]:80\r\nUser-Agent: tiebreak\r\nX: \x80\xff\ta b\r\n\r\n";
    assert_eq!(
        request.encode().unwrap().escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
}

#[test]
fn what_is_refused() {
    let refused =
        |given: &[(&str, &str)], fault| assert_eq!(encode("GET", given, None), Err(fault));
    refused(&[("Host", "a"), ("HOST", "a")], faults::TWO_HOSTS);
    refused(&[("Transfer-Encoding", "chunked")], faults::ASKED_CODING);
    for length in ["1", "", "-0", "+0", "0, 0", "0x0", "x"] {
        refused(&[("Content-Length", length)], faults::ASKED_LENGTH);
    }
    for name in ["", "a b", "a:", "a\r", "a\n", "\u{e9}", "a\0", "(a)"] {
        refused(&[(name, "x")], faults::HEADER_NAME);
    }
    for value in ["a\r\nB: c", "a\n", "\r", "\0", "\x0b", "\x1b[0m", "\x7f"] {
        refused(&[("X", value)], faults::HEADER_VALUE);
    }
    assert_eq!(encode("CONNECT", &[], None), Err(faults::CONNECT));
}

/// Tries every byte in the middle of each part of a request.
#[test]
fn every_byte_in_every_place() {
    let none = Headers::new();
    let allowed = |tell: &dyn Fn(&str) -> Result<Vec<u8>, Fault>| -> Vec<u8> {
        (0..128).filter(|byte| tell(&char::from(*byte).to_string()).is_ok()).collect()
    };
    let request = |method: &str, path: &str, host: &str| {
        Request { method, path, host, headers: &none, body_len: None }.encode()
    };
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let methods = allowed(&|byte| request(&format!("G{byte}T"), "/", "h"));
    assert_eq!(methods, (0..128).filter(token).collect::<Vec<u8>>());
    let paths = allowed(&|byte| request("GET", &format!("/a{byte}b"), "h"));
    assert_eq!(paths, (b'!'..=b'~').filter(|byte| *byte != b'#').collect::<Vec<u8>>());
    let hosts = allowed(&|byte| request("GET", "/", &format!("a{byte}b")));
    assert!(hosts.iter().all(|byte| byte.is_ascii_graphic()));
    assert!(b"/?#@\\,\"<>".iter().all(|byte| !hosts.contains(byte)));
    assert!(b"azAZ09.-_:[]%".iter().all(|byte| hosts.contains(byte)));
    assert_eq!(request("", "/", "h"), Err(faults::METHOD));
    assert_eq!(request("GET", "/\u{e9}", "h"), Err(faults::PATH));
    for path in ["", "a", "http://h/", "**", "?q"] {
        assert_eq!(request("GET", path, "h"), Err(faults::PATH));
    }
    assert_eq!(request("GET", "/", ""), Err(faults::HOST));
    assert_eq!(request("GET", "/", "\u{e9}"), Err(faults::HOST));
}

/// Mostly what was requested; otherwise text in which the bytes that matter are
/// frequent.
fn mostly(right: &'static str) -> impl Strategy<Value = String> {
    let byte = prop_oneof![
        6 => (b'!'..=b'~').prop_map(char::from),
        1 => prop::sample::select(vec!['\r', '\n', '\0', ' ', '\t', ':', ',', '\u{7f}', '\u{e9}']),
    ];
    prop_oneof![
        4 => right,
        1 => prop::collection::vec(byte, 0..12).prop_map(String::from_iter),
    ]
}

proptest! {
    /// Whatever is given: it is refused, or a server's parser reads back one
    /// request with just that.
    #[test]
    fn nothing_is_injected(
        method in mostly("GET|POST|[A-Z]{1,5}"),
        path in mostly("[!-~]{0,8}"),
        host in mostly("[a-z0-9.:]{1,8}"),
        given in prop::collection::vec(
            (mostly("X-[a-z]{0,3}|Host|User-Agent|Content-Length"), mostly("0|[ -~\t\u{e9}]{0,9}")),
            0..3,
        ),
        body_len in prop::option::of(0u64..3),
    ) {
        let path = format!("/{path}");
        let headers: Headers = given.into_iter().map(|(n, v)| (n, v.into_bytes())).collect();
        let request =
            Request { method: &method, path: &path, host: &host, headers: &headers, body_len };
        if let Ok(head) = request.encode() {
            reads_back(&request, &head);
        }
    }
}

fn reads_back(request: &Request<'_>, head: &[u8]) {
    let mut room = [httparse::EMPTY_HEADER; 16];
    let mut read = httparse::Request::new(&mut room);
    assert_eq!(read.parse(head), Ok(httparse::Status::Complete(head.len())));
    assert_eq!((read.method, read.path), (Some(request.method), Some(request.path)));
    let given =
        |name: &str| request.headers.iter().any(|header| header.0.eq_ignore_ascii_case(name));
    let mut expected = Vec::new();
    if !given("host") {
        expected.push(("Host", request.host.as_bytes().to_vec()));
    }
    if !given("user-agent") {
        expected.push(("User-Agent", b"tiebreak".to_vec()));
    }
    let expects_body = matches!(request.method, "POST" | "PUT" | "PATCH");
    if let Some(length) =
        request.body_len.or((expects_body || given("content-length")).then_some(0))
    {
        expected.push(("Content-Length", length.to_string().into_bytes()));
    }
    for (name, value) in request.headers {
        if !name.eq_ignore_ascii_case("content-length") {
            expected.push((name, value.trim_ascii().to_vec()));
        }
    }
    let read: Vec<_> =
        read.headers.iter().map(|header| (header.name, header.value.to_vec())).collect();
    assert_eq!(read, expected);
}
