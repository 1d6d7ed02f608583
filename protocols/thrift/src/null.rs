//! Calls of Cassandra's Thrift interface, and replies: `get` and `insert`, as `wire` writes
//! them.

use testserver::null::{Consumed, Data, NullService};

/// Bytes in front of the message of a frame: its length.
const LENGTH: usize = 4;
/// A message of the binary protocol in its version 1: a call, and a reply.
const CALL: &[u8] = b"\x80\x01\0\x01";
const REPLY: &[u8] = b"\x80\x01\0\x02";
/// Heads of the fields before the values that are read: the key; the column family; the column with
/// its name; its value.
const KEY: &[u8] = b"\x0b\0\x01";
const FAMILY: &[u8] = b"\x0c\0\x02\x0b\0\x03";
const NAME: &[u8] = b"\0\x0c\0\x03\x0b\0\x01";
const VALUE: &[u8] = b"\x0b\0\x02";
/// A success with a column, up to its value, and from there to the end of the message.
const BEFORE_VALUE: &[u8] = b"\x0c\0\0\x0c\0\x01\x0b\0\x01\0\0\0\x05value\x0b\0\x02";
const BEHIND_VALUE: &[u8] = b"\x0a\0\x03\0\0\0\0\0\0\0\0\0\0\0";

/// A call.
struct Call<'a> {
    name: &'a [u8],
    number: &'a [u8],
    arguments: &'a [u8],
}

/// A service of the null server.
pub(crate) struct Thrift(pub(crate) Data);

impl NullService for Thrift {
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        let Some((length, rest)) = input.split_first_chunk::<LENGTH>() else {
            return Consumed::NotAll;
        };
        let length = u32::from_be_bytes(*length) as usize;
        let Some(frame) = rest.get(..length) else { return Consumed::NotAll };
        match call(frame).and_then(|call| self.called(&call, out)) {
            Some(()) => Consumed::Bytes(LENGTH + length),
            None => Consumed::Unknown,
        }
    }
}

impl Thrift {
    fn called(&mut self, call: &Call<'_>, out: &mut Vec<u8>) -> Option<()> {
        let mut input = call.arguments;
        let key = text(&mut input, KEY)?;
        match call.name {
            b"get" if self.0.read(key) => {
                let value = self.0.value();
                let length = (value.len() as u32).to_be_bytes();
                reply(call, &[BEFORE_VALUE, &length, value, BEHIND_VALUE], out);
            }
            b"insert" => {
                text(&mut input, FAMILY)?;
                text(&mut input, NAME)?;
                let value = text(&mut input, VALUE)?;
                self.0.write(key, value).then_some(())?;
                reply(call, &[b"\0"], out);
            }
            _ => return None,
        }
        Some(())
    }
}

fn call(frame: &[u8]) -> Option<Call<'_>> {
    let mut input = frame;
    let name = text(&mut input, CALL)?;
    let (number, arguments) = input.split_at_checked(4)?;
    Some(Call { name, number, arguments })
}

/// The text after this head.
fn text<'a>(input: &mut &'a [u8], head: &[u8]) -> Option<&'a [u8]> {
    let (length, rest) = input.strip_prefix(head)?.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    *input = rest;
    Some(text)
}

/// Appends the reply to a call, with this result.
fn reply(call: &Call<'_>, result: &[&[u8]], out: &mut Vec<u8>) {
    let bytes: usize = result.iter().map(|part| part.len()).sum();
    let length = REPLY.len() + 4 + call.name.len() + call.number.len() + bytes;
    out.extend_from_slice(&(length as u32).to_be_bytes());
    out.extend_from_slice(REPLY);
    out.extend_from_slice(&(call.name.len() as u32).to_be_bytes());
    out.extend_from_slice(call.name);
    out.extend_from_slice(call.number);
    result.iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::preset;
    use record::Workload;

    fn data() -> Thrift {
        let kv = preset("kv").expect("a preset");
        Thrift(Data::new(&Workload { keys: 10, ..kv }))
    }

    /// The frame of a message.
    fn frame(kind: &[u8], name: &[u8], rest: &[&[u8]]) -> Vec<u8> {
        let length = (name.len() as u32).to_be_bytes();
        let message = [kind, &length, name, b"\0\0\0\x07", &rest.concat()].concat();
        [&(message.len() as u32).to_be_bytes()[..], &message].concat()
    }

    fn get(key: &[u8; 14]) -> Vec<u8> {
        let path = b"\x0c\0\x02\x0b\0\x03\0\0\0\x01F\x0b\0\x05\0\0\0\x05value\0";
        frame(CALL, b"get", &[KEY, b"\0\0\0\x0e", key, path, b"\x08\0\x03\0\0\0\x01\0"])
    }

    fn insert(key: &[u8; 14], value: &[u8]) -> Vec<u8> {
        let length = (value.len() as u32).to_be_bytes();
        let column = [NAME, b"\0\0\0\x05value", VALUE, &length, value].concat();
        let end = b"\x0a\0\x03\0\0\0\0\0\0\0\x01\0\x08\0\x04\0\0\0\x01\0";
        let family = [FAMILY, b"\0\0\0\x01F"].concat();
        frame(CALL, b"insert", &[KEY, b"\0\0\0\x0e", key, &family, &column, end])
    }

    fn value(version: u8) -> Vec<u8> {
        let mut data = data().0;
        let number = [[7, 0, 0, 0, 0, 0, 0, 0], [version, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert!(data.write(b"k:000000000007", &number) && data.read(b"k:000000000007"));
        data.value().to_vec()
    }

    /// The outcome of these bytes, and the reply.
    fn answer_to(data: &mut Thrift, input: &[u8]) -> (Consumed, Vec<u8>) {
        let mut out = Vec::new();
        (data.answer(input, &mut out), out)
    }

    #[test]
    fn it_reads_what_it_wrote() {
        let key = b"k:000000000007";
        let found = |version| {
            let value = value(version);
            let length = (value.len() as u32).to_be_bytes();
            frame(REPLY, b"get", &[BEFORE_VALUE, &length, &value, BEHIND_VALUE])
        };
        let (get, insert) = (get(key), insert(key, &value(42)));
        let mut data = data();
        assert_eq!(answer_to(&mut data, &get), (Consumed::Bytes(get.len()), found(0)));
        let done = frame(REPLY, b"insert", &[b"\0"]);
        assert_eq!(answer_to(&mut data, &insert), (Consumed::Bytes(insert.len()), done));
        // Bytes after a call do not belong to it.
        let two = [&get[..], &get].concat();
        assert_eq!(answer_to(&mut data, &two), (Consumed::Bytes(get.len()), found(42)));
        for call in [get, insert] {
            for cut in 1..call.len() {
                assert_eq!(answer_to(&mut data, &call[..cut]), (Consumed::NotAll, vec![]), "{cut}");
            }
        }
    }

    #[test]
    fn what_no_lane_says_is_refused() {
        let other = frame(CALL, b"truncate", &[KEY, b"\0\0\0\x01F\0"]);
        for call in [get(b"k:000000000010"), insert(b"k:000000000007", b"short"), other] {
            let (consumed, out) = answer_to(&mut data(), &call);
            assert_eq!((consumed, out.len()), (Consumed::Unknown, 0), "{}", call.escape_ascii());
        }
    }
}
