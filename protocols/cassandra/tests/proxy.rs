//! A proxy between a lane and a null server: it forwards frames, counts them, and does to some
//! of them what no real server does on demand.

#![allow(dead_code, reason = "each test program uses a part of it")]

use record::Address;
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use testserver::null::NullServer;

/// Operations of requests.
pub(crate) const STARTUP: u8 = 0x01;
pub(crate) const OPTIONS: u8 = 0x05;
pub(crate) const QUERY: u8 = 0x07;
pub(crate) const PREPARE: u8 = 0x09;
pub(crate) const EXECUTE: u8 = 0x0a;
pub(crate) const BATCH: u8 = 0x0d;
/// Operations of replies.
const ERROR: u8 = 0x00;
const RESULT: u8 = 0x08;
const REQUESTS: usize = 16;
const HEAD: usize = 9;
/// The statement of the lane under test: the library's own requests name other columns.
pub(crate) const MARKED: &str = "SELECT marked FROM t";
/// A text that is in the statement of the lane under test, and in none of the library's own.
const MARK: &[u8] = b"marked";
/// The position of the statement's name, which has 16 bytes, in a reply to PREPARE.
const ID: std::ops::Range<usize> = 6..22;

/// What is done to a request instead of forwarding it.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The reply is an error with this code, this message, and the additional content of the
    /// code.
    Error(u32, &'static str, Vec<u8>),
    /// The reply says that the statement to be executed is not known.
    Unprepared,
    /// The connection is closed.
    Close,
    /// The reply is these bytes, and nothing follows; the connection stays open.
    Stop(Vec<u8>),
    /// The reply begins with these bytes, and what follows never ends.
    Flood(Vec<u8>),
    /// The reply is a result with this body.
    Result(Vec<u8>),
}

/// Which requests get the fault.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    /// One in this many of those that execute the marked statement.
    OneIn(u64),
    /// All with this operation; of those that prepare, only the marked statement's.
    All(u8),
}

/// A proxy in front of a null server, which ends with it.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    address: Address,
    _null: NullServer,
}

struct Shared {
    faults: Option<(Which, Fault)>,
    /// Names of the marked statement.
    marked: Mutex<HashSet<Vec<u8>>>,
    /// Requests by their operation.
    requests: [AtomicU64; REQUESTS],
    /// Rows of a page that the marked statements were executed with.
    page_sizes: Mutex<HashSet<i32>>,
    /// Statements of all batches.
    batched: AtomicU64,
    carried_out: AtomicU64,
    given: AtomicU64,
}

/// A frame, with its head.
struct Frame(Vec<u8>);

impl Frame {
    /// Waits for a complete frame. Returns None if the other end has closed the connection.
    fn read(mut from: &TcpStream) -> Option<Frame> {
        let mut bytes = vec![0; HEAD];
        from.read_exact(&mut bytes).ok()?;
        let length = u32::from_be_bytes(bytes[5..].try_into().expect("four bytes"));
        bytes.resize(HEAD + length as usize, 0);
        from.read_exact(&mut bytes[HEAD..]).ok()?;
        Some(Frame(bytes))
    }

    fn operation(&self) -> u8 {
        self.0[4]
    }

    fn body(&self) -> &[u8] {
        &self.0[HEAD..]
    }

    /// Returns how many statements this batch has: their number follows its kind.
    fn statements(&self) -> u16 {
        u16::from_be_bytes([self.body()[1], self.body()[2]])
    }

    /// Returns the name of the statement that this executes.
    fn id(&self) -> &[u8] {
        &self.body()[2..18]
    }

    /// Returns the rows of a page of the statement that this carries out, which has no parameters,
    /// or None if it asks for no pages.
    fn page_size(&self) -> Option<i32> {
        // After the text or the name: the consistency, and flags.
        let text = i32::from_be_bytes(self.body()[..4].try_into().expect("four bytes")) as usize;
        let before = if self.operation() == QUERY { 4 + text } else { 18 };
        let parameters = &self.body()[before..];
        let has_pages = parameters[2] & 0x04 != 0;
        let size = || i32::from_be_bytes(parameters[3..7].try_into().expect("four bytes"));
        has_pages.then(size)
    }

    fn is_marked(&self) -> bool {
        self.body().windows(MARK.len()).any(|part| part == MARK)
    }

    /// Returns an error in reply to this.
    fn error(&self, code: u32, message: &str, more: &[u8]) -> Vec<u8> {
        self.answer(ERROR, &[&code.to_be_bytes()[..], &string(message), more].concat())
    }

    /// Returns a frame with this operation in reply to this.
    fn answer(&self, operation: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32).to_be_bytes();
        [&[0x84, 0, self.0[2], self.0[3], operation], &length[..], body].concat()
    }
}

/// Returns a text preceded by its length.
pub(crate) fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

impl Proxy {
    /// Starts a proxy that forwards everything.
    pub(crate) fn new() -> Proxy {
        Proxy::start(None)
    }

    /// Starts a proxy that applies this fault to these requests.
    pub(crate) fn with(which: Which, fault: Fault) -> Proxy {
        Proxy::start(Some((which, fault)))
    }

    fn start(faults: Option<(Which, Fault)>) -> Proxy {
        let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
            .expect("a null server");
        let to = null.addresses()[0];
        let shared = Arc::new(Shared {
            faults,
            marked: Mutex::default(),
            requests: Default::default(),
            page_sizes: Mutex::default(),
            batched: AtomicU64::new(0),
            carried_out: AtomicU64::new(0),
            given: AtomicU64::new(0),
        });
        let own = shared.clone();
        let address = protocol::testing::serve(move |client| {
            let Ok(server) = TcpStream::connect(to) else { return };
            // Either end may close the connection at any time.
            let _ = own.serve(&client, &server);
            let _ = client.shutdown(Shutdown::Both);
        });
        Proxy { shared, address: Address::Tcp(address), _null: null }
    }

    pub(crate) fn address(&self) -> Address {
        self.address.clone()
    }

    /// Returns the number of requests with this operation so far.
    pub(crate) fn requests(&self, operation: u8) -> u64 {
        self.shared.requests[usize::from(operation)].load(Ordering::SeqCst)
    }

    /// Returns the rows of a page that the marked statements were executed with so far.
    pub(crate) fn page_sizes(&self) -> HashSet<i32> {
        self.shared.page_sizes.lock().expect("no thread panicked").clone()
    }

    /// Returns the number of statements of all batches so far.
    pub(crate) fn batched(&self) -> u64 {
        self.shared.batched.load(Ordering::SeqCst)
    }

    /// Returns the number of requests that got the fault so far.
    pub(crate) fn given(&self) -> u64 {
        self.shared.given.load(Ordering::SeqCst)
    }
}

impl Shared {
    /// Handles one request after the other: the null server replies in order.
    fn serve(&self, mut client: &TcpStream, mut server: &TcpStream) -> io::Result<()> {
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        while let Some(request) = Frame::read(client) {
            self.requests[usize::from(request.operation())].fetch_add(1, Ordering::SeqCst);
            if request.operation() == BATCH {
                let statements = request.statements().into();
                self.batched.fetch_add(statements, Ordering::SeqCst);
            }
            if self.carries_out(&request) {
                let size = request.page_size();
                self.page_sizes.lock().expect("no thread panicked").extend(size);
            }
            match self.fault(&request) {
                None => {}
                Some(Fault::Error(code, message, more)) => {
                    client.write_all(&request.error(*code, message, more))?;
                    continue;
                }
                Some(Fault::Unprepared) => {
                    let id = [&[0, 16], request.id()].concat();
                    client.write_all(&request.error(0x2500, "not prepared", &id))?;
                    continue;
                }
                Some(Fault::Close) => return Ok(()),
                Some(Fault::Result(body)) => {
                    client.write_all(&request.answer(RESULT, body))?;
                    continue;
                }
                Some(Fault::Flood(bytes)) => {
                    client.write_all(bytes)?;
                    // Until the client hangs up.
                    loop {
                        client.write_all(&[b'x'; 1 << 16])?;
                    }
                }
                Some(Fault::Stop(bytes)) => {
                    client.write_all(bytes)?;
                    // Until the client gives up.
                    while Frame::read(client).is_some() {}
                    return Ok(());
                }
            }
            server.write_all(&request.0)?;
            let Some(reply) = Frame::read(server) else { return Ok(()) };
            if request.operation() == PREPARE && request.is_marked() {
                let id = reply.body()[ID].to_vec();
                self.marked.lock().expect("no thread panicked").insert(id);
            }
            client.write_all(&reply.0)?;
        }
        Ok(())
    }

    fn fault(&self, request: &Frame) -> Option<&Fault> {
        let (which, fault) = self.faults.as_ref()?;
        let gets_it = match which {
            Which::OneIn(many) => {
                self.carries_out(request)
                    && self.carried_out.fetch_add(1, Ordering::SeqCst) % many == many - 1
            }
            Which::All(PREPARE) => request.operation() == PREPARE && request.is_marked(),
            Which::All(operation) => request.operation() == *operation,
        };
        if gets_it {
            self.given.fetch_add(1, Ordering::SeqCst);
        }
        gets_it.then_some(fault)
    }

    fn carries_out(&self, request: &Frame) -> bool {
        match request.operation() {
            QUERY => request.is_marked(),
            EXECUTE => self.marked.lock().expect("no thread panicked").contains(request.id()),
            _ => false,
        }
    }
}
