//! A small server of Cassandra's Thrift interface: one column family in memory, in which the
//! later timestamp wins, and wide rows. Once its keys exist it allocates nothing for a call.

#![allow(dead_code, reason = "each test program uses a part of it")]

use super::wide_rows::WideRows;
use ::thrift::{ThriftAccess, ThriftEpoch, thrift_lanes};
use engine::{Numbers, grouped};
use protocol::testing::{drive_one, serve as on_threads};
use record::{Address, DriveOrder, Seen};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use wire::thrift::{Consistency, Login, Opening};

/// The calls that are answered with an exception.
#[derive(Clone, Copy)]
pub(crate) struct Refusal {
    /// The name of the call.
    pub(crate) call: &'static [u8],
    /// The number of its exception.
    pub(crate) exception: u8,
}

/// What the server counted.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) keyspaces: AtomicU64,
    pub(crate) logins: AtomicU64,
    /// Writes that were older than the existing column.
    pub(crate) late: AtomicU64,
}

/// The state of a row. A row that was deleted keeps its timestamp.
#[derive(Default)]
struct Row {
    timestamp: i64,
    is_there: bool,
    value: Vec<u8>,
}

struct Shared {
    rows: Mutex<HashMap<Vec<u8>, Row>>,
    wide_rows: Mutex<WideRows>,
    counts: Counts,
    refuses: Option<Refusal>,
}

/// The server. Its threads end with the process.
pub(crate) struct Cassandra {
    address: SocketAddr,
    shared: Arc<Shared>,
    access: ThriftAccess,
}

impl Cassandra {
    pub(crate) fn start(refuses: Option<Refusal>) -> Cassandra {
        let (rows, counts) = (Mutex::default(), Counts::default());
        let wide_rows = Mutex::default();
        let shared = Arc::new(Shared { rows, wide_rows, counts, refuses });
        let serving = shared.clone();
        let address = on_threads(move |stream| serve(stream, &serving));
        let login = |keyspace| Login { user: Some(("me", "secret")), keyspace };
        let opening = |keyspace| Opening::new(&login(keyspace)).expect("short texts");
        let access = ThriftAccess {
            replication: 1,
            opening: opening(Some("app")),
            opening_to_ask: opening(None),
            keyspace: "app".into(),
            family: "tiebreak00".into(),
            is_wide: false,
            consistency: Consistency::Quorum,
            numbers: Numbers::new(8),
            epoch: ThriftEpoch::now(),
        };
        Cassandra { address, shared, access }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.shared.counts
    }

    /// Drives an order of one lane and one round on this server.
    pub(crate) fn drive(&self, order: &mut DriveOrder) -> Seen {
        order.lanes[0].address = Address::Tcp(self.address);
        let lanes = grouped(order, 0, |order| thrift_lanes(order, 0, &self.access));
        drive_one(order, lanes)
    }
}

/// Answers the calls of one connection.
fn serve(mut stream: TcpStream, shared: &Shared) {
    stream.set_nodelay(true).expect("a connection");
    let (mut frame, mut out) = (Vec::new(), Vec::new());
    loop {
        let mut length = [0; 4];
        if stream.read_exact(&mut length).is_err() {
            return;
        }
        frame.resize(u32::from_be_bytes(length) as usize, 0);
        stream.read_exact(&mut frame).expect("a whole frame");
        out.clear();
        out.extend_from_slice(&[0; 4]);
        shared.answer(&frame, &mut out);
        let length = (out.len() - 4) as u32;
        out[..4].copy_from_slice(&length.to_be_bytes());
        if stream.write_all(&out).is_err() {
            return;
        }
    }
}

impl Shared {
    fn answer(&self, frame: &[u8], out: &mut Vec<u8>) {
        let mut call = Input(frame);
        let name = call.text(b"\x80\x01\0\x01");
        let number = call.take(4);
        out.extend_from_slice(b"\x80\x01\0\x02");
        push_text(name, out);
        out.extend_from_slice(number);
        if let Some(refuses) = self.refuses.filter(|refuses| refuses.call == name) {
            out.extend_from_slice(&[0x0c, 0, refuses.exception, 0x0b, 0, 1]);
            push_text(b"because", out);
            out.push(0);
        } else {
            self.call(name, &mut call, out);
        }
        out.push(0);
    }

    fn call(&self, name: &[u8], call: &mut Input<'_>, out: &mut Vec<u8>) {
        match name {
            b"login" => count(&self.counts.logins),
            b"set_keyspace" => count(&self.counts.keyspaces),
            b"describe_version" => {
                out.extend_from_slice(b"\x0b\0\0");
                push_text(b"19.36.0", out);
            }
            b"insert" => {
                let (key, of_type) = path(call);
                let name = call.text(b"\0\x0c\0\x03\x0b\0\x01");
                let value = call.text(b"\x0b\0\x02");
                let timestamp = call.timestamp(b"\x0a\0\x03");
                call.skip(b"\0\x08\0\x04\0\0\0\x02\0");
                match of_type {
                    Some(of_type) => self.wide_rows().insert((key, of_type), name, value),
                    None => {
                        assert_eq!(name, b"value");
                        self.write(key, timestamp, Some(value));
                    }
                }
            }
            b"batch_mutate" => {
                let key = call.text(b"\x0d\0\x01\x0b\x0d\0\0\0\x01");
                assert_eq!(call.text(b"\x0b\x0f\0\0\0\x01"), b"tiebreak00");
                self.write(key, call.timestamp(b"\x0c\0\0\0\x01\x0c\0\x02\x0a\0\x01"), None);
            }
            b"get" => match path(call) {
                (key, Some(of_type)) => {
                    self.wide_rows().get((key, of_type), call.text(b"\x0b\0\x05"), out);
                }
                (key, None) => self.get(key, out),
            },
            b"get_slice" => {
                let (key, of_type) = path(call);
                let row = (key, of_type.expect("a wide row"));
                self.wide_rows().last(row, call, out);
            }
            b"multiget_slice" => self.multiget(call, out),
            other => panic!("no lane calls {}", other.escape_ascii()),
        }
    }

    fn wide_rows(&self) -> MutexGuard<'_, WideRows> {
        self.wide_rows.lock().expect("no panic")
    }

    /// Writes a column; the later timestamp wins. A value of None deletes the column.
    fn write(&self, key: &[u8], timestamp: i64, value: Option<&[u8]>) {
        let mut rows = self.rows.lock().expect("no panic");
        if !rows.contains_key(key) {
            rows.insert(key.to_vec(), Row { value: Vec::with_capacity(2000), ..Row::default() });
        }
        let row = rows.get_mut(key).expect("it is there now");
        if timestamp <= row.timestamp {
            return count(&self.counts.late);
        }
        (row.timestamp, row.is_there) = (timestamp, value.is_some());
        row.value.clear();
        row.value.extend_from_slice(value.unwrap_or_default());
    }

    fn get(&self, key: &[u8], out: &mut Vec<u8>) {
        let rows = self.rows.lock().expect("no panic");
        match rows.get(key).filter(|row| row.is_there) {
            Some(row) => {
                out.extend_from_slice(b"\x0c\0\0");
                push_column(b"value", &row.value, row.timestamp, out);
            }
            None => out.extend_from_slice(b"\x0c\0\x02\0"),
        }
    }

    /// Answers with each key once, like the map of a real server, in the order of their last
    /// mentions.
    fn multiget(&self, call: &mut Input<'_>, out: &mut Vec<u8>) {
        call.skip(b"\x0f\0\x01\x0b");
        let asked = u32::from_be_bytes(call.take(4).try_into().expect("four bytes"));
        out.extend_from_slice(b"\x0d\0\0\x0b\x0f");
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        let (rows, mut pairs) = (self.rows.lock().expect("no panic"), 0u32);
        for left in (0..asked).rev() {
            let key = call.text(b"");
            let mut later = Input(call.0);
            if (0..left).any(|_| later.text(b"") == key) {
                continue;
            }
            pairs += 1;
            push_text(key, out);
            let row = rows.get(key).filter(|row| row.is_there);
            out.extend_from_slice(&[0x0c, 0, 0, 0, u8::from(row.is_some())]);
            if let Some(row) = row {
                push_column(b"value", &row.value, row.timestamp, out);
            }
        }
        out[at..at + 4].copy_from_slice(&pairs.to_be_bytes());
    }
}

/// Appends a `ColumnOrSuperColumn`.
pub(crate) fn push_column(name: &[u8], value: &[u8], timestamp: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x0c\0\x01\x0b\0\x01");
    push_text(name, out);
    out.extend_from_slice(b"\x0b\0\x02");
    push_text(value, out);
    out.extend_from_slice(b"\x0a\0\x03");
    out.extend_from_slice(&timestamp.to_be_bytes());
    out.extend_from_slice(b"\0\0");
}

fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_be_bytes());
    out.extend_from_slice(text);
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Returns the key of a call, and the super column that it names in the contender's family.
fn path<'a>(call: &mut Input<'a>) -> (&'a [u8], Option<&'a [u8]>) {
    let key = call.text(b"\x0b\0\x01");
    assert_eq!(call.text(b"\x0c\0\x02\x0b\0\x03"), b"tiebreak00");
    (key, WideRows::named(call))
}

/// The rest of a frame.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn begins_with(&self, expected: &[u8]) -> bool {
        self.0.starts_with(expected)
    }

    pub(crate) fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(bytes);
        self.0 = rest;
        taken
    }

    pub(crate) fn skip(&mut self, expected: &[u8]) {
        assert_eq!(self.take(expected.len()), expected);
    }

    /// Returns the text after this head.
    pub(crate) fn text(&mut self, head: &[u8]) -> &'a [u8] {
        self.skip(head);
        let length = u32::from_be_bytes(self.take(4).try_into().expect("four bytes"));
        self.take(length as usize)
    }

    fn timestamp(&mut self, head: &[u8]) -> i64 {
        self.skip(head);
        i64::from_be_bytes(self.take(8).try_into().expect("eight bytes"))
    }
}
