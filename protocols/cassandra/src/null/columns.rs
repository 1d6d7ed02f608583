//! Columns: their types, and their values.

/// The protocol's codes of types.
const BIGINT: &[u8] = b"\0\x02";
const BLOB: &[u8] = b"\0\x03";
const BOOLEAN: &[u8] = b"\0\x04";
pub(super) const INT: &[u8] = b"\0\x09";
const UUID: &[u8] = b"\0\x0c";
const TEXT: &[u8] = b"\0\x0d";
const INET: &[u8] = b"\0\x10";
pub(super) const LIST_OF_TEXT: &[u8] = b"\0\x20\0\x0d";
const MAP_OF_TEXT: &[u8] = b"\0\x21\0\x0d\0\x0d";
const SET_OF_TEXT: &[u8] = b"\0\x22\0\x0d";

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'a [u8],
    pub(super) value: &'a [u8],
}

/// The column that tells whether a conditional statement was applied.
pub(super) const APPLIED: &str = "[applied]";

/// The columns that are not text: those of lanes, and those by which a client library discovers the
/// cluster, which has one node and one token.
const KNOWN: &[Column<'static>] = &[
    Column { name: "value", kind: BLOB, value: b"1" },
    Column { name: "at", kind: BIGINT, value: b"\0\0\0\0\0\0\0\x01" },
    Column { name: "count", kind: BIGINT, value: b"\0\0\0\0\0\0\0\x01" },
    Column { name: APPLIED, kind: BOOLEAN, value: b"\x01" },
    Column { name: "host_id", kind: UUID, value: &[1; 16] },
    Column { name: "schema_version", kind: UUID, value: &[2; 16] },
    Column { name: "rpc_address", kind: INET, value: b"\x7f\0\0\x01" },
    Column { name: "tokens", kind: SET_OF_TEXT, value: b"\0\0\0\x01\0\0\0\x010" },
    Column { name: "replication", kind: MAP_OF_TEXT, value: b"\0\0\0\0" },
    Column { name: "durable_writes", kind: BOOLEAN, value: b"\x01" },
    Column { name: "initial_tablets", kind: INT, value: b"\0\0\0\x01" },
];

/// The column of this name.
pub(super) fn named(name: &str) -> Column<'_> {
    let known = KNOWN.iter().find(|known| known.name == name);
    known.copied().unwrap_or(Column { name, kind: TEXT, value: b"1" })
}
