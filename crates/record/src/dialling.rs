//! Which addresses may be dialled.

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Decides whether an address may be dialled: this machine and private networks always, others only
/// with `--allow-public`.
///
/// This is the only place that decides it. The addresses that a user gives are checked when a plan
/// is made. Every protocol whose servers announce further addresses (nodes of a cluster, redirects)
/// must ask here before it dials one of them, or has its client library do so: a server could
/// otherwise direct the load and the login to any machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DialPolicy {
    allow_public: bool,
}

impl DialPolicy {
    /// The policy with or without `--allow-public`.
    pub fn new(allow_public: bool) -> DialPolicy {
        DialPolicy { allow_public }
    }

    /// Whether this address may be dialled.
    pub fn allows(self, ip: IpAddr) -> bool {
        self.allow_public || !is_public(ip)
    }
}

/// Whether an address lies outside this machine and its private networks.
///
/// Loopback (127/8, ::1), private IPv4 (RFC 1918) and unique local IPv6 (RFC 4193) are not public.
/// Link-local addresses count as public: cloud machines hand out their credentials at
/// 169.254.169.254; so do the addresses that carriers share (100.64/10) and those with a special
/// meaning (0.0.0.0).
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => !(v4.is_loopback() || v4.is_private()),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_public(IpAddr::V4(v4)),
            None => !(v6 == Ipv6Addr::LOCALHOST || v6.is_unique_local()),
        },
    }
}

/// The nodes of a target whose servers announce further nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nodes {
    /// Nodes to which the generator was connected.
    pub driven: Vec<SocketAddr>,
    /// Announced addresses that were not dialled, because [`DialPolicy`] does not allow them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_dialled: Vec<SocketAddr>,
}

/// How many addresses of each kind are kept. A server can announce any number.
const MOST: usize = 64;

impl Nodes {
    /// Adds a node to which the generator is connected.
    pub fn drives(&mut self, node: SocketAddr) {
        insert(&mut self.driven, node);
    }

    /// Adds an announced address that is not dialled.
    pub fn refuses(&mut self, address: SocketAddr) {
        insert(&mut self.not_dialled, address);
    }

    /// Adds all of another list.
    pub fn merge(&mut self, other: &Nodes) {
        other.driven.iter().for_each(|node| self.drives(*node));
        other.not_dialled.iter().for_each(|address| self.refuses(*address));
    }

    /// Returns true if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.driven.is_empty() && self.not_dialled.is_empty()
    }
}

/// Keeps the list ascending, and each address once.
fn insert(list: &mut Vec<SocketAddr>, address: SocketAddr) {
    if let Err(at) = list.binary_search(&address)
        && list.len() < MOST
    {
        list.insert(at, address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_policy() {
        let free = [
            "127.0.0.1",
            "127.255.255.254",
            "10.0.0.1",
            "10.255.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "::1",
            "fc00::1",
            "fd12:3456::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
        ];
        let public = [
            "8.8.8.8",
            "0.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "128.0.0.1",
            "126.255.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::",
            "2001:db8::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "::ffff:8.8.8.8",
            "::ffff:169.254.169.254",
            "fbff::1",
            "fe00::1",
        ];
        for text in free {
            assert!(!is_public(text.parse().unwrap()), "{text} is free");
        }
        for text in public {
            assert!(is_public(text.parse().unwrap()), "{text} is public");
        }
    }

    #[test]
    fn public_addresses_are_dialled_only_with_permission() {
        let [public, private] = ["203.0.113.7", "10.0.0.1"].map(|ip| ip.parse().unwrap());
        let policy = DialPolicy::default();
        assert!(!policy.allows(public) && policy.allows(private));
        assert!(DialPolicy::new(true).allows(public));
    }

    #[test]
    fn a_list_of_nodes_is_bounded_and_has_each_node_once() {
        let node = |port| SocketAddr::from(([10, 0, 0, 1], port));
        let mut nodes = Nodes::default();
        assert!(nodes.is_empty());
        [3, 1, 3].into_iter().for_each(|port| nodes.drives(node(port)));
        assert_eq!(nodes.driven, [node(1), node(3)]);
        (0..).take(2 * MOST).for_each(|port| nodes.refuses(node(port)));
        let mut all = Nodes::default();
        all.merge(&nodes);
        assert_eq!(all, nodes);
        assert_eq!(all.not_dialled.len(), MOST);
    }
}
