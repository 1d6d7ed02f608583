//! After the first replies no codec allocates anything: not for a request, not
//! for a reply. Its own binary, for it counts what the whole thread does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wire::{Codec, Events, List, Out, Reply, Tag, Value, http1};

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
fn hear(codec: &mut impl Codec, reply: &[u8], step: usize, seen: &mut Counted) {
    let (mut consumed, mut out) = (0, Out::default());
    for shown in (step..=reply.len()).step_by(step) {
        consumed += codec.read(&reply[consumed..shown], &mut out, seen).unwrap().consumed;
    }
    assert_eq!(consumed, reply.len());
}

/// Converses once to warm up, then 100 times without an allocation. Returns
/// what was heard in all.
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
                    hear(&mut codec, reply, step, seen);
                    codec.end(seen).unwrap();
                }
            }
        });
        assert_eq!((seen.replies, seen.bytes), (101 * 8, 101 * 2 * (2 + 2 + 13)));
    }
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
            let store = Store { mode: Mode::Set, key: b"key1", value, flags: 1, expires: 60 };
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
                    hear(&mut codec, replies, step, seen);
                }
            });
            assert_eq!((seen.replies, seen.bytes), (101 * 40, 101 * 8 * (2 + 1 + 2 + 26)));
        }
    }
}

/// A write, a read, a multi-get, a template and a push in one pipeline.
#[test]
fn resp() {
    use wire::resp::{Expires, Limits, Login, Op, Opening, Protocol, Resp, Set, When};
    let replies: &[u8] = b"+OK\r\n$2\r\nhi\r\n>1\r\n+push\r\n*2\r\n_\r\n$1\r\n!\r\n:15\r\n\
        %1\r\n+a\r\n,1.5\r\n-OOM x\r\n";
    let login = Login { protocol: Protocol::Resp3, password: Some("p"), ..Login::default() };
    for body_len in [10, 100_000] {
        let tail = vec![b'b'; body_len].into();
        let value = Value { head: b"stamp", tail: Some(&tail) };
        let set = Set { key: b"key1", value, when: When::Absent, expires: Expires::Seconds(60) };
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
            hear(&mut codec, b"%1\r\n$5\r\nproto\r\n:3\r\n", 1, seen);
            for step in [replies.len(), 1] {
                out.clear();
                ops.iter().for_each(|op| assert!(codec.write(op, &mut out).is_ok()));
                hear(&mut codec, replies, step, seen);
            }
        });
        assert_eq!((seen.replies, seen.bytes), (101 * 12, 101 * 2 * (2 + 1 + 2 + 4 + 5)));
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
