//! What kinds of contender there are, and what the file gives all of them.

use crate::exec::Program;
use crate::exit::Error;
use crate::launch::{Launch, Text};
use crate::plan::Settings;
use crate::plan::declared::{Declared, keys_in_file};
use crate::plan::experiment::declared;
use crate::plan::experiment::process::{self, Given};
use crate::plan::experiment::scope::{Known, Scope};
use crate::plan::experiment::table::Table;

/// Keys of a contender that only what tiebreak launches can have, and that a recipe says
/// itself.
pub(super) const LAUNCH_KEYS: [&str; 9] = [
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

/// The server under test.
#[derive(Clone)]
pub enum Target {
    /// It runs already.
    Attached {
        /// Where.
        url: Text,
        /// Its process, for its CPU time.
        pid: Option<u32>,
    },
    /// tiebreak launches it.
    Launched(Box<Launch>),
    /// tiebreak runs it to its end, again and again.
    Program(Box<Program>),
}

/// What the file gives all contenders.
#[derive(Clone, Default)]
pub(super) struct Defaults {
    pub(super) settings: Settings,
    pub(super) given: Given,
}

impl Defaults {
    /// These, and the others where nothing is said here.
    pub(super) fn over(self, others: Defaults) -> Defaults {
        Defaults {
            settings: self.settings.over(&others.settings),
            given: self.given.over(&others.given),
        }
    }

    pub(super) fn read(table: &Table<'_>) -> Result<Defaults, Error> {
        table.only(&[&keys_in_file::<Settings>()[..], &process::KEYS].concat())?;
        let settings = declared::of_contender(table)?;
        Ok(Defaults { settings, given: Given::read(table, Scope::Process(Known::default()))? })
    }
}

/// Keys that have no meaning for this kind of target.
pub(super) fn refuse(table: &Table<'_>, keys: &[&str], why: &str) -> Result<(), Error> {
    let found = table.entries().into_iter().find(|(key, _)| keys.contains(key));
    found.map_or(Ok(()), |(_, value)| Err(value.error(why)))
}
