//! User-defined statements, sent to Cassandra.

use crate::access::Sending;
use crate::bind::Bound;
use crate::column::{as_text, text_length};
use crate::dialect::CassandraDialect;
use crate::link::Link;
use crate::session::{Query, Server, each_row, pages, unreadable};
use crate::words;
use drivers::custom::{CustomReply, CustomStatement, CustomStatements};
use drivers::events::Events;
use drivers::request::CustomRequest;
use drivers::request_error::RequestError;
use engine::EngineError;
use engine::workload::Arguments;
use record::{LaneTask, OperationText, Rows};
use scylla::response::query_result::QueryRowsResult;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;
use std::cell::RefCell;

/// The name of the first column in the reply to a conditional statement.
const APPLIED: &str = "[applied]";

impl Server {
    /// Carries out one user-defined operation. If it only writes, several statements are sent as
    /// one batch unless the contender disables batches; they can be in it more than once.
    pub(crate) async fn custom(
        &self,
        link: &Link,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        let statements = self.custom.statements(request.number);
        let Sending { prepares, settings, .. } = &self.access.sending;
        let prepared =
            if *prepares { prepare(link, statements, events).await? } else { Vec::new() };
        events.request_sent();
        let several = statements.len() > 1 || !request.further.is_empty();
        let only_write = !statements.iter().any(|of| of.returns_rows);
        if let Some(kind) = settings.batch.filter(|_| several && only_write) {
            return self.as_batch(link, kind, (statements, &prepared), request, events).await;
        }
        for (at, statement) in statements.iter().enumerate() {
            self.one(link, (statement, prepared.get(at)), request, events).await?;
        }
        Ok(())
    }

    async fn one(
        &self,
        link: &Link,
        (statement, prepared): (&CustomStatement, Option<&PreparedStatement>),
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        let reply = RefCell::new(None);
        let changed = RefCell::new(1);
        let receive = |rows: &QueryRowsResult, events: &mut Events<'_>| {
            if !statement.returns_rows {
                *changed.borrow_mut() = u64::from(is_applied(rows)?);
                return Ok(());
            }
            let mut reply = reply.borrow_mut();
            let reply = reply.get_or_insert_with(|| CustomReply::new(statement, events));
            receive(rows, reply, events)
        };
        let text;
        let query = match prepared {
            Some(prepared) => Query::Bound(prepared, bound(statement, &request.arguments)),
            None => {
                text = statement.with_values(&CassandraDialect, &request.arguments);
                Query::Text(&text, self.page_size())
            }
        };
        pages(link, query, events, receive).await?;
        let reply = reply.into_inner().unwrap_or_else(|| CustomReply::new(statement, events));
        reply.ends(changed.into_inner(), events);
        Ok(())
    }

    /// Sends all statements at once.
    async fn as_batch(
        &self,
        link: &Link,
        kind: BatchType,
        (statements, prepared): (&[CustomStatement], &[PreparedStatement]),
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        let mut batch = Batch::new(kind);
        let sent = match prepared {
            [] => {
                for arguments in request.times() {
                    for statement in statements {
                        let text = statement.with_values(&CassandraDialect, arguments);
                        batch.append_statement(text.as_str());
                    }
                }
                let count = statements.len() * request.times().count();
                link.session.batch(&batch, vec![(); count]).await
            }
            prepared => {
                let mut values = Vec::new();
                for arguments in request.times() {
                    prepared.iter().for_each(|of| batch.append_statement(of.clone()));
                    values.extend(statements.iter().map(|of| bound(of, arguments)));
                }
                link.session.batch(&batch, values).await
            }
        };
        let sent = sent.map_err(|error| words::explained(&error, events))?;
        events.begins();
        let applied = link.rows_of(sent, events)?.map_or(Ok(true), |rows| is_applied(&rows))?;
        for statement in statements {
            CustomReply::new(statement, events).ends(u64::from(applied), events);
        }
        Ok(())
    }
}

/// Prepares what has not been prepared in this session.
async fn prepare(
    link: &Link,
    statements: &[CustomStatement],
    events: &mut Events<'_>,
) -> Result<Vec<PreparedStatement>, RequestError> {
    let (mut all, mut first) = (Vec::with_capacity(statements.len()), None);
    for statement in statements {
        let (prepared, began) =
            link.prepared_own(statement.at, &statement.with_placeholders).await?;
        first = first.or(began);
        all.push(prepared);
    }
    if let Some(began) = first {
        events.prepared(began);
    }
    Ok(all)
}

fn bound<'a>(statement: &'a CustomStatement, arguments: &'a Arguments) -> Bound<'a> {
    Bound { arguments, places: Some(&statement.bound) }
}

fn receive(
    rows: &QueryRowsResult,
    reply: &mut CustomReply<'_>,
    events: &mut Events<'_>,
) -> Result<(), RequestError> {
    let mut text = Vec::new();
    each_row(rows, |columns| {
        let mut bytes = 0;
        for column in columns {
            let column = column.map_err(|_| unreadable())?;
            let raw = column.slice.map_or(&[][..], |slice| slice.as_slice());
            bytes += text_length(column.spec.typ(), raw);
            text.clear();
            if reply.wants_value() {
                as_text(column.spec.typ(), raw, &mut text);
            }
        }
        reply.row(bytes, Some(&text), events);
        Ok(())
    })
}

/// Whether a conditional statement was applied. A statement without a condition always is, and
/// returns no row.
fn is_applied(rows: &QueryRowsResult) -> Result<bool, RequestError> {
    let mut applied = true;
    each_row(rows, |columns| {
        for column in columns {
            let column = column.map_err(|_| unreadable())?;
            if column.spec.name() == APPLIED {
                applied &= column.slice.is_some_and(|slice| slice.as_slice() == [1]);
            }
        }
        Ok(())
    })?;
    Ok(applied)
}

/// Rejects what a lane does not support: the number of rows that a write changes is only known for
/// conditional writes.
pub(crate) fn check(doing: &LaneTask) -> Result<(), EngineError> {
    let LaneTask::Drive(workload) = doing else { return Ok(()) };
    let statements = CustomStatements::of(Some(doing), &CassandraDialect, "");
    for (number, operation) in workload.custom.operations.iter().enumerate() {
        let OperationText::Sql(custom) = &operation.says else { continue };
        for (custom, statement) in custom.iter().zip(statements.statements(number)) {
            let is_counted = matches!(custom.rows, Rows::Exactly(_) | Rows::AtLeast(2..));
            if is_counted && !statement.returns_rows && !has_condition(&custom.text) {
                return Err(EngineError::Order(format!(
                    "Cassandra does not report how many rows a write changes: leave out `rows` in \
                     the operation `{}`, or give its statement a condition (IF …)",
                    operation.name
                )));
            }
        }
    }
    Ok(())
}

fn has_condition(text: &str) -> bool {
    text.split_whitespace().any(|word| word.eq_ignore_ascii_case("IF"))
}
