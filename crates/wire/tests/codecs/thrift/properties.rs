//! Random operations are read back by a small server that was written apart from the codec;
//! random replies, cut at random places, are read as what they mean.

use super::build::*;
use crate::common::{SeenEvent, SeenEvents};
use proptest::prelude::*;
use wire::thrift::{Column, Columns, Consistency, Limits, Login, Op, Opening, Parent, Thrift};
use wire::{Class, Codec, List, Out, Reply, Tag, Value};

fn codec(depth: u32) -> Thrift {
    Thrift::new(Opening::new(&Login::default()).unwrap(), Limits::default(), depth)
}

/// A value as a server reads it.
#[derive(Clone, Debug, PartialEq)]
enum Read {
    Bool(bool),
    I32(i32),
    I64(i64),
    Text(Vec<u8>),
    Struct(Vec<(i16, Read)>),
    List(Vec<Read>),
    Map(Vec<(Read, Read)>),
}

fn take<'a>(input: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at(bytes);
    *input = rest;
    taken
}

fn number(input: &mut &[u8]) -> i32 {
    i32::from_be_bytes(take(input, 4).try_into().expect("four bytes"))
}

fn read(of: u8, input: &mut &[u8]) -> Read {
    match of {
        BOOL => Read::Bool(take(input, 1)[0] == 1),
        I32 => Read::I32(number(input)),
        I64 => Read::I64(i64::from_be_bytes(take(input, 8).try_into().expect("eight bytes"))),
        STRING => {
            let length = number(input) as usize;
            Read::Text(take(input, length).to_vec())
        }
        STRUCT => Read::Struct(read_fields(input)),
        LIST => {
            let of = take(input, 1)[0];
            Read::List((0..number(input)).map(|_| read(of, input)).collect())
        }
        MAP => {
            let (from, of) = (take(input, 1)[0], take(input, 1)[0]);
            Read::Map((0..number(input)).map(|_| (read(from, input), read(of, input))).collect())
        }
        other => panic!("type {other}"),
    }
}

fn read_fields(input: &mut &[u8]) -> Vec<(i16, Read)> {
    let mut fields = Vec::new();
    loop {
        let of = take(input, 1)[0];
        if of == 0 {
            return fields;
        }
        let id = i16::from_be_bytes(take(input, 2).try_into().expect("two bytes"));
        fields.push((id, read(of, input)));
    }
}

/// One call: its name, its number and its arguments.
fn read_call(input: &mut &[u8]) -> (String, i32, Vec<(i16, Read)>) {
    let length = number(input) as usize;
    let mut frame = take(input, length);
    assert_eq!(take(&mut frame, 4), [0x80, 1, 0, 1]);
    let length = number(&mut frame) as usize;
    let name = String::from_utf8(take(&mut frame, length).to_vec()).expect("a name");
    let number = number(&mut frame);
    let arguments = read_fields(&mut frame);
    assert!(frame.is_empty(), "the frame ends with the call");
    (name, number, arguments)
}

/// An operation that owns its bytes.
#[derive(Clone, Debug)]
enum Owned {
    Get(Vec<u8>, Option<Vec<u8>>, Vec<u8>),
    Slice(Vec<u8>, Vec<u8>, Vec<u8>, bool, u32),
    Multi(Vec<Vec<u8>>, Vec<Vec<u8>>),
    Insert(Vec<u8>, Vec<u8>, Vec<u8>, i64, Option<u32>),
    Delete(Vec<u8>, Option<Vec<u8>>, Vec<u8>, i64),
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

fn several() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(bytes(), 1..5)
}

fn owned() -> impl Strategy<Value = Owned> {
    prop_oneof![
        (bytes(), any::<bool>(), bytes(), bytes()).prop_map(|(key, in_super, of, column)| {
            Owned::Get(key, in_super.then_some(of), column)
        }),
        (bytes(), bytes(), bytes(), any::<bool>(), 0..1000u32)
            .prop_map(|(key, start, end, back, count)| Owned::Slice(key, start, end, back, count)),
        (several(), several()).prop_map(|(keys, names)| Owned::Multi(keys, names)),
        (bytes(), bytes(), bytes(), any::<i64>(), any::<Option<u32>>()).prop_map(
            |(key, name, value, at, ttl)| Owned::Insert(
                key,
                name,
                value,
                at,
                ttl.map(|ttl| ttl / 2)
            )
        ),
        (bytes(), any::<bool>(), bytes(), bytes(), any::<i64>()).prop_map(
            |(key, in_super, of, column, at)| Owned::Delete(
                key,
                in_super.then_some(of),
                column,
                at
            )
        ),
    ]
}

fn path(super_column: Option<&[u8]>, column: Option<&[u8]>) -> Read {
    let mut fields = vec![(3, Read::Text(b"F".to_vec()))];
    fields.extend(super_column.map(|name| (4, Read::Text(name.to_vec()))));
    fields.extend(column.map(|name| (5, Read::Text(name.to_vec()))));
    Read::Struct(fields)
}

fn texts(all: &[Vec<u8>]) -> Read {
    Read::List(all.iter().cloned().map(Read::Text).collect())
}

fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

const LEVEL: Consistency = Consistency::LocalQuorum;

impl Owned {
    /// What the server must read, by Cassandra's interface definition.
    fn expected(&self) -> (&'static str, Vec<(i16, Read)>) {
        let level = Read::I32(3);
        match self {
            Owned::Get(key, of, column) => {
                let at = path(of.as_deref(), Some(column));
                ("get", vec![(1, Read::Text(key.clone())), (2, at), (3, level)])
            }
            Owned::Slice(key, start, end, back, count) => {
                let range = Read::Struct(vec![
                    (1, Read::Text(start.clone())),
                    (2, Read::Text(end.clone())),
                    (3, Read::Bool(*back)),
                    (4, Read::I32(*count as i32)),
                ]);
                let which = Read::Struct(vec![(2, range)]);
                let key = Read::Text(key.clone());
                ("get_slice", vec![(1, key), (2, path(None, None)), (3, which), (4, level)])
            }
            Owned::Multi(keys, names) => {
                let which = Read::Struct(vec![(1, texts(names))]);
                let at = path(None, None);
                ("multiget_slice", vec![(1, texts(keys)), (2, at), (3, which), (4, level)])
            }
            Owned::Insert(key, name, value, at, ttl) => {
                let column = read_column(name, value, *at, *ttl);
                let key = Read::Text(key.clone());
                ("insert", vec![(1, key), (2, path(None, None)), (3, column), (4, level)])
            }
            Owned::Delete(key, of, column, at) => {
                let mut fields = vec![(1, Read::I64(*at))];
                fields.extend(of.clone().map(|name| (2, Read::Text(name))));
                let which = Read::Struct(vec![(1, texts(std::slice::from_ref(column)))]);
                fields.push((3, which));
                let change = Read::Struct(vec![(2, Read::Struct(fields))]);
                let family = (Read::Text(b"F".to_vec()), Read::List(vec![change]));
                let rows = vec![(Read::Text(key.clone()), Read::Map(vec![family]))];
                ("batch_mutate", vec![(1, Read::Map(rows)), (2, level)])
            }
        }
    }

    fn write(&self, codec: &mut Thrift, out: &mut Out) {
        let parent = Parent { family: b"F", super_column: None };
        let consistency = LEVEL;
        let written = match self {
            Owned::Get(key, of, column) => {
                let parent = Parent { super_column: of.as_deref(), ..parent };
                codec.write(&Op::Get { key, parent, column, consistency }, out)
            }
            Owned::Slice(key, start, finish, reversed, count) => {
                let columns = Columns::Range { start, finish, reversed: *reversed, count: *count };
                codec.write(&Op::Slice { key, parent, columns, names: false, consistency }, out)
            }
            Owned::Multi(keys, names) => {
                let (keys, names) = (slices(keys), slices(names));
                let (keys, columns) = (List::Slices(&keys), Columns::Named(List::Slices(&names)));
                codec.write(&Op::MultiSlice { keys, parent, columns, consistency }, out)
            }
            Owned::Insert(key, name, value, timestamp, ttl) => {
                let (timestamp, ttl) = (*timestamp, *ttl);
                let column = Column { name, value: Value::from(&value[..]), timestamp, ttl };
                codec.write(&Op::Insert { key, parent, column, consistency }, out)
            }
            Owned::Delete(key, of, column, timestamp) => {
                let parent = Parent { super_column: of.as_deref(), ..parent };
                let timestamp = *timestamp;
                codec.write(&Op::Delete { key, parent, column, timestamp, consistency }, out)
            }
        };
        written.expect("there is room");
    }
}

fn read_column(name: &[u8], value: &[u8], at: i64, ttl: Option<u32>) -> Read {
    let mut fields =
        vec![(1, Read::Text(name.to_vec())), (2, Read::Text(value.to_vec())), (3, Read::I64(at))];
    fields.extend(ttl.map(|ttl| (4, Read::I32(ttl as i32))));
    Read::Struct(fields)
}

/// Feeds a stream in pieces of these sizes, over and over.
fn receive(codec: &mut Thrift, stream: &[u8], cuts: &[usize]) -> SeenEvents {
    let (mut seen_events, mut consumed, mut shown) = (SeenEvents::default(), 0, 0);
    for size in cuts.iter().cycle() {
        shown = stream.len().min(shown + size);
        let input = &stream[consumed..shown];
        consumed +=
            codec.read(input, &mut Out::default(), &mut seen_events).expect("sound").consumed;
        if shown == stream.len() {
            assert_eq!(consumed, shown, "all is read");
            return seen_events;
        }
    }
    unreachable!("cuts never end")
}

proptest! {
    #[test]
    fn a_server_reads_what_was_requested(all in prop::collection::vec(owned(), 1..6)) {
        let (mut codec, mut out) = (codec(all.len() as u32), Out::default());
        all.iter().for_each(|one| one.write(&mut codec, &mut out));
        let mut input = &out.bytes[..];
        for (at, one) in all.iter().enumerate() {
            let (name, arguments) = one.expected();
            prop_assert_eq!(read_call(&mut input), (name.to_owned(), at as i32, arguments));
        }
        prop_assert!(input.is_empty());
    }

    #[test]
    fn columns_are_reported_in_their_order(
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 1..20),
        in_super in any::<bool>(),
        cuts in prop::collection::vec(1usize..100, 1..8),
    ) {
        let columns: Vec<Vec<u8>> = values
            .iter()
            .map(|value| if in_super { bare_column(b"c", value) } else { column(b"c", value) })
            .collect();
        let columns = if in_super { vec![super_column(b"s", &columns)] } else { columns };
        let stream = reply("get_slice", 0, &[field(LIST, 0, &list(STRUCT, &columns))]);
        let mut codec = codec(1);
        let parent = Parent { family: b"F", super_column: None };
        let columns = Columns::Range { start: b"", finish: b"", reversed: false, count: 20 };
        let op = Op::Slice { key: b"k", parent, columns, names: false, consistency: LEVEL };
        codec.write(&op, &mut Out::default()).expect("fresh");
        let seen_events = receive(&mut codec, &stream, &cuts);
        let mut expected = vec![SeenEvent::Began(Tag(0))];
        let bodies = values.iter().zip(0..);
        expected.extend(bodies.map(|(value, item)| SeenEvent::Body(Tag(0), item, value.clone())));
        expected.push(SeenEvent::Done(Reply {
            tag: Tag(0),
            class: Class::Ok,
            code: 0,
            body_len: values.iter().map(|value| value.len() as u64).sum(),
            items: values.len() as u32,
        }));
        prop_assert_eq!(seen_events.events, expected);
    }
}
