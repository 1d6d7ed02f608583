//! TCP and unix sockets behind one interface.

use super::behaviour::Behaviour;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

/// One connection's socket, non-blocking. The standard library's stream for unix sockets makes the same system
/// calls on a TCP socket.
pub(super) type Socket = UnixStream;

/// Makes closing this socket send a reset.
pub(super) fn reset_on_close(socket: BorrowedFd<'_>) -> io::Result<()> {
    Ok(sys::net::set_socket_linger(socket, Some(Duration::ZERO))?)
}

/// Where connections come from.
pub(super) enum Listener {
    Tcp(TcpListener),
    /// The file is removed when the listener is dropped.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// All listeners of the behaviour, the TCP one first, and its address.
    pub(super) fn open(behaviour: &Behaviour) -> io::Result<(SocketAddr, Vec<Listener>)> {
        let named = |what: &dyn std::fmt::Display, error: io::Error| {
            io::Error::new(error.kind(), format!("cannot listen on {what}: {error}"))
        };
        let tcp = TcpListener::bind(behaviour.listen).map_err(|e| named(&behaviour.listen, e))?;
        let address = tcp.local_addr()?;
        let mut listeners = vec![Listener::Tcp(tcp)];
        if let Some(path) = &behaviour.unix {
            let bound = UnixListener::bind(path).map_err(|error| {
                let hint = match error.kind() {
                    io::ErrorKind::AddrInUse => " (remove the file if no server uses it)",
                    _ => "",
                };
                named(&format!("{}{hint}", path.display()), error)
            })?;
            listeners.push(Listener::Unix(bound, path.clone()));
        }
        for listener in &listeners {
            match listener {
                Listener::Tcp(tcp) => tcp.set_nonblocking(true)?,
                Listener::Unix(unix, _) => unix.set_nonblocking(true)?,
            }
            sys::net::listen(listener.as_fd(), sys::net::BACKLOG)?;
        }
        Ok((address, listeners))
    }

    /// The next waiting connection, ready for use. The error `ConnectionAborted` means that this
    /// connection failed and that others may be waiting.
    pub(super) fn accept(&self) -> io::Result<Socket> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                // Without it the pieces of a slow body would wait for the
                // client's acknowledgements.
                let set = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
                set.map(|()| OwnedFd::from(stream).into()).map_err(of_this_connection)
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                let set = stream.set_nonblocking(true);
                set.map(|()| stream).map_err(of_this_connection)
            }
        }
    }
}

/// An error of one connection must not look like an error of the listener.
fn of_this_connection(error: io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, error)
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Tcp(listener) => listener.as_fd(),
            Listener::Unix(listener, _) => listener.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // Another process may have removed it; then nothing is left to do.
            let _ = std::fs::remove_file(path);
        }
    }
}
