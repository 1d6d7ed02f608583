//! A session with PostgreSQL, as a lane uses it.

use crate::access::PostgresAccess;
use crate::column::text_length;
use crate::dialect::PostgresDialect;
use crate::dialect::unhex;
use crate::sqlstate;
use crate::tls::Tls;
use drivers::admin::{QueryError, Rows};
use drivers::budget::{self, Budget, Metered};
use drivers::custom::{self, CustomDriver, CustomStatements};
use drivers::driver::{Driver, Opening, Unopened};
use drivers::events::Events;
use drivers::request::{Action, Request, Row};
use drivers::request_error::{RequestError, failure, system_error};
use drivers::sql::{Statements, limit};
use engine::workload::Arguments;
use engine::{EngineError, TlsAccess, clock};
use futures_util::TryStreamExt;
use record::{Address, Failure, LaneTask, SqlProtocol};
use std::error::Error as _;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream, UnixStream};
use tokio::task::{JoinHandle, spawn_local};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::{ErrorPosition, SqlState};
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Config, Error, NoTls, RowStream, SimpleQueryMessage, Statement};

/// The address of sessions, and their statements.
pub(crate) struct Server {
    address: Address,
    config: Config,
    tls: Option<TlsAccess>,
    /// Maximum length of the answer to one question or operation, in bytes.
    reply_bytes: u64,
    pub(crate) sending: SqlProtocol,
    statements: Statements,
    pub(crate) custom: CustomStatements,
}

/// A connection, and the task that the library requires for it.
pub(crate) struct Session {
    pub(crate) client: Client,
    task: Task,
    budget: Budget,
    /// Prepared statements, by [`Action::index`].
    prepared: Vec<Option<Statement>>,
    /// Prepared user-defined statements, by their numbers.
    pub(crate) custom: Vec<Option<Statement>>,
}

/// Ends with its session, because an abandoned one may hang.
struct Task(JoinHandle<Result<(), Error>>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A column as it was sent, whatever its type.
pub(crate) struct Raw<'a>(pub(crate) &'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(
        _type: &Type,
        raw: &'a [u8],
    ) -> Result<Raw<'a>, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(raw))
    }

    fn accepts(_type: &Type) -> bool {
        true
    }
}

impl Server {
    /// For a lane that does this, or for questions.
    pub(crate) fn new(
        access: &PostgresAccess,
        address: &Address,
        doing: Option<&LaneTask>,
    ) -> Result<Server, EngineError> {
        if !matches!(address, Address::Tcp(_) | Address::Unix(_)) {
            return Err(EngineError::Order(format!(
                "PostgreSQL is only supported over TCP and unix sockets, not at {address}"
            )));
        }
        let mut config = Config::new();
        config
            .user(&access.common.user)
            .dbname(&access.common.database)
            .application_name("tiebreak");
        if let Some(password) = &access.common.password {
            config.password(password);
        }
        config.ssl_mode(match access.tls {
            Some(_) => SslMode::Require,
            None => SslMode::Disable,
        });
        Ok(Server {
            address: address.clone(),
            config,
            tls: access.tls.clone(),
            reply_bytes: budget::of_replies(access.common.reply_bytes, doing),
            sending: access.sending,
            statements: access.statements(),
            custom: CustomStatements::of(doing, &PostgresDialect, &access.common.table),
        })
    }

    /// Opens a session of its own and sends one statement after the other.
    pub(crate) async fn ask(&self, statements: &[String]) -> Result<Vec<Rows>, QueryError> {
        let query_error = |error: Error| QueryError {
            position: position(&error),
            ..QueryError::new(self.request_error(&error), in_words(&error))
        };
        let (session, _) = self.open(None).await.map_err(|error| match error {
            Refusal::System(error) => QueryError::new(RequestError::Failed(failure(&error)), error),
            Refusal::Library(error) => query_error(error),
        })?;
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            session.budget.renew();
            let answer = session.client.simple_query(statement).await;
            if session.budget.is_over() {
                return Err(budget::too_large(self.reply_bytes).into());
            }
            all.push(rows(&answer.map_err(query_error)?));
        }
        self.close(session).await;
        Ok(all)
    }

    async fn open(&self, from: Option<IpAddr>) -> Result<(Session, Opening), Refusal> {
        let began = clock::now();
        match &self.address {
            Address::Tcp(to) => {
                let stream = dial(*to, from).await?;
                // As libpq does.
                stream.set_nodelay(true)?;
                self.log_in(stream, began).await
            }
            Address::Unix(path) => self.log_in(UnixStream::connect(path).await?, began).await,
            Address::Nodes(_) | Address::Directory(_) | Address::Program => {
                unreachable!("refused in `new`")
            }
        }
    }

    async fn log_in<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        stream: S,
        began: u64,
    ) -> Result<(Session, Opening), Refusal> {
        let connected = clock::now();
        let budget = Budget::new(self.reply_bytes);
        let stream = Metered::new(stream, budget.clone());
        let (client, task, secured) = match &self.tls {
            None => {
                let (client, connection) = self.config.connect_raw(stream, NoTls).await?;
                (client, spawn_local(connection), None)
            }
            Some(access) => {
                let (tls, done) = Tls::new(access);
                let (client, connection) = self.config.connect_raw(stream, tls).await?;
                (client, spawn_local(connection), Some(done.load(Ordering::Relaxed)))
            }
        };
        let opening = Opening {
            connect_ns: Some(connected - began),
            tls_ns: secured.map(|at| at - connected),
            log_in_ns: clock::now() - secured.unwrap_or(connected),
        };
        let (prepared, custom) = (Vec::new(), Vec::new());
        Ok((Session { client, task: Task(task), budget, prepared, custom }, opening))
    }

    async fn action(
        &self,
        session: &mut Session,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        match self.sending {
            SqlProtocol::Simple => self.simple(&session.client, request, events).await,
            SqlProtocol::Extended => self.extended(&session.client, request, events).await,
            _ => self.with_prepared(session, request, events).await,
        }
    }

    async fn simple(
        &self,
        client: &Client,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let text = self.statements.with_values(request.action, &request.row);
        events.request_sent();
        let mut reply = pin!(client.simple_query_raw(&text).await?);
        let mut value = Vec::new();
        while let Some(message) = reply.try_next().await? {
            events.begins();
            let SimpleQueryMessage::Row(row) = message else { continue };
            if request.action == Action::Ask {
                events.row_of((0..row.len()).filter_map(|at| row.get(at)).map(length).sum());
                continue;
            }
            let text = match row.len().checked_sub(1) {
                Some(last) => row.try_get(last)?.unwrap_or(""),
                None => "",
            };
            value.clear();
            if unhex(text, &mut value).is_none() {
                value.extend_from_slice(text.as_bytes());
            }
            let key = match request.action {
                Action::Scan(_) => row.try_get(0)?.map(str::as_bytes),
                _ => None,
            };
            events.row(key, &value);
        }
        Ok(())
    }

    async fn extended(
        &self,
        client: &Client,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let text = self.statements.with_placeholders(request.action);
        let row = &request.row;
        let rows = i64::from(limit(request.action));
        let parameters = parameters(request.action, &row.key, &row.value, &rows);
        let typed = parameters.into_iter().zip(types(request.action).iter().cloned());
        events.request_sent();
        let reply = client.query_typed_raw(text, typed).await?;
        receive(reply, request.action, events).await
    }

    async fn with_prepared(
        &self,
        session: &mut Session,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let (action, at) = (request.action, request.action.index());
        let Session { client, prepared, .. } = session;
        let text = self.statements.with_placeholders(action);
        let prepare = || client.prepare_typed(text, types(action));
        let began = custom::prepare_once(prepared, at, prepare).await?;
        began.into_iter().for_each(|began| events.prepared(began));
        let statement = prepared[at].as_ref().expect("prepared");
        let row = &request.row;
        let rows = i64::from(limit(action));
        let parameters = parameters(action, &row.key, &row.value, &rows);
        events.request_sent();
        let reply = client.query_raw(statement, parameters).await?;
        receive(reply, action, events).await
    }

    async fn copy(&self, client: &Client, rows: &[Row]) -> Result<(), Error> {
        let table = self.statements.table();
        let copy = format!("COPY {table} (key, value) FROM STDIN (FORMAT BINARY)");
        let sink = client.copy_in(&copy).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &[Type::TEXT, Type::BYTEA]));
        for Row { key, value, .. } in rows {
            writer.as_mut().write(&[key, value]).await?;
        }
        writer.as_mut().finish().await.map(drop)
    }

    /// Writes rows some of which exist already, because an earlier load was interrupted after them.
    async fn copy_anew(&self, client: &Client, rows: &[Row]) -> Result<(), Error> {
        client.batch_execute("BEGIN").await?;
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        let delete = format!("DELETE FROM {} WHERE key = ANY($1)", self.statements.table());
        let written = match client.execute(&delete, &[&keys]).await {
            Ok(_) => self.copy(client, rows).await,
            Err(error) => Err(error),
        };
        let end = if written.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = client.batch_execute(end).await;
        written.and(ended)
    }

    /// Classifies an error of the library.
    pub(crate) fn request_error(&self, error: &Error) -> RequestError {
        if let Some(answer) = error.as_db_error() {
            let code = sqlstate::code(answer.code().code());
            return RequestError::ServerError {
                code,
                closes: matches!(answer.severity(), "FATAL" | "PANIC"),
            };
        }
        if let Some(system) = system_error(error) {
            return RequestError::Failed(failure(system));
        }
        if error.is_closed() {
            RequestError::Failed(Failure::Closed)
        } else if is_password_missing(error) {
            RequestError::ServerError { code: sqlstate::code(WRONG_PASSWORD), closes: true }
        } else {
            RequestError::Failed(Failure::Protocol)
        }
    }
}

/// The state with which the server refuses a wrong password.
const WRONG_PASSWORD: &str = "28P01";

/// Whether the server asked for a password, and none was given. The library has no type for that, so its
/// message is compared.
fn is_password_missing(error: &Error) -> bool {
    error.source().is_some_and(|source| source.to_string() == "password missing")
}

/// Why no session could be opened.
enum Refusal {
    System(io::Error),
    Library(Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::System(error)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Library(error)
    }
}

impl Driver for Server {
    type Client = Session;

    async fn connect(&self, from: Option<IpAddr>) -> Result<(Session, Opening), Unopened> {
        self.open(from).await.map_err(|refusal| match refusal {
            Refusal::System(error) => Unopened { error: error.into(), said: None, refusal: None },
            Refusal::Library(error) => {
                let classified = match self.request_error(&error) {
                    // The handshake did not even begin: the server does not support TLS.
                    RequestError::Failed(Failure::Protocol) if self.tls.is_some() => {
                        RequestError::Failed(Failure::Tls)
                    }
                    request_error => request_error.before_a_session(),
                };
                Unopened::new(classified, || in_words(&error))
            }
        })
    }

    async fn perform(
        &self,
        session: &mut Session,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        session.budget.renew();
        let done = match &request.custom {
            Some(request) => custom::operate(self, session, request, events).await,
            None => {
                let done = self.action(session, request, events).await;
                done.map_err(|error| self.failed(&error, events))
            }
        };
        done.map_err(|request_error| session.budget.explains(request_error))
    }

    /// Uses COPY, which the library prepares under a name. With another protocol there may be a
    /// proxy that shares one connection among several clients, where a name can belong to another
    /// client's statement (rows that had been written were seen to be deleted in this way), so rows
    /// are sent as text.
    async fn load(&self, session: &mut Session, rows: &[Row]) -> Result<(), RequestError> {
        session.budget.renew();
        if self.sending != SqlProtocol::Prepared {
            let text = self.statements.with_rows(rows);
            let written = session.client.batch_execute(&text).await;
            return written.map_err(|error| self.request_error(&error));
        }
        let loaded = match self.copy(&session.client, rows).await {
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                self.copy_anew(&session.client, rows).await
            }
            loaded => loaded,
        };
        loaded.map_err(|error| self.request_error(&error))
    }

    async fn fill(
        &self,
        session: &mut Session,
        table: u32,
        rows: &[&Arguments],
    ) -> Result<(), RequestError> {
        session.budget.renew();
        let text = self.custom.insert(&PostgresDialect, table, rows);
        session.client.batch_execute(&text).await.map_err(|error| self.request_error(&error))
    }

    async fn ping(&self, session: &mut Session) -> Result<(), RequestError> {
        session.budget.renew();
        let answered = session.client.simple_query("").await;
        answered.map(drop).map_err(|error| self.request_error(&error))
    }

    async fn reset(&self, session: &mut Session) -> Result<(), RequestError> {
        session.budget.renew();
        session.prepared.clear();
        session.custom.clear();
        let reset = session.client.batch_execute("DISCARD ALL").await;
        reset.map_err(|error| self.request_error(&error))
    }

    async fn close(&self, session: Session) {
        let Session { client, mut task, prepared, custom, .. } = session;
        drop((prepared, custom));
        // Its task then closes the connection.
        drop(client);
        let _ = (&mut task.0).await;
    }

    fn is_closed(&self, session: &Session) -> bool {
        session.client.is_closed()
    }
}

async fn dial(to: SocketAddr, from: Option<IpAddr>) -> io::Result<TcpStream> {
    let Some(from) = from else { return TcpStream::connect(to).await };
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from, 0))?;
    socket.connect(to).await
}

/// The length of a column that was sent as text; for bytes, their number.
pub(crate) fn length(text: &str) -> usize {
    text.strip_prefix("\\x").map_or(text.len(), |digits| digits.len() / 2)
}

/// Receives the rows of a reply.
async fn receive(reply: RowStream, action: Action, events: &mut Events<'_>) -> Result<(), Error> {
    events.begins();
    let mut reply = pin!(reply);
    while let Some(row) = reply.try_next().await? {
        let column = |at: usize| row.try_get::<_, Option<Raw<'_>>>(at);
        if action == Action::Ask {
            let mut bytes = 0;
            for (at, of) in row.columns().iter().enumerate() {
                bytes += column(at)?.map_or(0, |raw| text_length(of.type_(), raw.0));
            }
            events.row_of(bytes);
            continue;
        }
        let value = match row.len().checked_sub(1) {
            Some(last) => column(last)?.map_or(&[][..], |raw| raw.0),
            None => &[],
        };
        let key = match action {
            Action::Scan(_) => column(0)?.map(|raw| raw.0),
            _ => None,
        };
        events.row(key, value);
    }
    Ok(())
}

type Parameter<'a> = &'a (dyn ToSql + Sync);

fn parameters<'a>(
    action: Action,
    key: &'a String,
    value: &'a Vec<u8>,
    limit: &'a i64,
) -> Vec<Parameter<'a>> {
    match action {
        Action::Ask => vec![],
        Action::Get | Action::Delete => vec![key],
        Action::Set | Action::Add => vec![key, value],
        Action::Scan(_) => vec![key, limit],
    }
}

fn types(action: Action) -> &'static [Type] {
    match action {
        Action::Ask => &[],
        Action::Get | Action::Delete => &[Type::TEXT],
        Action::Set | Action::Add => &[Type::TEXT, Type::BYTEA],
        Action::Scan(_) => &[Type::TEXT, Type::INT8],
    }
}

/// The rows among the messages.
fn rows(messages: &[SimpleQueryMessage]) -> Rows {
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
        }
        _ => None,
    };
    messages.iter().filter_map(row).collect()
}

/// The position of the error in the statement, in characters from 1 on.
fn position(error: &Error) -> Option<u32> {
    match error.as_db_error()?.position()? {
        ErrorPosition::Original(at) => Some(*at),
        // The position is in a statement that the server made from ours.
        ErrorPosition::Internal { .. } => None,
    }
}

/// The message of an error, with its causes.
pub(crate) fn in_words(error: &Error) -> String {
    // The server's own message, without its severity.
    if let Some(answer) = error.as_db_error() {
        return answer.message().to_owned();
    }
    match error.source() {
        Some(behind) => behind.to_string(),
        None => error.to_string(),
    }
}
