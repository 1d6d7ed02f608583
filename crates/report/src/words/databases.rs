//! How statements are sent to a database, in words.

use record::{RequestPlan, SqlProtocol, SqlSettings};
use text::shown::{shown, shown_sentence};

/// `statements prepared once for each connection, rows in a table of kind memory`, or the one
/// statement in quotes. Returns None if the contender is not a database.
pub fn database(asks: &RequestPlan) -> Option<String> {
    asks.sql().map(|sql| describe(sql, asks.statement()))
}

fn describe(of: &SqlSettings, statement: Option<&str>) -> String {
    let how = match of.protocol {
        SqlProtocol::Simple | SqlProtocol::Text => "sent as text",
        SqlProtocol::Extended => "parsed each time, with bound values",
        SqlProtocol::Prepared => "prepared once for each connection",
    };
    let replies = of.reply_bytes.map(|most| format!(", replies of at most {most} bytes"));
    let library = shown_sentence(&of.library);
    let library = if library.is_empty() { String::new() } else { format!(", {library}") };
    let replies = replies.unwrap_or_default() + &library;
    if let Some(statement) = statement {
        return format!("`{}`, {how}{replies}", shown_sentence(statement));
    }
    let table =
        of.table.as_ref().map(|table| format!(", rows in a table of kind {}", shown(table)));
    format!("statements {how}{}{replies}", table.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(protocol: SqlProtocol, table: Option<&str>) -> SqlSettings {
        let table = table.map(str::to_owned);
        SqlSettings {
            protocol,
            table,
            reply_bytes: None,
            asks_own_server: false,
            library: String::new(),
            repeats: 1,
        }
    }

    #[test]
    fn statements_and_tables_in_words() {
        for (protocol, table, statement, wanted) in [
            (
                SqlProtocol::Prepared,
                Some("memory"),
                None,
                "statements prepared once for each connection, rows in a table of kind memory",
            ),
            (SqlProtocol::Text, None, None, "statements sent as text"),
            (
                SqlProtocol::Extended,
                None,
                Some("SELECT 1"),
                "`SELECT 1`, parsed each time, with bound values",
            ),
        ] {
            assert_eq!(describe(&sql(protocol, table), statement), wanted);
        }
        let bounded = SqlSettings { reply_bytes: Some(5000), ..sql(SqlProtocol::Text, None) };
        let wanted = "statements sent as text, replies of at most 5000 bytes";
        assert_eq!(describe(&bounded, None), wanted);
        let library = SqlSettings { library: "two sockets".to_owned(), ..bounded };
        assert_eq!(describe(&library, None), format!("{wanted}, two sockets"));
    }

    #[test]
    fn other_contenders_have_no_description() {
        assert_eq!(database(&RequestPlan::Program), None);
        let sql = sql(SqlProtocol::Text, None);
        let asks = RequestPlan::Statement { statement: "SELECT 1".to_owned(), sql };
        assert_eq!(database(&asks).as_deref(), Some("`SELECT 1`, sent as text"));
    }
}
