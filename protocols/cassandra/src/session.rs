//! A session with Cassandra, as a lane uses it.

use crate::access::{CHEAPEST, CassandraAccess};
use crate::bind::Bound;
use crate::column::text_length;
use crate::dialect::CassandraDialect;
use crate::link::Link;
use crate::nodes::{self, AllowedNodes};
use crate::settings::CassandraSettings;
use crate::wide_statements::WideStatements;
use crate::{request_error, words};
use drivers::admin::{QueryError, Rows};
use drivers::budget;
use drivers::custom::CustomStatements;
use drivers::driver::{Driver, Opening, Unopened};
use drivers::events::Events;
use drivers::request::{Action, Request, Row};
use drivers::request_error::RequestError;
use drivers::sql::{Statements, limit, starts_with};
use engine::workload::Arguments;
use engine::{EngineError, clock};
use record::{Address, Consistency, LaneOrder, LaneTask, Reuse};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::{Compression, PoolSize, SelfIdentity};
use scylla::deserialize::row::ColumnIterator;
use scylla::errors::{ExecutionError, NewSessionError};
use scylla::policies::host_filter::AllowListHostFilter;
use scylla::policies::load_balancing::DefaultPolicy;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::query_result::QueryResult;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::Consistency as WireConsistency;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;
use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long one connect may take. The lane's own timeouts are shorter or as long.
const CONNECTING: Duration = Duration::from_secs(10);
/// How often the library asks for the state of the cluster. It also asks when a server
/// announces a change.
const REFRESHING: Duration = Duration::from_secs(3600);

/// The address of sessions, and their statements.
pub(crate) struct Server {
    /// Where the library asks for the nodes of the cluster.
    nodes: Vec<SocketAddr>,
    builder: SessionBuilder,
    pub(crate) access: CassandraAccess,
    /// Whether a lane's sessions select the keyspace. The check whether a server is ready does not,
    /// because a load may have to create the keyspace first.
    uses_keyspace: bool,
    /// Maximum length of the rows of a reply, in bytes.
    reply_bytes: u64,
    statements: Statements,
    pub(crate) custom: CustomStatements,
    pub(crate) wide: WideStatements,
    /// The session that the connections of a lane share. None: each has its own.
    shared: Option<RefCell<Rc<OnceCell<Rc<Link>>>>>,
}

/// One connection of a lane.
pub(crate) type Client = Rc<Link>;

impl Server {
    /// For a lane with this order, or for questions.
    ///
    /// # Errors
    /// Returns an error if the address is not a host and port.
    pub(crate) fn new(
        access: &CassandraAccess,
        address: &Address,
        lane_order: Option<&LaneOrder>,
    ) -> Result<Server, EngineError> {
        let nodes = match address {
            Address::Tcp(node) => vec![*node],
            Address::Nodes(nodes) => nodes.clone(),
            Address::Unix(_) | Address::Directory(_) | Address::Program => {
                return Err(EngineError::Order(format!(
                    "Cassandra is only supported over TCP, not at {address}"
                )));
            }
        };
        let doing = lane_order.map(|of| &of.doing);
        let shares = lane_order.is_some_and(|of| of.reuse == Reuse::Always);
        let operates = doing.is_some_and(|doing| *doing != LaneTask::Ask);
        let common = &access.common;
        Ok(Server {
            builder: builder(access, &nodes),
            access: access.clone(),
            nodes,
            uses_keyspace: common.query != CHEAPEST || operates,
            statements: Statements::new(&CassandraDialect, &common.table, &common.query),
            custom: CustomStatements::of(doing, &CassandraDialect, &common.table),
            wide: WideStatements::new(&common.table),
            shared: shares.then(RefCell::default),
            reply_bytes: budget::of_replies(common.reply_bytes, doing),
        })
    }

    /// Opens a session of its own and sends one statement after the other. Questions go to the
    /// first node that can be reached, because each node has its own part of the system tables. A
    /// change of the schema goes through a session with all nodes: the library waits until the
    /// nodes that it is connected to agree on the schema.
    pub(crate) async fn ask(&self, statements: &[String]) -> Result<Vec<Rows>, QueryError> {
        let changes = |text: &String| starts_with(text, &["CREATE", "ALTER", "DROP"]);
        let session = if statements.iter().any(changes) {
            self.open_to_ask().await?
        } else {
            self.open_with_one_node().await?
        };
        // The keyspace need not exist yet. Statements that need it fail with the reason.
        let _ = session.use_keyspace(&self.access.common.database, true).await;
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            let answer = session.query_unpaged(statement.as_str(), ()).await;
            let answer = answer.map_err(|error| {
                QueryError::new(request_error::of_execution(&error), words::of_execution(&error))
            })?;
            all.push(words::rows(answer));
        }
        Ok(all)
    }

    /// Opens a session with all nodes of the cluster, for questions.
    pub(crate) async fn open_to_ask(&self) -> Result<Session, QueryError> {
        let session = self.builder_to_ask().build().await.map_err(unopened)?;
        nodes::note(&session, &self.access.announced);
        Ok(session)
    }

    async fn open_with_one_node(&self) -> Result<Session, QueryError> {
        let builder = self.builder_to_ask();
        let mut last = NewSessionError::EmptyKnownNodesList;
        for node in &self.nodes {
            let only = AllowListHostFilter::new([node]).expect("an address needs no resolving");
            match builder.clone().host_filter(Arc::new(only)).build().await {
                Ok(session) => return Ok(session),
                Err(error) => last = error,
            }
        }
        Err(unopened(last))
    }

    fn builder_to_ask(&self) -> SessionBuilder {
        let profile = profile(&self.access.sending.settings, WireConsistency::Quorum).into_handle();
        self.builder.clone().default_execution_profile_handle(profile)
    }

    async fn open(&self, from: Option<IpAddr>) -> Result<Rc<Link>, Unopened> {
        let mut builder = self.builder.clone().local_ip_address(from);
        if self.uses_keyspace {
            builder = builder.use_keyspace(&self.access.common.database, true);
        }
        let opened = builder.build().await;
        let session = opened.map_err(|error| {
            Unopened::new(request_error::of_opening(&error), || words::of_opening(&error))
        })?;
        Ok(Rc::new(Link::new(session, &self.access.announced, self.page_size(), self.reply_bytes)))
    }

    /// The shared session. It is opened by the first task that needs it, and again if no node is
    /// connected any more.
    async fn join(&self, shared: &RefCell<Rc<OnceCell<Rc<Link>>>>) -> Result<Rc<Link>, Unopened> {
        let is_lost = shared.borrow().get().is_some_and(|link| !link.is_connected());
        if is_lost {
            shared.take();
        }
        let cell = shared.borrow().clone();
        cell.get_or_try_init(|| self.open(None)).await.cloned()
    }

    pub(crate) fn page_size(&self) -> i32 {
        i32::try_from(self.access.sending.settings.page_size).unwrap_or(i32::MAX)
    }

    async fn action(
        &self,
        link: &Link,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        let (action, row) = (request.action, &request.row);
        if !self.access.sending.prepares {
            let text = self.statements.with_values(action, row);
            events.request_sent();
            let query = Query::Text(&text, self.page_size());
            return pages(link, query, events, |of, events| receive(of, action, events)).await;
        }
        let text = self.statements.with_placeholders(action);
        let (prepared, began) = link.prepared(action, text).await?;
        if let Some(began) = began {
            events.prepared(began);
        }
        events.request_sent();
        let of = |of: &QueryResultRows, events: &mut Events<'_>| receive(of, action, events);
        let answered = |done: Result<QueryResult, ExecutionError>, events: &mut Events<'_>| {
            let done = done.map_err(|error| words::explained(&error, events))?;
            events.begins();
            link.rows_of(done, events)?.map_or(Ok(()), |rows| receive(&rows, action, events))
        };
        let (key, value) = (row.key.as_str(), row.value.as_slice());
        let session = &link.session;
        match action {
            Action::Ask => pages(link, Query::Prepared(&prepared), events, of).await,
            Action::Get | Action::Delete => {
                answered(session.execute_unpaged(&prepared, (key,)).await, events)
            }
            Action::Set | Action::Add => {
                answered(session.execute_unpaged(&prepared, (key, value)).await, events)
            }
            Action::Scan(_) => {
                let most = i32::try_from(limit(action)).unwrap_or(i32::MAX);
                answered(session.execute_unpaged(&prepared, (key, most)).await, events)
            }
        }
    }
}

fn unopened(error: NewSessionError) -> QueryError {
    QueryError::new(request_error::of_opening(&error), words::of_opening(&error))
}

/// The settings of a lane's sessions.
fn builder(access: &CassandraAccess, nodes: &[SocketAddr]) -> SessionBuilder {
    let settings = &access.sending.settings;
    let token_aware = settings.is_token_aware;
    let sockets =
        NonZeroUsize::new(settings.sockets_per_node as usize).unwrap_or(NonZeroUsize::MIN);
    let mut builder = SessionBuilder::new()
        .known_nodes_addr(nodes)
        .host_filter(Arc::new(AllowedNodes(access.announced.clone())))
        // ScyllaDB announces that port, and any service could listen there. With a number of
        // sockets for each node the library does not dial it, but that is not documented.
        .disallow_shard_aware_port(true)
        .default_execution_profile_handle(
            profile(settings, consistency(access.sending.consistency)).into_handle(),
        )
        .compression(settings.is_compressed.then_some(Compression::Lz4))
        .pool_size(PoolSize::PerHost(sockets))
        .write_coalescing(settings.write_coalescing)
        .connection_timeout(CONNECTING)
        .cluster_metadata_refresh_interval(REFRESHING)
        // The list of tables is only needed to find the node of a row.
        .fetch_schema_metadata(token_aware)
        .fetch_full_schema_metadata(false)
        .driver_config_reporting(false)
        .custom_identity(SelfIdentity::new().with_application_name("tiebreak"));
    if token_aware && !access.common.database.is_empty() {
        builder = builder.keyspaces_to_fetch([&access.common.database]);
    }
    if !access.common.user.is_empty() {
        let password = access.common.password.as_deref().unwrap_or_default();
        builder = builder.user(&access.common.user, password);
    }
    if let Some(tls) = &access.tls {
        builder = builder.tls_context(Some(tls.config.clone()));
    }
    // Nothing is sent on an idle connection.
    builder.config.keepalive_interval = None;
    builder
}

/// Without retries, without speculative execution, and without a timeout of the library: the lane
/// has its own.
fn profile(settings: &CassandraSettings, consistency: WireConsistency) -> ExecutionProfile {
    let policy = DefaultPolicy::builder().token_aware(settings.is_token_aware);
    ExecutionProfile::builder()
        .consistency(consistency)
        .request_timeout(None)
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        .speculative_execution_policy(None)
        .load_balancing_policy(policy.build())
        .build()
}

fn consistency(of: Consistency) -> WireConsistency {
    match of {
        Consistency::One => WireConsistency::One,
        Consistency::Two => WireConsistency::Two,
        Consistency::Three => WireConsistency::Three,
        Consistency::Quorum => WireConsistency::Quorum,
        Consistency::All => WireConsistency::All,
        Consistency::LocalOne => WireConsistency::LocalOne,
        Consistency::LocalQuorum => WireConsistency::LocalQuorum,
        Consistency::EachQuorum => WireConsistency::EachQuorum,
        Consistency::Serial => WireConsistency::Serial,
        Consistency::LocalSerial => WireConsistency::LocalSerial,
    }
}

/// What is sent, page by page.
pub(crate) enum Query<'a> {
    /// A statement with its values as literals, and the maximum rows of a page.
    Text(&'a str, i32),
    /// A prepared statement without values.
    Prepared(&'a PreparedStatement),
    /// A prepared statement with the arguments of a user-defined operation.
    Bound(&'a PreparedStatement, Bound<'a>),
}

type QueryResultRows = scylla::response::query_result::QueryRowsResult;

/// Requests all pages of a reply, and passes on the rows of each.
pub(crate) async fn pages(
    link: &Link,
    query: Query<'_>,
    events: &mut Events<'_>,
    mut receive: impl FnMut(&QueryResultRows, &mut Events<'_>) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    let session = &link.session;
    let mut state = PagingState::start();
    loop {
        let page = match &query {
            Query::Text(text, page_size) => {
                let statement = Statement::new(*text).with_page_size(*page_size);
                session.query_single_page(statement, (), state).await
            }
            Query::Prepared(prepared) => session.execute_single_page(prepared, (), state).await,
            Query::Bound(prepared, bound) => {
                session.execute_single_page(prepared, bound, state).await
            }
        };
        let (page, next) = page.map_err(|error| words::explained(&error, events))?;
        events.begins();
        if let Some(rows) = link.rows_of(page, events)? {
            receive(&rows, events)?;
        }
        match next {
            PagingStateResponse::HasMorePages { state: next } => state = next,
            PagingStateResponse::NoMorePages => return Ok(()),
        }
    }
}

/// The cells of each row. A reply that cannot be read is a protocol error.
pub(crate) fn each_row(
    rows: &QueryResultRows,
    mut row: impl FnMut(ColumnIterator<'_, '_>) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    let all = rows.rows::<ColumnIterator<'_, '_>>().map_err(|_| unreadable())?;
    for columns in all {
        row(columns.map_err(|_| unreadable())?)?;
    }
    Ok(())
}

pub(crate) fn unreadable() -> RequestError {
    RequestError::Failed(record::Failure::Protocol)
}

/// Receives the rows of a reply.
fn receive(
    rows: &QueryResultRows,
    action: Action,
    events: &mut Events<'_>,
) -> Result<(), RequestError> {
    // The row shows whether it was written, and is not a row of the workload.
    if action == Action::Add {
        return Ok(());
    }
    each_row(rows, |columns| {
        let (mut bytes, mut key, mut value) = (0, None, &[][..]);
        for (at, column) in columns.enumerate() {
            let column = column.map_err(|_| unreadable())?;
            let raw = column.slice.map_or(&[][..], |slice| slice.as_slice());
            match action {
                Action::Ask => bytes += text_length(column.spec.typ(), raw),
                Action::Scan(_) if at == 0 => key = Some(raw),
                _ => value = raw,
            }
        }
        match action {
            Action::Ask => events.row_of(bytes),
            _ => events.row(key, value),
        }
        Ok(())
    })
}

impl Driver for Server {
    type Client = Client;

    /// The library does not separate connecting from the login and from discovering the cluster.
    async fn connect(&self, from: Option<IpAddr>) -> Result<(Client, Opening), Unopened> {
        let began = clock::now();
        let link = match &self.shared {
            Some(shared) => self.join(shared).await?,
            None => self.open(from).await?,
        };
        let log_in_ns = clock::now() - began;
        Ok((link, Opening { connect_ns: None, tls_ns: None, log_in_ns }))
    }

    async fn perform(
        &self,
        client: &mut Client,
        request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        match (&request.custom, request.row.on_columns) {
            (Some(custom), _) => self.custom(client, custom, events).await,
            (None, Some(what)) => self.on_columns(client, what, &request.row, events).await,
            (None, None) => self.action(client, request, events).await,
        }
    }

    async fn load(&self, client: &mut Client, rows: &[Row]) -> Result<(), RequestError> {
        if rows.iter().any(|row| row.on_columns.is_some()) {
            return self.load_columns(client, rows).await;
        }
        let text = self.statements.with_placeholders(Action::Set);
        let (prepared, _) = client.prepared(Action::Set, text).await?;
        let rows = rows.iter().map(|row| (row.key.as_str(), row.value.as_slice()));
        self.write(client, prepared, rows).await
    }

    async fn fill(
        &self,
        client: &mut Client,
        table: u32,
        rows: &[&Arguments],
    ) -> Result<(), RequestError> {
        let text = self.custom.insert_with_placeholders(&CassandraDialect, table);
        // A lane that loads sends no user-defined statements, so their numbers are free.
        let (prepared, _) = client.prepared_own(table as usize, &text).await?;
        let rows = rows.iter().map(|row| Bound { arguments: row, places: None });
        self.write(client, prepared, rows).await
    }

    async fn ping(&self, client: &mut Client) -> Result<(), RequestError> {
        let result = client.session.query_unpaged(CHEAPEST, ()).await;
        result.map(drop).map_err(|error| request_error::of_execution(&error))
    }

    /// A session of Cassandra keeps no state of operations.
    async fn reset(&self, _client: &mut Client) -> Result<(), RequestError> {
        Ok(())
    }

    /// The last connection that shares a session ends it.
    async fn close(&self, client: Client) {
        drop(client);
        if let Some(shared) = &self.shared {
            let is_last = shared.borrow().get().is_some_and(|link| Rc::strong_count(link) == 1);
            if is_last {
                shared.take();
            }
        }
    }

    fn is_closed(&self, client: &Client) -> bool {
        !client.is_connected()
    }

    fn unkept_reply_bytes(&self) -> Option<u64> {
        Some(self.reply_bytes)
    }

    fn forget_shared(&self) {
        self.shared.iter().for_each(|shared| drop(shared.take()));
    }
}
