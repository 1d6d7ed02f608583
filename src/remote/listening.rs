//! Accepts connections until it is told to stop.

use engine::Stop;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// The pause after the system refused to accept, for lack of descriptors for example.
const PAUSE: Duration = Duration::from_millis(100);
/// How many connections may wait to be accepted. With the 128 of the standard library a client waits for
/// seconds while a stranger connects some thousand times.
const BACKLOG: libc::c_int = 4096;

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
    // SAFETY: the descriptor is an open socket that listens already.
    if unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } < 0 {
        return Err(io::Error::last_os_error());
    }
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
    let wait = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut both = [wait(listener.as_raw_fd()), wait(stop.fd())];
    // SAFETY: the array has two valid entries.
    if unsafe { libc::poll(both.as_mut_ptr(), 2, -1) } < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(false) } else { Err(error) };
    }
    Ok(both[1].revents != 0)
}
