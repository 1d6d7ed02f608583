//! A session with MySQL or MariaDB, as a lane uses it.

use crate::abrupt::{Abrupt, Ended};
use crate::access::MysqlAccess;
use crate::column::text_length;
use crate::dialect::MysqlDialect;
use crate::log_in::{self, Guard, LoginRefusal};
use crate::relay::Relay;
use crate::{dialling, tls};
use drivers::admin::{QueryError, Rows, without};
use drivers::budget;
use drivers::custom::{self, CustomDriver, CustomStatements};
use drivers::driver::{Driver, Opening, Unopened};
use drivers::events::Events;
use drivers::request::{Action, Request, Row};
use drivers::request_error::{RequestError, failure};
use drivers::sql::{Statements, limit};
use engine::workload::Arguments;
use engine::{EngineError, clock};
use mysql_async::prelude::{Protocol as Wire, Queryable};
use mysql_async::{
    ChangeUserOpts, Conn, DriverError, Error, IoError, Opts, OptsBuilder, Params, QueryResult,
    Statement, Value,
};
use record::{Address, Failure, LaneTask, SqlProtocol};
use std::io;
use std::net::{IpAddr, SocketAddr};

/// The server's own default, in seconds. Otherwise the library would ask the server for it on every
/// connection.
const WAIT_TIMEOUT: usize = 28_800;

/// Errors after which the server closes the connection: it shuts down, or the connection was killed
/// (two numbers), or idle for too long.
const CLOSING: [u16; 4] = [1053, 1927, 3169, 4031];

/// The address of sessions, and their statements.
pub(crate) struct Server {
    opts: Opts,
    /// The server's address, unless it is a unix socket.
    tcp: Option<SocketAddr>,
    guard: Guard,
    /// Maximum length of the rows of one question or operation, in bytes.
    pub(crate) reply_bytes: u64,
    ended: Ended,
    pub(crate) sending: SqlProtocol,
    statements: Statements,
    pub(crate) custom: CustomStatements,
}

/// A connection, and its prepared statements, by [`Action::index`].
pub(crate) struct Session {
    pub(crate) connection: Abrupt<Conn>,
    prepared: Vec<Option<Statement>>,
    /// Prepared user-defined statements, by their numbers.
    pub(crate) custom: Vec<Option<Statement>>,
}

impl Server {
    /// For a lane that does this, or for questions.
    pub(crate) fn new(
        access: &MysqlAccess,
        address: &Address,
        doing: Option<&LaneTask>,
    ) -> Result<Server, EngineError> {
        let opts = OptsBuilder::default();
        let (opts, tcp) = match address {
            Address::Tcp(to) => (dialling_to(opts, *to), Some(*to)),
            Address::Unix(path) => (opts.socket(Some(path.as_str())), None),
            Address::Nodes(_) | Address::Directory(_) | Address::Program => {
                return Err(EngineError::Order(format!(
                    "MySQL is only supported over TCP and unix sockets, not at {address}"
                )));
            }
        };
        let reply_bytes = budget::of_replies(access.common.reply_bytes, doing);
        let packet_bytes = budget::of_packets(reply_bytes, doing);
        let ssl = access.tls.as_ref().map(|tls| tls::options(tls, address)).transpose()?;
        let opts = opts
            .user(Some(access.common.user.as_str()))
            .pass(access.common.password.as_deref())
            .db_name(Some(access.common.database.as_str()))
            // Otherwise it would ask for the server's unix socket and then dial that.
            .prefer_socket(false)
            .max_allowed_packet(Some(usize::try_from(packet_bytes).unwrap_or(usize::MAX)))
            .wait_timeout(Some(WAIT_TIMEOUT))
            .tcp_nodelay(true)
            // The rows that an UPDATE finds are counted, as in other databases, and not only those
            // whose values it changes.
            .client_found_rows(true)
            .ssl_opts(ssl);
        let guard = match (&access.common.password, &access.tls, access.may_ask_for_key) {
            (Some(_), None, false) => Guard::Password,
            (Some(_), None, true) => Guard::PasswordAsItIs,
            _ => Guard::Nothing,
        };
        Ok(Server {
            opts: opts.into(),
            tcp,
            guard,
            reply_bytes,
            ended: Ended::new()?,
            sending: access.sending,
            statements: access.statements(),
            custom: CustomStatements::of(doing, &MysqlDialect, &access.common.table),
        })
    }

    /// Opens a session of its own and sends one statement after the other.
    pub(crate) async fn ask(&self, statements: &[String]) -> Result<Vec<Rows>, QueryError> {
        let relay = self.relay().await?;
        let result = self.ask_through(relay.as_ref(), statements).await;
        result.map_err(|error| match relay.and_then(|relay| relay.cut()) {
            Some(why) => without(why),
            None => QueryError::new(request_error(&error), in_words(&error)),
        })
    }

    async fn ask_through(
        &self,
        relay: Option<&Relay>,
        statements: &[String],
    ) -> Result<Vec<Rows>, Error> {
        let connection = self.log_in(self.opts_through(relay)).await?;
        let mut connection = Abrupt::new(connection, &self.ended);
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            let (mut rows, mut bytes) = (Rows::new(), 0);
            let mut reply = connection.query_iter(statement.as_str()).await?;
            while let Some(row) = reply.next().await? {
                bytes += row_bytes(&row);
                check_length(bytes, self.reply_bytes)?;
                rows.push(texts(row));
            }
            reply.drop_result().await?;
            all.push(rows);
        }
        let _ = connection.into_inner().disconnect().await;
        Ok(all)
    }

    /// Logs in, and returns why that is not safe. Returns None if it is safe, or if the server does
    /// not answer.
    pub(crate) async fn unsafe_log_in(&self) -> Result<Option<LoginRefusal>, QueryError> {
        let Some(relay) = self.relay().await?.filter(|_| self.guard != Guard::Nothing) else {
            return Ok(None);
        };
        match self.log_in(self.opts_through(Some(&relay))).await {
            Ok(connection) => {
                let _ = connection.disconnect().await;
                Ok(None)
            }
            Err(error) => Ok(log_in::refusal(&error)),
        }
    }

    /// Whether its logins must not ask the server for a key. Over a unix socket the library does
    /// not.
    pub(crate) fn is_guarded(&self) -> bool {
        self.guard == Guard::Password && self.tcp.is_some()
    }

    async fn log_in(&self, opts: Opts) -> Result<Conn, Error> {
        log_in::guarded(self.guard, Conn::new(opts)).await
    }

    /// Creates the relay between the library and the server. Returns None for a unix socket, which
    /// must not become accessible to other processes through a relay.
    async fn relay(&self) -> Result<Option<Relay>, QueryError> {
        match self.tcp {
            Some(to) => Ok(Some(Relay::to(to).await?)),
            None => Ok(None),
        }
    }

    fn opts_through(&self, relay: Option<&Relay>) -> Opts {
        let through = |relay: &Relay| {
            dialling_to(OptsBuilder::from_opts(self.opts.clone()), relay.address).into()
        };
        relay.map_or_else(|| self.opts.clone(), through)
    }

    async fn text(
        &self,
        connection: &mut Conn,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let text = self.statements.with_values(request.action, &request.row);
        events.request_sent();
        self.receive(connection.query_iter(text).await?, request.action, events).await
    }

    async fn with_prepared(
        &self,
        session: &mut Session,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let (action, at) = (request.action, request.action.index());
        let Session { connection, prepared, .. } = session;
        let text = self.statements.with_placeholders(action);
        let began = custom::prepare_once(prepared, at, || connection.prep(text)).await?;
        began.into_iter().for_each(|began| events.prepared(began));
        let statement = prepared[at].clone().expect("prepared");
        let parameters = parameters(request);
        events.request_sent();
        self.receive(connection.exec_iter(statement, parameters).await?, action, events).await
    }

    /// Receives the rows of a reply.
    async fn receive<P: Wire>(
        &self,
        mut reply: QueryResult<'_, '_, P>,
        action: Action,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        events.begins();
        let mut bytes = 0;
        while let Some(row) = reply.next().await? {
            bytes += row_bytes(&row);
            check_length(bytes, self.reply_bytes)?;
            if action == Action::Ask {
                let columns = (0..row.len()).filter_map(|at| row.as_ref(at));
                events.row_of(columns.map(text_length).sum());
                continue;
            }
            let column = |at: usize| match row.as_ref(at) {
                Some(Value::Bytes(bytes)) => Some(bytes.as_slice()),
                _ => None,
            };
            let value = row.len().checked_sub(1).and_then(column).unwrap_or_default();
            let key = match action {
                Action::Scan(_) => column(0),
                _ => None,
            };
            events.row(key, value);
        }
        reply.drop_result().await
    }
}

impl Driver for Server {
    type Client = Session;

    /// The library dials itself, so there is no source address to set, and TLS is part of the
    /// login.
    async fn connect(&self, _from: Option<IpAddr>) -> Result<(Session, Opening), Unopened> {
        let began = clock::now();
        let (connection, stood) = dialling::events(self.log_in(self.opts.clone())).await;
        let connection = connection.map_err(|error| {
            let request_error = request_error(&error).before_a_session();
            match log_in::refusal(&error) {
                Some(refusal) => Unopened::refused(request_error, refusal.to_string()),
                None => Unopened::new(request_error, || in_words(&error)),
            }
        })?;
        let connect_ns = stood.map(|stood| stood - began);
        let log_in_ns = clock::now() - stood.unwrap_or(began);
        let opening = Opening { connect_ns, tls_ns: None, log_in_ns };
        let connection = Abrupt::new(connection, &self.ended);
        let (prepared, custom) = (Vec::new(), Vec::new());
        Ok((Session { connection, prepared, custom }, opening))
    }

    async fn perform(
        &self,
        session: &mut Session,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        if let Some(request) = &request.custom {
            return custom::operate(self, session, request, events).await;
        }
        let done = match self.sending {
            SqlProtocol::Text => self.text(&mut session.connection, request, events).await,
            _ => self.with_prepared(session, request, events).await,
        };
        done.map_err(|error| self.failed(&error, events))
    }

    async fn load(&self, session: &mut Session, rows: &[Row]) -> Result<(), RequestError> {
        let text = self.statements.with_rows(rows);
        session.connection.query_drop(text).await.map_err(|error| request_error(&error))
    }

    async fn fill(
        &self,
        session: &mut Session,
        table: u32,
        rows: &[&Arguments],
    ) -> Result<(), RequestError> {
        let text = self.custom.insert(&MysqlDialect, table, rows);
        session.connection.query_drop(text).await.map_err(|error| request_error(&error))
    }

    async fn ping(&self, session: &mut Session) -> Result<(), RequestError> {
        session.connection.ping().await.map_err(|error| request_error(&error))
    }

    async fn reset(&self, session: &mut Session) -> Result<(), RequestError> {
        session.prepared.clear();
        session.custom.clear();
        let connection = &mut session.connection;
        let reset = match connection.reset().await {
            // Servers without support for it log in again instead.
            Ok(false) => {
                log_in::guarded(self.guard, connection.change_user(ChangeUserOpts::default())).await
            }
            reset => reset.map(drop),
        };
        reset.map_err(|error| request_error(&error))
    }

    async fn close(&self, session: Session) {
        let _ = session.connection.into_inner().disconnect().await;
    }

    /// The library does not monitor an idle connection.
    fn is_closed(&self, _session: &Session) -> bool {
        false
    }
}

/// Bytes that a row takes in memory, or in transit if that is more.
pub(crate) fn row_bytes(row: &mysql_async::Row) -> u64 {
    let columns = (0..row.len()).filter_map(|at| row.as_ref(at));
    let bytes = columns.map(|value| match value {
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    });
    (size_of::<Value>() * row.len() + bytes.sum::<usize>()) as u64
}

/// # Errors
/// Returns an error if the rows of a reply exceed the limit.
pub(crate) fn check_length(bytes: u64, most: u64) -> Result<(), Error> {
    if bytes > most {
        return Err(budget::too_large(most).into());
    }
    Ok(())
}

fn dialling_to(opts: OptsBuilder, to: SocketAddr) -> OptsBuilder {
    opts.ip_or_hostname(to.ip().to_string()).tcp_port(to.port())
}

fn parameters(request: &Request) -> Params {
    let key = || Value::from(request.row.key.as_str());
    match request.action {
        Action::Ask => Params::Empty,
        Action::Get | Action::Delete => Params::Positional(vec![key()]),
        Action::Set | Action::Add => {
            Params::Positional(vec![key(), Value::from(request.row.value.as_slice())])
        }
        Action::Scan(_) => Params::Positional(vec![key(), Value::from(limit(request.action))]),
    }
}

/// Classifies an error of the library.
pub(crate) fn request_error(error: &Error) -> RequestError {
    RequestError::Failed(match error {
        Error::Server(answer) => {
            return RequestError::ServerError {
                code: answer.code,
                closes: CLOSING.contains(&answer.code),
            };
        }
        Error::Io(IoError::Io(error)) if is_long_packet(error) => Failure::TooLarge,
        Error::Io(IoError::Io(error)) => failure(error),
        Error::Io(IoError::Tls(_)) => Failure::Tls,
        Error::Driver(DriverError::ConnectionClosed) => Failure::Closed,
        Error::Driver(DriverError::PacketTooLarge) => Failure::TooLarge,
        Error::Driver(DriverError::NoClientSslFlagFromServer) => Failure::Tls,
        Error::Driver(_) | Error::Other(_) | Error::Url(_) => Failure::Protocol,
    })
}

/// Whether a packet was longer than allowed. The library does not export the type of this error, so
/// its message is compared.
fn is_long_packet(error: &io::Error) -> bool {
    error.to_string() == "Packet is larger than max_allowed_packet"
}

fn texts(row: mysql_async::Row) -> Vec<Option<String>> {
    let text = |value: Value| match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        other => Some(other.as_sql(false)),
    };
    row.unwrap().into_iter().map(text).collect()
}

/// The message of an error; for the server's errors, its own text.
pub(crate) fn in_words(error: &Error) -> String {
    match error {
        Error::Server(answer) => answer.message.clone(),
        Error::Other(why) => why.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_async::ServerError;

    #[test]
    fn each_error_has_its_class() {
        let server_error = |code| {
            Error::Server(ServerError { code, message: String::new(), state: String::new() })
        };
        let table = [
            (server_error(1213), RequestError::ServerError { code: 1213, closes: false }),
            (server_error(1927), RequestError::ServerError { code: 1927, closes: true }),
            (io::Error::from_raw_os_error(111).into(), RequestError::Failed(Failure::Refused)),
            (DriverError::ConnectionClosed.into(), RequestError::Failed(Failure::Closed)),
            (DriverError::PacketOutOfOrder.into(), RequestError::Failed(Failure::Protocol)),
        ];
        for (error, wanted) in table {
            assert_eq!(request_error(&error), wanted, "{error}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_statement() {
        let row = Row { key: "k".to_owned(), value: vec![0, 255], ..Row::default() };
        for (action, wanted) in [(Action::Get, 1), (Action::Set, 2), (Action::Scan(9), 2)] {
            let request = Request { action, row: row.clone(), ..Request::default() };
            let Params::Positional(all) = parameters(&request) else { panic!("{action:?}") };
            assert_eq!(all.len(), wanted, "{action:?}");
        }
        assert_eq!(parameters(&Request::default()), Params::Empty);
    }
}
