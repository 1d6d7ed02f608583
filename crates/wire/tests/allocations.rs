//! After the first replies the codec allocates nothing: not for a request,
//! not for a reply. Its own binary, for it counts what the whole thread does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wire::http1::{Http1, Limits, Op};
use wire::{Codec, Events, Out, Reply, Tag};

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

const REPLIES: [&[u8]; 4] = [
    b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 2\r\n\r\nhi",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nhi\r\n0\r\nA: b\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
];

/// One request and one reply of each kind, whole and byte by byte, each on a
/// connection that was reset.
fn converse(codec: &mut Http1, out: &mut Out, seen: &mut Counted, body: &std::sync::Arc<[u8]>) {
    let op = Op { head: b"PUT / HTTP/1.1\r\n\r\n", body: Some(body), head_only: false };
    for reply in REPLIES {
        for step in [reply.len(), 1] {
            codec.reset();
            out.clear();
            codec.write(&op, out).unwrap();
            let mut consumed = 0;
            for shown in (step..=reply.len()).step_by(step) {
                consumed += codec.read(&reply[consumed..shown], out, seen).unwrap().consumed;
            }
            codec.end(seen).unwrap();
        }
    }
}

#[test]
fn none_after_warm_up() {
    for body_len in [10, 100_000] {
        let body = vec![b'b'; body_len].into();
        let mut codec = Http1::new(Limits::default());
        let (mut out, mut seen) = (Out::default(), Counted::default());
        converse(&mut codec, &mut out, &mut seen, &body);
        let before = ALLOCATIONS.get();
        for _ in 0..100 {
            converse(&mut codec, &mut out, &mut seen, &body);
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "allocations in 800 operations");
        assert_eq!((seen.replies, seen.bytes), (101 * 8, 101 * 2 * (2 + 2 + 13)));
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
