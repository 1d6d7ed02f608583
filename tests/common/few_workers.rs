//! A server with fewer workers than it has connections, as a prefork server or a thread pool is.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub(crate) const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Accepts all connections, and serves as many at a time as there are workers, each until it ends.
pub(crate) fn hands_to_workers(
    workers: usize,
    serve: impl Fn(TcpStream) + Clone + Send + 'static,
) -> SocketAddr {
    let (accepted, waiting) = channel();
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..workers {
        let (waiting, serve) = (waiting.clone(), serve.clone());
        thread::spawn(move || {
            loop {
                let next = waiting.lock().expect("no worker panics").recv();
                let Ok(client) = next else { return };
                serve(client);
            }
        });
    }
    protocol::testing::serve(move |client| accepted.send(client).expect("the workers run"))
}

/// One millisecond for each reply, so that the others get their share of a busy machine.
pub(crate) fn answer(mut client: TcpStream) {
    let mut request = [0; 4096];
    while client.read(&mut request).is_ok_and(|read| read > 0) {
        thread::sleep(Duration::from_millis(1));
        if client.write_all(REPLY).is_err() {
            return;
        }
    }
}
