//! The kinds of target, and the defaults of the file for all contenders.

use crate::plan::Settings;
use crate::plan::experiment::declared;
use crate::plan::experiment::process::{self, ProcessSettings};
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings::declared::{Declared, keys_in_file};
use crate::targets::exec::Program;
use crate::targets::launch::{Launch, Text};
use protocol::{Error, address};

/// Keys that only launched contenders can have, and that a recipe sets itself.
pub(super) const LAUNCH_KEYS: [&str; 10] = [
    "build",
    "prepare",
    "prepare_timeout",
    "files",
    "temp",
    "facts",
    "packages",
    "software",
    "more_ports",
    "fresh",
];

/// Other keys of a contender that `[defaults]` can have.
pub(super) const TARGET_KEYS: [&str; 6] =
    ["url", "figures", "launch", "process", "site", "choices"];

/// The server under test.
#[derive(Clone)]
pub enum Target {
    /// It is already running.
    Attached {
        /// Its address.
        url: Text,
    },
    /// tiebreak launches it.
    Launched(Box<Launch>),
    /// tiebreak runs it to its end, repeatedly.
    Program(Box<Program>),
}

/// Whether the address of this contender is a program.
pub(super) fn is_program(table: &Table<'_>) -> bool {
    let url = table.get("url").and_then(|url| url.word().ok());
    url.is_some_and(address::is_program)
}

/// The processes to launch. Returns None if there are none, or names of processes that are already
/// running.
pub(super) fn processes<'a>(table: &Table<'a>) -> Option<Value<'a>> {
    table.get("process").filter(|value| !value.is_texts())
}

/// The defaults of the file for all contenders.
#[derive(Clone, Default)]
pub(super) struct Defaults<'a> {
    pub(super) settings: Settings,
    /// The keys of processes, before it is known what a contender launches.
    pub(super) given: ProcessSettings,
    /// The tables themselves: the one of the scale comes first.
    pub(super) tables: Vec<Table<'a>>,
}

impl<'a> Defaults<'a> {
    /// Merges two sets of defaults; these take precedence.
    pub(super) fn over(self, others: Defaults<'a>) -> Defaults<'a> {
        Defaults {
            settings: self.settings.over(&others.settings),
            given: self.given.over(&others.given),
            tables: [self.tables, others.tables].concat(),
        }
    }

    pub(super) fn read(table: &Table<'a>) -> Result<Defaults<'a>, Error> {
        let settings = keys_in_file::<Settings>();
        table.only(&[&settings[..], &process::KEYS, &LAUNCH_KEYS, &TARGET_KEYS].concat())?;
        let settings = declared::of_contender(table)?;
        let given = ProcessSettings::read(table, Scope::Defaults)?;
        Ok(Defaults { settings, given, tables: vec![table.clone()] })
    }

    /// Returns the keys of a process or a program whose texts are in this scope.
    pub(super) fn given(&self, scope: Scope<'_>) -> Result<ProcessSettings, Error> {
        let mut given = ProcessSettings::default();
        for table in &self.tables {
            given = given.over(&ProcessSettings::read(table, scope)?);
        }
        Ok(given)
    }

    /// Returns the first value that is only for launched contenders.
    pub(super) fn of_launches(&self) -> Option<Value<'a>> {
        let keys = [&LAUNCH_KEYS[..], &["launch", "site", "choices"]].concat();
        let keyed =
            keys.into_iter().find_map(|key| self.tables.iter().find_map(|table| table.get(key)));
        keyed.or_else(|| self.tables.iter().find_map(processes))
    }
}

/// Refuses keys that have no meaning for this kind of target.
pub(super) fn refuse(table: &Table<'_>, keys: &[&str], why: &str) -> Result<(), Error> {
    let found = table.entries().into_iter().find(|(key, _)| keys.contains(key));
    found.map_or(Ok(()), |(_, value)| Err(value.error(why)))
}
