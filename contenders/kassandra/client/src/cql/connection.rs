//! A connection that has logged in, and the operations on it.

use crate::cql::errors::is_unprepared;
use crate::cql::frame::{Request, opcode};
use crate::cql::reply::{self, Rows};
use crate::cql::requests::{self, Bound};
use crate::cql::statements::Statements;
use crate::cql::table::Table;
use crate::error::{Error, Kind};
use crate::operation::{Call, Consistency, Operation};
use crate::settings::Login;
use crate::stream::Stream;
use crate::value::{Columns, Value};

pub(crate) struct Connection {
    stream: Stream,
    statements: Statements,
}

/// One row to write: the columns after the key, and their values.
struct Written<'a> {
    names: Vec<&'a str>,
    values: Vec<&'a Value>,
}

impl Connection {
    /// Begins to speak CQL, and logs in if the server asks for it.
    pub(crate) fn begin(mut stream: Stream, login: Option<&Login>) -> Result<Connection, Error> {
        let (opcode, _) = requests::startup()?.ask(&mut stream)?;
        match opcode {
            opcode::READY => {}
            opcode::AUTHENTICATE => log_in(&mut stream, login)?,
            _ => return Err(Error::protocol("it is neither READY nor AUTHENTICATE")),
        }
        Ok(Connection { stream, statements: Statements::default() })
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Does this to the row. What the server does not know any more is prepared again, once.
    pub(crate) fn run(&mut self, call: &Call<'_>) -> Result<Columns, Error> {
        let result = self.run_once(call);
        match &result {
            Err(error) if is_unprepared(error) => {
                self.statements.forget();
                self.run_once(call)
            }
            Err(error) if error.kind == Kind::Invalid => {
                // The table may be another one by now.
                self.statements.forget();
                result
            }
            _ => result,
        }
    }

    fn run_once(&mut self, call: &Call<'_>) -> Result<Columns, Error> {
        let Call { row, level, operation, time } = call;
        let table = self.statements.table(&mut self.stream, row.keyspace, row.table)?;
        let mut read = |statement, values: &[&Value]| {
            let values = [&[row.key], values].concat();
            self.read(statement, values, *level, *time)
        };
        match operation {
            Operation::Row => only_row(read(table.select_row()?, &[])?, &table),
            Operation::SuperColumn(name) => {
                only_row(read(table.select_clustered()?, &[name])?, &table)
            }
            Operation::Newest(count) => {
                let count = Value::Int(i64::from(*count).min(i64::from(i32::MAX)));
                let rows = read(table.select_newest()?, &[&count])?;
                rows.rows.into_iter().map(|row| clustered(&rows.columns, row, &table)).collect()
            }
            Operation::Insert(columns) => {
                let rows = match &table.clustering {
                    None => vec![flat(columns)?],
                    Some(name) => clustered_rows(columns, name, &table)?,
                };
                self.write(&table, row.key, &rows, *level, *time).map(|()| Columns::new())
            }
        }
    }

    fn read(
        &mut self,
        statement: String,
        values: Vec<&Value>,
        level: Consistency,
        time: i64,
    ) -> Result<Rows, Error> {
        let prepared = self.statements.prepared(&mut self.stream, statement)?;
        let bound = Bound { statement: &prepared, values };
        self.send(requests::execute(&bound, level.in_cql(), time)?)
    }

    fn write(
        &mut self,
        table: &Table,
        key: &Value,
        rows: &[Written<'_>],
        level: Consistency,
        time: i64,
    ) -> Result<(), Error> {
        let mut statements = Vec::with_capacity(rows.len());
        for row in rows {
            statements.push(self.statements.prepared(&mut self.stream, table.insert(&row.names))?);
        }
        let bind = |(row, statement)| Bound { statement, values: values(key, row) };
        let bound: Vec<Bound<'_>> =
            rows.iter().zip(statements.iter().map(AsRef::as_ref)).map(bind).collect();
        let request = match &bound[..] {
            [one] => requests::execute(one, level.in_cql(), time)?,
            all => requests::batch(all, level.in_cql(), time)?,
        };
        self.send(request).map(|_| ())
    }

    fn send(&mut self, request: Request) -> Result<Rows, Error> {
        reply::rows(request.ask(&mut self.stream)?)
    }
}

fn log_in(stream: &mut Stream, login: Option<&Login>) -> Result<(), Error> {
    let login = login.ok_or_else(|| {
        Error::new(Kind::Authentication, "the server asks for a user and a password")
    })?;
    match requests::login(login)?.ask(stream)? {
        (opcode::AUTH_SUCCESS, _) => Ok(()),
        _ => Err(Error::new(Kind::Unsupported, "the server asks for another way to log in")),
    }
}

fn values<'a>(key: &'a Value, row: &Written<'a>) -> Vec<&'a Value> {
    let mut values = vec![key];
    values.extend(&row.values);
    values
}

/// The columns of the first row without those of the primary key.
fn only_row(rows: Rows, table: &Table) -> Result<Columns, Error> {
    let row = rows.rows.into_iter().next();
    let row = row.ok_or_else(|| Error::new(Kind::NotFound, "there is no such row"))?;
    Ok(split(&rows.columns, row, table).1)
}

/// A clustered row as name and value: the only other column, or all of them.
fn clustered(names: &[String], row: Vec<Value>, table: &Table) -> Result<(Value, Value), Error> {
    let (name, mut columns) = split(names, row, table);
    let name = name.ok_or_else(|| Error::protocol("a row has no clustering value"))?;
    match (&table.only, columns.pop()) {
        (Some(_), Some((_, value))) => Ok((name, value)),
        (_, last) => {
            columns.extend(last);
            Ok((name, Value::Columns(columns)))
        }
    }
}

/// The clustering value and the columns that are not part of the primary key.
fn split(names: &[String], row: Vec<Value>, table: &Table) -> (Option<Value>, Columns) {
    let (mut clustering, mut columns) = (None, Columns::new());
    for (name, value) in names.iter().zip(row) {
        if Some(name) == table.clustering.as_ref() {
            clustering = Some(value);
        } else if *name != table.key {
            columns.push((Value::text(name), value));
        }
    }
    (clustering, columns)
}

/// One row with these columns.
fn flat(columns: &Columns) -> Result<Written<'_>, Error> {
    if columns.is_empty() {
        return Err(Error::invalid("there is no column to insert"));
    }
    let names = columns.iter().map(|(name, _)| column_name(name)).collect::<Result<_, _>>()?;
    Ok(Written { names, values: columns.iter().map(|(_, value)| value).collect() })
}

/// A row for each of these: its clustering value, and its columns or the value of its only one.
fn clustered_rows<'a>(
    columns: &'a Columns,
    clustering: &'a str,
    table: &'a Table,
) -> Result<Vec<Written<'a>>, Error> {
    let row = |(name, value): &'a (Value, Value)| {
        let mut row = match (value, &table.only) {
            (Value::Columns(columns), None) => flat(columns)?,
            (value, Some(only)) => Written { names: vec![only], values: vec![value] },
            _ => return Err(Error::invalid("each row to insert must be an array of its columns")),
        };
        row.names.insert(0, clustering);
        row.values.insert(0, name);
        Ok(row)
    };
    match columns.is_empty() {
        true => Err(Error::invalid("there is no column to insert")),
        false => columns.iter().map(row).collect(),
    }
}

fn column_name(name: &Value) -> Result<&str, Error> {
    let text = match name {
        Value::Bytes(name) => std::str::from_utf8(name).ok(),
        _ => None,
    };
    text.ok_or_else(|| Error::invalid("the name of a column must be text in UTF-8"))
}
