//! When a connection is reused, and from which address it dials.

use super::socket::{SystemAddress, loopback_source};
use crate::EngineError;
use record::{Address, Reuse};

/// How many source addresses are used to dial a 127.0.0.0/8 destination. Linux hands out half of
/// the client ports for each (source, destination) and takes one back after a second: a single
/// source reaches its limit at about 14 000 connects a second.
pub const LOOPBACK_SOURCES: u8 = 64;

/// Returns true if a connection may carry another operation after `served` of them.
#[inline]
pub(super) fn may_reuse(reuse: Reuse, served: u32) -> bool {
    match reuse {
        // A lane over sockets is never created with a pool.
        Reuse::Always | Reuse::Pool(_) => true,
        Reuse::Never => false,
        Reuse::Times(times) => served < times,
    }
}

/// Hands out source addresses in turn, or none if the system chooses.
pub(super) struct Sources {
    addresses: Vec<SystemAddress>,
    next: usize,
}

impl Sources {
    /// Creates the source addresses for connections to `to`. The system chooses those of
    /// persistent connections to loopback, which use few ports.
    pub(super) fn new(to: &Address, reuse: Reuse, worker: usize) -> Sources {
        let loopback = to.is_loopback_v4();
        let addresses = if loopback && reuse != Reuse::Always {
            (0..LOOPBACK_SOURCES).map(|n| loopback_source(n + 2)).collect()
        } else {
            Vec::new()
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

/// Decides which node of a target a connection dials.
pub(super) struct Destinations {
    nodes: Vec<SystemAddress>,
    next: usize,
    /// Each connection belongs to one node.
    is_fixed: bool,
}

impl Destinations {
    /// `servers` is how many servers a client is connected to. If there are several, connections
    /// are assigned to them in turn. Otherwise each connect goes to the next node, so that a
    /// node that is down is skipped at the next attempt; the first worker begins with the first
    /// node, the second with the second.
    ///
    /// # Errors
    /// Returns an error if there is nothing to connect to, if there are not as many nodes as
    /// servers, or if a unix path is too long for the system.
    pub(super) fn new(
        to: &Address,
        servers: u32,
        worker: usize,
    ) -> Result<Destinations, EngineError> {
        let nodes: Vec<SystemAddress> = match to {
            Address::Nodes(nodes) => nodes.iter().map(SystemAddress::tcp).collect(),
            Address::Tcp(_) | Address::Unix(_) | Address::Directory(_) | Address::Program => {
                vec![SystemAddress::new(to)?]
            }
        };
        let is_fixed = servers > 1;
        if is_fixed && nodes.len() != servers as usize {
            let why = format!("there are {servers} servers but {} addresses", nodes.len());
            return Err(EngineError::order(why));
        }
        Ok(Destinations { nodes, next: worker, is_fixed })
    }

    /// Returns the address for the connection with this number among those of the lane.
    pub(super) fn deal(&mut self, connection: u32) -> &SystemAddress {
        if self.is_fixed {
            return &self.nodes[connection as usize % self.nodes.len()];
        }
        let node = &self.nodes[self.next % self.nodes.len()];
        self.next = self.next.wrapping_add(1);
        node
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

    #[test]
    fn nodes_are_dealt_out_in_turn_from_another_one_for_each_worker() {
        let nodes: Vec<std::net::SocketAddr> =
            (1..4).map(|n| ([127, 0, 0, n], 9160).into()).collect();
        let to = Address::Nodes(nodes);
        for worker in [0, 1] {
            let mut destinations = Destinations::new(&to, 1, worker).expect("nodes");
            for turn in 0..5 {
                let first = destinations.nodes.as_ptr();
                let dealt = std::ptr::from_ref(destinations.deal(0));
                assert_eq!(dealt, first.wrapping_add((worker + turn) % 3), "{worker} {turn}");
            }
        }
        assert!(Destinations::new(&Address::Program, 1, 0).is_err());
    }

    #[test]
    fn connections_of_a_client_of_several_servers_belong_to_one_each() {
        let nodes: Vec<std::net::SocketAddr> =
            (1..4).map(|n| ([127, 0, 0, n], 11211).into()).collect();
        let to = Address::Nodes(nodes);
        let mut destinations = Destinations::new(&to, 3, 1).expect("nodes");
        for connection in [0, 4, 2, 0, 5, 5] {
            let first = destinations.nodes.as_ptr();
            let dealt = std::ptr::from_ref(destinations.deal(connection));
            assert_eq!(dealt, first.wrapping_add(connection as usize % 3), "{connection}");
        }
        assert!(Destinations::new(&to, 2, 0).is_err(), "one address would never be dialled");
    }
}
