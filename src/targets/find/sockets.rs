//! The listening sockets of this network namespace, and connections to them.

use super::listeners::in_states;
use super::tcp::{CONNECTED, LISTENING, States, Tcp};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// Flag of a unix socket that listens (`__SO_ACCEPTCON`).
const UNIX_LISTENS: u64 = 0x10000;

/// Sockets that connections to one address can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listening {
    pub(super) inodes: BTreeSet<u64>,
    /// The users who own them, if the kernel reports them.
    pub(super) users: BTreeSet<u32>,
}

impl Listening {
    pub(super) fn is_empty(&self) -> bool {
        self.inodes.is_empty()
    }

    fn and(mut self, socket: Tcp) -> Listening {
        self.inodes.insert(socket.inode);
        self.users.insert(socket.user);
        self
    }
}

/// The sockets that a connection to this TCP address reaches.
pub(super) fn listening_on(address: SocketAddr) -> Listening {
    best(&tcp_sockets(LISTENING), address)
}

pub(super) fn listening_on_port(port: u16) -> Listening {
    let sockets = tcp_sockets(LISTENING).into_iter().filter(|socket| socket.port == port);
    sockets.fold(Listening::default(), Listening::and)
}

pub(super) fn ports_of(inodes: &BTreeSet<u64>) -> BTreeSet<u16> {
    let sockets = tcp_sockets(LISTENING).into_iter();
    sockets.filter(|socket| inodes.contains(&socket.inode)).map(|socket| socket.port).collect()
}

/// The listeners and connections of this network namespace.
pub(super) struct Connections {
    listeners: Vec<Tcp>,
    connected: Vec<Tcp>,
}

impl Connections {
    pub(super) fn now() -> Connections {
        let sockets = tcp_sockets(LISTENING.and(CONNECTED)).into_iter();
        let (listeners, connected) = sockets.partition(|socket| socket.is_in(LISTENING));
        Connections { listeners, connected }
    }

    /// The local listeners to which one of these sockets is connected, each with the address that
    /// was dialled.
    pub(super) fn dialled_by(&self, inodes: &BTreeSet<u64>) -> BTreeMap<SocketAddr, Listening> {
        let dialled = self.connected.iter().filter(|socket| inodes.contains(&socket.inode));
        let dialled: BTreeSet<SocketAddr> = dialled.map(|socket| socket.peer).collect();
        let reached = dialled.into_iter().map(|peer| (peer, best(&self.listeners, peer)));
        reached.filter(|(peer, there)| !there.is_empty() && super::is_here(peer.ip())).collect()
    }
}

fn tcp_sockets(states: States) -> Vec<Tcp> {
    in_states(states).unwrap_or_else(|_| parse(&tcp_tables(), states))
}

fn tcp_tables() -> String {
    let table = |file: &str| fs::read_to_string(format!("/proc/net/{file}")).unwrap_or_default();
    [table("tcp"), table("tcp6")].concat()
}

fn parse(tables: &str, states: States) -> Vec<Tcp> {
    tables.lines().filter_map(Tcp::parse).filter(|socket| socket.is_in(states)).collect()
}

/// The kernel prefers a socket bound to the exact address to one bound to all, and one of the same
/// family to an IPv6 socket that accepts IPv4 as well.
fn best(sockets: &[Tcp], wanted: SocketAddr) -> Listening {
    let wanted = SocketAddr::new(wanted.ip().to_canonical(), wanted.port());
    let at = |ip: IpAddr| {
        let there = sockets.iter().filter(|it| it.ip == ip && it.port == wanted.port());
        there.copied().fold(Listening::default(), Listening::and)
    };
    let exact = match wanted.ip() {
        IpAddr::V4(v4) => vec![wanted.ip(), v4.to_ipv6_mapped().into()],
        IpAddr::V6(_) => vec![wanted.ip()],
    };
    let all_v4 = wanted.is_ipv4().then_some(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let order = exact.into_iter().chain(all_v4).chain([IpAddr::V6(Ipv6Addr::UNSPECIFIED)]);
    order.map(at).find(|listening| !listening.is_empty()).unwrap_or_default()
}

pub(super) fn listening_at(path: &str) -> Listening {
    let table = fs::read("/proc/net/unix").unwrap_or_default();
    let real = fs::canonicalize(path).ok();
    let same = |listed: &str| {
        listed == path || (real.is_some() && fs::canonicalize(Path::new(listed)).ok() == real)
    };
    at_path(&String::from_utf8_lossy(&table), same)
}

/// Lines such as `ffff…: 00000002 00000000 00010000 0001 01 4711 /run/x.sock`; a path may hold
/// blanks. A socket that was bound with a relative path is listed with it and not found, since
/// nothing says what it is relative to.
fn at_path(table: &str, same: impl Fn(&str) -> bool) -> Listening {
    let inode = |line: &str| {
        let mut words = line.splitn(8, ' ').filter(|word| !word.is_empty());
        let flags = u64::from_str_radix(words.nth(3)?, 16).ok()?;
        let rest = line.splitn(7, ' ').last()?.trim_start();
        let (inode, path) = rest.split_once(' ')?;
        let here = flags & UNIX_LISTENS != 0 && same(path);
        here.then(|| inode.parse::<u64>().ok()).flatten()
    };
    let inodes = table.lines().filter_map(inode).collect();
    Listening { inodes, users: BTreeSet::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ip: &str, port: u16, state: &str, inode: u64) -> String {
        let bytes = match ip.parse().expect("an address") {
            IpAddr::V4(v4) => v4.octets().to_vec(),
            IpAddr::V6(v6) => v6.octets().to_vec(),
        };
        let words = bytes.chunks(4).map(|it| u32::from_ne_bytes(it.try_into().expect("four")));
        let hex: String = words.map(|word| format!("{word:08X}")).collect();
        format!(
            "   0: {hex}:{port:04X} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  \
             1000        0 {inode} 1 0000000000000000 100 0 0 10 0\n"
        )
    }

    fn found(table: &str, wanted: &str) -> Vec<u64> {
        let listening = best(&parse(table, LISTENING), wanted.parse().expect("an address"));
        listening.inodes.into_iter().collect()
    }

    #[test]
    fn the_most_fitting_socket_is_the_one() {
        let table = [
            line("127.0.0.1", 80, "0A", 1),
            line("0.0.0.0", 80, "0A", 2),
            line("::", 80, "0A", 3),
            line("127.0.0.1", 81, "0A", 4),
            line("127.0.0.1", 80, "01", 5),
            line("::1", 80, "0A", 6),
            line("0.0.0.0", 82, "0A", 7),
            line("0.0.0.0", 82, "0A", 8),
            line("::", 82, "0A", 9),
            line("::", 83, "0A", 10),
            line("::ffff:127.0.0.1", 84, "0A", 11),
            line("::", 84, "0A", 12),
        ]
        .concat();
        let cases: [(&str, &[u64]); 9] = [
            ("127.0.0.1:80", &[1]),
            ("10.0.0.1:80", &[2]),
            ("[::1]:80", &[6]),
            ("[fd00::1]:80", &[3]),
            ("127.0.0.1:82", &[7, 8]),
            ("127.0.0.1:83", &[10]),
            ("127.0.0.1:84", &[11]),
            ("[::ffff:127.0.0.1]:81", &[4]),
            ("127.0.0.1:85", &[]),
        ];
        for (wanted, inodes) in cases {
            assert_eq!(found(&table, wanted), inodes, "{wanted}");
        }
        let users =
            best(&parse(&table, LISTENING), "127.0.0.1:80".parse().expect("an address")).users;
        assert_eq!(users, BTreeSet::from([1000]));
    }

    #[test]
    fn lines_that_say_nothing_are_passed_over() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n";
        for table in ["", head, "0: zz:50 x 0A", "0: 0100007F:0050 0 0A 0 0 0 0 0 x", "0: 01:0050"]
        {
            assert_eq!(found(table, "127.0.0.1:80"), [0; 0], "{table}");
        }
    }

    #[test]
    fn unix_sockets_by_path() {
        let table = "\
Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 4711 /run/x.sock
0000000000000000: 00000003 00000000 00000000 0001 03 4712 /run/x.sock
0000000000000000: 00000002 00000000 00010000 0001 01    47 /run/a b.sock
0000000000000000: 00000002 00000000 00010000 0001 01 4714
";
        for (path, inodes) in
            [("/run/x.sock", vec![4711]), ("/run/a b.sock", vec![47]), ("", vec![])]
        {
            let found = at_path(table, |listed| listed == path);
            assert_eq!(found.inodes.into_iter().collect::<Vec<_>>(), inodes, "{path}");
        }
    }
}
