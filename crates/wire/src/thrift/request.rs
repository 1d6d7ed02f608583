//! Writing an operation. The numbers of fields are those of Cassandra's interface
//! definition (`cassandra.thrift`).

use super::message::{
    self, field, i32_field, i64_field, length, list, map, stop, string, string_field, types,
};
use super::op::{Change, Column, Columns, Consistency, Op, Parent, Row};
use super::{admin, faults};
use crate::{Fault, List, Out};
use alloc::vec::Vec;

/// Refuses operations that cannot be sent.
///
/// # Errors
/// If it has no key or no change.
pub(super) fn check(op: &Op<'_>) -> Result<(), Fault> {
    let empty = match op {
        Op::MultiSlice { keys, .. } => keys.is_empty(),
        Op::Mutate { rows, .. } => rows.is_empty() || rows.iter().any(|row| row.changes.is_empty()),
        Op::Get { .. }
        | Op::Slice { .. }
        | Op::Insert { .. }
        | Op::Delete { .. }
        | Op::DescribeVersion
        | Op::Admin(_) => false,
    };
    if empty {
        return Err(faults::NO_ARGUMENTS);
    }
    Ok(())
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
            let names = Some(List::Slices(&[column]));
            let Parent { family, super_column } = *parent;
            let change = Change::Delete { super_column, names, timestamp: *timestamp };
            mutations(out, &[Row { key, family, changes: &[change] }], *consistency);
        }
        Op::Mutate { rows, consistency } => mutations(out, rows, *consistency),
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
        Op::Delete { .. } | Op::Mutate { .. } => "batch_mutate",
        Op::DescribeVersion => "describe_version",
        Op::Admin(admin) => admin.name(),
    }
}

/// The arguments of `batch_mutate`.
fn mutations(out: &mut Out, rows: &[Row<'_>], consistency: Consistency) {
    field(&mut out.bytes, types::MAP, 1);
    map(&mut out.bytes, types::STRING, types::MAP, rows.len());
    rows.iter().for_each(|row| write_row(out, row));
    level(&mut out.bytes, 2, consistency);
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

/// A pair of the map of `batch_mutate`: a key, and a map from its one family to a list of
/// `Mutation`s.
fn write_row(out: &mut Out, row: &Row<'_>) {
    string(&mut out.bytes, row.key);
    map(&mut out.bytes, types::STRING, types::LIST, 1);
    string(&mut out.bytes, row.family);
    list(&mut out.bytes, types::STRUCT, row.changes.len());
    row.changes.iter().for_each(|change| write_change(out, change));
}

/// A `Mutation`.
fn write_change(out: &mut Out, change: &Change<'_>) {
    match change {
        Change::Write { super_column: None, column } => {
            field(&mut out.bytes, types::STRUCT, 1);
            field(&mut out.bytes, types::STRUCT, 1);
            write_column(out, column);
            stop(&mut out.bytes);
        }
        Change::Write { super_column: Some(name), column } => {
            field(&mut out.bytes, types::STRUCT, 1);
            field(&mut out.bytes, types::STRUCT, 2);
            string_field(&mut out.bytes, 1, name);
            field(&mut out.bytes, types::LIST, 2);
            list(&mut out.bytes, types::STRUCT, 1);
            write_column(out, column);
            stop(&mut out.bytes);
            stop(&mut out.bytes);
        }
        Change::Delete { super_column, names, timestamp } => {
            let to = &mut out.bytes;
            field(to, types::STRUCT, 2);
            i64_field(to, 1, *timestamp);
            if let Some(name) = super_column {
                string_field(to, 2, name);
            }
            if let Some(names) = names {
                predicate(to, 3, &Columns::Named(*names));
            }
            stop(to);
        }
    }
    stop(&mut out.bytes);
}
