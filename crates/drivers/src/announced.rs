//! The addresses that servers announce.

use record::{DialPolicy, Nodes};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which announced addresses may be dialled, and what servers announced so far. Copies share it.
#[derive(Clone, Default)]
pub struct Announced {
    policy: DialPolicy,
    nodes: Arc<Mutex<Nodes>>,
}

impl Announced {
    /// Nothing was announced so far.
    pub fn new(policy: DialPolicy) -> Announced {
        Announced { policy, nodes: Arc::default() }
    }

    /// Whether this announced address may be dialled. It is noted if it may not.
    pub fn may_be_dialled(&self, address: SocketAddr) -> bool {
        let allowed = self.policy.allows(address.ip());
        if !allowed {
            self.locked().refuses(address);
        }
        allowed
    }

    /// Notes a node to which a lane is connected.
    pub fn drives(&self, node: SocketAddr) {
        self.locked().drives(node);
    }

    /// What is known. Returns None if it is nothing.
    pub fn nodes(&self) -> Option<Nodes> {
        Some(self.locked().clone()).filter(|nodes| !nodes.is_empty())
    }

    fn locked(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
