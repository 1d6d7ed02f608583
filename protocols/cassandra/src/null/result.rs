//! Bodies of results.

use super::columns::Column;
use super::statement::{Effect, Statement};

/// The result of a statement without rows.
pub(super) const VOID: &[u8] = b"\0\0\0\x01";
/// The beginning of other results.
const ROWS: &[u8] = b"\0\0\0\x02";
const SET_KEYSPACE: &[u8] = b"\0\0\0\x03";
const PREPARED: &[u8] = b"\0\0\0\x04";

/// One table for all columns: its keyspace, and its name.
const TABLE: &[u8] = b"\0\x04null\0\x04null";
/// Columns are described, and belong to one table.
const DESCRIBED: &[u8] = b"\0\0\0\x01";
/// There are no columns.
const NO_COLUMNS: &[u8] = b"\0\0\0\x04\0\0\0\0";

/// Appends the result of a statement.
pub(super) fn of(statement: &Statement<'_>, out: &mut Vec<u8>) {
    match statement.effect() {
        Effect::Nothing => out.extend_from_slice(VOID),
        Effect::Keyspace(name) => {
            out.extend_from_slice(SET_KEYSPACE);
            string(name, out);
        }
        Effect::Rows { columns, is_empty } => {
            out.extend_from_slice(ROWS);
            described(&columns, out);
            number(usize::from(!is_empty), out);
            for column in columns.iter().filter(|_| !is_empty) {
                number(column.value.len(), out);
                out.extend_from_slice(column.value);
            }
        }
    }
}

/// Appends the description of a prepared statement.
pub(super) fn prepared(id: &[u8], statement: &Statement<'_>, out: &mut Vec<u8>) {
    let markers = statement.markers();
    out.extend_from_slice(PREPARED);
    out.extend_from_slice(&(id.len() as u16).to_be_bytes());
    out.extend_from_slice(id);
    out.extend_from_slice(DESCRIBED);
    number(markers.len(), out);
    match markers.iter().position(|marker| marker.name == "key") {
        // The partition key, by which clients find the node of a row.
        Some(key) => {
            number(1, out);
            out.extend_from_slice(&(key as u16).to_be_bytes());
        }
        None => number(0, out),
    }
    out.extend_from_slice(TABLE);
    specs(&markers, out);
    match statement.effect() {
        Effect::Rows { columns, .. } => described(&columns, out),
        Effect::Nothing | Effect::Keyspace(_) => out.extend_from_slice(NO_COLUMNS),
    }
}

fn described(columns: &[Column<'_>], out: &mut Vec<u8>) {
    out.extend_from_slice(DESCRIBED);
    number(columns.len(), out);
    out.extend_from_slice(TABLE);
    specs(columns, out);
}

fn specs(columns: &[Column<'_>], out: &mut Vec<u8>) {
    for column in columns {
        string(column.name, out);
        out.extend_from_slice(column.kind);
    }
}

fn number(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_be_bytes());
}

/// Names in a statement may be longer than the protocol allows: they are truncated.
fn string(text: &str, out: &mut Vec<u8>) {
    let text = &text.as_bytes()[..text.len().min(u16::MAX.into())];
    out.extend_from_slice(&(text.len() as u16).to_be_bytes());
    out.extend_from_slice(text);
}
