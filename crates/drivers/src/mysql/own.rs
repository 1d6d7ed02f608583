//! Statements of one's own, sent to MySQL.

use super::Protocol;
use super::column::text_length;
use super::session::{Server, Session, trouble};
use crate::driver::Heard;
use crate::own::{OwnReply, OwnRequest, OwnStatement};
use crate::sql::Dialect;
use crate::trouble::Trouble;
use engine::clock;
use engine::workload::Argument;
use mysql_async::prelude::{Protocol as Wire, Queryable};
use mysql_async::{Error, Params, QueryResult, Value};

impl Server {
    /// Carries out one operation; several statements are one transaction, which is
    /// rolled back at an error.
    pub(super) async fn own(
        &self,
        session: &mut Session,
        request: &OwnRequest,
        heard: &mut Heard<'_>,
    ) -> Result<(), Trouble> {
        let statements = self.own.statements(request.number);
        if self.protocol == Protocol::Prepared {
            let prepared = prepare(session, statements, heard).await;
            prepared.map_err(|error| trouble(&error))?;
        }
        heard.asks();
        if let [only] = statements {
            let done = self.own_statement(session, only, request, heard).await;
            return done.map_err(|error| trouble(&error));
        }
        match self.transaction(session, statements, request, heard).await {
            Ok(()) => Ok(()),
            Err(error) => {
                let rolled_back = session.connection.query_drop("ROLLBACK").await;
                Err(match (trouble(&error), rolled_back) {
                    // What state it is in nobody knows.
                    (Trouble::Told { code, .. }, Err(_)) => Trouble::Told { code, closes: true },
                    (trouble, _) => trouble,
                })
            }
        }
    }

    async fn transaction(
        &self,
        session: &mut Session,
        statements: &[OwnStatement],
        request: &OwnRequest,
        heard: &mut Heard<'_>,
    ) -> Result<(), Error> {
        session.connection.query_drop("BEGIN").await?;
        for statement in statements {
            self.own_statement(session, statement, request, heard).await?;
        }
        session.connection.query_drop("COMMIT").await
    }

    async fn own_statement(
        &self,
        session: &mut Session,
        statement: &OwnStatement,
        request: &OwnRequest,
        heard: &mut Heard<'_>,
    ) -> Result<(), Error> {
        if self.protocol == Protocol::Text {
            let text = statement.with_values(Dialect::Mysql, &request.arguments);
            return hear(session.connection.query_iter(text).await?, statement, heard).await;
        }
        let prepared = session.own[statement.at].clone().expect("prepared before");
        let bound = statement.bound.iter().map(|at| match request.arguments.get(*at) {
            Argument::Integer(number) => Value::Int(number),
            Argument::Text(bytes) | Argument::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        });
        let parameters = match statement.bound.is_empty() {
            true => Params::Empty,
            false => Params::Positional(bound.collect()),
        };
        hear(session.connection.exec_iter(prepared, parameters).await?, statement, heard).await
    }
}

/// Prepares what was not prepared on this connection.
async fn prepare(
    session: &mut Session,
    statements: &[OwnStatement],
    heard: &mut Heard<'_>,
) -> Result<(), Error> {
    let began = clock::now();
    let mut any = false;
    for OwnStatement { at, with_places, .. } in statements {
        if session.own.len() <= *at {
            session.own.resize(at + 1, None);
        }
        if session.own[*at].is_none() {
            session.own[*at] = Some(session.connection.prep(with_places).await?);
            any = true;
        }
    }
    if any {
        heard.prepared(began);
    }
    Ok(())
}

async fn hear<P: Wire>(
    mut reply: QueryResult<'_, '_, P>,
    statement: &OwnStatement,
    heard: &mut Heard<'_>,
) -> Result<(), Error> {
    let mut hears = OwnReply::new(statement, heard);
    let mut text = Vec::new();
    while let Some(row) = reply.next().await? {
        let columns = (0..row.len()).filter_map(|at| row.as_ref(at));
        let bytes = columns.map(text_length).sum();
        text.clear();
        if let Some(last) = row.len().checked_sub(1).filter(|_| hears.wants_value()) {
            as_text(row.as_ref(last), &mut text);
        }
        hears.row(bytes, Some(&text), heard);
    }
    let changed = reply.affected_rows();
    hears.ends(changed, heard);
    reply.drop_result().await
}

/// Appends a column as the server would write it as text: numbers and text.
fn as_text(of: Option<&Value>, to: &mut Vec<u8>) {
    match of {
        Some(Value::Bytes(bytes)) => to.extend_from_slice(bytes),
        Some(Value::Int(number)) => Argument::Integer(*number).write(to),
        Some(Value::UInt(number)) => to.extend_from_slice(number.to_string().as_bytes()),
        _ => {}
    }
}
