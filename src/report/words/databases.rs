//! How a database is spoken to, in words.

use crate::shown::{shown, shown_sentence};
use record::{SqlAsked, SqlProtocol};

/// `statements prepared once for each connection, rows in a memory table`, or the one
/// statement in quotes.
pub(crate) fn database(of: &SqlAsked) -> String {
    let how = match of.protocol {
        SqlProtocol::Simple | SqlProtocol::Text => "sent as text",
        SqlProtocol::Extended => "parsed each time, with its values bound",
        SqlProtocol::Prepared => "prepared once for each connection",
    };
    let replies = of.reply_bytes.map(|most| format!(", replies of {most} bytes at most"));
    let replies = replies.unwrap_or_default();
    if let Some(query) = &of.query {
        return format!("`{}`, {how}{replies}", shown_sentence(query));
    }
    let table =
        of.table.as_ref().map(|table| format!(", rows in a table that is {}", shown(table)));
    format!("statements {how}{}{replies}", table.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_tables_are_told() {
        let asked = |protocol, query: Option<&str>, table: Option<&str>| SqlAsked {
            protocol,
            query: query.map(str::to_owned),
            table: table.map(str::to_owned),
            reply_bytes: None,
        };
        for (of, wanted) in [
            (
                asked(SqlProtocol::Prepared, None, Some("memory")),
                "statements prepared once for each connection, rows in a table that is memory",
            ),
            (asked(SqlProtocol::Text, None, None), "statements sent as text"),
            (
                asked(SqlProtocol::Extended, Some("SELECT 1"), None),
                "`SELECT 1`, parsed each time, with its values bound",
            ),
        ] {
            assert_eq!(database(&of), wanted);
        }
        let bounded = SqlAsked { reply_bytes: Some(5000), ..asked(SqlProtocol::Text, None, None) };
        let wanted = "statements sent as text, replies of 5000 bytes at most";
        assert_eq!(database(&bounded), wanted);
    }
}
