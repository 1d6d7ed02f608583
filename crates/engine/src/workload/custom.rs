//! Arguments of user-defined operations, and rows of their tables.

use super::arguments::{Argument, Arguments};
use super::error::WorkloadError;
use super::feeds::Feeds;
use super::parameters::{DrawContext, Parameters};
use super::{Drawn, Operations, Space, Values};
use crate::random::Random;
use record::{Custom, Feed, Kind};

/// Rows of tables do not depend on the seed, so that data that was loaded once serves every run.
const TABLES: u64 = 0x7AB1_E500;

/// The parameters of user-defined operations and tables.
#[derive(Clone, Debug)]
pub(super) struct CustomParameters {
    operations: Vec<Parameters>,
    tables: Vec<Parameters>,
}

impl CustomParameters {
    /// Creates the parameters. An error names the operation or the table, and its parameter.
    pub(super) fn new(custom: &Custom, keys: u64) -> Result<CustomParameters, WorkloadError> {
        let operations = custom.operations.iter().map(|of| {
            let owner = format!("operation `{}`", of.name);
            Parameters::new((&owner, &of.parameters), custom, keys, None)
        });
        let tables = custom.tables.iter().map(|of| {
            let owner = format!("table `{}`", of.name);
            Parameters::new((&owner, &of.columns), custom, keys, Some(of.keys_per_row.max(1)))
        });
        Ok(CustomParameters {
            operations: operations.collect::<Result<_, _>>()?,
            tables: tables.collect::<Result<_, _>>()?,
        })
    }
}

impl Operations {
    /// Returns the feeds that operations refer to.
    pub fn feeds(&self) -> &[Feed] {
        &self.workload.custom.feeds
    }

    /// Draws the arguments of a user-defined operation. Allocates only if the buffer is too
    /// small.
    ///
    /// # Panics
    /// Panics if there is no such operation, or if the feeds are not those of its workload.
    pub fn draw(
        &self,
        number: u32,
        drawn: &Drawn,
        values: &Values,
        feeds: &Feeds,
        to: &mut Arguments,
    ) {
        let feeds = Some(feeds);
        let of = DrawContext { operations: self, values, feeds, drawn, bits: drawn.bits };
        self.custom.operations[number as usize].draw(&of, to);
    }

    /// Draws the columns of a row of a table; the row is the key that was drawn.
    ///
    /// # Panics
    /// Panics if there is no such table.
    pub fn draw_row(&self, table: u32, drawn: &Drawn, values: &Values, to: &mut Arguments) {
        let of = draw_context(self, table, drawn, values);
        self.custom.tables[table as usize].draw(&of, to);
    }

    /// Returns what the load wrote into one column of the row of this key.
    ///
    /// # Panics
    /// Panics if there is no such table or column.
    pub fn loaded<'a>(
        &self,
        (table, column): (u32, usize),
        key: u64,
        values: &Values,
        to: &'a mut Arguments,
    ) -> Argument<'a> {
        let space = Space::Rows(table);
        let drawn = Drawn { n: 0, share: 0, kind: Kind::Set, key, space, version: 0, bits: 0 };
        to.clear();
        let of = draw_context(self, table, &drawn, values);
        self.custom.tables[table as usize].draw_one(column, &of, to);
        to.get(0)
    }
}

fn draw_context<'a>(
    operations: &'a Operations,
    table: u32,
    drawn: &'a Drawn,
    values: &'a Values,
) -> DrawContext<'a> {
    let bits = Random::new(TABLES + u64::from(table), drawn.key).next();
    DrawContext { operations, values, feeds: None, drawn, bits }
}
