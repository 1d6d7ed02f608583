//! The address of a contender.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::SocketAddr;

/// What is dialled, or what is used instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// IPv4 or IPv6.
    Tcp(SocketAddr),
    /// The nodes of one target, two or more, in the order in which they are named.
    Nodes(Vec<SocketAddr>),
    /// Path of a unix socket.
    Unix(String),
    /// A directory whose files the generator reads and writes itself.
    Directory(String),
    /// Nothing is dialled: a program is run repeatedly.
    Program,
}

impl Address {
    /// Returns the address of a target with these nodes: one or several.
    pub fn of_nodes(nodes: Vec<SocketAddr>) -> Address {
        match nodes[..] {
            [only] => Address::Tcp(only),
            _ => Address::Nodes(nodes),
        }
    }

    /// Returns every node that is dialled over TCP. Returns an empty slice if none is.
    pub fn nodes(&self) -> &[SocketAddr] {
        match self {
            Address::Tcp(only) => std::slice::from_ref(only),
            Address::Nodes(nodes) => nodes,
            Address::Unix(_) | Address::Directory(_) | Address::Program => &[],
        }
    }

    /// Whether it is dialled over TCP, only at addresses of 127.0.0.0/8.
    pub fn is_loopback_v4(&self) -> bool {
        let nodes = self.nodes();
        !nodes.is_empty() && nodes.iter().all(|node| node.is_ipv4() && node.ip().is_loopback())
    }

    /// Sets the port of every node that is dialled over TCP to 0, which means a port that is not
    /// known yet.
    pub fn forget_ports(&mut self) {
        let nodes = match self {
            Address::Tcp(only) => std::slice::from_mut(only),
            Address::Nodes(nodes) => nodes,
            Address::Unix(_) | Address::Directory(_) | Address::Program => &mut [],
        };
        nodes.iter_mut().for_each(|node| node.set_port(0));
    }
}

impl fmt::Display for Address {
    /// Not escaped, although a path may contain any character.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(socket) => socket.fmt(out),
            Address::Nodes(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(SocketAddr::to_string).collect();
                out.write_str(&nodes.join(","))
            }
            Address::Unix(path) => write!(out, "unix:{path}"),
            Address::Directory(path) => write!(out, "directory:{path}"),
            Address::Program => out.write_str("program"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_node_is_an_address_as_it_always_was() {
        let (one, two) = (node("127.0.0.1:9"), node("127.0.0.2:9"));
        assert_eq!(Address::of_nodes(vec![one]), Address::Tcp(one));
        assert_eq!(Address::of_nodes(vec![one, two]), Address::Nodes(vec![one, two]));
        assert_eq!(Address::Tcp(one).nodes(), [one]);
        assert_eq!(Address::Nodes(vec![one, two]).nodes(), [one, two]);
        assert_eq!(Address::Unix("/x".to_owned()).nodes(), []);
        assert_eq!(Address::Nodes(vec![one, two]).to_string(), "127.0.0.1:9,127.0.0.2:9");
    }

    #[test]
    fn every_node_forgets_its_port() {
        let mut several = Address::Nodes(vec![node("127.0.0.1:9"), node("[::1]:8")]);
        several.forget_ports();
        assert_eq!(several.to_string(), "127.0.0.1:0,[::1]:0");
        let mut program = Address::Program;
        program.forget_ports();
        assert_eq!(program, Address::Program);
    }

    #[test]
    fn loopback_is_all_nodes_or_none() {
        let (here, there) = (node("127.0.0.2:9"), node("10.0.0.1:9"));
        assert!(Address::Nodes(vec![here, here]).is_loopback_v4());
        assert!(!Address::Nodes(vec![here, there]).is_loopback_v4());
        assert!(!Address::Tcp(node("[::1]:9")).is_loopback_v4());
        assert!(!Address::Unix("/x".to_owned()).is_loopback_v4());
    }
}
