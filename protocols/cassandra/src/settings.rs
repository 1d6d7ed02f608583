//! The settings of the client library.

use drivers::only_writes;
use protocol::{ClientLibrary, Own, OwnSetting, OwnValues};
use record::Workload;
use scylla::statement::batch::BatchType;

/// The settings that contenders can be given.
pub(crate) static OWN: [OwnSetting; 7] = [
    OwnSetting {
        key: "routing",
        values: OwnValues::Words("a way to choose nodes", &["token-aware", "round-robin"]),
        description: "Which node an operation is sent to: `token-aware`, to one that holds the \
                      row, or `round-robin`; `token-aware` by default.",
        example: "token-aware or round-robin",
    },
    OwnSetting {
        key: "compression",
        values: OwnValues::Words("a compression", &["none", "lz4"]),
        description: "How frames in both directions are compressed: `none` or `lz4`; `none` by default.",
        example: "none or lz4",
    },
    OwnSetting {
        key: "page_size",
        values: OwnValues::Count("rows of a page", 1_000_000),
        description: "Rows of one page of a reply, at most; 5000 by default.",
        example: "100: rows of one page of a reply",
    },
    OwnSetting {
        key: "batch",
        values: OwnValues::Words("a kind of batch", &["none", "logged", "unlogged"]),
        description: "How an operation with several statements that only write is sent: \
                      `logged`, `unlogged` or `none` (one after the other); `logged` by default.",
        example: "logged, unlogged or none: operations with several statements",
    },
    OwnSetting {
        key: "batch_size",
        values: OwnValues::Count("times that statements are in a batch", 10_000),
        description: "How many times a batch contains the statements of a custom operation that only \
                      writes, each time with its own parameters; 1 by default. One operation is then one \
                      such batch.",
        example: "10: the statements of an operation ten times in one batch",
    },
    OwnSetting {
        key: "write_coalescing",
        values: OwnValues::Switch,
        description: "Whether the client library waits for more requests before it writes to a \
                      socket; `false` by default.",
        example: "true: the library waits for more requests before it writes",
    },
    OwnSetting {
        key: "sockets_per_node",
        values: OwnValues::Count("sockets to a node", 64),
        description: "Sockets of a session to each node, over which the operations of all \
                      connections go; 1 by default.",
        example: "2: sockets to each node, which all connections share",
    },
];

/// The settings of a contender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CassandraSettings {
    /// Whether operations are sent to a node that has a replica of the row. Otherwise the library chooses
    /// any node.
    pub is_token_aware: bool,
    /// Whether frames are compressed with LZ4 in both directions.
    pub is_compressed: bool,
    /// Maximum number of rows in one page of a reply.
    pub page_size: u32,
    /// The batch in which an operation with several statements sends them, or None if it sends one after the
    /// other.
    pub batch: Option<BatchType>,
    /// How many times the statements of a user-defined operation that only writes are sent in
    /// one batch, each time with new parameters.
    pub batch_size: u32,
    /// The library waits for more requests before it writes to a socket.
    pub write_coalescing: bool,
    /// Sockets of one session to each node.
    pub sockets_per_node: u32,
}

impl Default for CassandraSettings {
    fn default() -> CassandraSettings {
        CassandraSettings::new(&Own::default())
    }
}

impl CassandraSettings {
    /// The settings that were given, with defaults for the others.
    pub(crate) fn new(own: &Own) -> CassandraSettings {
        CassandraSettings {
            is_token_aware: own.get("routing") != Some("round-robin"),
            is_compressed: own.get("compression") == Some("lz4"),
            page_size: own.number("page_size").unwrap_or(5000),
            batch: match own.get("batch") {
                Some("none") => None,
                Some("unlogged") => Some(BatchType::Unlogged),
                _ => Some(BatchType::Logged),
            },
            batch_size: own.number("batch_size").unwrap_or(1),
            write_coalescing: own.is_on("write_coalescing"),
            sockets_per_node: own.number("sockets_per_node").unwrap_or(1),
        }
    }

    /// The number of sockets, and what differs from the defaults.
    fn words(&self) -> String {
        let usual = CassandraSettings::default();
        let mut words = match self.sockets_per_node {
            1 => "one socket to each node".to_owned(),
            several => format!("{several} sockets to each node"),
        };
        if !self.is_token_aware {
            words += ", sent to any node";
        }
        if self.is_compressed {
            words += ", compressed with lz4";
        }
        if self.page_size != usual.page_size {
            words += &format!(", pages of {} rows", self.page_size);
        }
        match self.batch {
            None => words += ", batches: none",
            Some(BatchType::Unlogged) => words += ", batches: unlogged",
            Some(_) => {}
        }
        if self.batch_size != usual.batch_size {
            let times = self.batch_size;
            words += &format!(
                ", an operation that only writes is one batch with its statements {times} times"
            );
        }
        if self.write_coalescing {
            words += ", writes coalesced";
        }
        words
    }
}

/// How the library is used by a contender with these settings and this workload, if it has one.
///
/// # Errors
/// When batches are to have the statements of an operation several times, and there are no batches.
pub(crate) fn library(own: &Own, workload: Option<&Workload>) -> Result<ClientLibrary, String> {
    let settings = CassandraSettings::new(own);
    if settings.batch_size > 1 {
        let mut custom = workload.into_iter().flat_map(|of| &of.custom.operations);
        if settings.batch.is_none() {
            return Err("batch_size requires batches: leave out batch=none".to_owned());
        }
        if !custom.any(only_writes) {
            return Err(
                "batch_size requires custom statements that only write ([[workload.statements]] \
                 in an experiment file), and there are none"
                    .to_owned(),
            );
        }
    }
    Ok(ClientLibrary { words: settings.words(), repeats: settings.batch_size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(pairs: &[(&str, &str)]) -> Own {
        let mut own = Own::default();
        for (key, value) in pairs {
            let setting = OWN.iter().find(|setting| setting.key == *key).expect("a setting");
            own.give(setting, value).expect("a value");
        }
        own
    }

    #[test]
    fn every_setting_is_read_and_told() {
        let usual = library(&Own::default(), None).expect("the defaults");
        assert_eq!((&*usual.words, usual.repeats), ("one socket to each node", 1));
        let own = own(&[
            ("routing", "round-robin"),
            ("compression", "lz4"),
            ("page_size", "100"),
            ("batch", "unlogged"),
            ("batch_size", "10"),
            ("write_coalescing", "true"),
            ("sockets_per_node", "2"),
        ]);
        let wanted = CassandraSettings {
            is_token_aware: false,
            is_compressed: true,
            page_size: 100,
            batch: Some(BatchType::Unlogged),
            batch_size: 10,
            write_coalescing: true,
            sockets_per_node: 2,
        };
        assert_eq!(CassandraSettings::new(&own), wanted);
        assert_eq!(
            wanted.words(),
            "2 sockets to each node, sent to any node, compressed with lz4, pages of 100 rows, \
             batches: unlogged, an operation that only writes is one batch with its statements 10 \
             times, writes coalesced"
        );
    }

    #[test]
    fn several_statements_in_a_batch_need_a_batch() {
        let refused = |pairs: &[(&str, &str)]| library(&own(pairs), None).err().expect("refused");
        let size = ("batch_size", "10");
        assert!(refused(&[size, ("batch", "none")]).contains("leave out batch=none"));
        assert!(refused(&[size]).contains("requires custom statements that only write"));
    }
}
