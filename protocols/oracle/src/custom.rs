//! User-defined statements, sent to Oracle.

use crate::link::{Call, Fault, Library};
use crate::session::{Server, bind, change, query};
use crate::thread::Connection;
use drivers::custom::{self, CustomReply, CustomStatement};
use drivers::events::Events;
use drivers::request::CustomRequest;
use drivers::request_error::RequestError;

impl<L: Library> Server<L> {
    /// Carries out one user-defined operation.
    pub(crate) async fn custom(
        &self,
        connection: &mut Connection,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        let statements = self.custom.statements(request.number);
        let alone = statements.len() == 1;
        custom::operate(&mut Custom { connection, alone }, statements, request, events).await
    }
}

/// A session in which statements are sent.
struct Custom<'a> {
    connection: &'a mut Connection,
    /// Whether the statement is the whole operation, and is committed with it.
    alone: bool,
}

impl custom::Session for Custom<'_> {
    type Error = Fault;

    /// The library prepares a statement when it first executes it, and not in advance.
    async fn prepare(&mut self, _statement: &CustomStatement) -> Result<Option<u64>, Fault> {
        Ok(None)
    }

    /// A transaction begins with its first statement.
    async fn execute(&mut self, text: &str) -> Result<(), Fault> {
        let call = match text {
            "COMMIT" => Call::Commit,
            "ROLLBACK" => Call::Rollback,
            _ => return Ok(()),
        };
        self.connection.call(call).await.map(drop)
    }

    async fn perform(
        &mut self,
        statement: &CustomStatement,
        request: &CustomRequest,
        events: &mut Events<'_>,
    ) -> Result<(), Fault> {
        let bound = statement.bound.iter().map(|at| bind(request.arguments.get(*at)));
        let (bound, text) = (bound.collect(), statement.with_placeholders.as_str().into());
        let call = if statement.returns_rows {
            query(text, bound, true, self.alone && locks(&statement.with_placeholders))
        } else {
            change(text, vec![bound], self.alone)
        };
        let reply = self.connection.call(call).await?;
        events.began_at(reply.began);
        let mut result = CustomReply::new(statement, events);
        for row in &reply.rows {
            let last = row.cells.last().and_then(Option::as_deref);
            result.row(row.bytes, Some(last.unwrap_or_default()), events);
        }
        result.ends(reply.changed, events);
        Ok(())
    }

    fn request_error(&self, fault: &Fault) -> RequestError {
        fault.request_error
    }

    fn in_words(fault: &Fault) -> String {
        fault.why.clone()
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
