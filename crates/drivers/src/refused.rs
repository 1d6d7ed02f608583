//! Why a database refuses a statement, in its own words, with the position in the statement.

use crate::{Database, QueryError};
use protocol::secrets;
use record::{Address, Workload};
use std::time::Duration;
use text::shown::shown;

/// How long a query may take. A session begins with a login, and in PostgreSQL with a new process.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends the statement again and returns the server's error. Returns None if it has no objection,
/// does not answer, or is not a database.
pub(crate) fn why(database: &dyn Database, address: &Address, statement: &str) -> Option<String> {
    Some(describe(&ask(database, address, statement)?, statement))
}

/// Why the user-defined operations of a workload cannot work: the first of their statements that
/// refers to a table or a column that does not exist, or that the server cannot parse. The
/// statements are parsed there and not executed. Returns None if there is no such statement.
pub(crate) fn why_not(
    database: &dyn Database,
    address: &Address,
    workload: &Workload,
) -> Option<String> {
    let checks = database.checks(workload);
    checks.iter().find_map(|check| {
        let mut refused = ask(database, address, &check.question)?;
        let wrong = database.refusal(refused.code?)?.wrong_statement()?;
        let in_statement = |position: u32| position.saturating_sub(check.before);
        refused.position = refused.position.map(in_statement);
        let operation = shown(&check.operation);
        Some(format!("operation `{operation}`: {wrong}: {}", describe(&refused, &check.statement)))
    })
}

/// Why a database cannot be reached, in the words of its client library. Returns None if it
/// answers, or is not a database.
pub(crate) fn why_unreached(database: &dyn Database, address: &Address) -> Option<String> {
    let query_error = database.ask(address, &[], TIMEOUT).err()?;
    query_error.code.is_none().then(|| secrets::quote(&query_error.why))
}

/// The answer of the server, if it answers with an error.
fn ask(database: &dyn Database, address: &Address, statement: &str) -> Option<QueryError> {
    let statements = [statement.to_owned()];
    let answer = database.ask(address, &statements, TIMEOUT);
    // Without a code no server has answered.
    answer.err().filter(|query_error| query_error.code.is_some())
}

/// Describes an error, such as `relation "nowhere" does not exist, at line 1, column 15: SELECT 1
/// FROM nowhere`.
fn describe(refused: &QueryError, statement: &str) -> String {
    let reason = secrets::quote(&refused.why);
    let position = refused.position.map(|position| position.saturating_sub(1) as usize);
    match position.or_else(|| of_the_name(&refused.why, statement)) {
        Some(at) => {
            let (line, column, text) = place(statement, at);
            format!("{reason}, at line {line}, column {column}: {}", shown(text))
        }
        None => format!("{reason}, in the statement: {}", shown(statement)),
    }
}

/// Line and column of the character at this position, both counted from 1, and the line.
fn place(statement: &str, at: usize) -> (usize, usize, &str) {
    let before: String = statement.chars().take(at).collect();
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    (line + 1, column + 1, statement.lines().nth(line).unwrap_or_default())
}

/// The position of the name that a message quotes, as MySQL's do (`Table 'shop.nowhere' doesn't
/// exist`). Returns None unless it is in the statement exactly once.
fn of_the_name(why: &str, statement: &str) -> Option<usize> {
    let quoted = why.split('\'').nth(1)?;
    let name = quoted.rsplit('.').next().filter(|name| !name.is_empty())?;
    let mut found = statement.match_indices(name);
    let (at, _) = found.next()?;
    found.next().is_none().then(|| statement[..at].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(why: &str, position: Option<u32>, statement: &str) -> String {
        super::describe(
            &QueryError { code: Some(1), why: why.to_owned(), position, breaks_library: false },
            statement,
        )
    }

    #[test]
    fn a_position_is_a_line_and_a_column() {
        let missing = "relation \"gone\" does not exist";
        assert_eq!(
            describe(missing, Some(15), "SELECT 1 FROM gone"),
            "relation \"gone\" does not exist, at line 1, column 15: SELECT 1 FROM gone"
        );
        // Characters are counted, not bytes.
        assert_eq!(
            describe(missing, Some(17), "SELECT 'ä'\nFROM gone"),
            "relation \"gone\" does not exist, at line 2, column 6: FROM gone"
        );
        assert!(describe(missing, Some(99), "SELECT 1").contains("at line 1, column 9"));
    }

    #[test]
    fn a_name_that_is_quoted_is_found_in_the_statement() {
        assert_eq!(
            describe("Table 'shop.gone' doesn't exist", None, "SELECT 1 FROM gone"),
            "Table 'shop.gone' doesn't exist, at line 1, column 15: SELECT 1 FROM gone"
        );
        assert_eq!(
            describe("Unknown column 'x' in 'field list'", None, "SELECT x, max(x) FROM t"),
            "Unknown column 'x' in 'field list', in the statement: SELECT x, max(x) FROM t"
        );
        assert_eq!(describe("no", None, "SELECT \u{7}"), r"no, in the statement: SELECT \u{7}");
    }
}
