//! How statements are sent to a database, in words.

use record::cassandra::{Compression, Routing};
use record::{CassandraSettings, RequestPlan, SqlProtocol, SqlSettings};
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
    let library = of.cassandra.as_ref().map(library).unwrap_or_default();
    let replies = replies.unwrap_or_default() + &library;
    if let Some(statement) = statement {
        return format!("`{}`, {how}{replies}", shown_sentence(statement));
    }
    let table =
        of.table.as_ref().map(|table| format!(", rows in a table of kind {}", shown(table)));
    format!("statements {how}{}{replies}", table.unwrap_or_default())
}

/// The settings of Cassandra's client library: the number of sockets, and what differs from
/// the defaults.
fn library(of: &CassandraSettings) -> String {
    let usual = CassandraSettings::default();
    let sockets = match of.sockets_per_node {
        1 => "one socket to each node".to_owned(),
        several => format!("{several} sockets to each node"),
    };
    let mut words = vec![sockets];
    if of.routing == Routing::RoundRobin {
        words.push("sent to any node".to_owned());
    }
    if of.compression == Compression::Lz4 {
        words.push("compressed with lz4".to_owned());
    }
    if of.page_size != usual.page_size {
        words.push(format!("pages of {} rows", of.page_size));
    }
    if of.batch != usual.batch {
        words.push(format!("batches: {}", of.batch.name()));
    }
    if of.batch_size != usual.batch_size {
        words.push(format!(
            "an operation that only writes is one batch with its statements {} times",
            of.batch_size
        ));
    }
    if of.write_coalescing {
        words.push("writes coalesced".to_owned());
    }
    words.iter().map(|of| format!(", {of}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(protocol: SqlProtocol, table: Option<&str>) -> SqlSettings {
        let table = table.map(str::to_owned);
        SqlSettings { protocol, table, reply_bytes: None, asks_own_server: false, cassandra: None }
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
    }

    #[test]
    fn other_contenders_have_no_description() {
        assert_eq!(database(&RequestPlan::Program), None);
        let sql = sql(SqlProtocol::Text, None);
        let asks = RequestPlan::Statement { statement: "SELECT 1".to_owned(), sql };
        assert_eq!(database(&asks).as_deref(), Some("`SELECT 1`, sent as text"));
    }
}
