//! Finds the columns, keys and error texts in a reply.
//!
//! A result is a struct with one field: 0 is the success, all others are exceptions. A
//! column is a `ColumnOrSuperColumn`: its field 1 is a column; its field 2 is a super column,
//! whose field 2 is a list of columns. Of a column, field 1 is the name and field 2 the value.

use super::walk::steps::{ELEMENT, KEY, VALUE};
use super::walk::{Token, Walker};

/// The form of a successful reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Success {
    /// Nothing.
    #[default]
    Void,
    /// A text.
    Text,
    /// A column.
    Column,
    /// A list of columns.
    Columns,
    /// A map from keys to lists of columns.
    ColumnsOfKeys,
    /// A map whose keys are texts.
    Keys,
    /// A list of rows of a statement in CQL, each with a list of columns. It is field 2 of a
    /// `CqlResult`; of a row, field 2 is its columns.
    Rows,
    /// A struct, whose bytes are passed on unchanged.
    Struct,
    /// None: the reply is a `TApplicationException`, whose field 1 is its text.
    Refused,
}

/// The meaning of a value that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// None of these.
    Other,
    /// The success as a whole.
    Success,
    /// A column as a whole.
    Column,
    /// The name of a column.
    Name,
    /// The value of a column, or the text that is the success.
    Value,
    /// A key, before its columns.
    Key,
    /// A key that is an item itself.
    Item,
    /// An exception of this number.
    Exception(u8),
    /// The text of an exception.
    Reason,
}

/// The highest number of an exception of Cassandra's calls.
const MOST_EXCEPTIONS: u8 = 4;

/// The steps from a reply to a column of a row of a statement in CQL.
const ROW_COLUMN: &[u8] = &[0, 2, ELEMENT, 2, ELEMENT];

/// The position of what the walker read last: the beginning of a container, or a text.
pub(super) fn position(walker: &Walker, token: Token<'_>, success: Success) -> Position {
    let is_at = |route: &[u8]| walker.is_at(token, &[], route);
    let to_columns: &[u8] = match success {
        Success::Column => &[0],
        Success::Columns => &[0, ELEMENT],
        Success::ColumnsOfKeys => &[0, VALUE, ELEMENT],
        _ => &[],
    };
    let in_columns = |rest: &[u8]| !to_columns.is_empty() && walker.is_at(token, to_columns, rest);
    if success == Success::Refused {
        let is_reason = token != Token::Open && is_at(&[1]);
        return if is_reason { Position::Reason } else { Position::Other };
    }
    if token == Token::Open {
        let in_row = success == Success::Rows && is_at(ROW_COLUMN);
        if in_row || in_columns(&[1]) || in_columns(&[2, 2, ELEMENT]) {
            return Position::Column;
        }
        if is_at(&[0]) {
            return Position::Success;
        }
        let exception = (1..=MOST_EXCEPTIONS).find(|number| is_at(&[*number]));
        return exception.map_or(Position::Other, Position::Exception);
    }
    if in_columns(&[1, 2]) || in_columns(&[2, 2, ELEMENT, 2]) {
        Position::Value
    } else if in_columns(&[1, 1]) || in_columns(&[2, 2, ELEMENT, 1]) {
        Position::Name
    } else if success == Success::ColumnsOfKeys && is_at(&[0, KEY]) {
        Position::Key
    } else if success == Success::Text && is_at(&[0]) {
        Position::Value
    } else if success == Success::Keys && is_at(&[0, KEY]) {
        Position::Item
    } else if success == Success::Rows && walker.is_at(token, ROW_COLUMN, &[2]) {
        Position::Value
    } else if (1..=MOST_EXCEPTIONS).any(|number| is_at(&[number, 1])) {
        Position::Reason
    } else {
        Position::Other
    }
}
