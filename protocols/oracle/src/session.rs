//! A session with Oracle, as a lane uses it.

use crate::access::{ALREADY_THERE, OracleAccess, code};
use crate::dialect::OracleDialect;
use crate::link::{Bind, Call, Fault, Library, Reply};
use crate::thread::{Connection, Threads};
use drivers::admin::{QueryError, Rows};
use drivers::custom::{self, CustomDriver, CustomStatements};
use drivers::driver::{Driver, Opening, Unopened};
use drivers::events::Events;
use drivers::request::{Action, Request, Row};
use drivers::request_error::RequestError;
use drivers::sql::{Statements, limit, returns_rows};
use engine::workload::{Argument, Arguments};
use engine::{EngineError, clock, interrupt};
use record::LaneTask;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

/// The address of sessions, and their statements.
pub(crate) struct Server<L> {
    library: L,
    threads: Rc<Threads>,
    /// By [`Action::index`].
    texts: [Arc<str>; Action::KINDS.len()],
    /// Whether the contender's one statement returns rows.
    returns_rows: bool,
    pub(crate) custom: CustomStatements,
}

impl<L: Library> Server<L> {
    pub(crate) fn new(library: L, access: &OracleAccess, doing: Option<&LaneTask>) -> Server<L> {
        interrupt::prepare();
        let statements =
            Statements::new(&OracleDialect, &access.common.table, &access.common.query);
        Server {
            library,
            threads: Rc::default(),
            texts: Action::KINDS.map(|action| statements.with_placeholders(action).into()),
            returns_rows: returns_rows(&access.common.query),
            custom: CustomStatements::of(doing, &OracleDialect, &access.common.table),
        }
    }

    /// Opens a session of its own and sends one statement after the other.
    pub(crate) async fn ask(&self, statements: &[String]) -> Result<Vec<Rows>, QueryError> {
        let query_error = |fault: Fault| QueryError::new(fault.request_error, fault.why);
        let connection =
            Connection::open(&self.threads, self.library.clone()).await.map_err(query_error)?;
        let mut all = Vec::with_capacity(statements.len());
        for text in statements {
            let call = if returns_rows(text) {
                query(text.as_str().into(), Vec::new(), true, false)
            } else {
                change(text.as_str().into(), vec![Vec::new()], true)
            };
            let reply = connection.call(call).await.map_err(query_error)?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let cells = |cells: Vec<Option<Vec<u8>>>| {
                cells.into_iter().map(|cell| cell.map(text)).collect()
            };
            all.push(reply.rows.into_iter().map(|row| cells(row.cells)).collect());
        }
        connection.close().await;
        Ok(all)
    }

    fn text(&self, action: Action) -> Arc<str> {
        self.texts[action.index()].clone()
    }

    fn call_for(&self, Request { action, row, .. }: &Request) -> Call {
        let text = self.text(*action);
        let key = || Bind::Text(row.key.clone());
        match action {
            Action::Ask if self.returns_rows => query(text, Vec::new(), false, false),
            Action::Ask => change(text, vec![Vec::new()], true),
            Action::Get => query(text, vec![key()], true, false),
            Action::Scan(_) => {
                let most = Bind::Integer(i64::from(limit(*action)));
                query(text, vec![key(), most], true, false)
            }
            Action::Delete => change(text, vec![vec![key()]], true),
            Action::Set | Action::Add => change(text, vec![written(row)], true),
        }
    }

    /// Inserts one row after the other unless it exists.
    async fn fill_singly(
        &self,
        connection: &Connection,
        text: &Arc<str>,
        rows: impl Iterator<Item = Vec<Bind>>,
    ) -> Result<(), Fault> {
        for row in rows {
            match connection.call(change(text.clone(), vec![row], false)).await {
                Err(fault) if !is_there(&fault) => {
                    // The lane abandons what failed, so nothing of it may remain.
                    let _ = connection.call(Call::Rollback).await;
                    return Err(fault);
                }
                _ => {}
            }
        }
        connection.call(Call::Commit).await.map(drop)
    }
}

pub(crate) fn query(text: Arc<str>, bound: Vec<Bind>, wants_cells: bool, commits: bool) -> Call {
    Call::Query { text, bound, wants_cells, commits }
}

pub(crate) fn change(text: Arc<str>, rows: Vec<Vec<Bind>>, commits: bool) -> Call {
    Call::Change { text, rows, commits }
}

/// A row of key and value.
fn written(row: &Row) -> Vec<Bind> {
    vec![Bind::Text(row.key.clone()), Bind::Bytes(row.value.clone())]
}

pub(crate) fn bind(argument: Argument<'_>) -> Bind {
    match argument {
        Argument::Integer(number) => Bind::Integer(number),
        Argument::Text(text) => Bind::Text(String::from_utf8_lossy(text).into_owned()),
        Argument::Bytes(bytes) => Bind::Bytes(bytes.to_vec()),
    }
}

/// Whether a row with this key exists.
fn is_there(fault: &Fault) -> bool {
    matches!(fault.request_error, RequestError::ServerError { code: number, .. } if number == code(ALREADY_THERE))
}

impl<L: Library> Driver for Server<L> {
    type Client = Connection;

    /// The library dials itself, so the source address cannot be set, and the phases of opening are
    /// not known.
    async fn connect(&self, _from: Option<IpAddr>) -> Result<(Connection, Opening), Unopened> {
        let began = clock::now();
        let opened = Connection::open(&self.threads, self.library.clone()).await;
        let connection = opened
            .map_err(|fault| Unopened::new(fault.request_error.before_a_session(), || fault.why))?;
        let log_in_ns = clock::now() - began;
        let opening = Opening { connect_ns: None, tls_ns: None, log_in_ns };
        Ok((connection, opening))
    }

    async fn perform(
        &self,
        connection: &mut Connection,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        if let Some(request) = &request.custom {
            return custom::operate(self, connection, request, events).await;
        }
        events.request_sent();
        let reply = match connection.call(self.call_for(request)).await {
            // Two requests came at the same time, and the other one was first.
            Err(fault) if request.action == Action::Add && is_there(&fault) => Reply::default(),
            reply => reply.map_err(|fault| self.failed(&fault, events))?,
        };
        events.began_at(reply.began);
        for row in &reply.rows {
            let cell = |at: usize| row.cells.get(at).and_then(Option::as_deref);
            match request.action {
                Action::Scan(_) => events.row(cell(0), cell(1).unwrap_or_default()),
                Action::Get => events.row(None, cell(0).unwrap_or_default()),
                _ => events.row_of(row.bytes),
            }
        }
        Ok(())
    }

    async fn load(&self, connection: &mut Connection, rows: &[Row]) -> Result<(), RequestError> {
        let call = change(self.text(Action::Set), rows.iter().map(written).collect(), true);
        connection.call(call).await.map(drop).map_err(|fault| fault.request_error)
    }

    async fn fill(
        &self,
        connection: &mut Connection,
        table: u32,
        rows: &[&Arguments],
    ) -> Result<(), RequestError> {
        let text: Arc<str> = self.custom.insert_with_placeholders(&OracleDialect, table).into();
        let values =
            |row: &&Arguments| (0..row.len()).map(|column| bind(row.get(column))).collect();
        let all: Vec<Vec<Bind>> = rows.iter().map(values).collect();
        // Oracle has no statement that skips existing rows in any table.
        let filled = match connection.call(change(text.clone(), all, true)).await {
            Err(fault) if is_there(&fault) => {
                self.fill_singly(connection, &text, rows.iter().map(values)).await
            }
            all => all.map(drop),
        };
        filled.map_err(|fault| fault.request_error)
    }

    async fn ping(&self, connection: &mut Connection) -> Result<(), RequestError> {
        connection.call(Call::Ping).await.map(drop).map_err(|fault| fault.request_error)
    }

    /// A rollback, which is all that the library's own pool does.
    async fn reset(&self, connection: &mut Connection) -> Result<(), RequestError> {
        connection.call(Call::Rollback).await.map(drop).map_err(|fault| fault.request_error)
    }

    async fn close(&self, connection: Connection) {
        connection.close().await;
    }

    /// The library does not monitor an idle connection.
    fn is_closed(&self, _connection: &Connection) -> bool {
        false
    }

    fn threads_cpu_ns(&self) -> u64 {
        self.threads.cpu_ns()
    }
}

/// Rejects what a lane does not support.
pub(crate) fn check(doing: &LaneTask) -> Result<(), EngineError> {
    let LaneTask::Drive(workload) = doing else { return Ok(()) };
    let all = workload.custom.operations.iter().flat_map(|of| match &of.says {
        record::OperationText::Sql(statements) => statements.as_slice(),
        _ => &[],
    });
    if all.into_iter().any(|of| drivers::says_returning(&of.text)) {
        Err(EngineError::order(
            "RETURNING is not supported on Oracle, where it requires a variable to return INTO",
        ))
    } else {
        Ok(())
    }
}
