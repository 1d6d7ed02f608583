//! What a connection remembers: tables and prepared statements.

use crate::cql::reply::{self, Prepared};
use crate::cql::requests;
use crate::cql::table::{DESCRIBE, Table};
use crate::error::Error;
use crate::stream::Stream;
use std::collections::HashMap;
use std::rc::Rc;

/// When so many are remembered, they are forgotten: a page that makes up names must not fill
/// the memory of a process that lives for days.
const MOST: usize = 1000;

#[derive(Default)]
pub(crate) struct Statements {
    tables: HashMap<String, HashMap<String, Rc<Table>>>,
    prepared: HashMap<String, Rc<Prepared>>,
    /// Tables of all keyspaces.
    count: usize,
}

impl Statements {
    /// Forgets everything: the server does, or a table is not what it was.
    pub(crate) fn forget(&mut self) {
        *self = Statements::default();
    }

    pub(crate) fn table(
        &mut self,
        stream: &mut Stream,
        keyspace: &str,
        table: &str,
    ) -> Result<Rc<Table>, Error> {
        if let Some(known) = self.tables.get(keyspace).and_then(|tables| tables.get(table)) {
            return Ok(known.clone());
        }
        let request = requests::query(DESCRIBE, &[keyspace, table])?;
        let described = Table::new(keyspace, table, reply::rows(request.ask(stream)?)?)?;
        if self.count >= MOST {
            self.forget();
        }
        let described = Rc::new(described);
        let tables = self.tables.entry(keyspace.to_owned()).or_default();
        tables.insert(table.to_owned(), described.clone());
        self.count += 1;
        Ok(described)
    }

    pub(crate) fn prepared(
        &mut self,
        stream: &mut Stream,
        statement: String,
    ) -> Result<Rc<Prepared>, Error> {
        if let Some(known) = self.prepared.get(&statement) {
            return Ok(known.clone());
        }
        let prepared = reply::prepared(requests::prepare(&statement)?.ask(stream)?)?;
        if self.prepared.len() >= MOST {
            self.prepared.clear();
        }
        let prepared = Rc::new(prepared);
        self.prepared.insert(statement, prepared.clone());
        Ok(prepared)
    }
}
