//! A contender that is a whole program: `url = "exec:…"`.

use crate::address;
use crate::exec::Program;
use crate::exit::Error;
use crate::launch::Values;
use crate::plan::experiment::process::Given;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::Table;
use crate::plan::experiment::target::{Defaults, LAUNCH_KEYS, Target, refuse};

/// Keys that have no meaning for a program, beside those of launches.
const REFUSED: [&str; 7] = ["pid", "site", "choices", "ready", "stop", "stop_grace", "cores_from"];

/// Whether this contender is one.
pub(super) fn is_one(table: &Table<'_>) -> bool {
    let url = table.get("url").and_then(|url| url.word().ok());
    url.is_some_and(address::is_program)
}

/// Reads it. It runs in the file's folder, or in `cwd`, with PATH, HOME, LANG,
/// TMPDIR and what `env` says.
pub(super) fn read(table: &Table<'_>, defaults: &Defaults) -> Result<Target, Error> {
    let why = "this is for servers that are launched, and exec: runs a program to its end";
    refuse(table, &[&REFUSED[..], &LAUNCH_KEYS].concat(), why)?;
    if let Some(value) = ["user", "instead_of_root", "shell"].iter().find_map(|key| table.get(key))
    {
        return Err(value.error(
            "a program runs as who runs tiebreak, and without a shell: write exec:sh -c '…' for \
             one",
        ));
    }
    let value = table.get("url").expect("asked before");
    // `${NAME}` is refused there: everyone can read a program's arguments.
    let words = value.word()?.strip_prefix("exec:").unwrap_or_default();
    let command = address::Command::parse(words).map_err(|message| value.error(&message))?;
    let given = Given::read(table, Scope::Attached)?.over(&defaults.given);
    let around = given.around();
    let mut program = Program::new(command, None);
    program.cwd = table.source.folder.clone();
    if let Some(cwd) = &around.cwd {
        program.cwd.push(cwd.fill(&Values::default()));
    }
    for (name, text) in &around.env {
        program.secrets.extend(text.secrets().map(|secret| secret.reveal().to_owned()));
        program.env.retain(|(known, _)| known != name);
        program.env.push((name.clone(), text.fill(&Values::default())));
    }
    program.cores = given.cores();
    Ok(Target::Program(Box::new(program)))
}
