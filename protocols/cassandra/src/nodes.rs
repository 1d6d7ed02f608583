//! The nodes of a cluster: which the library may dial, and to which it is connected.

use drivers::Announced;
use scylla::client::session::Session;
use scylla::cluster::metadata::Peer;
use scylla::policies::host_filter::HostFilter;
use std::net::SocketAddr;

/// Lets the library dial announced nodes only where the policy allows it. It asks for each node,
/// whenever it reads the list of nodes, also after an event.
pub(crate) struct AllowedNodes(pub(crate) Announced);

impl HostFilter for AllowedNodes {
    fn accept(&self, peer: &Peer) -> bool {
        self.0.may_be_dialled(SocketAddr::new(peer.address.ip(), peer.address.port()))
    }
}

/// Notes the nodes to which a session is connected.
pub(crate) fn note(session: &Session, announced: &Announced) {
    let state = session.get_cluster_state();
    for node in state.get_nodes_info().iter().filter(|node| node.is_connected()) {
        announced.drives(SocketAddr::new(node.address.ip(), node.address.port()));
    }
}
