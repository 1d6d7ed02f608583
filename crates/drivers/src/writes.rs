//! Which user-defined statements return rows, and which operations only write.

use crate::sql::returns_rows;
use record::{CustomOperation, OperationText};

/// Whether none of the statements of an operation returns rows.
pub fn only_writes(of: &CustomOperation) -> bool {
    match &of.says {
        OperationText::Sql(statements) => !statements.iter().any(|of| has_rows(&of.text)),
        _ => false,
    }
}

/// Whether a statement returns rows, including rows that it changes.
pub(crate) fn has_rows(text: &str) -> bool {
    returns_rows(text) || says_returning(text)
}

/// Whether a statement changes rows and returns them.
pub fn says_returning(text: &str) -> bool {
    text.split_whitespace().any(|word| word.eq_ignore_ascii_case("RETURNING"))
}
