//! Servers and checks that the tests of several protocols share.

mod beside;
mod driving;
pub mod groups;
mod listening;
pub mod store_lanes;
mod store_server;

pub use beside::beside;
pub use driving::{
    drive_lanes, drive_one, lane, lane_without_address, order, until_done, verified,
};
pub use listening::{EndlessCounts, endless, free_port, impatient, impatient_of_keys, serve};
pub use store_server::{Dialect, StoreServer, reply};

use crate::Access;
use crate::side_channel::{About, SideChannel};
use engine::workload::preset;
use record::{Address, Workload};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testserver::null::{Consumed, Data, NullService};

/// How long a server may take to listen.
const START: Duration = Duration::from_secs(30);
/// How long a server that answers nothing holds its connections open.
const SILENCE: Duration = Duration::from_secs(6);

/// A server that runs until it is dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: Address,
}

impl Server {
    /// Starts this command, and waits until it listens on the address.
    ///
    /// # Panics
    /// If it is not installed, or does not listen.
    pub fn start(address: Address, command: Command) -> Server {
        Server::try_start(address, command).expect("it goes on")
    }

    /// Starts this command, and waits until it listens on the address. Returns None if it ends at once,
    /// as it does if another process took the port.
    ///
    /// # Panics
    /// If it is not installed, or does not listen.
    pub fn try_start(address: Address, mut command: Command) -> Option<Server> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = Server { child: command.spawn().expect("./test installs it"), address };
        let gives_up = Instant::now() + START;
        while server.child.try_wait().expect("our child").is_none() {
            if server.listens() {
                return Some(server);
            }
            assert!(Instant::now() < gives_up, "no server within {START:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn listens(&self) -> bool {
        match &self.address {
            Address::Tcp(address) => TcpStream::connect(address).is_ok(),
            Address::Unix(path) => UnixStream::connect(path).is_ok(),
            Address::Nodes(_) | Address::Directory(_) | Address::Program => false,
        }
    }

    /// Its process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as a crash would end it.
    ///
    /// # Panics
    /// If the system does not let us.
    pub fn kill(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An address that nobody listens on, and its port.
pub fn free_address() -> (Address, String) {
    let address = free_port();
    (Address::Tcp(address), address.port().to_string())
}

/// The data of a null store with ten keys.
///
/// # Panics
/// If there is no workload `kv`.
pub fn null_data() -> Data {
    Data::new(&Workload { keys: 10, ..preset("kv").expect("a preset") })
}

/// The outcome of these bytes, and the reply of a null server.
pub fn null_answer(service: &mut dyn NullService, input: &[u8]) -> (Consumed, Vec<u8>) {
    let mut out = Vec::new();
    (service.answer(input, &mut out), out)
}

/// Checks that a null store with [`null_data`] reads what it wrote. `requests` are a read of key 7, the
/// beginning of a write of 32 bytes, its confirmation, and what is before and after the value in the
/// reply to a read.
///
/// # Panics
/// If it does not.
pub fn null_store_reads_what_it_wrote(service: &mut dyn NullService, requests: [&[u8]; 5]) {
    let [get, set, stored, before, after] = requests;
    let value = |version: u64| {
        let mut data = null_data();
        let number = [7u64.to_le_bytes(), version.to_le_bytes()].concat();
        assert!(data.write(b"k:000000000007", &number) && data.read(b"k:000000000007"));
        data.value().to_vec()
    };
    let (old, new) = (value(0), value(42));
    let set = [set, &new, b"\r\n"].concat();
    let shown = get.escape_ascii();
    let read = |value: &[u8]| (Consumed::Bytes(get.len()), [before, value, after].concat());
    assert_eq!(null_answer(service, get), read(&old), "{shown}");
    let written = (Consumed::Bytes(set.len()), stored.to_vec());
    assert_eq!(null_answer(service, &set), written, "{shown}");
    // Bytes after a request do not belong to it.
    assert_eq!(null_answer(service, &[get, get].concat()), read(&new), "{shown}");
    for request in [get, &set] {
        for cut in 1..request.len() {
            let answer = null_answer(service, &request[..cut]);
            assert_eq!(answer, (Consumed::NotAll, vec![]), "{shown}");
        }
    }
}

/// Checks that a null server answers none of these requests.
///
/// # Panics
/// If it answers one.
pub fn null_refuses(make: fn() -> Box<dyn NullService>, requests: &[&[u8]]) {
    for request in requests {
        let (consumed, out) = null_answer(&mut *make(), request);
        assert_eq!((consumed, out.len()), (Consumed::Unknown, 0), "{}", request.escape_ascii());
    }
}

/// The side channel of this access.
///
/// # Panics
/// If it is not a store.
pub fn side_channel(access: &dyn Access, address: &Address) -> Box<dyn SideChannel> {
    access.side_channel(address, None).expect("a store")
}

/// The lines of what a store reports.
pub fn lines(about: &About) -> Vec<&str> {
    about.facts.iter().map(|fact| fact.line.as_deref().unwrap_or("")).collect()
}

/// Checks that a note exists until it is removed, and counts as an item.
///
/// # Panics
/// If it does not.
pub fn keeps_a_note(store: &dyn SideChannel) {
    let items = |store: &dyn SideChannel| store.about().expect("it tells").items.expect("a count");
    let before = items(store);
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(None));
    assert_eq!(store.remove_fingerprint("t:loaded"), Ok(()));
    store.write_fingerprint("t:loaded", "a b c").expect("kept");
    store.write_fingerprint("t:loaded", "d e f").expect("kept");
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(Some(b"d e f".to_vec())));
    assert_eq!(items(store), before + 1);
    store.remove_fingerprint("t:loaded").expect("removed");
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(None));
}

/// What a server reports that gives these answers, one after the other, on one connection.
///
/// # Errors
/// If they cannot be understood.
///
/// # Panics
/// If the client does not read them.
pub fn about_of(
    answers: &[&[u8]],
    side_channel: impl FnOnce(&Address) -> Box<dyn SideChannel>,
) -> Result<About, String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().expect("a client");
            for answer in answers {
                let _ = stream.read(&mut [0; 100]);
                stream.write_all(answer).expect("it reads");
            }
        });
        side_channel(&address).about()
    })
}

/// What a server reports that repeats this text and holds the connection open.
///
/// # Errors
/// If it cannot be understood.
///
/// # Panics
/// If there is no client.
pub fn about_of_endless(
    text: &'static [u8],
    side_channel: impl FnOnce(&Address) -> Box<dyn SideChannel>,
) -> Result<About, String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let _ = stream.read(&mut [0; 1000]);
        // A client that has read enough closes the connection.
        for _ in 0..1 << 16 {
            if stream.write_all(text).is_err() || text.is_empty() {
                break;
            }
        }
        std::thread::sleep(SILENCE);
    });
    side_channel(&address).about()
}
