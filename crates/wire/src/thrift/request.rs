//! Writing an operation. The numbers of fields are those of Cassandra's interface
//! definition (`cassandra.thrift`).

use super::message::{
    self, field, i32_field, i64_field, length, list, map, stop, string, string_field, types,
};
use super::op::{Column, Columns, Consistency, Op, Parent};
use super::{admin, faults};
use crate::{Fault, List, Out};
use alloc::vec::Vec;

/// Refuses operations that cannot be sent.
///
/// # Errors
/// If it has no key.
pub(super) fn check(op: &Op<'_>) -> Result<(), Fault> {
    match op {
        Op::MultiSlice { keys, .. } if keys.is_empty() => Err(faults::NO_ARGUMENTS),
        _ => Ok(()),
    }
}

/// Appends the operation, which was checked.
///
/// # Errors
/// See [`message::call`].
pub(super) fn write(op: &Op<'_>, number: u32, out: &mut Out) -> Result<(), Fault> {
    message::call(out, name(op), number, |out| match op {
        Op::Get { key, parent, column, consistency } => {
            let to = &mut out.bytes;
            string_field(to, 1, key);
            path(to, 2, parent, Some(column));
            level(to, 3, *consistency);
        }
        Op::Slice { key, parent, columns, consistency, .. } => {
            let to = &mut out.bytes;
            string_field(to, 1, key);
            path(to, 2, parent, None);
            predicate(to, 3, columns);
            level(to, 4, *consistency);
        }
        Op::MultiSlice { keys, parent, columns, consistency } => {
            let to = &mut out.bytes;
            field(to, types::LIST, 1);
            strings(to, keys);
            path(to, 2, parent, None);
            predicate(to, 3, columns);
            level(to, 4, *consistency);
        }
        Op::Insert { key, parent, column, consistency } => {
            string_field(&mut out.bytes, 1, key);
            path(&mut out.bytes, 2, parent, None);
            field(&mut out.bytes, types::STRUCT, 3);
            write_column(out, column);
            level(&mut out.bytes, 4, *consistency);
        }
        Op::Delete { key, parent, column, timestamp, consistency } => {
            let to = &mut out.bytes;
            field(to, types::MAP, 1);
            deletion(to, key, parent, column, *timestamp);
            level(to, 2, *consistency);
        }
        Op::DescribeVersion => {}
        Op::Admin(admin) => admin::write(admin, &mut out.bytes),
    })
}

/// The name of the call.
pub(super) fn name(op: &Op<'_>) -> &'static str {
    match op {
        Op::Get { .. } => "get",
        Op::Slice { .. } => "get_slice",
        Op::MultiSlice { .. } => "multiget_slice",
        Op::Insert { .. } => "insert",
        Op::Delete { .. } => "batch_mutate",
        Op::DescribeVersion => "describe_version",
        Op::Admin(admin) => admin.name(),
    }
}

/// A `ColumnPath`, or a `ColumnParent`, which has no column.
fn path(to: &mut Vec<u8>, id: u16, parent: &Parent<'_>, column: Option<&[u8]>) {
    field(to, types::STRUCT, id);
    string_field(to, 3, parent.family);
    if let Some(name) = parent.super_column {
        string_field(to, 4, name);
    }
    if let Some(name) = column {
        string_field(to, 5, name);
    }
    stop(to);
}

/// A `SlicePredicate`.
fn predicate(to: &mut Vec<u8>, id: u16, columns: &Columns<'_>) {
    field(to, types::STRUCT, id);
    match columns {
        Columns::Named(names) => {
            field(to, types::LIST, 1);
            strings(to, names);
        }
        Columns::Range { start, finish, reversed, count } => {
            field(to, types::STRUCT, 2);
            string_field(to, 1, start);
            string_field(to, 2, finish);
            field(to, types::BOOL, 3);
            to.push(u8::from(*reversed));
            i32_field(to, 4, *count);
            stop(to);
        }
    }
    stop(to);
}

fn strings(to: &mut Vec<u8>, all: &List<'_>) {
    list(to, types::STRING, all.len());
    all.iter().for_each(|text| string(to, text));
}

fn level(to: &mut Vec<u8>, id: u16, consistency: Consistency) {
    i32_field(to, id, consistency as u32);
}

/// A `Column`, from its first field to its end.
fn write_column(out: &mut Out, column: &Column<'_>) {
    string_field(&mut out.bytes, 1, column.name);
    field(&mut out.bytes, types::STRING, 2);
    length(&mut out.bytes, column.value.len());
    column.value.write(out);
    i64_field(&mut out.bytes, 3, column.timestamp);
    if let Some(ttl) = column.ttl {
        i32_field(&mut out.bytes, 4, ttl);
    }
    stop(&mut out.bytes);
}

/// The map of `batch_mutate`: from a key to a map from its family to a list of `Mutation`s, of which
/// there is one, the deletion of a column.
fn deletion(to: &mut Vec<u8>, key: &[u8], parent: &Parent<'_>, column: &[u8], timestamp: i64) {
    map(to, types::STRING, types::MAP, 1);
    string(to, key);
    map(to, types::STRING, types::LIST, 1);
    string(to, parent.family);
    list(to, types::STRUCT, 1);
    field(to, types::STRUCT, 2);
    i64_field(to, 1, timestamp);
    if let Some(name) = parent.super_column {
        string_field(to, 2, name);
    }
    predicate(to, 3, &Columns::Named(List::Slices(&[column])));
    stop(to);
    stop(to);
}
