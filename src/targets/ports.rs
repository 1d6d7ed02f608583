//! Ports for targets that tiebreak launches.
//!
//! They are below the range that the kernel gives to clients: inside that range a client's
//! connection can hold a port that nothing listens on, and a server would fail at random.

use crate::system::host;
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

/// Well-known ports are below it, and those below 1024 require root.
const LOWEST: u16 = 10_000;

/// A range with fewer ports is too small to choose from.
const FEWEST: usize = 100;

/// The kernel's default range.
const USUAL: (u16, u16) = (32_768, 60_999);

/// Ports that this process has handed out; none is handed out twice.
static HANDED_OUT: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A free port on loopback that this process has not handed out before.
///
/// Another program can take it before the target does: a launch that reports this is repeated with
/// another port.
///
/// # Errors
/// If every port is taken, or the system refuses to probe.
pub fn free() -> io::Result<u16> {
    free_on(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// Returns a free port of another address of this machine.
///
/// # Errors
/// As for [`free`], or if the address is not this machine's.
pub fn free_on(address: IpAddr) -> io::Result<u16> {
    free_on_all(&[address])
}

/// A port that is free on each of these addresses of this machine.
///
/// # Errors
/// As for [`free_on`].
pub fn free_on_all(addresses: &[IpAddr]) -> io::Result<u16> {
    let range = range(host::client_ports().unwrap_or(USUAL));
    // Several tiebreaks at once start at different ports.
    let start = std::process::id() as usize * 97;
    let mut handed_out = HANDED_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    for port in from(range, start) {
        if handed_out.contains(&port) {
            continue;
        }
        let probed =
            addresses.iter().try_for_each(|at| sys::net::probe(SocketAddr::new(*at, port)));
        match probed {
            Ok(()) => {
                handed_out.insert(port);
                return Ok(port);
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, "no port is free for a target"))
}

/// Whether a server's output says that its port is taken.
pub fn says_taken(lines: &[String]) -> bool {
    const WORDS: [&str; 3] = ["address already in use", "address in use", "eaddrinuse"];
    lines.iter().any(|line| {
        let line = line.to_ascii_lowercase();
        WORDS.iter().any(|words| line.contains(words))
    })
}

/// The ports below the clients' range; those above it if too few are below; and all if clients use
/// everything.
fn range((low, high): (u16, u16)) -> RangeInclusive<u16> {
    let below = LOWEST..=low.saturating_sub(1);
    let above = high.saturating_add(1).max(LOWEST)..=u16::MAX;
    match (below.len() >= FEWEST, above.len() >= FEWEST) {
        (true, _) => below,
        (false, true) => above,
        (false, false) => LOWEST..=u16::MAX,
    }
}

/// All ports of a range once, starting at a given position.
fn from(range: RangeInclusive<u16>, start: usize) -> impl Iterator<Item = u16> {
    let start = start % range.len();
    range.clone().skip(start).chain(range.take(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn targets_get_ports_that_clients_do_not() {
        for (clients, expected) in [
            ((32_768, 60_999), 10_000..=32_767),
            ((10_100, 65_535), 10_000..=10_099),
            ((10_050, 60_000), 60_001..=65_535),
            ((1_024, 9_000), 10_000..=65_535),
            ((1_024, 65_535), 10_000..=65_535),
            ((1_024, 65_500), 10_000..=65_535),
        ] {
            assert_eq!(range(clients), expected, "{clients:?}");
        }
    }

    #[test]
    fn every_port_of_a_range_comes_once() {
        for start in [0, 1, 4, 5, 7, 1_000_003] {
            let mut ports: Vec<u16> = from(7..=11, start).collect();
            assert_eq!(ports[0], 7 + (start % 5) as u16);
            ports.sort_unstable();
            assert_eq!(ports, [7, 8, 9, 10, 11]);
        }
    }

    #[test]
    fn none_comes_twice_and_none_is_taken() {
        let ports: Vec<u16> = (0..50).map(|_| free().expect("a port")).collect();
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), 50);
        let descents = ports.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!(descents <= 1, "who is launched first has the lower port: {ports:?}");
        // A port on which something listens is reported as taken, whatever the address.
        let listener = TcpListener::bind(("0.0.0.0", 0)).expect("a port");
        let taken = listener.local_addr().expect("bound").port();
        let error = sys::net::probe(SocketAddr::from(([127, 0, 0, 1], taken))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn a_client_that_holds_a_port_makes_it_taken() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let client = std::net::TcpStream::connect(listener.local_addr().expect("bound"));
        let held = client.as_ref().expect("connected").local_addr().expect("bound");
        assert_eq!(sys::net::probe(held).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn an_address_of_another_machine_is_an_error() {
        let error = free_on("203.0.113.1".parse().expect("an address")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
    }

    #[test]
    fn servers_say_that_a_port_is_taken() {
        for (line, taken) in [
            ("nginx: [emerg] bind() to 127.0.0.1:80 failed (98: Address already in use)", true),
            ("Error: listen EADDRINUSE: address already in use 127.0.0.1:80", true),
            ("listen tcp 127.0.0.1:80: bind: address already in use", true),
            ("[Errno 98] error while attempting to bind on address: address in use", true),
            ("listening on 127.0.0.1:80", false),
        ] {
            assert_eq!(says_taken(&["first".to_owned(), line.to_owned()]), taken, "{line}");
        }
    }
}
