//! One listening socket of TCP.

use std::net::IpAddr;

/// State of a TCP socket that listens (`TCP_LISTEN`).
const TCP_LISTENS: &str = "0A";

/// A listening socket.
#[derive(Clone, Copy)]
pub(super) struct Tcp {
    pub(super) ip: IpAddr,
    pub(super) port: u16,
    pub(super) user: u32,
    pub(super) inode: u64,
}

impl Tcp {
    /// A line of `/proc/net/tcp` or `tcp6`, proc_pid_net(5).
    pub(super) fn parse(line: &str) -> Option<Tcp> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (ip, port) = words.get(1)?.split_once(':')?;
        if *words.get(3)? != TCP_LISTENS {
            return None;
        }
        Some(Tcp {
            ip: address(ip)?,
            port: u16::from_str_radix(port, 16).ok()?,
            user: words.get(7)?.parse().ok()?,
            inode: words.get(9)?.parse().ok()?,
        })
    }
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
