//! Sockets, where the standard library has no function for what they need.

use rustix::net::sockopt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

pub use rustix::net::sockopt::{set_socket_linger, set_socket_reuseport, set_tcp_user_timeout};
pub use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType,
    bind, connect, listen, netlink, recv, send, socket_with,
};
pub use sockopt::{set_tcp_congestion, set_tcp_nodelay, socket_error, tcp_congestion};

/// How many connections may wait to be accepted. The standard library allows 128.
pub const BACKLOG: i32 = 4096;

/// Has the port of a bound socket chosen at the connect, for its destination alone: otherwise all
/// destinations would share one pool of ports. A kernel that does not know this loses only speed.
pub fn choose_port_at_connect(socket: impl AsFd) {
    let on: libc::c_int = 1;
    let size = size_of_val(&on) as libc::socklen_t;
    let (fd, option) = (socket.as_fd().as_raw_fd(), libc::IP_BIND_ADDRESS_NO_PORT);
    // SAFETY: the value is valid for reads of its size.
    unsafe { libc::setsockopt(fd, libc::IPPROTO_IP, option, (&raw const on).cast(), size) };
}

/// Connects within this time: the standard library would wait for ever if the listener does not
/// accept. On Linux the send timeout also limits connect.
///
/// # Errors
/// If the path is too long for a socket (107 bytes), or nobody accepts.
pub fn connect_unix(path: impl AsRef<Path>, timeout: Duration) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path.as_ref())?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let stream = UnixStream::from(socket);
    stream.set_write_timeout(Some(timeout))?;
    connect(&stream, &address)?;
    Ok(stream)
}

/// Binds a TCP socket and closes it. It deliberately does not set SO_REUSEADDR: lingering connections
/// block a port for servers that do not set it either.
///
/// # Errors
/// If the address is not free.
pub fn probe(address: SocketAddr) -> io::Result<()> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    Ok(bind(&socket, &address)?)
}

/// Has the kernel probe a connection that is idle for this long, this often, this many times, so that a
/// peer that is gone is noticed.
///
/// # Errors
/// If the system refuses.
pub fn keep_alive(
    stream: &TcpStream,
    idle: Duration,
    interval: Duration,
    times: u32,
) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, idle)?;
    sockopt::set_tcp_keepintvl(stream, interval)?;
    Ok(sockopt::set_tcp_keepcnt(stream, times)?)
}
