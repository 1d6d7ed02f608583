//! A session of the library, and its prepared statements.

use crate::{nodes, request_error};
use drivers::Announced;
use drivers::events::Events;
use drivers::request::{Action, OnColumns};
use drivers::request_error::RequestError;
use engine::clock;
use record::Failure;
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::sync::OnceCell;

/// A session with its statements. Many connections of a lane can share it: the library
/// sends their operations over the same sockets.
pub(crate) struct Link {
    pub(crate) session: Session,
    announced: Announced,
    page_size: i32,
    /// Maximum length of the rows of a reply, in bytes.
    reply_bytes: u64,
    /// By [`Action::index`].
    prepared: [Slot; Action::KINDS.len()],
    /// By [`OnColumns::index`].
    wide: [Slot; OnColumns::KINDS.len()],
    /// Prepared user-defined statements, by their numbers.
    own: RefCell<Vec<Slot>>,
}

/// A statement that is prepared once, however many tasks need it at the same time.
type Slot = Rc<OnceCell<PreparedStatement>>;

impl Link {
    pub(crate) fn new(
        session: Session,
        announced: &Announced,
        page_size: i32,
        reply_bytes: u64,
    ) -> Link {
        nodes::note(&session, announced);
        Link {
            session,
            announced: announced.clone(),
            page_size,
            reply_bytes,
            prepared: Default::default(),
            wide: Default::default(),
            own: RefCell::default(),
        }
    }

    /// Whether a node of the cluster is connected.
    pub(crate) fn is_connected(&self) -> bool {
        let state = self.session.get_cluster_state();
        state.get_nodes_info().iter().any(|node| node.is_connected())
    }

    /// The rows of a reply, or of a page of it. Returns None if it has none.
    ///
    /// # Errors
    /// Returns an error if the rows of the operation have too many bytes by now. The library has
    /// already read them, and would continue with the next page.
    pub(crate) fn rows_of(
        &self,
        of: QueryResult,
        events: &mut Events<'_>,
    ) -> Result<Option<QueryRowsResult>, RequestError> {
        let Ok(rows) = of.into_rows_result() else { return Ok(None) };
        if events.read(rows.rows_bytes_size() as u64) > self.reply_bytes {
            Err(RequestError::Failed(Failure::TooLarge))
        } else {
            Ok(Some(rows))
        }
    }

    /// The statement of this action, and when its preparation began if it was prepared just now.
    pub(crate) async fn prepared(
        &self,
        action: Action,
        text: &str,
    ) -> Result<(PreparedStatement, Option<u64>), RequestError> {
        self.prepare(&self.prepared[action.index()], text).await
    }

    /// Prepares the statement that does this to columns of a wide row, unless the session has prepared it
    /// already.
    pub(crate) async fn prepared_wide(
        &self,
        does: OnColumns,
        text: &str,
    ) -> Result<(PreparedStatement, Option<u64>), RequestError> {
        self.prepare(&self.wide[does.index()], text).await
    }

    /// Prepares the user-defined statement with this number, unless the session has prepared it already.
    pub(crate) async fn prepared_own(
        &self,
        at: usize,
        text: &str,
    ) -> Result<(PreparedStatement, Option<u64>), RequestError> {
        let slot = {
            let mut own = self.own.borrow_mut();
            if own.len() <= at {
                own.resize_with(at + 1, Slot::default);
            }
            own[at].clone()
        };
        self.prepare(&slot, text).await
    }

    async fn prepare(
        &self,
        slot: &OnceCell<PreparedStatement>,
        text: &str,
    ) -> Result<(PreparedStatement, Option<u64>), RequestError> {
        if let Some(prepared) = slot.get() {
            return Ok((prepared.clone(), None));
        }
        let began = clock::now();
        let prepare = || async {
            let statement = Statement::new(text).with_page_size(self.page_size);
            let prepared = self.session.prepare(statement).await;
            prepared.map_err(|error| request_error::of_prepare(&error))
        };
        let prepared = slot.get_or_try_init(prepare).await?;
        Ok((prepared.clone(), Some(began)))
    }
}

impl Drop for Link {
    /// Nodes can have joined since it was opened.
    fn drop(&mut self) {
        nodes::note(&self.session, &self.announced);
    }
}
