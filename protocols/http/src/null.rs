//! What a null web server answers: a page, whatever is asked. Pure.

use testserver::null::{Consumed, NullService, find};

/// A page of one byte: an empty one would void a comparison.
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n.";

/// A service of the null server.
pub(crate) struct Page;

impl NullService for Page {
    /// Answers a GET without a body.
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        if input[0] != b'G' {
            return Consumed::Unknown;
        }
        match find(input, b"\r\n\r\n") {
            Some(at) => {
                out.extend_from_slice(PAGE);
                Consumed::Bytes(at + 4)
            }
            None => Consumed::NotAll,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_as_short_as_it_can_be() {
        let mut out = Vec::new();
        let get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /";
        assert_eq!(Page.answer(get, &mut out), Consumed::Bytes(get.len() - 5));
        assert_eq!(out, PAGE);
        assert_eq!(Page.answer(&get[..9], &mut out), Consumed::NotAll);
        assert_eq!(Page.answer(b"POST /", &mut out), Consumed::Unknown);
    }
}
