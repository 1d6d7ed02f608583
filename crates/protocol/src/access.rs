//! How a contender is reached.

use crate::side_channel::SideChannel;
use engine::{MakeLane, TlsAccess};
use record::{Address, DriveOrder, Nodes, Workload};
use std::any::Any;
use std::time::Duration;
use testserver::null::Service;

/// Everything needed to talk to a contender, including its secrets. It requires neither `Debug`
/// nor `Serialize`, so that they cannot leak.
pub trait Access: CloneAccess + Any + Send + Sync {
    /// The lanes of one contender of the order: one for each worker, with all of its
    /// groups.
    ///
    /// # Panics
    /// If the order has no such contender.
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane>;

    /// A lane of this protocol that drives the null server. Returns None if there is none.
    fn null_lane(&self) -> Option<NullLane>;

    /// A side channel to the store at this address. `table` is the kind of table in which a
    /// database has the contender's rows. Returns None if it is not a store.
    fn side_channel(
        &self,
        _address: &Address,
        _table: Option<&str>,
    ) -> Option<Box<dyn SideChannel>> {
        None
    }

    /// Sets the table, or column family, in which a database keeps the contender's rows. `is_wide`
    /// says whether they are wide rows.
    fn keep_rows_in(&mut self, _table: &str, _is_wide: bool) {}

    /// How many connections share one operation: the members of a room, otherwise 1.
    fn members(&self) -> u32 {
        1
    }

    /// The TLS settings, if TLS is spoken from the first byte on. Databases start it later, in
    /// their own protocols.
    fn tls(&self) -> Option<&TlsAccess> {
        None
    }

    /// Checks whether a login at this address keeps the password safe.
    ///
    /// # Errors
    /// Says why it is not safe, and what to do.
    fn check_login(&self, _address: &Address, _timeout: Duration) -> Result<(), String> {
        Ok(())
    }

    /// The nodes to which it was connected so far, and the announced addresses that were not dialled.
    /// Returns None if its servers announce none.
    fn nodes(&self) -> Option<Nodes> {
        None
    }

    /// Why a database cannot be reached, in the words of its client library. Returns None if it
    /// answers, or is not a database.
    fn why_unreached(&self, _address: &Address) -> Option<String> {
        None
    }

    /// Sends a statement again and returns the server's error. Returns None if it has no objection,
    /// does not answer, or is not a database.
    fn why_refused(&self, _address: &Address, _statement: &str) -> Option<String> {
        None
    }

    /// Why the user-defined operations of a workload cannot work: the first of their statements that
    /// refers to a table or a column that does not exist, or that the server cannot parse. The
    /// statements are parsed there and not executed. Returns None if there is no such statement.
    fn why_not_usable(&self, _address: &Address, _workload: &Workload) -> Option<String> {
        None
    }
}

/// A lane without login and TLS, which measures the minimum cost of every variant of a protocol.
pub struct NullLane {
    /// The access.
    pub access: Box<dyn Access>,
    /// A name that distinguishes its cost from that of others. None if its cost depends on its target.
    pub name: Option<String>,
    /// The service of the null server that it drives. None if it drives the target itself.
    pub service: Option<Service>,
}

/// How it is copied through a reference to the trait.
pub trait CloneAccess {
    /// Returns a copy.
    fn copy(&self) -> Box<dyn Access>;
}

impl<T: Access + Clone + 'static> CloneAccess for T {
    fn copy(&self) -> Box<dyn Access> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Access> {
    fn clone(&self) -> Self {
        self.as_ref().copy()
    }
}
