//! A connection that has logged in, and the operations on it.

use crate::error::{Error, Kind};
use crate::operation::{Call, Consistency, Operation, Row};
use crate::settings::Login;
use crate::stream::Stream;
use crate::thrift::call::{
    AUTHENTICATION, AUTHORIZATION, INVALID, Method, TIMED_OUT, UNAVAILABLE, call,
};
use crate::thrift::columns::{self, bytes};
use crate::thrift::fields::{Writer, kind};
use crate::value::{Columns, Value};

const LOGIN: Method = Method { name: "login", throws: &[AUTHENTICATION, AUTHORIZATION] };
const SET_KEYSPACE: Method = Method { name: "set_keyspace", throws: &[INVALID] };
const GET_SLICE: Method = Method { name: "get_slice", throws: &[INVALID, UNAVAILABLE, TIMED_OUT] };
const BATCH_MUTATE: Method =
    Method { name: "batch_mutate", throws: &[INVALID, UNAVAILABLE, TIMED_OUT] };

/// Columns of a row that is read whole. Thrift requires a number.
const MOST_COLUMNS: i32 = 100_000;

pub(crate) struct Connection {
    stream: Stream,
    sequence: i32,
    /// The keyspace that the server has for this connection.
    keyspace: Option<String>,
}

impl Connection {
    /// Logs in if there is a login. Without one, there is nothing to say yet.
    pub(crate) fn begin(stream: Stream, login: Option<&Login>) -> Result<Connection, Error> {
        let mut connection = Connection { stream, sequence: 0, keyspace: None };
        if let Some(login) = login {
            connection.log_in(login)?;
        }
        Ok(connection)
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    fn log_in(&mut self, login: &Login) -> Result<(), Error> {
        let mut arguments = Writer::default();
        // AuthenticationRequest: its field 1 is a map of texts.
        arguments.field(kind::STRUCT, 1);
        arguments.field(kind::MAP, 1);
        arguments.map(kind::STRING, kind::STRING, 2)?;
        for (name, value) in [("username", &login.user), ("password", &login.password)] {
            arguments.string(name.as_bytes())?;
            arguments.string(value.as_bytes())?;
        }
        arguments.stop();
        self.call(&LOGIN, &arguments)
    }

    /// A call whose value is of no interest.
    fn call(&mut self, method: &Method, arguments: &Writer) -> Result<(), Error> {
        self.sequence = self.sequence.wrapping_add(1);
        call(&mut self.stream, method, self.sequence, arguments).map(|_| ())
    }

    pub(crate) fn run(&mut self, call: &Call<'_>) -> Result<Columns, Error> {
        let Call { row, level, operation, time } = call;
        self.set_keyspace(row.keyspace)?;
        match operation {
            Operation::Row => found(self.all(row, None, *level)?),
            Operation::SuperColumn(name) => found(self.all(row, Some(name), *level)?),
            Operation::Newest(count) => {
                let count = i32::try_from(*count).unwrap_or(i32::MAX);
                self.slice(row, None, *level, (true, count))
            }
            Operation::Insert(columns) => {
                self.insert(row, *level, columns, *time).map(|()| Columns::new())
            }
        }
    }

    fn set_keyspace(&mut self, keyspace: &str) -> Result<(), Error> {
        if self.keyspace.as_deref() != Some(keyspace) {
            let mut arguments = Writer::default();
            arguments.string_field(1, keyspace.as_bytes())?;
            self.keyspace = None;
            self.call(&SET_KEYSPACE, &arguments)?;
            self.keyspace = Some(keyspace.to_owned());
        }
        Ok(())
    }

    /// All columns of a row, or of a super column in it.
    fn all(
        &mut self,
        row: &Row<'_>,
        super_column: Option<&Value>,
        level: Consistency,
    ) -> Result<Columns, Error> {
        // One more than may be there: then nothing is left out unnoticed.
        let columns = self.slice(row, super_column, level, (false, MOST_COLUMNS + 1))?;
        if columns.len() > MOST_COLUMNS as usize {
            let message = format!("the row has more than {MOST_COLUMNS} columns");
            return Err(Error::new(Kind::TooLarge, message));
        }
        Ok(columns)
    }

    fn slice(
        &mut self,
        row: &Row<'_>,
        super_column: Option<&Value>,
        level: Consistency,
        (reversed, count): (bool, i32),
    ) -> Result<Columns, Error> {
        let mut arguments = Writer::default();
        arguments.string_field(1, &bytes(row.key)?)?;
        // ColumnParent
        arguments.field(kind::STRUCT, 2);
        arguments.string_field(3, row.table.as_bytes())?;
        if let Some(name) = super_column {
            arguments.string_field(4, &bytes(name)?)?;
        }
        arguments.stop();
        // SlicePredicate: its field 2 is a SliceRange.
        arguments.field(kind::STRUCT, 3);
        arguments.field(kind::STRUCT, 2);
        arguments.string_field(1, b"")?;
        arguments.string_field(2, b"")?;
        arguments.bool_field(3, reversed);
        arguments.i32_field(4, count);
        arguments.stop();
        arguments.stop();
        arguments.i32_field(4, level.in_thrift());
        self.sequence = self.sequence.wrapping_add(1);
        columns::read(call(&mut self.stream, &GET_SLICE, self.sequence, &arguments)?)
    }

    fn insert(
        &mut self,
        row: &Row<'_>,
        level: Consistency,
        columns: &Columns,
        time: i64,
    ) -> Result<(), Error> {
        if columns.is_empty() {
            return Err(Error::invalid("there is no column to insert"));
        }
        let mut arguments = Writer::default();
        // Key, column family, mutations.
        arguments.field(kind::MAP, 1);
        arguments.map(kind::STRING, kind::MAP, 1)?;
        arguments.string(&bytes(row.key)?)?;
        arguments.map(kind::STRING, kind::LIST, 1)?;
        arguments.string(row.table.as_bytes())?;
        columns::write(&mut arguments, columns, time)?;
        arguments.i32_field(2, level.in_thrift());
        self.call(&BATCH_MUTATE, &arguments)
    }
}

/// What is read of a row: a row without columns does not exist.
fn found(columns: Columns) -> Result<Columns, Error> {
    match columns.is_empty() {
        true => Err(Error::new(Kind::NotFound, "there is no such row or super column")),
        false => Ok(columns),
    }
}
