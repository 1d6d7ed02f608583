//! The library itself, behind the interface.

use crate::access::{CHEAPEST, NAME_IS_TAKEN, OracleAccess, is_service, refusal, unless};
use crate::dialect::OracleDialect;
use crate::link::{Bind, Fault, Fetched, Library, Link, Reply};
use crate::request_error::request_error;
use crate::session::{Server, check};
use drivers::Announced;
use drivers::Refusal;
use drivers::admin::{self, QueryError, Rows};
use drivers::custom::{setup, tables};
use drivers::dialect::Dialect;
use drivers::request_error::RequestError;
use drivers::unless_it_panics;
use drivers::{Database, NOTE_COLUMNS, SchemaError, StartTime, fact};
use engine::workload::longest_key;
use engine::{EngineError, MakeLane};
use oracledb::{Config, Connection, Error, Row, ToDbValue};
use record::{Address, DriveOrder, Failure, Nodes, Workload};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

impl Database for OracleAccess {
    fn refusal(&self, code: u16) -> Option<Refusal> {
        refusal(code)
    }

    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let (access, lane_order) = (self.clone(), order.lanes[contender].clone());
        let server = move || {
            check(&lane_order.doing)?;
            let timeout = Duration::from_nanos(lane_order.timeout_ns);
            Ok(Server::new(
                access.library(&lane_order.address, timeout)?,
                &access,
                Some(&lane_order.doing),
            ))
        };
        drivers::lanes(order, contender, self.common.request_parts(), server)
    }

    /// The cheapest statement of its own server, because the null server does not support its
    /// protocol.
    fn plain(&self) -> Box<dyn Database> {
        let mut plain = self.clone();
        CHEAPEST.clone_into(&mut plain.common.query);
        Box::new(plain)
    }

    fn plain_name(&self) -> Option<String> {
        None
    }

    fn keep_rows_in(&mut self, table: &str) {
        table.clone_into(&mut self.common.table);
    }

    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, QueryError> {
        let (library, access) = (self.library(address, timeout)?, self.clone());
        let statements = statements.to_vec();
        let question = async move || Server::new(library, &access, None).ask(&statements).await;
        admin::wait(question, timeout)
    }

    /// Its version and, if this user has the permission, when it started and what a commit waits
    /// for.
    fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, QueryError> {
        const VERSION: &str =
            "SELECT 'version', version FROM product_component_version WHERE ROWNUM = 1";
        const WITH_RIGHTS: [&str; 2] = [
            "SELECT 'started', TO_CHAR(ROUND((startup_time - DATE '1970-01-01') * 86400)) FROM v$instance",
            "SELECT name, value FROM v$parameter WHERE name IN ('commit_wait', 'commit_logging')",
        ];
        let ask = |fact: &str| self.ask(address, &[fact.to_owned()], timeout);
        let mut all = ask(VERSION)?;
        let known = WITH_RIGHTS.into_iter().filter_map(|fact| ask(fact).ok());
        all.extend(known.flatten());
        Ok(admin::facts(all))
    }

    /// Only redirects that were refused: the library does not report those that it followed.
    fn nodes(&self) -> Option<Nodes> {
        self.announced.nodes()
    }

    fn source_of_facts(&self) -> (&'static str, &'static str) {
        ("v$parameter", "version")
    }

    /// It waits by default.
    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool> {
        Some(!fact(facts, "commit_wait")?.contains("NOWAIT"))
    }

    fn asks_for_start(&self) -> Option<&'static str> {
        None
    }

    /// Not every user has the permission for it.
    fn start(&self, facts: &[(String, String)], _answer: &[String]) -> Option<StartTime> {
        let began = fact(facts, "started")?.parse().ok()?;
        Some(StartTime::Second { server: self.common.database.clone(), began })
    }

    /// The length is that of a text with two digits for each byte.
    fn count_rows(&self) -> String {
        let table = OracleDialect.name(&self.common.table);
        format!("SELECT COUNT(*), COALESCE(SUM(LENGTH(\"VALUE\")), 0) / 2 FROM {table}")
    }

    fn tables(&self, of: &Workload) -> Vec<String> {
        tables(of, &self.common.table)
    }

    fn schema(&self, _kind: Option<&str>, of: &Workload) -> Result<Vec<String>, SchemaError> {
        let key_bytes = longest_key(of) as u32;
        let own = if of.has_values() { self.table_schema(key_bytes) } else { Vec::new() };
        Ok([own, setup(of, &OracleDialect, &self.common.table)].concat())
    }

    fn create_notes(&self, name: &str) -> String {
        unless(&format!("CREATE TABLE {name} {NOTE_COLUMNS}"), NAME_IS_TAKEN)
    }

    fn find_table(&self, name: &str) -> Vec<String> {
        vec![format!(
            "SELECT NVL(t.COMMENTS, ' '), (SELECT LISTAGG(c.COLUMN_NAME, ',') WITHIN GROUP (ORDER \
             BY c.COLUMN_ID) FROM USER_TAB_COLUMNS c WHERE c.TABLE_NAME = t.TABLE_NAME) FROM \
             USER_TAB_COMMENTS t WHERE t.TABLE_NAME = {}",
            OracleDialect.quoted(&name.to_uppercase())
        )]
    }

    fn comment_on_table(&self, name: &str, comment: &str) -> String {
        let dialect = OracleDialect;
        format!("COMMENT ON TABLE {} IS {}", dialect.name(name), dialect.quoted(comment))
    }
}

impl OracleAccess {
    fn library(&self, address: &Address, timeout: Duration) -> Result<Oracledb, EngineError> {
        let Address::Tcp(to) = address else {
            return Err(EngineError::order("Oracle is only supported over TCP; use HOST:PORT"));
        };
        if !is_service(&self.common.database) {
            return Err(EngineError::order("the service name is not valid"));
        }
        // After a refusal it would sleep for a second, and not try again. The lane has its own
        // pauses.
        let descriptor = format!(
            "(DESCRIPTION=(RETRY_DELAY=0)(ADDRESS=(PROTOCOL=TCP)(HOST={})(PORT={}))(CONNECT_DATA=(SERVICE_NAME={})))",
            to.ip(),
            to.port(),
            self.common.database
        );
        // The library's message would quote its input.
        let config = Config::default()
            .set_credentials(&self.common.user, self.common.password.as_deref().unwrap_or_default())
            .set_transport_connect_timeout(Some(timeout))
            .set_connect_string(&descriptor)
            .map_err(|_| EngineError::order("the driver rejects the address"))?;
        match sys::dialling::is_restricted() {
            Ok(true) => Ok(Oracledb { config, announced: self.announced.clone() }),
            _ => Err(EngineError::order(
                "the driver for Oracle cannot be kept from following redirects",
            )),
        }
    }
}

/// How to open a connection.
#[derive(Clone)]
struct Oracledb {
    config: Config,
    announced: Announced,
}

impl Library for Oracledb {
    type Link = LibraryConnection;

    fn connect(&self) -> Result<LibraryConnection, Fault> {
        let refused = Rc::new(Cell::new(None));
        let (announced, refuses) = (self.announced.clone(), refused.clone());
        let allows = move |to| {
            let allowed = announced.may_be_dialled(to);
            if !allowed {
                refuses.set(Some(to));
            }
            allowed
        };
        let connection =
            sys::dialling::only(allows, || answered(|| oracledb::connect(self.config.clone())));
        match (connection, refused.get()) {
            (Ok(connection), _) => Ok(LibraryConnection(Some(connection))),
            (Err(fault), None) => Err(fault),
            (Err(fault), Some(to)) => {
                let why = format!(
                    "the listener redirects to {to}, a public address: allow it with --allow-public"
                );
                Err(Fault { why, ..fault })
            }
        }
    }
}

/// A connection, which is closed in good order when it is dropped.
struct LibraryConnection(Option<Connection>);

impl Drop for LibraryConnection {
    fn drop(&mut self) {
        let connection = self.0.take();
        unless_it_panics(|| drop(connection));
    }
}

impl LibraryConnection {
    fn call<T>(&self, call: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Fault> {
        let connection = self.0.as_ref().expect("until it is dropped");
        answered(|| call(connection))
    }
}

impl Link for LibraryConnection {
    fn query(
        &mut self,
        text: &str,
        bound: &[Bind],
        wants_cells: bool,
        reply: &mut Reply,
    ) -> Result<(), Fault> {
        let bound: Vec<&dyn ToDbValue> = bound.iter().map(value).collect();
        self.call(|connection| {
            let cursor = connection.query(text, &bound)?;
            reply.begins();
            for row in cursor {
                let row = fetched(&row?, wants_cells);
                reply.row(row);
            }
            Ok(())
        })
    }

    fn change(&mut self, text: &str, rows: &[Vec<Bind>]) -> Result<u64, Fault> {
        let rows: Vec<Vec<&dyn ToDbValue>> =
            rows.iter().map(|row| row.iter().map(value).collect()).collect();
        if let [row] = &rows[..] {
            return self.call(|connection| Ok(connection.execute(text, row)?.rows_affected()));
        }
        let rows: Vec<&[&dyn ToDbValue]> = rows.iter().map(Vec::as_slice).collect();
        self.call(|connection| Ok(connection.execute_batch(text, rows.as_slice())?.rows_affected()))
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.call(Connection::commit)
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.call(Connection::rollback)
    }

    fn ping(&mut self) -> Result<(), Fault> {
        self.call(Connection::ping)
    }
}

fn answered<T>(call: impl FnOnce() -> Result<T, Error>) -> Result<T, Fault> {
    match unless_it_panics(call) {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => {
            Err(Fault { request_error: request_error(&error), why: error.to_string() })
        }
        None => Err(Fault {
            request_error: RequestError::Failed(Failure::Protocol),
            why: "the server sent a message that the driver does not support".to_owned(),
        }),
    }
}

fn value(of: &Bind) -> &dyn ToDbValue {
    match of {
        Bind::Integer(number) => number,
        Bind::Text(text) => text,
        Bind::Bytes(bytes) => bytes,
    }
}

fn fetched(row: &Row, wants_cells: bool) -> Fetched {
    let mut fetched = Fetched::default();
    for column in 0..row.columns().len() {
        let cell = cell(row, column);
        fetched.bytes += cell.as_ref().map_or(0, Vec::len);
        if wants_cells {
            fetched.cells.push(cell);
        }
    }
    fetched
}

/// Text and numbers as text, RAW unchanged. Returns None if it is NULL, or of a type for which the
/// library has no text form.
fn cell(row: &Row, column: usize) -> Option<Vec<u8>> {
    if let Ok(text) = row.get::<Option<&str>>(column) {
        return text.map(|text| text.as_bytes().to_vec());
    }
    if let Ok(text) = row.get::<Option<String>>(column) {
        return text.map(String::into_bytes);
    }
    row.get::<Option<Vec<u8>>>(column).ok().flatten()
}
