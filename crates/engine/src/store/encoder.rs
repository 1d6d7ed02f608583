//! Encodes an operation of the workload as keys and a value.

use crate::workload::{
    Argument, Arguments, COUNTED_FROM, Drawn, Feeds, Operations, Space, Values, WorkloadError,
};
use record::{Kind, Workload};
use std::io::Write;

/// The task: the workload's operations, or the load before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Operation *n* of the workload.
    Drive,
    /// Key *n* gets its first value.
    Load,
}

/// Writes operations into buffers that it reuses.
pub struct Encoder {
    pub(crate) operations: Operations,
    pub(crate) values: Values,
    task: Task,
    /// The user-defined commands that need a value.
    with_value: Vec<bool>,
    keys: Vec<u8>,
    ends: Vec<u32>,
    value: Vec<u8>,
    arguments: Arguments,
    feeds: Feeds,
}

/// Keys without separators, and a value. An operation without a value has an empty one.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The keys.
    pub keys: &'a [u8],
    /// The end of each key.
    pub ends: &'a [u32],
    /// The value.
    pub value: &'a [u8],
    /// The arguments of a user-defined operation, or the columns of a row.
    pub arguments: &'a Arguments,
}

impl<'a> Parts<'a> {
    /// Returns the only key, or the first of several.
    pub fn key(&self) -> &'a [u8] {
        &self.keys[..self.ends[0] as usize]
    }
}

impl Encoder {
    /// Creates the encoder of a workload. An error names the setting that is not possible.
    pub fn new(
        workload: &Workload,
        seed: u64,
        workers: usize,
        task: Task,
    ) -> Result<Encoder, WorkloadError> {
        let operations = Operations::new(workload, seed)?.for_workers(workers as u64);
        Ok(Encoder {
            values: operations.values(),
            operations,
            task,
            with_value: workload.commands.iter().map(|words| wants_value(words)).collect(),
            keys: Vec::new(),
            ends: Vec::new(),
            value: Vec::new(),
            arguments: Arguments::default(),
            feeds: Feeds::default(),
        })
    }

    /// Adds the rows of the feeds that its workload refers to.
    ///
    /// # Errors
    /// Returns an error if the feeds are not those of the workload.
    pub fn with_feeds(self, feeds: &Feeds) -> Result<Encoder, WorkloadError> {
        if feeds.fit(self.operations.feeds()) {
            Ok(Encoder { feeds: feeds.clone(), ..self })
        } else {
            Err(WorkloadError::OtherFeeds)
        }
    }

    /// Returns what the load wrote into a column (given as the number of its table and its
    /// number in the table) in the row of this key.
    ///
    /// # Panics
    /// Panics if there is no such column.
    pub fn loaded<'a>(
        &self,
        column: (u32, usize),
        key: u64,
        to: &'a mut Arguments,
    ) -> Argument<'a> {
        self.operations.loaded(column, key, &self.values, to)
    }

    /// Draws operation `n`.
    #[inline]
    pub fn drawn(&self, n: u64) -> Drawn {
        match self.task {
            Task::Drive => self.operations.operation(n),
            Task::Load => self.operations.loading(n),
        }
    }

    /// Returns its only key, or the first of several.
    pub(super) fn key(&mut self, drawn: &Drawn) -> &[u8] {
        self.keys.clear();
        let key = self.operations.key_of(drawn, 0);
        self.operations.write_key(drawn.space, key, &mut self.keys);
        &self.keys
    }

    /// Returns its keys and its value.
    #[inline]
    pub fn parts(&mut self, drawn: &Drawn) -> Parts<'_> {
        self.keys.clear();
        self.ends.clear();
        self.value.clear();
        for item in 0..keys_of(drawn.kind) {
            let key = self.operations.key_of(drawn, item);
            self.operations.write_key(drawn.space, key, &mut self.keys);
            self.ends.push(self.keys.len() as u32);
        }
        match drawn.kind {
            Kind::Custom(number) => {
                let (values, feeds) = (&self.values, &self.feeds);
                self.operations.draw(number, drawn, values, feeds, &mut self.arguments);
            }
            _ if let Space::Rows(table) = drawn.space => {
                self.operations.draw_row(table, drawn, &self.values, &mut self.arguments);
            }
            _ if holds_values(drawn.space) && drawn.kind.writes_value() => {
                self.values.write(drawn.key, drawn.version, &mut self.value);
            }
            // For verification it has version 0: it is never read back.
            Kind::Command(number) if self.with_value[number as usize] => {
                self.values.write(drawn.key, drawn.n + 1, &mut self.value);
            }
            Kind::Set => write!(self.value, "{COUNTED_FROM}").expect("memory"),
            _ => {}
        }
        let Encoder { keys, ends, value, arguments, .. } = self;
        Parts { keys, ends, value, arguments }
    }
}

fn holds_values(space: Space) -> bool {
    matches!(space, Space::Values | Space::Columns)
}

fn wants_value(words: &[String]) -> bool {
    words.iter().any(|word| word.contains("{value}"))
}

/// Returns how many keys an operation names.
pub(crate) fn keys_of(kind: Kind) -> u32 {
    match kind {
        Kind::MultiGet(keys) => keys,
        _ => 1,
    }
}
