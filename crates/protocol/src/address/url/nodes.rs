//! The hosts of an address: one, or the nodes of a target that has several.

use super::{Endpoint, host_and_port};
use crate::Scheme;

/// Reads `HOST:PORT`, or `HOST:PORT,HOST:PORT` where the scheme allows several nodes. The endpoint
/// is the first node; the others come after it, as host and port.
///
/// # Errors
/// When a host or a port is malformed, a node is listed twice, or there are several and
/// the scheme allows only one; `example` is an address of the protocol.
pub(super) fn read(
    hosts: &str,
    scheme: &Scheme,
    example: &str,
) -> Result<(Endpoint, Vec<(String, u16)>), String> {
    if hosts.contains(',') && !scheme.several_nodes {
        let name = scheme.name;
        return Err(format!("{name} addresses support one host only, without a comma: {example}"));
    }
    let mut nodes: Vec<(String, u16)> = Vec::new();
    for host in hosts.split(',') {
        let node = host_and_port(host, scheme.port)?;
        if nodes.contains(&node) {
            return Err(format!("the node {}:{} is listed twice: list it once", node.0, node.1));
        }
        nodes.push(node);
    }
    let (host, port) = nodes.remove(0);
    Ok((Endpoint::Host { host, port }, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: Scheme = Scheme::nodes("cluster", 9042);

    fn hosts(text: &str) -> Result<(Endpoint, Vec<(String, u16)>), String> {
        read(text, &CLUSTER, "cluster://127.0.0.1:9042")
    }

    #[test]
    fn the_first_node_is_the_place_and_the_others_follow() {
        let first = |host: &str, port| Endpoint::Host { host: host.to_owned(), port };
        assert_eq!(hosts("a:1"), Ok((first("a", 1), Vec::new())));
        let others = vec![("127.0.0.2".to_owned(), 9042), ("::1".to_owned(), 7)];
        assert_eq!(hosts("127.0.0.1:9,127.0.0.2,[::1]:7"), Ok((first("127.0.0.1", 9), others)));
    }

    #[test]
    fn a_wrong_list_names_the_remedy() {
        for (text, message) in [
            ("a,", "the host is missing: write http://HOST:PORT/"),
            ("a:1,b:x", "the port `x` is not a number from 1 to 65535"),
            ("a,b,a:9042", "the node a:9042 is listed twice: list it once"),
        ] {
            assert_eq!(hosts(text), Err(message.to_owned()), "{text}");
        }
        let one = Scheme::host("single", 1);
        assert_eq!(
            read("a,b", &one, "single://HOST"),
            Err("single addresses support one host only, without a comma: single://HOST".to_owned())
        );
    }
}
