//! One operation of the workload, put into keys and a value.

use crate::workload::{Argument, Arguments, COUNTED_FROM, Drawn, Feeds, Operations, Space, Values};
use record::{Kind, Workload};
use std::io::Write;

/// What is done: the workload's operations, or the load before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Operation *n* of the workload.
    Drive,
    /// Key *n* gets its first value.
    Load,
}

/// Writes operations into buffers of its own, used again and again.
pub struct Encoder {
    pub(crate) operations: Operations,
    pub(crate) values: Values,
    task: Task,
    /// Which user-defined commands want a value.
    with_value: Vec<bool>,
    keys: Vec<u8>,
    ends: Vec<u32>,
    value: Vec<u8>,
    arguments: Arguments,
    feeds: Feeds,
}

/// Keys end to end, and a value. An operation without a value has an empty one.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The keys.
    pub keys: &'a [u8],
    /// Where each key ends.
    pub ends: &'a [u32],
    /// The value.
    pub value: &'a [u8],
    /// The arguments of a user-defined operation, or the columns of a row.
    pub arguments: &'a Arguments,
}

impl<'a> Parts<'a> {
    /// The only key, or the first of several.
    pub fn key(&self) -> &'a [u8] {
        &self.keys[..self.ends[0] as usize]
    }
}

impl Encoder {
    /// The words of this workload. An error names the setting that cannot be.
    pub fn new(
        workload: &Workload,
        seed: u64,
        workers: usize,
        task: Task,
    ) -> Result<Encoder, String> {
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

    /// With the rows of the feeds that its workload speaks of.
    ///
    /// # Errors
    /// When they are others.
    pub fn with_feeds(self, feeds: &Feeds) -> Result<Encoder, String> {
        if feeds.fit(self.operations.feeds()) {
            Ok(Encoder { feeds: feeds.clone(), ..self })
        } else {
            Err("the feeds that were read are not those of the workload".to_owned())
        }
    }

    /// What the load wrote into a column (the number of its table, and its own there), in
    /// the row of this key.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn loaded<'a>(
        &self,
        column: (u32, usize),
        key: u64,
        to: &'a mut Arguments,
    ) -> Argument<'a> {
        self.operations.loaded(column, key, &self.values, to)
    }

    /// Operation `n`.
    #[inline]
    pub fn drawn(&self, n: u64) -> Drawn {
        match self.task {
            Task::Drive => self.operations.operation(n),
            Task::Load => self.operations.loading(n),
        }
    }

    /// Its only key, or the first of several.
    pub(super) fn key(&mut self, drawn: &Drawn) -> &[u8] {
        self.keys.clear();
        let key = self.operations.key_of(drawn, 0);
        self.operations.write_key(drawn.space, key, &mut self.keys);
        &self.keys
    }

    /// Its keys and its value.
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
            // Of version 0 as far as verification goes: nobody reads it back.
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

/// How many keys an operation names.
pub(crate) fn keys_of(kind: Kind) -> u32 {
    match kind {
        Kind::MultiGet(keys) => keys,
        _ => 1,
    }
}
