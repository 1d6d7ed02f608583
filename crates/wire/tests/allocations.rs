//! After the first replies no codec allocates anything: not for a request, not
//! for a reply. Its own binary, for it counts what the whole thread does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wire::{Codec, Events, List, Out, Reply, Tag, Value, http1};

#[allow(dead_code, reason = "the tests of the codec use the rest")]
#[path = "codecs/thrift/build.rs"]
mod build;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[derive(Default)]
struct Counted {
    bytes: usize,
    replies: u64,
}

impl Events for Counted {
    fn began(&mut self, _: Tag) {}

    fn body(&mut self, _: Tag, _: u32, piece: &[u8]) {
        self.bytes += piece.len();
    }

    fn done(&mut self, _: Reply) {
        self.replies += 1;
    }
}

/// Shows a reply whole and byte by byte.
fn receive(codec: &mut impl Codec, reply: &[u8], step: usize, seen: &mut Counted) {
    let (mut consumed, mut out) = (0, Out::default());
    for shown in (step..=reply.len()).step_by(step) {
        consumed += codec.read(&reply[consumed..shown], &mut out, seen).unwrap().consumed;
    }
    assert_eq!(consumed, reply.len());
}

/// Converses once to warm up, then 100 times without an allocation. Returns
/// all that was received.
fn none_after_warm_up(mut converse: impl FnMut(&mut Counted)) -> Counted {
    let mut seen = Counted::default();
    converse(&mut seen);
    let before = ALLOCATIONS.get();
    for _ in 0..100 {
        converse(&mut seen);
    }
    assert_eq!(ALLOCATIONS.get() - before, 0, "allocations after warm-up");
    seen
}

const HTTP_REPLIES: [&[u8]; 4] = [
    b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 2\r\n\r\nhi",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nhi\r\n0\r\nA: b\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
];

/// One request and one reply of each kind, each on a connection that was reset.
#[test]
fn http() {
    for body_len in [10, 100_000] {
        let body = vec![b'b'; body_len].into();
        let op = http1::Op { head: b"PUT / HTTP/1.1\r\n\r\n", body: Some(&body), head_only: false };
        let mut codec = http1::Http1::new(http1::Limits::default());
        let mut out = Out::default();
        let seen = none_after_warm_up(|seen| {
            for reply in HTTP_REPLIES {
                for step in [reply.len(), 1] {
                    codec.reset();
                    out.clear();
                    codec.write(&op, &mut out).unwrap();
                    receive(&mut codec, reply, step, seen);
                    codec.end(seen).unwrap();
                }
            }
        });
        assert_eq!((seen.replies, seen.bytes), (101 * 8, 101 * 2 * (2 + 2 + 13)));
    }
}

/// Messages on a connection that was reset, and so is upgraded anew.
#[test]
fn websocket() {
    use wire::websocket::{Kind, Limits, Op, Upgrade, WebSocket, accept};
    const HEAD: &[u8] = b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Accept: ****************************\r\n\r\n";
    const FRAMES: &[u8] = b"\x81\x02hi\x01\x01h\x8a\x01x\x80\x01i\x82\0";
    let upgrade = Upgrade::new("/", "h", &[]).unwrap();
    let mut codec = WebSocket::new(upgrade, Limits::default(), 3, 1);
    let mut out = Out::default();
    let op = Op { kind: Kind::Text, parts: [b"stamp", &[b'b'; 70_000]] };
    let seen = none_after_warm_up(|seen| {
        for step in [FRAMES.len(), 1] {
            codec.reset();
            out.clear();
            codec.open(&mut out);
            let mut welcome = [0; HEAD.len()];
            welcome.copy_from_slice(HEAD);
            welcome[HEAD.len() - 32..HEAD.len() - 4].copy_from_slice(&accept(codec.key()));
            receive(&mut codec, &welcome, welcome.len(), seen);
            for _ in 0..3 {
                codec.write(&op, &mut out).unwrap();
            }
            receive(&mut codec, FRAMES, step, seen);
        }
    });
    assert_eq!((seen.replies, seen.bytes), (101 * 6, 101 * 2 * 4));
}

const KEYS: List<'_> = List::Packed { bytes: b"key1key22", ends: &[4, 9] };

/// A write, a read, a multi-get and a sum in one pipeline, in both dialects.
#[test]
fn memcached() {
    use wire::memcached::{Dialect, Limits, Memcached, Mode, Op, Store};
    let texts: &[u8] = b"STORED\r\nVALUE key1 0 2\r\nhi\r\nEND\r\n\
        VALUE key22 0 1\r\n!\r\nEND\r\n15\r\nSERVER_ERROR out of memory\r\n";
    let metas: &[u8] = b"HD\r\nVA 2\r\nhi\r\n\
        VA 1 O1\r\n!\r\nMN\r\nVA 2\r\n15\r\nSERVER_ERROR out of memory\r\n";
    for (dialect, replies) in [(Dialect::Text, texts), (Dialect::Meta, metas)] {
        for body_len in [10, 100_000] {
            let tail = vec![b'b'; body_len].into();
            let value = Value { head: b"stamp", tail: Some(&tail) };
            let store = Store { mode: Mode::Set, key: b"key1", value };
            let ops = [
                Op::Store(store),
                Op::Get(b"key1"),
                Op::MultiGet(KEYS),
                Op::Incr { key: b"n", by: 5 },
                Op::Delete(b"key1"),
            ];
            let mut codec = Memcached::new(dialect, Limits::default(), 8);
            let mut out = Out::default();
            let seen = none_after_warm_up(|seen| {
                // Eight times five, so that every slot saw every operation.
                for step in [replies.len(), 1].into_iter().cycle().take(8) {
                    out.clear();
                    ops.iter().for_each(|op| assert!(codec.write(op, &mut out).is_ok()));
                    receive(&mut codec, replies, step, seen);
                }
            });
            assert_eq!((seen.replies, seen.bytes), (101 * 40, 101 * 8 * (2 + 1 + 2 + 26)));
        }
    }
}

/// A write, a read, a multi-get, a template and a push in one pipeline.
#[test]
fn resp() {
    use wire::resp::{Limits, Login, Op, Opening, Protocol, Resp, Set, When};
    let replies: &[u8] = b"+OK\r\n$2\r\nhi\r\n>1\r\n+push\r\n*2\r\n_\r\n$1\r\n!\r\n:15\r\n\
        %1\r\n+a\r\n,1.5\r\n-OOM x\r\n";
    let login = Login { protocol: Protocol::Resp3, password: Some("p"), ..Login::default() };
    for body_len in [10, 100_000] {
        let tail = vec![b'b'; body_len].into();
        let value = Value { head: b"stamp", tail: Some(&tail) };
        let set = Set { key: b"key1", value, when: When::Absent };
        let ops = [
            Op::Set(set),
            Op::Get(b"key1"),
            Op::MGet(KEYS),
            Op::Incr(b"n"),
            Op::Command(List::Slices(&[b"HGETALL", b"h"])),
            Op::Del(KEYS),
        ];
        let mut codec = Resp::new(Opening::new(&login).unwrap(), Limits::default(), 8);
        let mut out = Out::default();
        let seen = none_after_warm_up(|seen| {
            codec.reset();
            out.clear();
            codec.open(&mut out);
            receive(&mut codec, b"%1\r\n$5\r\nproto\r\n:3\r\n", 1, seen);
            for step in [replies.len(), 1] {
                out.clear();
                ops.iter().for_each(|op| assert!(codec.write(op, &mut out).is_ok()));
                receive(&mut codec, replies, step, seen);
            }
        });
        assert_eq!((seen.replies, seen.bytes), (101 * 12, 101 * 2 * (2 + 1 + 2 + 4 + 5)));
    }
}

/// A write, a read, columns of a row and of two rows, and a change in one pipeline.
#[test]
fn thrift() {
    use build::{LIST, MAP, STRING, STRUCT, column, exception, field, list, map, reply, text};
    use wire::thrift::{Column, Columns, Consistency, Limits, Login, Op, Opening, Parent, Thrift};
    let opening = [reply("login", 0, &[]), reply("set_keyspace", 0, &[])].concat();
    let pairs =
        [(text(b"key22"), list(STRUCT, &[column(b"c", b"!")])), (text(b"key1"), list(STRUCT, &[]))];
    let replies = [
        reply("insert", 0, &[]),
        reply("get", 1, &[field(STRUCT, 0, &column(b"c", b"hi"))]),
        reply("get_slice", 2, &[field(LIST, 0, &list(STRUCT, &[column(b"n", b"abc")]))]),
        reply("multiget_slice", 3, &[field(MAP, 0, &map(STRING, LIST, &pairs))]),
        reply("batch_mutate", 4, &[exception(2, "why")]),
    ]
    .concat();
    let login = Login { user: Some(("u", "p")), keyspace: Some("app") };
    let (parent, consistency) = (Parent { family: b"F", super_column: None }, Consistency::One);
    let columns = Columns::Range { start: b"", finish: b"", reversed: true, count: 20 };
    for body_len in [10, 100_000] {
        let tail = vec![b'b'; body_len].into();
        let value = Value { head: b"stamp", tail: Some(&tail) };
        let column = Column { name: b"c", value, timestamp: 7, ttl: None };
        let ops = [
            Op::Insert { key: b"key1", parent, column, consistency },
            Op::Get { key: b"key1", parent, column: b"c", consistency },
            Op::Slice { key: b"key1", parent, columns, names: true, consistency },
            Op::MultiSlice { keys: KEYS, parent, columns, consistency },
            Op::Delete { key: b"key1", parent, column: b"c", timestamp: 7, consistency },
        ];
        let mut codec = Thrift::new(Opening::new(&login).unwrap(), Limits::default(), 5);
        let mut out = Out::default();
        let seen = none_after_warm_up(|seen| {
            for step in [replies.len(), 1] {
                codec.reset();
                out.clear();
                codec.open(&mut out);
                receive(&mut codec, &opening, 1, seen);
                out.clear();
                ops.iter().for_each(|op| assert!(codec.write(op, &mut out).is_ok()));
                receive(&mut codec, &replies, step, seen);
            }
        });
        assert_eq!((seen.replies, seen.bytes), (101 * 10, 101 * 2 * (2 + 4 + 1 + 3)));
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
