//! What a null Redis answers: `GET` and `SET` of one key. Pure except for the versions.

use testserver::null::{Consumed, Data, NullService, decimal, line};

/// The reply to `HELLO 3`, reduced to the protocol.
const HELLO: &[u8] = b"%1\r\n$5\r\nproto\r\n:3\r\n";

/// A service of the null server.
pub(crate) struct Redis(pub(crate) Data);

impl NullService for Redis {
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        if input[0] != b'*' {
            return Consumed::Unknown;
        }
        let Some((count, mut rest)) = line(input) else { return Consumed::NotAll };
        let mut words: [&[u8]; 3] = [b""; 3];
        let count = decimal(&count[1..]).filter(|count| (2..=words.len()).contains(count));
        let Some(count) = count else { return Consumed::Unknown };
        for word in &mut words[..count] {
            let Some((length, text)) = line(rest) else { return Consumed::NotAll };
            let Some(length) = length.get(1..).and_then(decimal) else { return Consumed::Unknown };
            if text.len() < length + 2 {
                return Consumed::NotAll;
            }
            *word = &text[..length];
            rest = &text[length + 2..];
        }
        match words {
            [b"GET", key, _] if self.0.read(key) => {
                out.push(b'$');
                self.0.sized(out);
            }
            [b"SET", key, value] if self.0.write(key, value) => out.extend_from_slice(b"+OK\r\n"),
            [b"HELLO", ..] => out.extend_from_slice(HELLO),
            _ => return Consumed::Unknown,
        }
        Consumed::Bytes(input.len() - rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::testing::{null_answer, null_data, null_refuses, null_store_reads_what_it_wrote};

    fn store() -> Redis {
        Redis(null_data())
    }

    #[test]
    fn it_reads_what_it_wrote() {
        #[rustfmt::skip]
        let cases: [[&[u8]; 5]; 1] = [
            [b"*2\r\n$3\r\nGET\r\n$14\r\nk:000000000007\r\n",
             b"*3\r\n$3\r\nSET\r\n$14\r\nk:000000000007\r\n$32\r\n", b"+OK\r\n",
             b"$32\r\n", b"\r\n"],
        ];
        for requests in cases {
            null_store_reads_what_it_wrote(&mut store(), requests);
        }
    }

    #[test]
    fn a_greeting_is_as_short_as_it_can_be() {
        let hello = b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
        let answer = null_answer(&mut store(), hello);
        assert_eq!(answer, (Consumed::Bytes(hello.len()), HELLO.to_vec()));
    }

    #[test]
    fn what_no_lane_says_is_refused() {
        let requests: [&[u8]; 4] = [
            b"PING\r\n",
            b"*1\r\n$4\r\nPING\r\n",
            b"*2\r\n$3\r\nDEL\r\n$14\r\nk:000000000007\r\n",
            b"*2\r\n$x\r\n",
        ];
        null_refuses(|| Box::new(store()), &requests);
    }
}
