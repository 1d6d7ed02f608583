//! User-defined statements, sent to Oracle.

use crate::link::{Call, Fault, Library};
use crate::session::{Server, bind, change, query};
use crate::thread::Connection;
use drivers::custom::{CustomDriver, CustomReply, CustomStatement, CustomStatements};
use drivers::events::Events;
use drivers::request::CustomRequest;
use drivers::request_error::RequestError;

impl<L: Library> CustomDriver for Server<L> {
    type Error = Fault;

    fn statements(&self) -> &CustomStatements {
        &self.custom
    }

    /// A transaction begins with its first statement.
    async fn execute(&self, connection: &mut Connection, text: &str) -> Result<(), Fault> {
        let call = match text {
            "COMMIT" => Call::Commit,
            "ROLLBACK" => Call::Rollback,
            _ => return Ok(()),
        };
        connection.call(call).await.map(drop)
    }

    async fn perform_statement(
        &self,
        connection: &mut Connection,
        statement: &CustomStatement,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), Fault> {
        let bound = statement.bound.iter().map(|at| bind(request.arguments.get(*at)));
        let (bound, text) = (bound.collect(), statement.with_placeholders.as_str().into());
        // It is then the whole operation, and is committed with it.
        let alone = self.custom.statements(request.number).len() == 1;
        let call = if statement.returns_rows {
            query(text, bound, true, alone && locks(&statement.with_placeholders))
        } else {
            change(text, vec![bound], alone)
        };
        let reply = connection.call(call).await?;
        events.began_at(reply.began);
        let mut result = CustomReply::new(statement, events);
        for row in &reply.rows {
            let last = row.cells.last().and_then(Option::as_deref);
            result.row(row.bytes, Some(last.unwrap_or_default()), events);
        }
        result.ends(reply.changed, events);
        Ok(())
    }

    fn failed(&self, fault: &Fault, events: &mut Events<'_>) -> RequestError {
        events.explained(fault.request_error, || fault.why.clone())
    }
}

/// Whether it locks the rows that it reads until its transaction ends.
fn locks(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let locks = |pair: &[&str]| {
        pair[0].eq_ignore_ascii_case("FOR") && pair[1].eq_ignore_ascii_case("UPDATE")
    };
    words.windows(2).any(locks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_that_lock_are_known() {
        assert!(locks("SELECT v FROM t WHERE id = :1 for\n UPDATE NOWAIT"));
        assert!(!locks("SELECT updated FROM t WHERE \"FOR\" = :1"));
    }
}
