//! Runs tables of streams and of what must be heard.

use crate::check::{self, Said};
use wire::http1::{Limits, faults};

/// What it is, what the server sends, what is heard.
pub(crate) type Case = (&'static str, &'static [u8], &'static str);

/// Every case whole and in pieces, cut in two at every place, and with bytes
/// behind it.
pub(crate) fn run(head_only: bool, cases: &[Case]) {
    for (name, stream, expected) in cases {
        let limits = Limits::default();
        let whole = check::same_however_cut(limits, head_only, stream);
        assert_eq!(whole.to_string(), *expected, "{name}");
        for at in 1..stream.len() {
            let (heard, _) = check::listen(limits, head_only, stream, &[at, usize::MAX]);
            assert_eq!(heard, whole, "{name}, cut at byte {at}");
        }
        with_bytes_behind(name, head_only, stream);
        check::check(stream);
    }
}

/// A reply that was complete without the end of the stream stays what it was,
/// and the bytes behind it are objected to.
fn with_bytes_behind(name: &str, head_only: bool, stream: &[u8]) {
    let mut codec = wire::http1::Http1::new(Limits::default());
    check::ask(&mut codec, head_only).expect("fresh");
    let (alone, _) = check::feed(&mut codec, stream, check::CUTS[0]);
    if alone.state.is_err() || !matches!(alone.said.last(), Some(Said::Done(_))) {
        return;
    }
    let more = [stream, b"HTTP/1.1 200 OK\r\n\r\n"].concat();
    let heard = check::same_however_cut(Limits::default(), head_only, &more);
    assert_eq!(heard.said, alone.said, "{name}, with bytes behind it");
    assert_eq!(heard.state, Err(faults::ANSWERS_NOTHING), "{name}, with bytes behind it");
}
