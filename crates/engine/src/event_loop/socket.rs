//! The system calls on sockets.

use crate::EngineError;
use record::{Address, Failure};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A non-blocking socket that is closed when dropped.
pub(super) struct Socket(OwnedFd);

/// An address in the form of the system.
pub(super) struct SystemAddress {
    storage: libc::sockaddr_storage,
    length: libc::socklen_t,
    /// It is a TCP address on this machine.
    is_loopback: bool,
}

/// Congestion control of connections that do not cross a network. The system's setting for real
/// networks costs CPU time here and gains nothing: BBR paces with a timer, and took 9 % of the
/// CPU of an operation on memcached.
const WITHOUT_A_NETWORK: &[u8] = b"reno";

/// The value that enables an option.
const ON: [u8; size_of::<i32>()] = 1i32.to_ne_bytes();

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
        // SAFETY: all-zero is a valid sockaddr_storage, and it is large and aligned enough to be
        // written as either address family.
        unsafe {
            let mut storage: libc::sockaddr_storage = std::mem::zeroed();
            let length = match address {
                SocketAddr::V4(v4) => {
                    let to = &mut *(&raw mut storage).cast::<libc::sockaddr_in>();
                    to.sin_family = libc::AF_INET as libc::sa_family_t;
                    to.sin_port = v4.port().to_be();
                    to.sin_addr.s_addr = u32::from_ne_bytes(v4.ip().octets());
                    size_of::<libc::sockaddr_in>()
                }
                SocketAddr::V6(v6) => {
                    let to = &mut *(&raw mut storage).cast::<libc::sockaddr_in6>();
                    to.sin6_family = libc::AF_INET6 as libc::sa_family_t;
                    to.sin6_port = v6.port().to_be();
                    to.sin6_addr.s6_addr = v6.ip().octets();
                    to.sin6_scope_id = v6.scope_id();
                    size_of::<libc::sockaddr_in6>()
                }
            };
            let is_loopback = address.ip().is_loopback();
            SystemAddress { storage, length: length as libc::socklen_t, is_loopback }
        }
    }

    fn unix(path: &str) -> Result<SystemAddress, EngineError> {
        // SAFETY: as above; the length of the path was checked, and a zero byte remains after
        // it.
        unsafe {
            let mut storage: libc::sockaddr_storage = std::mem::zeroed();
            let to = &mut *(&raw mut storage).cast::<libc::sockaddr_un>();
            if path.len() >= to.sun_path.len() {
                let why = "the path of the unix socket is longer than 107 bytes";
                return Err(EngineError::order(why));
            }
            to.sun_family = libc::AF_UNIX as libc::sa_family_t;
            for (to, byte) in to.sun_path.iter_mut().zip(path.bytes()) {
                *to = byte as libc::c_char;
            }
            let length = size_of::<libc::sa_family_t>() + path.len() + 1;
            let length = length as libc::socklen_t;
            Ok(SystemAddress { storage, length, is_loopback: false })
        }
    }

    fn family(&self) -> i32 {
        i32::from(self.storage.ss_family)
    }

    fn as_ptr(&self) -> *const libc::sockaddr {
        (&raw const self.storage).cast()
    }
}

/// Why a socket could not be created, or why a call on it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nothing to read or no room to write at the moment.
    NotNow,
    /// The failure is final.
    Failed(Failure),
}

impl Socket {
    /// Starts to connect; if `source` is given, it is bound first.
    pub(super) fn connect(
        to: &SystemAddress,
        source: Option<&SystemAddress>,
    ) -> Result<Socket, Failure> {
        let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: no pointers; a result other than -1 is a descriptor that we own.
        let socket = match unsafe { libc::socket(to.family(), kind, 0) } {
            -1 => return Err(failure(&io::Error::last_os_error())),
            fd => Socket(unsafe { OwnedFd::from_raw_fd(fd) }),
        };
        if to.family() != libc::AF_UNIX {
            socket.set(libc::IPPROTO_TCP, libc::TCP_NODELAY, &ON);
        }
        if to.is_loopback {
            socket.set(libc::IPPROTO_TCP, libc::TCP_CONGESTION, WITHOUT_A_NETWORK);
        }
        if let Some(source) = source {
            // The port is chosen at the connect, for this destination alone: otherwise all
            // destinations would share one pool of ports.
            socket.set(libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT, &ON);
            // SAFETY: the address is valid for its length.
            if unsafe { libc::bind(socket.fd(), source.as_ptr(), source.length) } == -1 {
                return Err(failure(&io::Error::last_os_error()));
            }
        }
        // SAFETY: as above.
        if unsafe { libc::connect(socket.fd(), to.as_ptr(), to.length) } == -1 {
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINPROGRESS) {
                return Err(failure(&error));
            }
        }
        Ok(socket)
    }

    fn set(&self, level: i32, option: i32, value: &[u8]) {
        let length = value.len() as libc::socklen_t;
        // SAFETY: the value is valid for its length. If the system does not know an option only
        // speed is lost, so the result is ignored.
        unsafe { libc::setsockopt(self.fd(), level, option, value.as_ptr().cast(), length) };
    }

    pub(super) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Returns how the connect ended.
    pub(super) fn connected(&self) -> Result<(), Failure> {
        let mut error: i32 = 0;
        let mut length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: both are valid for writes.
        unsafe {
            libc::getsockopt(
                self.fd(),
                libc::SOL_SOCKET,
                libc::SO_ERROR,
                (&raw mut error).cast(),
                &mut length,
            )
        };
        if error == 0 { Ok(()) } else { Err(failure(&io::Error::from_raw_os_error(error))) }
    }

    /// Reads; 0 means that the peer closed.
    #[inline]
    pub(super) fn receive(&self, into: &mut [u8]) -> Result<usize, Refusal> {
        // SAFETY: `into` is valid for writes of its length.
        let result = unsafe { libc::recv(self.fd(), into.as_mut_ptr().cast(), into.len(), 0) };
        if result >= 0 { Ok(result as usize) } else { Err(refusal()) }
    }

    /// Writes, and returns how much was accepted.
    #[inline]
    pub(super) fn send(&self, bytes: &[u8]) -> Result<usize, Refusal> {
        // SAFETY: `bytes` is valid for reads of its length.
        let took = unsafe {
            libc::send(self.fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL)
        };
        if took >= 0 { Ok(took as usize) } else { Err(refusal()) }
    }
}

fn refusal() -> Refusal {
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Refusal::NotNow,
        _ => Refusal::Failed(failure(&error)),
    }
}

/// Returns the class of failure for a system error.
fn failure(error: &io::Error) -> Failure {
    match error.raw_os_error().unwrap_or(0) {
        // A connect to a unix socket whose backlog is full fails with EAGAIN.
        libc::ECONNREFUSED | libc::ENOENT | libc::EAGAIN | libc::EACCES => Failure::Refused,
        libc::EPIPE => Failure::Closed,
        libc::ETIMEDOUT => Failure::Timeout,
        libc::EADDRNOTAVAIL | libc::EADDRINUSE => Failure::NoPort,
        libc::EMFILE | libc::ENFILE => Failure::NoDescriptor,
        libc::ENOBUFS | libc::ENOMEM => Failure::NoMemory,
        libc::ENETUNREACH | libc::EHOSTUNREACH | libc::ENETDOWN => Failure::Unreachable,
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
        let mut name = [0u8; 16];
        let mut length = name.len() as libc::socklen_t;
        // SAFETY: the name has room for the given length.
        let result = unsafe {
            let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
            libc::getsockopt(socket.fd(), level, option, name.as_mut_ptr().cast(), &mut length)
        };
        assert_eq!((result, name.split(|byte| *byte == 0).next()), (0, Some(WITHOUT_A_NETWORK)));
    }
}
