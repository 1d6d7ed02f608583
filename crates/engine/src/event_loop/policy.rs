//! When a connection is used again, and from which address it dials.

use super::socket::{SystemAddress, loopback_source};
use record::{Address, Reuse};

/// How many source addresses a 127.0.0.0/8 destination is dialled from. Linux
/// hands out half of the client ports for each (source, destination) and takes
/// one back after a second: one source ends at about 14 000 connects a second.
pub const LOOPBACK_SOURCES: u8 = 64;

/// Whether a connection may carry another operation after `served` of them.
#[inline]
pub(super) fn may_reuse(reuse: Reuse, served: u32) -> bool {
    match reuse {
        // A lane over sockets has no pool, and is not made with one.
        Reuse::Always | Reuse::Pool(_) => true,
        Reuse::Never => false,
        Reuse::Times(times) => served < times,
    }
}

/// Deals out source addresses in turn; none where the system chooses.
pub(super) struct Sources {
    addresses: Vec<SystemAddress>,
    next: usize,
}

impl Sources {
    /// For connections to `to`. Persistent connections to loopback come from
    /// wherever the system likes: they use few ports.
    pub(super) fn new(to: &Address, reuse: Reuse, worker: usize) -> Sources {
        let loopback = match to {
            Address::Tcp(to) => to.is_ipv4() && to.ip().is_loopback(),
            _ => false,
        };
        let addresses = match loopback && reuse != Reuse::Always {
            true => (0..LOOPBACK_SOURCES).map(|n| loopback_source(n + 2)).collect(),
            false => Vec::new(),
        };
        Sources { addresses, next: worker }
    }

    pub(super) fn deal(&mut self) -> Option<&SystemAddress> {
        if self.addresses.is_empty() {
            return None;
        }
        self.next = (self.next + 1) % self.addresses.len();
        Some(&self.addresses[self.next])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuse_is_counted_in_operations() {
        assert!(may_reuse(Reuse::Always, 1_000_000));
        assert!(!may_reuse(Reuse::Never, 1));
        assert!(may_reuse(Reuse::Times(3), 2));
        assert!(!may_reuse(Reuse::Times(3), 3));
    }

    #[test]
    fn only_fresh_connections_to_ipv4_loopback_are_spread() {
        let dealt = |to: &str, reuse| {
            Sources::new(&Address::Tcp(to.parse().expect("address")), reuse, 0).deal().is_some()
        };
        assert!(dealt("127.0.0.1:80", Reuse::Never));
        assert!(dealt("127.0.0.1:80", Reuse::Times(9)));
        assert!(!dealt("127.0.0.1:80", Reuse::Always));
        assert!(!dealt("[::1]:80", Reuse::Never));
        assert!(!dealt("10.0.0.1:80", Reuse::Never));
    }
}
