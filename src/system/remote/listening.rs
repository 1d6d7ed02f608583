//! Accepts connections until it is told to stop.

use engine::Stop;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;
use sys::net::BACKLOG;
use sys::poll;

/// The pause after the system refused to accept, for lack of descriptors for example.
const PAUSE: Duration = Duration::from_millis(100);
/// Hands every connection to `take`, or why one cannot be accepted, until `stop` is raised.
///
/// # Errors
/// If the listener cannot be used.
pub(crate) fn accept(
    listener: &TcpListener,
    stop: &Stop,
    mut take: impl FnMut(io::Result<(TcpStream, SocketAddr)>),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    // Otherwise a client waits for seconds while a stranger connects some thousand times.
    sys::net::listen(listener, BACKLOG)?;
    while !stopped(listener, stop)? {
        match listener.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            accepted => {
                let pauses = accepted.is_err();
                take(accepted);
                if pauses {
                    thread::sleep(PAUSE);
                }
            }
        }
    }
    Ok(())
}

/// Waits for a connection or the end. Returns true if it is the end.
fn stopped(listener: &TcpListener, stop: &Stop) -> io::Result<bool> {
    let [_, stopped] = poll::readable([listener.as_raw_fd(), stop.fd()], None)?;
    Ok(stopped)
}
