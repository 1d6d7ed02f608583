//! Queries the kernel for the TCP sockets in some states with sock_diag(7).
//!
//! `/proc/net/tcp` lists all sockets: for that the kernel walks its whole table of connections,
//! which takes milliseconds however few there are.

use super::tcp::{States, Tcp};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use sys::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;
/// Bytes of `nlmsghdr`, and of `inet_diag_msg` up to and with the inode.
const HEAD: usize = 16;
const SOCKET: usize = 72;
/// The size of the receive buffer: the kernel never sends more than 32 KiB at once.
const BUFFER: usize = 32 * 1024;

/// The sockets of both families in these states.
///
/// # Errors
/// If the kernel does not answer (built without it, or forbidden here).
pub(super) fn in_states(states: States) -> io::Result<Vec<Tcp>> {
    let (kind, flags) = (SocketType::RAW, SocketFlags::CLOEXEC);
    let diagnosis = Some(netlink::SOCK_DIAG);
    let netlink = net::socket_with(AddressFamily::NETLINK, kind, flags, diagnosis)?;
    let mut found = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        net::send(&netlink, &question(family as u8, states), SendFlags::empty())?;
        while receive(&netlink, &mut found)? {}
    }
    Ok(found)
}

/// `nlmsghdr` and `inet_diag_req_v2`: a dump of the family's sockets in these states.
fn question(family: u8, states: States) -> [u8; HEAD + 56] {
    let mut bytes = [0; HEAD + 56];
    let length = bytes.len() as u32;
    bytes[0..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
    bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
    bytes[HEAD] = family;
    bytes[HEAD + 1] = libc::IPPROTO_TCP as u8;
    bytes[HEAD + 4..HEAD + 8].copy_from_slice(&states.0.to_ne_bytes());
    bytes
}

/// Receives the next messages. Returns whether more follow.
fn receive(netlink: &OwnedFd, found: &mut Vec<Tcp>) -> io::Result<bool> {
    let mut buffer = [0u8; BUFFER];
    let (got, _) = net::recv(netlink, &mut buffer, RecvFlags::empty())?;
    messages(&buffer[..got], found)
}

/// Reads the messages of one buffer. Returns whether more buffers follow.
fn messages(mut bytes: &[u8], found: &mut Vec<Tcp>) -> io::Result<bool> {
    if bytes.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    while let Some(head) = bytes.first_chunk::<HEAD>() {
        let length = u32::from_ne_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(body) = bytes.get(HEAD..length) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        match i32::from(u16::from_ne_bytes([head[4], head[5]])) {
            libc::NLMSG_DONE => return Ok(false),
            libc::NLMSG_ERROR => return Err(io::ErrorKind::Unsupported.into()),
            _ => found.extend(socket(body)),
        }
        // Messages begin at multiples of four.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}

/// `inet_diag_msg`: family, state and ports, addresses, …, user and inode.
fn socket(body: &[u8]) -> Option<Tcp> {
    let body: &[u8; SOCKET] = body.first_chunk()?;
    let number =
        |at: usize| u32::from_ne_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
    let ip = |at: usize| match i32::from(body[0]) {
        libc::AF_INET => {
            Some(IpAddr::V4(Ipv4Addr::new(body[at], body[at + 1], body[at + 2], body[at + 3])))
        }
        libc::AF_INET6 => {
            let bytes: [u8; 16] = body[at..at + 16].try_into().ok()?;
            Some(IpAddr::V6(Ipv6Addr::from(bytes)))
        }
        _ => None,
    };
    let port = |at: usize| u16::from_be_bytes([body[at], body[at + 1]]);
    let (own, peer) = (SocketAddr::new(ip(8)?, port(4)), SocketAddr::new(ip(24)?, port(6)));
    Some(Tcp::new(body[1], own, peer, number(64), u64::from(number(68))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::not_tested::{Lack, lacks};
    use crate::targets::find::tcp::{CONNECTED, LISTENING};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn our_own_listeners_are_among_them() {
        for ip in ["127.0.0.1", "::1"] {
            if ip == "::1" && lacks(Lack::Ipv6) {
                continue;
            }
            let listener = TcpListener::bind((ip, 0)).expect("a port");
            let address = listener.local_addr().expect("bound");
            let about = std::fs::metadata(format!("/proc/self/fd/{}", listener.as_raw_fd()));
            let inode = about.expect("open").ino();
            let found = in_states(LISTENING).expect("this kernel tells");
            let ours = found.iter().find(|tcp| tcp.inode == inode).expect("it listens");
            assert_eq!((ours.ip, ours.port), (address.ip(), address.port()));
            assert_eq!(ours.user, sys::process::user());
        }
    }

    #[test]
    fn a_connection_has_its_peer() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let client = TcpStream::connect(address).expect("it listens");
        let own = client.local_addr().expect("connected");
        let found = in_states(LISTENING.and(CONNECTED)).expect("this kernel tells");
        let at = |tcp: &Tcp| SocketAddr::new(tcp.ip, tcp.port);
        let ours = found.iter().find(|tcp| at(tcp) == own).expect("it is connected");
        assert_eq!(ours.peer, address);
        assert!(ours.is_in(CONNECTED) && !ours.is_in(LISTENING));
        assert!(found.iter().any(|tcp| at(tcp) == address && tcp.is_in(LISTENING)));
        let listening = in_states(LISTENING).expect("this kernel tells");
        assert!(listening.iter().all(|tcp| tcp.is_in(LISTENING) && tcp.peer.port() == 0));
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let message = |length: u32, kind: i32| {
            let mut bytes = vec![0; HEAD];
            bytes[..4].copy_from_slice(&length.to_ne_bytes());
            bytes[4..6].copy_from_slice(&(kind as u16).to_ne_bytes());
            messages(&bytes, &mut Vec::new())
        };
        assert!(messages(&[], &mut Vec::new()).is_err());
        assert!(message(16, libc::NLMSG_ERROR).is_err());
        assert!(message(15, libc::NLMSG_DONE).is_err(), "shorter than its head");
        assert!(message(17, libc::NLMSG_DONE).is_err(), "longer than the piece");
        assert!(!message(16, libc::NLMSG_DONE).expect("the end"));
        assert!(message(16, 99).expect("goes on"));
    }
}
