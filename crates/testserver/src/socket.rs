//! TCP and unix sockets behind one interface.

use super::behaviour::Behaviour;
use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

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
                set.map(|()| Socket::Tcp(stream)).map_err(of_this_connection)
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                let set = stream.set_nonblocking(true);
                set.map(|()| Socket::Unix(stream)).map_err(of_this_connection)
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

/// One connection's socket, non-blocking.
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.read(into),
            Socket::Unix(stream) => stream.read(into),
        }
    }

    pub(super) fn write(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.write_vectored(slices),
            Socket::Unix(stream) => stream.write_vectored(slices),
        }
    }

    /// Tells the peer that nothing more will come. Its data can still be read: closing with unread
    /// bytes would reset the connection, and the client could lose the last reply.
    pub(super) fn finish(&self) -> io::Result<()> {
        match self {
            Socket::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Socket::Unix(stream) => stream.shutdown(Shutdown::Write),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
        }
    }
}
