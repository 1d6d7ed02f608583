//! Operations on wide rows: a partition is one user and type, and its rows are columns that are
//! named by their times, the newest first.

use crate::link::Link;
use crate::session::{Query, Server, each_row, pages, unreadable};
use crate::words;
use drivers::events::Events;
use drivers::request::{OnColumns, Row};
use drivers::request_error::RequestError;
use engine::workload::Column;
use scylla::errors::ExecutionError;
use scylla::response::query_result::{QueryResult, QueryRowsResult};

impl Server {
    /// Carries out an operation on a wide row.
    pub(crate) async fn on_columns(
        &self,
        link: &Link,
        (does, column): (OnColumns, Column),
        row: &Row,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        if !self.access.sending.prepares {
            let text = self.wide.with_values(does, column, row);
            events.request_sent();
            let query = Query::Text(&text, self.page_size());
            return pages(link, query, events, |of, events| receive(of, does, events)).await;
        }
        let text = self.wide.with_placeholders(does);
        let (prepared, began) = link.prepared_wide(does, text).await?;
        if let Some(began) = began {
            events.prepared(began);
        }
        events.request_sent();
        let (user, of_type, session) = (row.key.as_str(), column.type_name(), &link.session);
        let done: Result<QueryResult, ExecutionError> = match does {
            OnColumns::Newest => session.execute_unpaged(&prepared, (user, of_type)).await,
            OnColumns::One => {
                session.execute_unpaged(&prepared, (user, of_type, column.at())).await
            }
            OnColumns::Insert => {
                let value = row.value.as_slice();
                session.execute_unpaged(&prepared, (user, of_type, column.at(), value)).await
            }
        };
        let done = done.map_err(|error| words::explained(&error, events))?;
        events.begins();
        link.rows_of(done, events)?.map_or(Ok(()), |rows| receive(&rows, does, events))
    }
}

/// Receives the columns of a reply.
fn receive(
    rows: &QueryRowsResult,
    does: OnColumns,
    events: &mut Events<'_>,
) -> Result<(), RequestError> {
    each_row(rows, |columns| {
        let (mut name, mut value) = (None, &[][..]);
        for (at, column) in columns.enumerate() {
            let column = column.map_err(|_| unreadable())?;
            let raw = column.slice.map_or(&[][..], |slice| slice.as_slice());
            match does {
                OnColumns::Newest if at == 0 => name = Some(raw),
                _ => value = raw,
            }
        }
        events.row(name, value);
        Ok(())
    })
}
