//! The system calls on sockets.

use crate::EngineError;
use record::{Address, Failure};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use sys::Errno;
use sys::net::{
    self, AddressFamily, RecvFlags, SendFlags, SocketAddrAny, SocketAddrUnix, SocketFlags,
    SocketType,
};

/// A non-blocking socket that is closed when dropped.
pub(super) struct Socket(OwnedFd);

/// An address in the form of the system.
pub(super) struct SystemAddress {
    address: SocketAddrAny,
    /// It is a TCP address on this machine.
    is_loopback: bool,
}

/// Congestion control of connections that do not cross a network. The system's setting for real
/// networks costs CPU time here and gains nothing: BBR paces with a timer, and took 9 % of the
/// CPU of an operation on memcached.
const WITHOUT_A_NETWORK: &str = "reno";

impl SystemAddress {
    /// # Errors
    /// Returns an error if a unix path is too long for the system (107 bytes).
    pub(super) fn new(address: &Address) -> Result<SystemAddress, EngineError> {
        match address {
            Address::Tcp(address) => Ok(SystemAddress::tcp(address)),
            Address::Unix(path) => SystemAddress::unix(path),
            Address::Nodes(_) | Address::Directory(_) | Address::Program => {
                Err(EngineError::order(format!("{address} is not the address of one server")))
            }
        }
    }

    pub(super) fn tcp(address: &SocketAddr) -> SystemAddress {
        SystemAddress { address: (*address).into(), is_loopback: address.ip().is_loopback() }
    }

    fn unix(path: &str) -> Result<SystemAddress, EngineError> {
        let too_long = "the path of the unix socket is longer than 107 bytes";
        let address = SocketAddrUnix::new(path).map_err(|_| EngineError::order(too_long))?;
        Ok(SystemAddress { address: address.into(), is_loopback: false })
    }
}

impl Socket {
    /// Starts to connect; if `source` is given, it is bound first.
    pub(super) fn connect(
        to: &SystemAddress,
        source: Option<&SystemAddress>,
    ) -> Result<Socket, Failure> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let family = to.address.address_family();
        let socket = net::socket_with(family, SocketType::STREAM, flags, None).map_err(failure)?;
        // If the system does not know one of these options only speed is lost.
        if family != AddressFamily::UNIX {
            let _ = net::set_tcp_nodelay(&socket, true);
        }
        if to.is_loopback {
            let _ = net::set_tcp_congestion(&socket, WITHOUT_A_NETWORK);
        }
        if let Some(source) = source {
            net::choose_port_at_connect(&socket);
            net::bind(&socket, &source.address).map_err(failure)?;
        }
        match net::connect(&socket, &to.address) {
            Ok(()) | Err(Errno::INPROGRESS) => Ok(Socket(socket)),
            Err(error) => Err(failure(error)),
        }
    }

    /// Returns how the connect ended.
    pub(super) fn connected(&self) -> Result<(), Failure> {
        net::socket_error(&self.0).and_then(|result| result).map_err(failure)
    }

    /// Reads; 0 means that the peer closed. Returns None if there is nothing to read at the moment.
    #[inline]
    pub(super) fn receive(&self, into: &mut [u8]) -> Result<Option<usize>, Failure> {
        unless_not_now(net::recv(&self.0, into, RecvFlags::empty()).map(|(length, _)| length))
    }

    /// Writes, and returns how much was accepted, or None if there is no room at the moment.
    #[inline]
    pub(super) fn send(&self, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        unless_not_now(net::send(&self.0, bytes, SendFlags::NOSIGNAL))
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn unless_not_now(result: Result<usize, Errno>) -> Result<Option<usize>, Failure> {
    match result {
        Ok(length) => Ok(Some(length)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

/// Returns the class of failure for a system error.
fn failure(error: Errno) -> Failure {
    match error {
        // A connect to a unix socket whose backlog is full fails with EAGAIN.
        Errno::CONNREFUSED | Errno::NOENT | Errno::AGAIN | Errno::ACCESS => Failure::Refused,
        Errno::PIPE => Failure::Closed,
        Errno::TIMEDOUT => Failure::Timeout,
        Errno::ADDRNOTAVAIL | Errno::ADDRINUSE => Failure::NoPort,
        Errno::MFILE | Errno::NFILE => Failure::NoDescriptor,
        Errno::NOBUFS | Errno::NOMEM => Failure::NoMemory,
        Errno::NETUNREACH | Errno::HOSTUNREACH | Errno::NETDOWN => Failure::Unreachable,
        _ => Failure::Reset,
    }
}

/// Returns source address number `n` of those that a loopback destination is dialled from.
/// 127.0.0.1 itself is left to others.
pub(super) fn loopback_source(n: u8) -> SystemAddress {
    SystemAddress::tcp(&SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, n)), 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn loopback_is_not_paced() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let to = SystemAddress::tcp(&listener.local_addr().expect("bound"));
        let socket = Socket::connect(&to, None).expect("it listens");
        assert_eq!(net::tcp_congestion(&socket).as_deref(), Ok(WITHOUT_A_NETWORK));
    }
}
