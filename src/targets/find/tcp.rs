//! One TCP socket.

use std::net::{IpAddr, SocketAddr};

/// A set of states of TCP sockets: the bit of each is its number in the kernel.
#[derive(Clone, Copy)]
pub(super) struct States(pub(super) u32);

pub(super) const LISTENING: States = States(1 << 10);
/// `TCP_ESTABLISHED`, and `TCP_CLOSE_WAIT`: connected, whether or not the peer has closed already.
pub(super) const CONNECTED: States = States(1 << 1 | 1 << 8);

impl States {
    pub(super) fn and(self, other: States) -> States {
        States(self.0 | other.0)
    }
}

/// A socket.
#[derive(Clone, Copy)]
pub(super) struct Tcp {
    state: u8,
    pub(super) ip: IpAddr,
    pub(super) port: u16,
    /// Its peer. The port of a listening socket's peer is 0.
    pub(super) peer: SocketAddr,
    pub(super) user: u32,
    pub(super) inode: u64,
}

impl Tcp {
    pub(super) fn new(state: u8, own: SocketAddr, peer: SocketAddr, user: u32, inode: u64) -> Tcp {
        Tcp { state, ip: own.ip(), port: own.port(), peer, user, inode }
    }

    pub(super) fn is_in(&self, states: States) -> bool {
        states.0.checked_shr(self.state.into()).is_some_and(|bits| bits & 1 == 1)
    }

    /// A line of `/proc/net/tcp` or `tcp6`, proc_pid_net(5).
    pub(super) fn parse(line: &str) -> Option<Tcp> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let state = u8::from_str_radix(words.get(3)?, 16).ok()?;
        let (own, peer) = (socket_address(words.get(1)?)?, socket_address(words.get(2)?)?);
        Some(Tcp::new(state, own, peer, words.get(7)?.parse().ok()?, words.get(9)?.parse().ok()?))
    }
}

fn socket_address(word: &str) -> Option<SocketAddr> {
    let (ip, port) = word.split_once(':')?;
    Some(SocketAddr::new(address(ip)?, u16::from_str_radix(port, 16).ok()?))
}

/// Words of 32 bits, each in the machine's byte order.
fn address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = hex.get(at * 8..at * 8 + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    match hex.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let bytes = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            Some(IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?))
        }
        _ => None,
    }
}
