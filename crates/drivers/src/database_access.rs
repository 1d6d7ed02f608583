//! A contender that is driven through a client library.

use crate::Database;
use crate::refused;
use crate::side_channel::DatabaseChannel;
use engine::MakeLane;
use protocol::side_channel::SideChannel;
use protocol::{Access, NullLane};
use record::{Address, DriveOrder, Nodes, Workload};
use std::time::Duration;
use testserver::null::Service;

/// Access to any database.
#[derive(Clone)]
pub struct DatabaseAccess {
    /// The database.
    pub database: Box<dyn Database>,
    service: Option<Service>,
}

impl DatabaseAccess {
    /// Access to this database. `service` is that of the null server that speaks its protocol.
    pub fn new(database: impl Database + 'static, service: Option<Service>) -> DatabaseAccess {
        DatabaseAccess { database: Box::new(database), service }
    }
}

impl Access for DatabaseAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        self.database.lanes(order, contender)
    }

    fn null_lane(&self) -> Option<NullLane> {
        let plain = DatabaseAccess { database: self.database.plain(), service: self.service };
        let (name, service) = (self.database.plain_name(), self.service);
        Some(NullLane { access: Box::new(plain), name, service })
    }

    fn side_channel(&self, address: &Address, table: Option<&str>) -> Option<Box<dyn SideChannel>> {
        Some(Box::new(DatabaseChannel::new(self.database.clone(), address, table)))
    }

    fn keep_rows_in(&mut self, table: &str, _is_wide: bool) {
        self.database.keep_rows_in(table);
    }

    fn check_login(&self, address: &Address, timeout: Duration) -> Result<(), String> {
        self.database.check_login(address, timeout).map_err(|error| error.to_string())
    }

    fn nodes(&self) -> Option<Nodes> {
        self.database.nodes()
    }

    fn why_unreached(&self, address: &Address) -> Option<String> {
        refused::why_unreached(&*self.database, address)
    }

    fn why_refused(&self, address: &Address, statement: &str) -> Option<String> {
        refused::why(&*self.database, address, statement)
    }

    fn why_not_usable(&self, address: &Address, workload: &Workload) -> Option<String> {
        refused::why_not(&*self.database, address, workload)
    }
}
