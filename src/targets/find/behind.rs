//! What is behind a proxy: servers of this machine to which a target has connections.
//!
//! Seen are TCP connections, while they exist, that a process of the target opened to a listener of
//! this network namespace. Not seen are Unix sockets, servers on other machines and in other
//! namespaces, and connections that are over before descriptors and list are read, as those of a
//! proxy that opens one for each request may be.

use super::holders::{self, Processes, inodes_of};
use super::sockets::{Connections, Listening};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// Listeners to which processes of a target were connected, by the address that they dialled.
#[derive(Debug, Default)]
pub struct Behind(BTreeMap<SocketAddr, Listening>);

impl Behind {
    /// Adds what these processes are connected to now, except to listeners of their own. This takes
    /// milliseconds: the kernel walks its whole table of connections.
    pub fn look(&mut self, pids: &[u32]) {
        let held = || pids.iter().flat_map(|pid| inodes_of(*pid)).collect::<BTreeSet<u64>>();
        let before = held();
        if before.is_empty() {
            return;
        }
        let connections = Connections::now();
        // The kernel takes longer for its list than some proxies hold a connection.
        let held = &before | &held();
        let others = connections.dialled_by(&held).into_iter();
        self.0.extend(others.filter(|(_, there)| there.inodes.is_disjoint(&held)));
    }

    /// What listens there: `postgres (127.0.0.1:5432)`, or only the address if its process cannot be
    /// seen. tiebreak itself is left out.
    pub fn names(&self) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let (processes, own) = (Processes::now(), std::process::id());
        let name = |(address, there): (&SocketAddr, &Listening)| {
            let (holders, _) = holders::holding(&there.inodes);
            let top = processes.topmost(&holders, own);
            match top.first().and_then(|pid| processes.root(*pid)) {
                Some(root) => Some(format!("{} ({address})", text::shown::shown(&root.name))),
                None => (!holders.contains(&own)).then(|| address.to_string()),
            }
        };
        self.0.iter().filter_map(name).collect()
    }
}
