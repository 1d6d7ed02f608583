//! How a contender is reached: through one of our codecs, or through the client library that
//! applications use.

use drivers::Database;
use engine::files::FilesAccess;
use engine::{
    HttpAccess, MakeLane, MemcachedAccess, RespAccess, ThriftAccess, TlsAccess, WebSocketAccess,
    grouped, http_lanes, memcached_lanes, resp_lanes, thrift_lanes, websocket_lanes,
};
use record::{Address, DriveOrder};
use std::time::Duration;

/// Everything needed to talk to a contender, including its secrets. It implements neither `Debug`
/// nor `Serialize`, so that they cannot leak.
#[derive(Clone)]
pub enum Access {
    /// HTTP/1.1.
    Http(HttpAccess),
    /// WebSocket.
    WebSocket(WebSocketAccess),
    /// memcached's protocol.
    Memcached(MemcachedAccess),
    /// RESP: Redis, Valkey.
    Resp(RespAccess),
    /// Cassandra's Thrift interface.
    Thrift(ThriftAccess),
    /// Files in a directory.
    Files(FilesAccess),
    /// Through the client library of a database.
    Database(Box<dyn Database>),
}

impl Access {
    /// The lanes of one contender of the order: one for each worker, with all of its
    /// groups.
    ///
    /// # Panics
    /// If the order has no such contender.
    pub fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let of_group = |order: &DriveOrder| match self {
            Access::Http(access) => http_lanes(order, contender, access),
            Access::WebSocket(access) => websocket_lanes(order, contender, access),
            Access::Memcached(access) => memcached_lanes(order, contender, access),
            Access::Resp(access) => resp_lanes(order, contender, access),
            Access::Thrift(access) => thrift_lanes(order, contender, access),
            Access::Files(access) => access.lanes(order, contender),
            Access::Database(database) => database.lanes(order, contender),
        };
        match self {
            // Its lanes carry all of their groups.
            Access::Database(_) => of_group(order),
            _ => grouped(order, contender, of_group),
        }
    }

    /// The database, if it is reached through its client library.
    pub(crate) fn database(&self) -> Option<&dyn Database> {
        match self {
            Access::Database(database) => Some(&**database),
            Access::Http(_)
            | Access::WebSocket(_)
            | Access::Memcached(_)
            | Access::Resp(_)
            | Access::Thrift(_)
            | Access::Files(_) => None,
        }
    }

    /// Checks whether a login at this address keeps the password safe.
    ///
    /// # Errors
    /// Says why it is not safe, and what to do.
    pub(crate) fn check_login(&self, address: &Address, timeout: Duration) -> Result<(), String> {
        self.database().map_or(Ok(()), |database| {
            database.check_login(address, timeout).map_err(|error| error.to_string())
        })
    }

    /// Sets the table, or column family, in which a database keeps the contender's rows. `is_wide`
    /// says whether they are wide rows.
    pub(crate) fn keep_rows_in(&mut self, table: &str, is_wide: bool) {
        match self {
            Access::Database(database) => database.keep_rows_in(table),
            Access::Thrift(access) => {
                (access.family, access.is_wide) = (table.into(), is_wide);
            }
            Access::Http(_)
            | Access::WebSocket(_)
            | Access::Memcached(_)
            | Access::Resp(_)
            | Access::Files(_) => {}
        }
    }

    /// How many connections share one operation: the members of a room, otherwise 1.
    pub(crate) fn members(&self) -> u32 {
        match self {
            Access::WebSocket(access) => access.members.unwrap_or(1),
            Access::Http(_)
            | Access::Memcached(_)
            | Access::Resp(_)
            | Access::Thrift(_)
            | Access::Files(_)
            | Access::Database(_) => 1,
        }
    }

    /// The TLS settings, if TLS is spoken from the first byte on. Databases start it later, in
    /// their own protocols.
    pub fn tls(&self) -> Option<&TlsAccess> {
        match self {
            Access::Http(access) => access.tls.as_ref(),
            Access::WebSocket(access) => access.tls.as_ref(),
            Access::Memcached(_)
            | Access::Resp(_)
            | Access::Thrift(_)
            | Access::Files(_)
            | Access::Database(_) => None,
        }
    }
}
