//! A load that is killed at a known point. It goes through a proxy, which passes everything on until a
//! note says that some keys are loaded, and then nothing from connections that are opened later. The
//! load cannot end without such connections, because each of its parts opens its own. So the point is
//! the same on fast and slow machines.

use crate::common::TestDirectory;
use crate::common::running::Running;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Several parts: the first has 2000 keys.
pub(super) const KEYS: &str = "5k";

/// A watchdog: a load comes to its second part within seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the standard error of the load goes.
const STDERR: &str = "stderr-of-the-load";

/// What a note says once keys are loaded; a number follows.
const MARK: &[u8] = b" loading upto ";

/// What connections of the proxy have in common.
#[derive(Default)]
struct Progress {
    /// A note said that keys are loaded.
    noted: AtomicBool,
    /// A connection was opened after that, and is held.
    holds: AtomicBool,
}

/// Starts a load of [`KEYS`] keys into the server, and kills it when its first part is done and its second
/// is held.
pub(super) fn killed_when_held(directory: &TestDirectory, server: SocketAddr, url: &str) {
    let progress = Arc::new(Progress::default());
    let proxy = start_proxy(server, &progress);
    let url = url.replace(&server.to_string(), &proxy.to_string());
    let stderr = File::create(directory.file(STDERR)).expect("a file");
    let mut command = directory.command(&["load", &url, "--keys", KEYS, "--connections", "8"]);
    let child = command.stdout(Stdio::null()).stderr(stderr).spawn().expect("it runs");
    let mut load = Running::new(child);
    let gives_up = Instant::now() + PATIENCE;
    while !progress.holds.load(Ordering::SeqCst) {
        let stderr = directory.text(STDERR);
        assert!(load.runs(), "the load ended before it was held: {stderr}");
        assert!(Instant::now() < gives_up, "the load does not come to its second part: {stderr}");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(load.runs(), "the load ended while it was held: {}", directory.text(STDERR));
    // It is killed when it is dropped.
    drop(load);
}

/// Returns the number of keys of a note that an interrupted load left.
pub(super) fn loaded_upto(note: &str) -> u64 {
    let (_, rest) = note.split_once(" loading upto ").unwrap_or_else(|| panic!("a load: {note}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("a number of keys: {note}"))
}

/// Starts the proxy, whose threads end with this program.
fn start_proxy(server: SocketAddr, progress: &Arc<Progress>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let progress = progress.clone();
    thread::spawn(move || {
        let mut held = Vec::new();
        for client in listener.incoming().flatten() {
            if progress.noted.load(Ordering::SeqCst) {
                held.push(client);
                progress.holds.store(true, Ordering::SeqCst);
            } else {
                forward(client, server, progress.clone());
            }
        }
    });
    address
}

fn forward(client: TcpStream, server: SocketAddr, progress: Arc<Progress>) {
    let server = TcpStream::connect(server).expect("the server listens");
    for stream in [&client, &server] {
        stream.set_nodelay(true).expect("a socket");
    }
    let [from, to] = [&server, &client].map(|stream| stream.try_clone().expect("a descriptor"));
    thread::spawn(move || pass(from, to, |_| ()));
    let mut last = Vec::new();
    thread::spawn(move || {
        pass(client, server, |piece| {
            // A mark may be split across two pieces.
            last.extend_from_slice(piece);
            if says_that_keys_are_loaded(&last) {
                progress.noted.store(true, Ordering::SeqCst);
            }
            last.drain(..last.len().saturating_sub(MARK.len()));
        });
    });
}

fn says_that_keys_are_loaded(bytes: &[u8]) -> bool {
    let mut marks = bytes.windows(MARK.len() + 1).filter(|window| window.starts_with(MARK));
    marks.any(|window| (b'1'..=b'9').contains(&window[MARK.len()]))
}

/// Passes bytes on until one side ends, and shows each piece before it is sent, so that it can be changed.
pub(super) fn pass(mut from: TcpStream, mut to: TcpStream, mut show: impl FnMut(&mut [u8])) {
    let mut buffer = [0; 65536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        show(&mut buffer[..length]);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // The other side may have closed it.
        let _ = stream.shutdown(Shutdown::Both);
    }
}
