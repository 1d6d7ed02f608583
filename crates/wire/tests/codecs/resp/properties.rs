//! Random operations are read back by a small server that was written apart
//! from the codec; random replies, nested and cut at random places, are read
//! as what they mean.

use crate::common::{SeenEvent, SeenEvents};
use proptest::prelude::*;
use wire::resp::{Limits, Login, Op, Opening, Resp, Set, When};
use wire::{Class, Codec, List, Out, Reply, Tag, Value};

fn codec(depth: u32) -> Resp {
    Resp::new(Opening::new(&Login::default()).unwrap(), Limits::default(), depth)
}

/// An operation that owns its bytes, as a server sees it: its arguments.
#[derive(Clone, Debug)]
enum Owned {
    Get(Vec<u8>),
    Set(Vec<u8>, Vec<u8>, Option<bool>),
    MGet(Vec<Vec<u8>>),
    Incr(Vec<u8>),
    Del(Vec<Vec<u8>>),
    Command(Vec<Vec<u8>>),
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(text(), 1..6)
}

fn owned() -> impl Strategy<Value = Owned> {
    prop_oneof![
        text().prop_map(Owned::Get),
        (text(), text(), any::<Option<bool>>())
            .prop_map(|(key, value, when)| Owned::Set(key, value, when)),
        texts().prop_map(Owned::MGet),
        text().prop_map(Owned::Incr),
        texts().prop_map(Owned::Del),
        texts().prop_map(|mut texts| {
            texts[0] = [b"X".as_slice(), &texts[0]].concat();
            Owned::Command(texts)
        }),
    ]
}

impl Owned {
    /// What the server must read.
    fn arguments(&self) -> Vec<Vec<u8>> {
        let name = |name: &[u8], rest: &[Vec<u8>]| [&[name.to_vec()], rest].concat();
        match self {
            Owned::Get(key) => name(b"GET", std::slice::from_ref(key)),
            Owned::Incr(key) => name(b"INCR", std::slice::from_ref(key)),
            Owned::MGet(keys) => name(b"MGET", keys),
            Owned::Del(keys) => name(b"DEL", keys),
            Owned::Command(arguments) => arguments.clone(),
            Owned::Set(key, value, when) => {
                let mut all = name(b"SET", &[key.clone(), value.clone()]);
                all.extend(
                    when.map(|present| if present { b"XX".to_vec() } else { b"NX".to_vec() }),
                );
                all
            }
        }
    }

    fn write(&self, codec: &mut Resp, out: &mut Out, packed: bool) {
        let (mut slices, mut bytes, mut ends): (Vec<&[u8]>, _, _) = (vec![], vec![], vec![]);
        if let Owned::MGet(all) | Owned::Del(all) | Owned::Command(all) = self {
            for one in all {
                slices.push(one);
                bytes.extend_from_slice(one);
                ends.push(bytes.len() as u32);
            }
        }
        let list = if packed {
            List::Packed { bytes: &bytes, ends: &ends }
        } else {
            List::Slices(&slices)
        };
        let op = match self {
            Owned::Get(key) => Op::Get(key),
            Owned::Incr(key) => Op::Incr(key),
            Owned::MGet(_) => Op::MGet(list),
            Owned::Del(_) => Op::Del(list),
            Owned::Command(_) => Op::Command(list),
            Owned::Set(key, value, when) => Op::Set(Set {
                key,
                value: Value::from(value.as_slice()),
                when: match when {
                    None => When::Always,
                    Some(false) => When::Absent,
                    Some(true) => When::Present,
                },
            }),
        };
        codec.write(&op, out).unwrap();
    }
}

/// A server's reading of one command.
fn read_command(input: &mut &[u8]) -> Vec<Vec<u8>> {
    let mut length = |sign: u8| -> usize {
        let at = input.windows(2).position(|two| two == b"\r\n").expect("a line");
        assert_eq!(input[0], sign);
        let digits = std::str::from_utf8(&input[1..at]).unwrap().to_owned();
        *input = &input[at + 2..];
        digits.parse().unwrap()
    };
    let count = length(b'*');
    let mut arguments = Vec::new();
    for _ in 0..count {
        let at = input.windows(2).position(|two| two == b"\r\n").expect("a line");
        let length: usize = std::str::from_utf8(&input[1..at]).unwrap().parse().unwrap();
        assert_eq!(input[0], b'$');
        arguments.push(input[at + 2..at + 2 + length].to_vec());
        assert_eq!(&input[at + 2 + length..at + 4 + length], b"\r\n");
        *input = &input[at + 4 + length..];
    }
    arguments
}

/// A value as a server might mean it.
#[derive(Clone, Debug)]
enum ReplyValue {
    Simple(String),
    Integer(i64),
    Double(f64),
    Boolean(bool),
    Big(String),
    Bulk(Vec<u8>),
    Verbatim(Vec<u8>),
    Null(u8),
    /// `*` or `~`.
    Array(Vec<ReplyValue>, bool),
    Map(Vec<(ReplyValue, ReplyValue)>),
    Attributed(Vec<(ReplyValue, ReplyValue)>, Box<ReplyValue>),
}

fn scalar() -> impl Strategy<Value = ReplyValue> {
    prop_oneof![
        "[ -~]{0,20}".prop_map(ReplyValue::Simple),
        any::<i64>().prop_map(ReplyValue::Integer),
        (-1e9..1e9).prop_map(ReplyValue::Double),
        any::<bool>().prop_map(ReplyValue::Boolean),
        "-?[0-9]{1,40}".prop_map(ReplyValue::Big),
        text().prop_map(ReplyValue::Bulk),
        text().prop_map(ReplyValue::Verbatim),
        (0u8..3).prop_map(ReplyValue::Null),
    ]
}

fn reply_value() -> impl Strategy<Value = ReplyValue> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        let pairs = prop::collection::vec((inner.clone(), inner.clone()), 0..3);
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), any::<bool>())
                .prop_map(|(all, set)| ReplyValue::Array(all, set)),
            pairs.clone().prop_map(ReplyValue::Map),
            (pairs, inner).prop_map(|(all, value)| ReplyValue::Attributed(all, Box::new(value))),
        ]
    })
}

impl ReplyValue {
    fn write(&self, to: &mut Vec<u8>) {
        let mut line = |text: String| to.extend([text.as_bytes(), b"\r\n"].concat());
        match self {
            ReplyValue::Simple(text) => line(format!("+{text}")),
            ReplyValue::Integer(number) => line(format!(":{number}")),
            ReplyValue::Double(number) => line(format!(",{number}")),
            ReplyValue::Boolean(truth) => line(if *truth { "#t".into() } else { "#f".into() }),
            ReplyValue::Big(digits) => line(format!("({digits}")),
            ReplyValue::Null(kind) => line(["$-1", "*-1", "_"][*kind as usize].into()),
            ReplyValue::Bulk(text) => {
                line(format!("${}", text.len()));
                to.extend([text, b"\r\n".as_slice()].concat());
            }
            ReplyValue::Verbatim(text) => {
                line(format!("={}", text.len() + 4));
                to.extend([b"txt:", text.as_slice(), b"\r\n"].concat());
            }
            ReplyValue::Array(all, set) => {
                let sign = if *set { '~' } else { '*' };
                aggregate(to, sign, all.iter(), all.len());
            }
            ReplyValue::Map(all) => {
                let flat = all.iter().flat_map(|(key, value)| [key, value]);
                aggregate(to, '%', flat, all.len());
            }
            ReplyValue::Attributed(all, value) => {
                let flat = all.iter().flat_map(|(key, value)| [key, value]);
                aggregate(to, '|', flat, all.len());
                value.write(to);
            }
        }
    }

    /// All text in it, one behind the other.
    fn text(&self) -> Vec<u8> {
        match self {
            ReplyValue::Simple(text) | ReplyValue::Big(text) => text.clone().into_bytes(),
            ReplyValue::Integer(number) => number.to_string().into_bytes(),
            ReplyValue::Double(number) => number.to_string().into_bytes(),
            ReplyValue::Boolean(truth) => {
                if *truth {
                    b"t".to_vec()
                } else {
                    b"f".to_vec()
                }
            }
            ReplyValue::Bulk(text) | ReplyValue::Verbatim(text) => text.clone(),
            ReplyValue::Null(_) => Vec::new(),
            ReplyValue::Array(..) | ReplyValue::Map(..) => {
                self.elements().iter().flat_map(|element| element.text()).collect()
            }
            ReplyValue::Attributed(_, value) => value.text(),
        }
    }

    fn elements(&self) -> Vec<&ReplyValue> {
        match self {
            ReplyValue::Array(all, ..) => all.iter().collect(),
            ReplyValue::Map(all) => all.iter().flat_map(|(key, value)| [key, value]).collect(),
            _ => Vec::new(),
        }
    }

    /// Without attributes around it.
    fn bare(&self) -> &ReplyValue {
        match self {
            ReplyValue::Attributed(_, value) => value.bare(),
            bare => bare,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.bare(), ReplyValue::Null(_))
    }

    /// The expected events when it is the reply to any command.
    fn expected_events(&self, tag: Tag) -> Vec<SeenEvent> {
        let bare = self.bare();
        let aggregate = matches!(bare, ReplyValue::Array(..) | ReplyValue::Map(..));
        let elements = if aggregate { bare.elements() } else { vec![bare] };
        let mut expected_events = vec![SeenEvent::Began(tag)];
        let (mut body_len, mut items) = (0, 0);
        for (at, element) in elements.into_iter().enumerate() {
            let text = element.text();
            body_len += text.len() as u64;
            items += u32::from(!element.is_null());
            if !text.is_empty() {
                expected_events.push(SeenEvent::Body(tag, at as u32, text));
            }
        }
        let class = if items == 0 { Class::Miss } else { Class::Ok };
        expected_events.push(SeenEvent::Done(Reply { tag, class, code: 0, body_len, items }));
        expected_events
    }
}

fn aggregate<'a>(
    to: &mut Vec<u8>,
    sign: char,
    elements: impl Iterator<Item = &'a ReplyValue>,
    count: usize,
) {
    to.extend(format!("{sign}{count}\r\n").bytes());
    elements.for_each(|element| element.write(to));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(ops in prop::collection::vec((owned(), any::<bool>()), 1..6)) {
        let mut codec = codec(ops.len() as u32);
        let mut out = Out::default();
        ops.iter().for_each(|(op, packed)| op.write(&mut codec, &mut out, *packed));
        let mut input = out.bytes.as_slice();
        for (op, _) in &ops {
            prop_assert_eq!(read_command(&mut input), op.arguments());
        }
        prop_assert!(input.is_empty());
    }

    #[test]
    fn replies_are_read_as_intended(
        replies in prop::collection::vec((reply_value(), any::<bool>()), 1..6),
        cuts in prop::collection::vec(1usize..50, 1..9),
    ) {
        let mut codec = codec(replies.len() as u32);
        let (mut stream, mut expected) = (Vec::new(), Vec::new());
        for (n, (reply_value, pushed)) in replies.iter().enumerate() {
            let command = Op::Command(List::Slices(&[b"EVAL"]));
            prop_assert_eq!(codec.write(&command, &mut Out::default()), Ok(Tag(n as u32)));
            if *pushed {
                let push = b">2\r\n+message\r\n$3\r\nabc\r\n";
                stream.extend_from_slice(push);
                expected.push(SeenEvent::Pushed(push.to_vec(), true));
            }
            reply_value.write(&mut stream);
            expected.extend(reply_value.expected_events(Tag(n as u32)));
        }
        let mut seen_events = SeenEvents::default();
        let (mut consumed, mut shown) = (0, 0);
        for size in cuts.iter().cycle() {
            shown = stream.len().min(shown + size);
            let read = codec.read(&stream[consumed..shown], &mut Out::default(), &mut seen_events);
            consumed += read.unwrap().consumed;
            if shown == stream.len() {
                break;
            }
        }
        prop_assert_eq!(consumed, stream.len());
        prop_assert_eq!(seen_events.events, expected);
    }
}
