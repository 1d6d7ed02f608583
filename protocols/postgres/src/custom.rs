//! User-defined statements, sent to PostgreSQL.

use crate::column::text_length;
use crate::dialect::PostgresDialect;
use crate::session::{Raw, Server, Session, in_words, length};
use bytes::BytesMut;
use drivers::custom::{self, CustomDriver, CustomReply, CustomStatement, CustomStatements};
use drivers::events::Events;
use drivers::request::CustomRequest;
use drivers::request_error::RequestError;
use engine::workload::Argument;
use futures_util::TryStreamExt;
use record::SqlProtocol;
use std::error::Error as StdError;
use std::fmt::Write as _;
use std::pin::pin;
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, RowStream, SimpleQueryMessage};

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
        if self.sending != SqlProtocol::Prepared {
            return Ok(None);
        }
        let Session { client, custom, .. } = session;
        let text = statement.with_placeholders.as_str();
        custom::prepare_once(custom, statement.at, move || client.prepare(text)).await
    }

    async fn execute(&self, session: &mut Session, text: &str) -> Result<(), Error> {
        session.client.batch_execute(text).await
    }

    async fn perform_statement(
        &self,
        session: &mut Session,
        statement: &CustomStatement,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let client = &session.client;
        let bound = statement.bound.iter().map(|at| Bound(request.arguments.get(*at)));
        let reply = match self.sending {
            SqlProtocol::Simple => {
                let text = statement.with_values(&PostgresDialect, &request.arguments);
                return simple(client.simple_query_raw(&text).await?, statement, events).await;
            }
            // Without a type: the server infers it from the statement, as it does for a
            // client that gives none.
            SqlProtocol::Extended => {
                let typed = bound.map(|of| (of, Type::UNKNOWN));
                client.query_typed_raw(&statement.with_placeholders, typed).await?
            }
            _ => {
                let prepared = session.custom[statement.at].as_ref().expect("prepared before");
                client.query_raw(prepared, bound).await?
            }
        };
        receive(reply, statement, events).await
    }

    fn failed(&self, error: &Error, events: &mut Events<'_>) -> RequestError {
        events.explained(self.request_error(error), || in_words(error))
    }
}

async fn simple(
    reply: tokio_postgres::SimpleQueryStream,
    statement: &CustomStatement,
    events: &mut Events<'_>,
) -> Result<(), Error> {
    let mut reply = pin!(reply);
    let (mut result, mut changed) = (None, 0);
    while let Some(message) = reply.try_next().await? {
        let result = result.get_or_insert_with(|| CustomReply::new(statement, events));
        match message {
            SimpleQueryMessage::Row(row) => {
                let bytes = (0..row.len()).filter_map(|at| row.get(at)).map(length).sum();
                let last = row.len().checked_sub(1).and_then(|last| row.get(last));
                result.row(bytes, last.map(str::as_bytes), events);
            }
            SimpleQueryMessage::CommandComplete(rows) => changed = rows,
            _ => {}
        }
    }
    result.unwrap_or_else(|| CustomReply::new(statement, events)).ends(changed, events);
    Ok(())
}

async fn receive(
    reply: RowStream,
    statement: &CustomStatement,
    events: &mut Events<'_>,
) -> Result<(), Error> {
    let mut result = CustomReply::new(statement, events);
    let mut reply = pin!(reply);
    let mut text = Vec::new();
    while let Some(row) = reply.try_next().await? {
        let mut bytes = 0;
        for (at, of) in row.columns().iter().enumerate() {
            let raw = row.try_get::<_, Option<Raw<'_>>>(at)?;
            bytes += raw.as_ref().map_or(0, |raw| text_length(of.type_(), raw.0));
            text.clear();
            if let (true, Some(raw)) = (result.wants_value(), raw) {
                as_text(of.type_(), raw.0, &mut text);
            }
        }
        result.row(bytes, Some(&text), events);
    }
    let changed = reply.rows_affected().unwrap_or(0);
    result.ends(changed, events);
    Ok(())
}

/// Appends the server's text form of a column: numbers and text.
fn as_text(of: &Type, raw: &[u8], to: &mut Vec<u8>) {
    let number = match (of, raw) {
        (&Type::INT2, &[a, b]) => Some(i64::from(i16::from_be_bytes([a, b]))),
        (&Type::INT4, &[a, b, c, d]) => Some(i64::from(i32::from_be_bytes([a, b, c, d]))),
        (&Type::INT8, raw) => raw.try_into().ok().map(i64::from_be_bytes),
        _ => None,
    };
    match number {
        Some(number) => Argument::Integer(number).write(to),
        None => to.extend_from_slice(raw),
    }
}

/// An argument as it is bound: in binary if it has the type of the placeholder, else as text, which
/// the server reads like a literal in a statement. So the server decides whether it fits.
#[derive(Debug)]
struct Bound<'a>(Argument<'a>);

impl Bound<'_> {
    fn fits(&self, to: &Type) -> bool {
        match self.0 {
            Argument::Integer(number) => match *to {
                Type::INT2 => i16::try_from(number).is_ok(),
                Type::INT4 => i32::try_from(number).is_ok(),
                Type::INT8 => true,
                _ => false,
            },
            Argument::Text(_) => {
                matches!(*to, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME)
            }
            Argument::Bytes(_) => *to == Type::BYTEA,
        }
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        of: &Type,
        to: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self.0, self.fits(of)) {
            (Argument::Integer(number), true) => match *of {
                Type::INT2 => to.extend_from_slice(&(number as i16).to_be_bytes()),
                Type::INT4 => to.extend_from_slice(&(number as i32).to_be_bytes()),
                _ => to.extend_from_slice(&number.to_be_bytes()),
            },
            (Argument::Integer(number), false) => write!(to, "{number}")?,
            (Argument::Text(bytes), _) | (Argument::Bytes(bytes), true) => {
                to.extend_from_slice(bytes);
            }
            (Argument::Bytes(bytes), false) => {
                write!(to, "\\x")?;
                bytes.iter().try_for_each(|byte| write!(to, "{byte:02x}"))?;
            }
        }
        Ok(IsNull::No)
    }

    fn accepts(_of: &Type) -> bool {
        true
    }

    fn encode_format(&self, of: &Type) -> Format {
        if self.fits(of) { Format::Binary } else { Format::Text }
    }

    to_sql_checked!();
}
