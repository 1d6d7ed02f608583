//! What a null WebSocket server answers: every connection is upgraded, and every message is sent
//! back to its sender or, in a room, to all members. Pure.

use testserver::null::{Consumed, NullService, Room, find};
use wire::websocket::{ROOM_BYTES, accept, mask};

const KEY: &[u8] = b"\r\nSec-WebSocket-Key: ";
const KEY_BYTES: usize = 24;
const UPGRADED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
                          Connection: Upgrade\r\nSec-WebSocket-Accept: ";
const MASK: u8 = 0x80;
const CLOSE: u8 = 8;

const ROOM: &[u8] = b"room=";

/// A service of the null server.
pub(crate) struct WebSocket;

impl NullService for WebSocket {
    /// Answers the request or the frame that the input, which is not empty, begins with. Our lane sends
    /// each message in one frame, and only messages and close frames.
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        if input[0] == b'G' {
            return upgrade(input, out);
        }
        let Some((head, behind)) = input.split_first_chunk::<2>() else { return Consumed::NotAll };
        let [first, second] = *head;
        if second & MASK == 0 {
            return Consumed::Unknown;
        }
        let (length, behind) = match (second & !MASK, behind) {
            (126, [a, b, behind @ ..]) => (u64::from(u16::from_be_bytes([*a, *b])), behind),
            (127, [a, b, c, d, e, f, g, h, behind @ ..]) => {
                (u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), behind)
            }
            (126 | 127, _) => return Consumed::NotAll,
            (short, behind) => (u64::from(short), behind),
        };
        let Some((key, payload)) = behind.split_first_chunk::<4>() else { return Consumed::NotAll };
        let payload = usize::try_from(length).ok().and_then(|length| payload.get(..length));
        let Some(payload) = payload else { return Consumed::NotAll };
        let unmasked = input.len() - behind.len();
        let consumed = unmasked + 4 + payload.len();
        if first & 0x0F != CLOSE {
            // Head and payload, without the mask.
            out.extend_from_slice(&[first, second & !MASK]);
            out.extend_from_slice(&input[2..unmasked]);
            let from = out.len();
            out.extend_from_slice(payload);
            mask(&mut out[from..], *key);
        }
        Consumed::Bytes(consumed)
    }

    /// The room that the request for an upgrade at the beginning of the input names, if it does.
    fn room(&self, input: &[u8]) -> Option<Room> {
        let target = input.strip_prefix(b"GET ")?.split(|byte| *byte == b' ').next()?;
        let at = find(target, ROOM)? + ROOM.len();
        target[at..].first_chunk::<ROOM_BYTES>().copied()
    }
}

fn upgrade(input: &[u8], out: &mut Vec<u8>) -> Consumed {
    let Some(end) = find(input, b"\r\n\r\n") else { return Consumed::NotAll };
    let key = find(&input[..end], KEY).and_then(|at| input[at + KEY.len()..].get(..KEY_BYTES));
    let Some(key) = key else { return Consumed::Unknown };
    for part in [UPGRADED, &accept(key), b"\r\n\r\n"] {
        out.extend_from_slice(part);
    }
    Consumed::Bytes(end + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_to(input: &[u8]) -> (Consumed, Vec<u8>) {
        let mut out = Vec::new();
        (WebSocket.answer(input, &mut out), out)
    }

    #[test]
    fn an_upgrade_is_accepted_with_the_key() {
        let request =
            b"GET / HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let (consumed, out) = answer_to(request);
        assert_eq!(consumed, Consumed::Bytes(request.len()));
        assert!(out.ends_with(b": s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"), "{}", out.escape_ascii());
        assert_eq!(answer_to(&request[..40]).0, Consumed::NotAll);
        assert_eq!(answer_to(b"GET / HTTP/1.1\r\n\r\n").0, Consumed::Unknown);
    }

    #[test]
    fn the_room_is_named_in_the_query() {
        let name = [b'7'; ROOM_BYTES];
        let request = |query: &[u8]| [b"GET /a?", query, &name, b" HTTP/1.1\r\n\r\n"].concat();
        assert_eq!(WebSocket.room(&request(b"room=")), Some(name));
        assert_eq!(WebSocket.room(&request(b"token=1&room=")), Some(name));
        assert_eq!(WebSocket.room(&request(b"token=")), None);
        assert_eq!(
            WebSocket.room(b"GET / HTTP/1.1\r\nX: room=77777777777777777777777777777777"),
            None
        );
        assert_eq!(WebSocket.room(b"\x81\x85\x01\x02\x03\x04\x69\x67\x6f\x68\x6e"), None);
    }

    #[test]
    fn messages_come_back_unmasked() {
        let frame = b"\x81\x85\x01\x02\x03\x04\x69\x67\x6f\x68\x6e";
        assert_eq!(answer_to(frame), (Consumed::Bytes(frame.len()), b"\x81\x05hello".to_vec()));
        for cut in 1..frame.len() {
            assert_eq!(answer_to(&frame[..cut]), (Consumed::NotAll, vec![]), "{cut}");
        }
        for (length, head) in
            [(126usize, vec![0x7E, 0, 126]), (65_536, vec![0x7F, 0, 0, 0, 0, 0, 1, 0, 0])]
        {
            let mut frame = [&[0x82], head.as_slice(), &[0; 4], &vec![b'x'; length]].concat();
            frame[1] |= MASK;
            let echo = [&[0x82], head.as_slice(), &vec![b'x'; length]].concat();
            assert_eq!(answer_to(&frame), (Consumed::Bytes(frame.len()), echo));
        }
        assert_eq!(answer_to(b"\x88\x82\0\0\0\0\x03\xe8"), (Consumed::Bytes(8), vec![]), "a close");
        assert_eq!(answer_to(b"\x81\x05hello").0, Consumed::Unknown, "no mask");
    }
}
