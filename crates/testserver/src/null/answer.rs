//! Answers requests. Pure except for the versions.
//!
//! It understands only what tiebreak's own lanes send: GET without a body, and a store's get and
//! set of one key, each in the form in which `wire` writes it.

use engine::workload::{Operations, Values, WorkloadError};
use record::Workload;

/// A page of one byte: an empty one would void a comparison.
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n.";
/// The reply to `HELLO 3`, reduced to the protocol.
const HELLO: &[u8] = b"%1\r\n$5\r\nproto\r\n:3\r\n";
/// Number of digits at the end of a key, which are its number.
const KEY_DIGITS: usize = 12;

/// The data of one listening socket: for each key only the version that was written last.
pub(super) struct Data {
    values: Values,
    versions: Vec<u64>,
    /// The last generated value.
    pub(super) value: Vec<u8>,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consumed {
    /// It had this many bytes, and its reply was appended.
    Bytes(usize),
    /// More bytes are needed.
    NotAll,
    /// It is not a request of our lanes.
    Unknown,
}

impl Data {
    /// The data after the load of this workload.
    pub(super) fn new(workload: &Workload) -> Result<Data, WorkloadError> {
        let values = Operations::new(workload, 0)?.values();
        Ok(Data { values, versions: vec![0; workload.keys as usize], value: Vec::new() })
    }

    /// Answers the request that the input, which is not empty, begins with.
    pub(super) fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        match input[0] {
            b'*' => self.resp(input, out),
            // The length of a frame, which is below 16 MiB.
            0 => self.thrift(input, out),
            b'G' => match find(input, b"\r\n\r\n") {
                Some(at) => {
                    out.extend_from_slice(PAGE);
                    Consumed::Bytes(at + 4)
                }
                None => Consumed::NotAll,
            },
            _ => self.memcached(input, out),
        }
    }

    fn memcached(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        let Some((line, rest)) = line(input) else { return Consumed::NotAll };
        let mut words = line.split(|byte| *byte == b' ');
        let (verb, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let last = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        match verb {
            b"get" if self.read(key) => {
                out.extend_from_slice(b"VALUE ");
                out.extend_from_slice(key);
                out.extend_from_slice(b" 0 ");
                self.sized(out);
                out.extend_from_slice(b"END\r\n");
            }
            b"mg" if self.read(key) => {
                out.extend_from_slice(b"VA ");
                self.sized(out);
            }
            b"set" | b"ms" => {
                let Some(length) = decimal(last) else { return Consumed::Unknown };
                if rest.len() < length + 2 {
                    return Consumed::NotAll;
                }
                if !self.write(key, &rest[..length]) {
                    return Consumed::Unknown;
                }
                out.extend_from_slice(if verb == b"ms" { b"HD\r\n" } else { b"STORED\r\n" });
                return Consumed::Bytes(line.len() + 2 + length + 2);
            }
            _ => return Consumed::Unknown,
        }
        Consumed::Bytes(line.len() + 2)
    }

    fn resp(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
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
            [b"GET", key, _] if self.read(key) => {
                out.push(b'$');
                self.sized(out);
            }
            [b"SET", key, value] if self.write(key, value) => out.extend_from_slice(b"+OK\r\n"),
            [b"HELLO", ..] => out.extend_from_slice(HELLO),
            _ => return Consumed::Unknown,
        }
        Consumed::Bytes(input.len() - rest.len())
    }

    /// Generates the value of a key. Returns false if there is no such key.
    pub(super) fn read(&mut self, key: &[u8]) -> bool {
        let Some(number) = number(key) else { return false };
        let Some(version) = self.versions.get(number) else { return false };
        self.value.clear();
        self.values.write(number as u64, *version, &mut self.value);
        true
    }

    /// Keeps the version of a value, which is in its second 8 bytes. Returns false if there is no
    /// such key, or no version.
    pub(super) fn write(&mut self, key: &[u8], value: &[u8]) -> bool {
        let version = value.get(8..16).and_then(|bytes| bytes.try_into().ok());
        let known = number(key).and_then(|number| self.versions.get_mut(number));
        match (known, version) {
            (Some(known), Some(version)) => {
                *known = u64::from_le_bytes(version);
                true
            }
            _ => false,
        }
    }

    /// Appends the length of the generated value, and the value.
    fn sized(&self, out: &mut Vec<u8>) {
        let digits = self.value.len().to_string();
        for part in [digits.as_bytes(), b"\r\n", &self.value, b"\r\n"] {
            out.extend_from_slice(part);
        }
    }
}

/// The first line without its line end, and the rest.
fn line(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = input.iter().position(|byte| *byte == b'\n')?;
    Some((&input[..at.checked_sub(1)?], &input[at + 1..]))
}

pub(super) fn find(input: &[u8], wanted: &[u8]) -> Option<usize> {
    input.windows(wanted.len()).position(|window| window == wanted)
}

/// The number of a key.
fn number(key: &[u8]) -> Option<usize> {
    decimal(key.get(key.len().checked_sub(KEY_DIGITS)?..)?)
}

fn decimal(digits: &[u8]) -> Option<usize> {
    let known = (1..=KEY_DIGITS).contains(&digits.len());
    let add =
        |sum: usize, byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + usize::from(byte - b'0'));
    known.then(|| digits.iter().try_fold(0, add)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::preset;

    fn data() -> Data {
        Data::new(&Workload { keys: 10, ..preset("kv").expect("a preset") }).expect("a workload")
    }

    fn value(key: u64, version: u64) -> Vec<u8> {
        let mut value = Vec::new();
        data().values.write(key, version, &mut value);
        value
    }

    /// The outcome of these bytes, and the reply.
    fn answer_to(data: &mut Data, input: &[u8]) -> (Consumed, Vec<u8>) {
        let mut out = Vec::new();
        (data.answer(input, &mut out), out)
    }

    #[test]
    fn each_protocol_reads_what_it_wrote() {
        let (old, new) = (value(7, 0), value(7, 42));
        let with = |before: &[u8], value: &[u8], after: &[u8]| [before, value, after].concat();
        // The read request, the write request and its confirmation, and the framing of a value.
        #[rustfmt::skip]
        let cases: [[&[u8]; 5]; 3] = [
            [b"get k:000000000007\r\n", b"set k:000000000007 0 0 32\r\n", b"STORED\r\n",
             b"VALUE k:000000000007 0 32\r\n", b"\r\nEND\r\n"],
            [b"mg k:000000000007 v\r\n", b"ms k:000000000007 32\r\n", b"HD\r\n",
             b"VA 32\r\n", b"\r\n"],
            [b"*2\r\n$3\r\nGET\r\n$14\r\nk:000000000007\r\n",
             b"*3\r\n$3\r\nSET\r\n$14\r\nk:000000000007\r\n$32\r\n", b"+OK\r\n",
             b"$32\r\n", b"\r\n"],
        ];
        for [get, set, stored, before, after] in cases {
            let set = with(set, &new, b"\r\n");
            let shown = get.escape_ascii();
            let mut data = data();
            let read = Consumed::Bytes(get.len());
            assert_eq!(answer_to(&mut data, get), (read, with(before, &old, after)), "{shown}");
            let written = (Consumed::Bytes(set.len()), stored.to_vec());
            assert_eq!(answer_to(&mut data, &set), written, "{shown}");
            // Bytes after a request do not belong to it.
            let two = [get, get].concat();
            assert_eq!(answer_to(&mut data, &two), (read, with(before, &new, after)), "{shown}");
            for request in [get, &set] {
                for cut in 1..request.len() {
                    assert_eq!(
                        answer_to(&mut data, &request[..cut]),
                        (Consumed::NotAll, vec![]),
                        "{shown}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_page_and_a_greeting_are_as_short_as_they_can_be() {
        let mut data = data();
        let get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /";
        assert_eq!(answer_to(&mut data, get), (Consumed::Bytes(get.len() - 5), PAGE.to_vec()));
        let hello = b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
        assert_eq!(answer_to(&mut data, hello), (Consumed::Bytes(hello.len()), HELLO.to_vec()));
    }

    #[test]
    fn what_no_lane_says_is_refused() {
        let cases: [&[u8]; 7] = [
            b"flush_all\r\n",
            b"get k:000000000010\r\n",
            b"get short\r\n",
            b"set k:000000000001 0 0 3\r\nabc\r\n",
            b"*1\r\n$4\r\nPING\r\n",
            b"*2\r\n$3\r\nDEL\r\n$14\r\nk:000000000007\r\n",
            b"*2\r\n$x\r\n",
        ];
        for input in cases {
            let (consumed, out) = answer_to(&mut data(), input);
            assert_eq!((consumed, out.len()), (Consumed::Unknown, 0), "{}", input.escape_ascii());
        }
    }
}
