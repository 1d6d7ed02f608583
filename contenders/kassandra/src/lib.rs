//! `kassandra`: a client of Cassandra for PHP, whose connections live as long as the PHP
//! process. What it does with a connection is in the crate `kassandra-client`; here are its
//! functions as PHP sees them.

mod exception;
mod options;
mod state;
mod values;

use exception::thrown;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use kassandra_client::{Columns, Consistency, Error, Operation, Row};
use state::STATE;

/// Chooses the servers of this request, and connects to the first that accepts, unless the
/// process is connected already. Returns true if a connection was opened.
#[php_function]
pub fn kassandra_connect(hosts: &str, options: Option<&ZendHashTable>) -> PhpResult<bool> {
    let settings = options::settings(hosts, options).map_err(thrown)?;
    STATE.get().connect(settings).map_err(thrown)
}

/// Whether there is a connection, and the server has not closed it.
#[php_function]
pub fn kassandra_is_connected() -> bool {
    STATE.get().is_connected()
}

/// Closes the connection, also a persistent one.
#[php_function]
pub fn kassandra_disconnect() {
    STATE.get().disconnect();
}

/// The columns of a row: name => value.
#[php_function]
pub fn kassandra_get_row(
    keyspace: &str,
    table: &str,
    key: &Zval,
    consistency: Option<&str>,
) -> PhpResult<Zval> {
    run((keyspace, table, key, consistency), &Operation::Row)
}

/// The columns of a super column, or of a row with this clustering value: name => value.
#[php_function]
pub fn kassandra_get_super_column(
    keyspace: &str,
    table: &str,
    key: &Zval,
    name: &Zval,
    consistency: Option<&str>,
) -> PhpResult<Zval> {
    let name = values::from_php(name).map_err(thrown)?;
    run((keyspace, table, key, consistency), &Operation::SuperColumn(&name))
}

/// The columns of a row with the greatest names, the greatest one first: name => value.
#[php_function]
pub fn kassandra_get_columns(
    keyspace: &str,
    table: &str,
    key: &Zval,
    newest: i64,
    consistency: Option<&str>,
) -> PhpResult<Zval> {
    let count = u32::try_from(newest).ok().filter(|count| *count > 0 && *count <= i32::MAX as u32);
    let count = count.ok_or_else(|| thrown(Error::invalid("newest must be 1 to 2147483647")))?;
    run((keyspace, table, key, consistency), &Operation::Newest(count))
}

/// Writes columns: name => value.
#[php_function]
pub fn kassandra_insert(
    keyspace: &str,
    table: &str,
    key: &Zval,
    columns: &ZendHashTable,
    consistency: Option<&str>,
) -> PhpResult<()> {
    let columns = values::columns(columns).map_err(thrown)?;
    run((keyspace, table, key, consistency), &Operation::Insert(&columns)).map(|_| ())
}

/// What every operation is given: keyspace, table, key, consistency.
type Which<'a> = (&'a str, &'a str, &'a Zval, Option<&'a str>);

fn run(which: Which<'_>, operation: &Operation<'_>) -> PhpResult<Zval> {
    // PHP may leave a function without coming back while it allocates an array. The state is
    // not borrowed any more by then.
    let columns = run_in_state(which, operation).map_err(thrown)?;
    values::to_php(columns).map_err(thrown)
}

fn run_in_state(
    (keyspace, table, key, level): Which<'_>,
    operation: &Operation<'_>,
) -> Result<Columns, Error> {
    let key = values::from_php(key)?;
    let level = level.map_or(Ok(Consistency::One), Consistency::from_name)?;
    STATE.get().run(&Row { keyspace, table, key: &key }, level, operation)
}

/// What PHP calls when it loads the extension.
#[php_module]
pub fn get_module(module: ModuleBuilder) -> ModuleBuilder {
    module
        .globals(&STATE)
        .startup_function(exception::register)
        .request_shutdown_function(state::end_request)
        .function(wrap_function!(kassandra_connect))
        .function(wrap_function!(kassandra_is_connected))
        .function(wrap_function!(kassandra_disconnect))
        .function(wrap_function!(kassandra_get_row))
        .function(wrap_function!(kassandra_get_super_column))
        .function(wrap_function!(kassandra_get_columns))
        .function(wrap_function!(kassandra_insert))
}
