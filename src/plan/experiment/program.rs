//! A contender that is a whole program: `url = "exec:…"`, and the servers that it talks to.

use crate::plan::experiment::command;
use crate::plan::experiment::figures;
use crate::plan::experiment::launch_keys;
use crate::plan::experiment::launched::{change, launch_of_recipe, launched};
use crate::plan::experiment::process::ProcessSettings;
use crate::plan::experiment::scope::{LaunchNames, Scope};
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::{Defaults, LAUNCH_KEYS, Target, processes, refuse};
use crate::plan::settings::run_settings::operations;
use crate::targets::exec::{Program, Servers};
use crate::targets::launch::{Launch, LaunchCommand, Values};
use protocol::{Error, address};
use text::shown::shown;

/// The key of the commands that build it.
const BUILD: &str = "build";

/// The key of how many operations a run counts as, if the program does not announce them.
const OPERATIONS: &str = "operations";

/// Keys that have no meaning for a program without servers, in addition to those of launches.
const REFUSED: [&str; 7] = ["pid", "site", "choices", "ready", "stop", "stop_grace", "cores_from"];

/// Reads a program. It runs in the file's directory, or in `cwd`, with PATH, HOME, LANG, TMPDIR and
/// the variables of `env`.
pub(super) fn read(
    name: &str,
    table: &Table<'_>,
    defaults: &Defaults<'_>,
) -> Result<Target, Error> {
    let value = table.get("url").expect("asked before");
    // `${NAME}` is refused there: everyone can read a program's arguments.
    let words = value.word()?.strip_prefix("exec:").unwrap_or_default();
    let command = address::ProgramCommand::parse(words).map_err(|message| value.error(&message))?;
    let counted = table.get(OPERATIONS);
    let counted_as = counted.as_ref().map(|value| value.quantity(operations)).transpose()?;
    let mut program = Program::new(command, counted_as);
    let given = match launch(name, table, defaults)? {
        None => {
            let given = alone(table)?.over(&defaults.given);
            without_placeholders(&value, &given)?;
            program.set_context(&table.source.directory, &given.context, &Values::default());
            program.build = build(table)?;
            given
        }
        Some(launch) => with_servers(table, &value, defaults, launch, &mut program)?,
    };
    program.directory.clone_from(&table.source.directory);
    for (_, text) in &given.context.env {
        program.secrets.extend(text.secrets().map(|secret| secret.reveal().to_owned()));
    }
    program.cores = given.cores.unwrap_or_default();
    program.figures = figures::of_program(table, defaults, &program)?;
    if let (Some(value), Some(_)) = (counted, &program.figures) {
        return Err(value.error("a suite has figures in place of operations: remove this key"));
    }
    Ok(Target::Program(Box::new(program)))
}

/// Refuses `operations` of a contender that is no program.
pub(super) fn refuse_operations(table: &Table<'_>) -> Error {
    let why = "only a run of a program (url = 'exec:…') counts as a number of operations: remove this key";
    table.error_at(OPERATIONS, why)
}

/// Reads the keys of a program without servers.
fn alone(table: &Table<'_>) -> Result<ProcessSettings, Error> {
    let why = "this key is only for servers that are launched, and exec: runs a program to its \
               end: give `launch`, `process` or `recipe` for servers that it talks to";
    let of_launches = LAUNCH_KEYS.iter().copied().filter(|key| *key != BUILD);
    refuse(table, &REFUSED.into_iter().chain(of_launches).collect::<Vec<_>>(), why)?;
    if let Some(value) = ["user", "instead_of_root", "shell"].iter().find_map(|key| table.get(key))
    {
        return Err(value.error(
            "a program runs as the user who runs tiebreak, without a shell: write exec:sh -c '…' \
             to use one",
        ));
    }
    ProcessSettings::read(table, Scope::Attached)
}

/// Reads the commands that build a program without servers.
fn build(table: &Table<'_>) -> Result<Vec<LaunchCommand>, Error> {
    let commands = table.read(BUILD, |value| command::read_all(value, false, Scope::Build))?;
    Ok(commands.unwrap_or_default())
}

/// Checks the variables of `[defaults]`, which can have placeholders for other contenders.
fn without_placeholders(url: &Value<'_>, given: &ProcessSettings) -> Result<(), Error> {
    for (name, text) in &given.context.env {
        if let Some(placeholder) = text.placeholders().next() {
            return Err(url.error(&format!(
                "the variable `{}` of [defaults] has {placeholder}, which is valid only for \
                 targets that tiebreak launches",
                shown(name)
            )));
        }
    }
    Ok(())
}

/// The servers of a program. Returns None if it has none.
fn launch(name: &str, table: &Table<'_>, defaults: &Defaults<'_>) -> Result<Option<Launch>, Error> {
    let has = |key| table.get(key).is_some();
    if has("launch") || processes(table).is_some() {
        return launched(name, table, defaults).map(|(launch, _)| Some(launch));
    }
    if !has("recipe") {
        return Ok(None);
    }
    let why = "the recipe sets this itself; allowed with `recipe` and a program are `site`, \
               `choices`, `user`, `cores`, `cores_from`, `packages`, and `cwd` and `env` of the \
               program";
    let others = LAUNCH_KEYS.iter().copied().filter(|key| *key != "packages");
    refuse(table, &others.collect::<Vec<_>>(), why)?;
    let mut launch = launch_of_recipe(name, table, why)?;
    launch.packages.extend(launch_keys::packages(table)?);
    Ok(Some(launch))
}

/// Gives a program its servers. Returns what is given for it.
fn with_servers(
    table: &Table<'_>,
    url: &Value<'_>,
    defaults: &Defaults<'_>,
    mut launch: Launch,
    program: &mut Program,
) -> Result<ProcessSettings, Error> {
    let is_recipe = table.get("recipe").is_some();
    let processes: Vec<String> = launch.processes.iter().map(|it| it.name.clone()).collect();
    let choices: Vec<String> = launch.choices.iter().map(|it| it.name.clone()).collect();
    let scope = Scope::Program(LaunchNames {
        processes: &processes,
        more_ports: &launch.more_ports,
        choices: &choices,
        software: launch.software.is_some(),
        url: is_recipe,
        build: !launch.build.is_empty(),
    });
    let given = ProcessSettings::read(table, scope)?.over(&defaults.given(scope)?);
    let words = program.command.words().iter().map(|word| url.word_in(word, scope));
    let words = words.collect::<Result<Vec<_>, _>>()?;
    if is_recipe {
        change(&mut launch, &given);
    }
    let directory = table.source.directory.clone();
    let servers = Servers { launch, words, directory, context: given.context.clone() };
    *program = servers.with_values(program, &Values::default());
    program.command = program.command.with_words(|at| servers.words[at].to_string());
    program.servers = Some(Box::new(servers));
    Ok(given)
}
