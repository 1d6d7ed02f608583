//! The parts of requests that are redacted in the log of a target: servers log the query of an
//! address, and some log whole requests.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use protocol::Family;
use protocol::address::Url;

/// The shortest part of a header's value, such as the token after `Bearer`, that is redacted by
/// itself. Shorter parts can be ordinary words.
const SHORTEST_PART: usize = 8;

/// The longest body that is redacted. Servers do not log longer ones unchanged.
const LONGEST_BODY: usize = 4096;

/// The login and the query of an address, as they are in the request and as a server may
/// decode them.
pub(super) fn of_address(url: &Url) -> Vec<String> {
    let mut hidden = Vec::new();
    if let Some(login) = &url.login {
        let pair = [login.user.as_slice(), b":", &login.password].concat();
        hidden.push(BASE64_STANDARD.encode(pair));
        // In HTTP a name without a password is a token; elsewhere it is only a name.
        let in_header = matches!(url.protocol.family, Family::Requests(_) | Family::Messages(_));
        let is_token = login.password.is_empty() && in_header;
        let secret = if is_token { &login.user } else { &login.password };
        hidden.push(String::from_utf8_lossy(secret).into_owned());
    }
    for value in url.query_values() {
        hidden.push(value.decoded);
        hidden.push(value.written);
    }
    hidden.retain(|hidden| !hidden.is_empty());
    hidden.sort();
    hidden.dedup();
    hidden
}

pub(super) fn of_requests(headers: &[(String, Vec<u8>)], body: Option<&[u8]>) -> Vec<String> {
    let body = body.filter(|body| body.len() <= LONGEST_BODY);
    let body = body.map(|body| String::from_utf8_lossy(body).into_owned());
    headers.iter().flat_map(|(_, value)| of_header(value)).chain(body).collect()
}

/// The value of a header, and those of its parts that are long enough.
fn of_header(value: &[u8]) -> Vec<String> {
    let value = String::from_utf8_lossy(value).trim().to_owned();
    let parts = value.split([' ', '\t', ';', ',', '=', '"']);
    let mut hidden: Vec<String> =
        parts.filter(|part| part.len() >= SHORTEST_PART).map(str::to_owned).collect();
    if !hidden.contains(&value) {
        hidden.push(value);
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::PROTOCOLS;

    #[test]
    fn logins_and_queries_are_hidden_as_written_and_as_understood() {
        let hidden =
            |text| of_address(&PROTOCOLS.url(text).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(hidden("http://h/path"), [""; 0]);
        assert_eq!(hidden("http://user:pa%40ss@h/"), ["dXNlcjpwYUBzcw==", "pa@ss"]);
        assert_eq!(hidden("http://token@h/"), ["dG9rZW46", "token"]);
        assert_eq!(hidden("postgres://postgres@h/of"), ["cG9zdGdyZXM6"]);
        assert_eq!(hidden("postgres://bench:pass@h/of"), ["YmVuY2g6cGFzcw==", "pass"]);
        assert_eq!(hidden("http://h/?key=a%20b&n=1&bare"), ["1", "a b", "a%20b", "bare"]);
    }

    #[test]
    fn bodies_are_hidden_unless_they_are_long() {
        let hidden = |bytes: usize| of_requests(&[], Some(&vec![b'x'; bytes]));
        assert_eq!(hidden(5), ["xxxxx"]);
        assert_eq!(hidden(LONGEST_BODY + 1), [""; 0]);
    }

    #[test]
    fn headers_are_hidden_whole_and_in_longer_parts() {
        assert_eq!(of_header(b"short"), ["short"]);
        assert_eq!(of_header(b" long-token "), ["long-token"]);
        assert_eq!(of_header(b"Bearer long-token"), ["long-token", "Bearer long-token"]);
        assert_eq!(of_header(b"id=long-session; x=y"), ["long-session", "id=long-session; x=y"]);
    }
}
