//! The lane through Cassandra's client library, against the null server and against a server
//! that fails on demand: what was sent is what the server received, each fault is counted by its
//! class and as the server's, and nothing is waited for beyond its timeout.

#[path = "../../../tests/databases/common/mod.rs"]
mod common;
#[path = "../../../tests/sql_faults/counted.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod counted;
mod custom;
mod errors;
mod hangs;
mod large;
mod operations;
mod proxy;
mod sessions;

use cassandra::{CassandraAccess, CassandraSettings, Sending};
use drivers::Database;
use record::{Consistency, DriveOrder, Seen};
use std::sync::{PoisonError, RwLock};

/// The record's name of a number by which Cassandra's replies are counted.
fn name_of(code: u16) -> String {
    common::named(cassandra::code_names(), code)
}

/// Returns the access with a statement that the proxy can distinguish from those that the
/// library sends itself.
fn access(prepares: bool) -> CassandraAccess {
    let (consistency, settings) = (Consistency::One, CassandraSettings::default());
    let sending = Sending { prepares, consistency, replication: 1, settings };
    let mut access = CassandraAccess::cheapest(sending);
    access.common.query = proxy::MARKED.to_owned();
    access.common.database = "app".to_owned();
    access.common.table = "app.t".to_owned();
    access
}

/// Lanes check how much memory the process reserves, so a test that reserves much runs alone.
static ALONE: RwLock<()> = RwLock::new(());

fn driven(order: &DriveOrder, access: &CassandraAccess) -> Seen {
    // A test that failed leaves nothing that affects the next one.
    let _beside_others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    common::drive(order, access.lanes(order, 0))
}

fn driven_alone(order: &DriveOrder, access: &CassandraAccess) -> Seen {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    common::drive(order, access.lanes(order, 0))
}
