//! User-defined statements, sent to MySQL.

use crate::column::text_length;
use crate::dialect::MysqlDialect;
use crate::session::{Server, Session, check_length, in_words, request_error, row_bytes};
use drivers::custom::{self, CustomDriver, CustomReply, CustomStatement, CustomStatements};
use drivers::events::Events;
use drivers::request::CustomRequest;
use drivers::request_error::RequestError;
use engine::workload::Argument;
use mysql_async::prelude::{Protocol as Wire, Queryable};
use mysql_async::{Error, Params, QueryResult, Value};
use record::SqlProtocol;

impl CustomDriver for Server {
    type Error = Error;

    fn statements(&self) -> &CustomStatements {
        &self.custom
    }

    async fn prepare(
        &self,
        session: &mut Session,
        statement: &CustomStatement,
    ) -> Result<Option<u64>, Error> {
        if self.sending == SqlProtocol::Text {
            return Ok(None);
        }
        let Session { connection, custom, .. } = session;
        let text = statement.with_placeholders.as_str();
        custom::prepare_once(custom, statement.at, move || connection.prep(text)).await
    }

    async fn execute(&self, session: &mut Session, text: &str) -> Result<(), Error> {
        session.connection.query_drop(text).await
    }

    async fn perform_statement(
        &self,
        session: &mut Session,
        statement: &CustomStatement,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        if self.sending == SqlProtocol::Text {
            let text = statement.with_values(&MysqlDialect, &request.arguments);
            let reply = session.connection.query_iter(text).await?;
            return receive(reply, statement, self.reply_bytes, events).await;
        }
        let prepared = session.custom[statement.at].clone().expect("prepared before");
        let bound = statement.bound.iter().map(|at| match request.arguments.get(*at) {
            Argument::Integer(number) => Value::Int(number),
            Argument::Text(bytes) | Argument::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        });
        let parameters = if statement.bound.is_empty() {
            Params::Empty
        } else {
            Params::Positional(bound.collect())
        };
        let reply = session.connection.exec_iter(prepared, parameters).await?;
        receive(reply, statement, self.reply_bytes, events).await
    }

    fn failed(&self, error: &Error, events: &mut Events<'_>) -> RequestError {
        events.explained(request_error(error), || in_words(error))
    }
}

async fn receive<P: Wire>(
    mut reply: QueryResult<'_, '_, P>,
    statement: &CustomStatement,
    reply_bytes: u64,
    events: &mut Events<'_>,
) -> Result<(), Error> {
    let mut result = CustomReply::new(statement, events);
    let (mut text, mut taken) = (Vec::new(), 0);
    while let Some(row) = reply.next().await? {
        taken += row_bytes(&row);
        check_length(taken, reply_bytes)?;
        let columns = (0..row.len()).filter_map(|at| row.as_ref(at));
        let bytes = columns.map(text_length).sum();
        text.clear();
        if let Some(last) = row.len().checked_sub(1).filter(|_| result.wants_value()) {
            as_text(row.as_ref(last), &mut text);
        }
        result.row(bytes, Some(&text), events);
    }
    let changed = reply.affected_rows();
    result.ends(changed, events);
    reply.drop_result().await
}

/// Appends the server's text form of a column: numbers and text.
fn as_text(of: Option<&Value>, to: &mut Vec<u8>) {
    match of {
        Some(Value::Bytes(bytes)) => to.extend_from_slice(bytes),
        Some(Value::Int(number)) => Argument::Integer(*number).write(to),
        Some(Value::UInt(number)) => to.extend_from_slice(number.to_string().as_bytes()),
        _ => {}
    }
}
