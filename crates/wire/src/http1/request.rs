//! Writing the head of a request.

use super::{faults, grammar};
use crate::{Fault, bytes};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// A request without its body. It has no `Debug` because headers can be secret.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method, case as given.
    pub method: &'a str,
    /// Path and query, percent-encoded; or `*`.
    pub path: &'a str,
    /// The value of `Host`, with the port unless it is the scheme's default. Not used if `headers`
    /// contains a `Host`.
    pub host: &'a str,
    /// Name and value, sent in this order.
    pub headers: &'a [(String, Vec<u8>)],
    /// Bytes of body that follow. None if there is no body.
    pub body_len: Option<u64>,
}

impl Request<'_> {
    /// The head's bytes, blank line included. `Content-Length` is written
    /// where there is a body, and as 0 for methods that are expected to have
    /// one (POST, PUT, PATCH; RFC 9110, 8.6).
    ///
    /// # Errors
    /// If any part would not be read back as it is meant, so that no header and no second
    /// request can be smuggled in.
    pub fn encode(&self) -> Result<Vec<u8>, Fault> {
        self.check()?;
        let mut head = Vec::with_capacity(256);
        for part in [self.method, " ", self.path, " HTTP/1.1\r\n"] {
            head.extend_from_slice(part.as_bytes());
        }
        if self.given("host").next().is_none() {
            line(&mut head, "Host", self.host.as_bytes());
        }
        if self.given("user-agent").next().is_none() {
            line(&mut head, "User-Agent", b"tiebreak");
        }
        if let Some(length) = self.content_length() {
            line(&mut head, "Content-Length", length.to_string().as_bytes());
        }
        for (name, value) in self.headers {
            if !name.eq_ignore_ascii_case("content-length") {
                line(&mut head, name, value);
            }
        }
        head.extend_from_slice(b"\r\n");
        Ok(head)
    }

    /// The values of the headers of this name.
    fn given<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s [u8]> {
        self.headers
            .iter()
            .filter(move |header| header.0.eq_ignore_ascii_case(name))
            .map(|header| header.1.as_slice())
    }

    /// The value of `Content-Length`. Returns None if the header is omitted.
    fn content_length(&self) -> Option<u64> {
        let expects_body = matches!(self.method, "POST" | "PUT" | "PATCH");
        let is_required = expects_body || self.given("content-length").next().is_some();
        self.body_len.or(is_required.then_some(0))
    }

    fn check(&self) -> Result<(), Fault> {
        if self.method.is_empty() || !self.method.bytes().all(grammar::is_token) {
            return Err(faults::METHOD);
        }
        if self.method == "CONNECT" {
            return Err(faults::CONNECT);
        }
        let visible = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
        if !(self.path.starts_with('/') || self.path == "*") || !self.path.bytes().all(visible) {
            return Err(faults::PATH);
        }
        self.check_headers()?;
        self.check_host()
    }

    fn check_host(&self) -> Result<(), Fault> {
        // No userinfo, path or list: only what a host and a port are made of.
        let part = |byte: u8| byte.is_ascii_graphic() && !b"/?#@\\,\"<>".contains(&byte);
        match self.given("host").count() {
            0 if self.host.is_empty() || !self.host.bytes().all(part) => Err(faults::HOST),
            0 | 1 => Ok(()),
            _ => Err(faults::TWO_HOSTS),
        }
    }

    fn check_headers(&self) -> Result<(), Fault> {
        for (name, value) in self.headers {
            if name.is_empty() || !name.bytes().all(grammar::is_token) {
                return Err(faults::HEADER_NAME);
            }
            if !value.iter().copied().all(grammar::is_value) {
                return Err(faults::HEADER_VALUE);
            }
        }
        if self.given("transfer-encoding").next().is_some() {
            return Err(faults::ASKED_CODING);
        }
        // Ours is written instead, so an equal one is harmless.
        let length = Some(self.body_len.unwrap_or(0));
        if self.given("content-length").any(|value| bytes::decimal(value.trim_ascii()) != length) {
            return Err(faults::ASKED_LENGTH);
        }
        Ok(())
    }
}

fn line(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        head.extend_from_slice(part);
    }
}
