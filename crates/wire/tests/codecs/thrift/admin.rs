//! Questions about the cluster and changes of its schema: calls byte by byte, and what the
//! replies of Cassandra 1.2.8 mean.

use super::build::*;
use super::check::{CLUSTER, CQL, Exchange, KEYSPACE, TOKENS, VERSIONS};
use super::requests::{call, written};
use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::thrift::{Admin, Family, Keyspace, Op, faults};
use wire::{Class, Codec, Out};

const KEYSPACE_APP: &[u8] = include_bytes!("../../../corpus/thrift/keyspace-app");
const KEYSPACE_MISSING: &[u8] = include_bytes!("../../../corpus/thrift/keyspace-missing");
const SCHEMA_VERSIONS: &[u8] = include_bytes!("../../../corpus/thrift/schema-versions");
const TOKEN_MAP: &[u8] = include_bytes!("../../../corpus/thrift/token-map");
const CQL_ROWS: &[u8] = include_bytes!("../../../corpus/thrift/cql-rows");
const CQL_INVALID: &[u8] = include_bytes!("../../../corpus/thrift/cql-invalid");

#[test]
fn calls() {
    let cases: [(Admin<'_>, &str, &[u8]); 9] = [
        (Admin::ClusterName, "describe_cluster_name", b"\0"),
        (Admin::Partitioner, "describe_partitioner", b"\0"),
        (Admin::TokenMap, "describe_token_map", b"\0"),
        (Admin::SchemaVersions, "describe_schema_versions", b"\0"),
        (Admin::Keyspace("app"), "describe_keyspace", b"\x0b\0\x01\0\0\0\x03app\0"),
        (Admin::Truncate("f"), "truncate", b"\x0b\0\x01\0\0\0\x01f\0"),
        (
            Admin::Cql("SELECT"),
            "execute_cql3_query",
            b"\x0b\0\x01\0\0\0\x06SELECT\x08\0\x02\0\0\0\x02\x08\0\x03\0\0\0\x01\0",
        ),
        (
            Admin::AddFamily { keyspace: "app", name: "f", comment: "why", is_super: false },
            "system_add_column_family",
            b"\x0c\0\x01\x0b\0\x01\0\0\0\x03app\x0b\0\x02\0\0\0\x01f\
              \x0b\0\x05\0\0\0\x08UTF8Type\x0b\0\x08\0\0\0\x03why\0\0",
        ),
        (
            Admin::AddFamily { keyspace: "app", name: "f", comment: "why", is_super: true },
            "system_add_column_family",
            b"\x0c\0\x01\x0b\0\x01\0\0\0\x03app\x0b\0\x02\0\0\0\x01f\
              \x0b\0\x03\0\0\0\x05Super\x0b\0\x05\0\0\0\x08UTF8Type\
              \x0b\0\x06\0\0\0\x08LongType\x0b\0\x08\0\0\0\x03why\0\0",
        ),
    ];
    for (admin, name, arguments) in cases {
        assert_eq!(written(&Op::Admin(admin)), [&call(name)[..], arguments].concat(), "{name}");
    }
}

#[test]
fn a_keyspace_is_added_with_its_replication() {
    let add = Op::Admin(Admin::AddKeyspace { name: "app", replication: "3" });
    let arguments = b"\x0c\0\x01\x0b\0\x01\0\0\0\x03app\
        \x0b\0\x02\0\0\0\x2borg.apache.cassandra.locator.SimpleStrategy\
        \x0d\0\x03\x0b\x0b\0\0\0\x01\0\0\0\x12replication_factor\0\0\0\x013\
        \x0f\0\x05\x0c\0\0\0\0\0\0";
    assert_eq!(written(&add), [&call("system_add_keyspace")[..], arguments].concat());
}

fn expect(name: &str, ops: &'static [Op<'static>], stream: &[u8], expected: &str) {
    common::expect(&Exchange::new(ops), name, stream, expected);
}

#[test]
fn replies() {
    let expected = "began | body -6278991935333828635 | body[1] -4391656328422263174 \
                | body[2] -1837990030541870989 | body[3] 2490344798809399647 \
                | ok, 79 bytes, 4 items | Ready | end";
    expect("tokens", &[TOKENS], TOKEN_MAP, expected);
    let expected = "began | body 9d6ddd11-3de3-38d1-ae14-f68c66aaca59 | ok, 36 bytes | Ready | end";
    expect("versions", &[VERSIONS], SCHEMA_VERSIONS, expected);
    expect("rows", &[CQL], CQL_ROWS, "began | body 1.2.8 | ok, 5 bytes | Ready | end");
    let expected = "began | body Undefined name x in selection clause \
                | error 3001, 36 bytes, 0 items | Ready | end";
    expect("no such column", &[CQL], CQL_INVALID, expected);
    let expected = "began | miss, 0 bytes, 0 items | Ready | end";
    expect("no such keyspace", &[KEYSPACE], KEYSPACE_MISSING, expected);
    let name = reply("describe_cluster_name", 0, &[field(STRING, 0, &text(b"mine"))]);
    let expected = "began | body mine | ok, 4 bytes, 0 items | Ready | end";
    expect("the cluster's name", &[CLUSTER], &name, expected);
}

#[test]
fn changes_are_refused_by_class() {
    const ADD: Op<'_> =
        Op::Admin(Admin::AddFamily { keyspace: "app", name: "f", comment: "", is_super: false });
    for (id, code) in [(1, 3001), (2, 3006)] {
        let stream = reply("system_add_column_family", 0, &[exception(id, "why")]);
        let expected = format!("began | body why | error {code}, 3 bytes, 0 items | Ready | end");
        expect("refused", &[ADD], &stream, &expected);
    }
}

/// The body of the reply, whole and byte by byte.
fn body(stream: &[u8]) -> Vec<u8> {
    let exchange = Exchange::new(&[KEYSPACE]);
    let bodies = [1, stream.len()].map(|size| {
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).expect("fresh");
        let (mut seen_events, mut consumed) = (SeenEvents::default(), 0);
        for shown in (0..stream.len()).step_by(size).map(|at| at + size) {
            let input = &stream[consumed..shown];
            let read = codec.read(input, &mut Out::default(), &mut seen_events).expect("sound");
            consumed += read.consumed;
        }
        let done = seen_events
            .events
            .iter()
            .any(|event| matches!(event, SeenEvent::Done(reply) if reply.class == Class::Ok));
        assert!(done, "{:?}", seen_events.events);
        let pieces = seen_events.events.into_iter().filter_map(|event| match event {
            SeenEvent::Body(_, _, piece) => Some(piece),
            _ => None,
        });
        pieces.collect::<Vec<_>>().concat()
    });
    let [by_byte, whole] = bodies;
    assert_eq!(by_byte, whole);
    whole
}

#[test]
fn a_keyspace_is_read_from_its_body() {
    let body = body(KEYSPACE_APP);
    let family = |name: &[u8]| Family {
        name: name.to_vec(),
        comment: b"made by tiebreak; its next load replaces it".to_vec(),
    };
    let expected = Keyspace {
        strategy: b"org.apache.cassandra.locator.SimpleStrategy".to_vec(),
        options: vec![(b"replication_factor".to_vec(), b"1".to_vec())],
        families: vec![family(b"tiebreak01"), family(b"tiebreak00")],
    };
    assert_eq!(Keyspace::read(&body), Ok(expected.clone()));
    assert_eq!(Keyspace::read(&[&body[..], b"more"].concat()), Ok(expected));
    for cut in 0..body.len() {
        assert_eq!(Keyspace::read(&body[..cut]), Err(faults::FRAME_END), "{cut}");
    }
}

/// A family without a comment does not get that of the one before.
#[test]
fn what_is_left_out_is_empty() {
    let family = |fields: &[Vec<u8>]| object(fields);
    let named = |name: &[u8]| field(STRING, 2, &text(name));
    let families =
        [family(&[named(b"a"), field(STRING, 8, &text(b"why"))]), family(&[named(b"b")])];
    let read = Keyspace::read(&object(&[field(LIST, 5, &list(STRUCT, &families))]));
    let families: Vec<(Vec<u8>, Vec<u8>)> = read
        .expect("a keyspace")
        .families
        .into_iter()
        .map(|family| (family.name, family.comment))
        .collect();
    assert_eq!(families, [(b"a".to_vec(), b"why".to_vec()), (b"b".to_vec(), Vec::new())]);
}
