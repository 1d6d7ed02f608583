//! The keys of a launch: what is written, prepared and required before its processes start.

use crate::plan::experiment::scope::{LaunchNames, Scope};
use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings::names;
use crate::targets::launch::{File, Text};
use crate::targets::software;
use protocol::Error;
use protocol::Software;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The default time limit of `prepare`: builds are slow.
const PREPARE: Duration = Duration::from_secs(600);

pub(super) fn prepare_timeout(table: &Table<'_>) -> Result<Duration, Error> {
    let Some(timeout) = table.get("prepare_timeout") else { return Ok(PREPARE) };
    match table.get("prepare") {
        Some(_) => timeout.quantity(text::quantities::duration),
        None => Err(timeout.error("prepare_timeout requires `prepare`")),
    }
}

/// `prepare` runs once and writes into the temporary directory, which `fresh` would empty.
pub(super) fn fresh(table: &Table<'_>) -> Result<bool, Error> {
    let Some(value) = table.get("fresh") else { return Ok(false) };
    match (value.flag()?, table.get("prepare")) {
        (true, Some(_)) => Err(value.error(
            "`fresh` cannot be combined with `prepare`: what is prepared lies in the temporary \
             directory",
        )),
        (fresh, _) => Ok(fresh),
    }
}

pub(super) fn software(table: &Table<'_>) -> Result<Option<&'static Software>, Error> {
    table.read("software", |value| {
        software::named(value.word()?).map_err(|message| value.error(&message))
    })
}

/// Reads the names of ports in addition to those of the processes.
pub(super) fn more_ports(table: &Table<'_>, processes: &[String]) -> Result<Vec<String>, Error> {
    let Some(list) = table.get("more_ports") else { return Ok(Vec::new()) };
    let mut names: Vec<String> = Vec::new();
    for value in list.list()? {
        let name = value.word()?;
        names::check_key(name).map_err(|message| value.error(&message))?;
        if names.iter().chain(processes).any(|other| other == name) {
            return Err(value.error(&format!("two ports are called `{name}`")));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

pub(super) fn site(table: &Table<'_>) -> Result<Option<PathBuf>, Error> {
    let Some(value) = table.get("site") else { return Ok(None) };
    let directory = table.source.directory.join(value.word()?);
    if directory.is_dir() {
        Ok(Some(directory))
    } else {
        Err(value.error("the directory does not exist"))
    }
}

/// Reads an existing directory, such as `/dev/shm`.
pub(super) fn temp(table: &Table<'_>) -> Result<Option<PathBuf>, Error> {
    let Some(value) = table.get("temp") else { return Ok(None) };
    let directory = PathBuf::from(value.word()?);
    if directory.is_absolute() && directory.is_dir() {
        Ok(Some(directory))
    } else {
        Err(value.error("the directory does not exist: give an absolute path, such as /dev/shm"))
    }
}

pub(super) fn files(table: &Table<'_>, known: LaunchNames<'_>) -> Result<Vec<File>, Error> {
    let Some(value) = table.get("files") else { return Ok(Vec::new()) };
    let file = |(path, value): (&str, Value<'_>)| {
        let plain = |part| matches!(part, Component::Normal(_));
        if path.is_empty() || !Path::new(path).components().all(plain) {
            let message = "files are written into the temporary directory: the path must be \
                           relative and without `..`";
            return Err(value.error(message));
        }
        let mut file = File { path: path.to_owned(), text: Text::default() };
        let scope =
            if file.is_of_each_process() { Scope::Process(known) } else { Scope::Target(known) };
        file.text = value.template_in(scope)?;
        Ok(file)
    };
    value.table()?.entries().into_iter().map(file).collect()
}

pub(super) fn packages(table: &Table<'_>) -> Result<BTreeMap<String, String>, Error> {
    let Some(value) = table.get("packages") else { return Ok(BTreeMap::new()) };
    let package =
        |(program, value): (&str, Value<'_>)| Ok((program.to_owned(), value.word()?.to_owned()));
    value.table()?.entries().into_iter().map(package).collect()
}
