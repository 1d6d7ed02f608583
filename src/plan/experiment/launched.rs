//! How a target is launched: by a recipe, or as the file describes it.

use crate::plan::experiment::choices;
use crate::plan::experiment::command;
use crate::plan::experiment::launch_keys;
use crate::plan::experiment::process::{self, ProcessSettings};
use crate::plan::experiment::recipes;
use crate::plan::experiment::scope::{LaunchNames, Scope};
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::{Defaults, is_program, processes, refuse};
use crate::plan::settings::names;
use crate::protocols::PROTOCOLS;
use crate::targets::launch::{Launch, Placeholder, Process, ProcessContext, Text, Values};
use protocol::Error;
use protocol::address::Url;

/// Keys of a process that only it can have.
pub(super) const PROCESS_KEYS: [&str; 2] = ["name", "launch"];

/// Returns the launch of a recipe, with its choices. `why` is the error for keys that a user of the
/// recipe must not change.
pub(super) fn launch_of_recipe(name: &str, table: &Table<'_>, why: &str) -> Result<Launch, Error> {
    let fixed = ["instead_of_root", "ready", "stop", "stop_grace", "shell", "pid"];
    refuse(table, &fixed, why)?;
    let value = table.get("recipe").expect("asked before");
    let wanted = value.word()?;
    let recipe = recipes::find(wanted).ok_or_else(|| value.error(&recipes::unknown(wanted)))?;
    let mut launch = recipes::launch(recipe);
    launch.rename(name);
    launch.site = launch_keys::site(table)?;
    choices::change(&mut launch.choices, wanted, table)?;
    Ok(launch)
}

/// Applies the changes that a user of a recipe may make to its processes.
pub(super) fn change(launch: &mut Launch, given: &ProcessSettings) {
    for process in &mut launch.processes {
        given.clone().change(process);
    }
}

/// Reads a launch that the file describes. Returns it, and what was given for all its processes.
pub(super) fn launched(
    name: &str,
    table: &Table<'_>,
    defaults: &Defaults<'_>,
) -> Result<(Launch, ProcessSettings), Error> {
    refuse(table, &["pid"], "tiebreak launches this target and knows its processes")?;
    let names = names(name, table)?;
    let more_ports = launch_keys::more_ports(table, &names)?;
    let (choices, software) = (choices::read(table)?, launch_keys::software(table)?);
    let of_choices: Vec<String> = choices.iter().map(|choice| choice.name.clone()).collect();
    let known = LaunchNames {
        processes: &names,
        more_ports: &more_ports,
        choices: &of_choices,
        software: software.is_some(),
        url: false,
        build: table.get("build").is_some(),
    };
    let common = ProcessSettings::read(table, Scope::Process(known))?
        .over(&defaults.given(Scope::Process(known))?);
    let shell = common.shell.unwrap_or(false);
    let commands = |key, scope| match table.get(key) {
        Some(value) => command::read_all(&value, shell, scope),
        None => Ok(Vec::new()),
    };
    let (url, nodes) = url(table, known)?;
    let launch = Launch {
        name: name.to_owned(),
        about: table.read("about", Value::owned_word)?,
        url,
        directory: table.source.directory.clone(),
        site: launch_keys::site(table)?,
        temp: launch_keys::temp(table)?,
        fresh: launch_keys::fresh(table)?,
        files: launch_keys::files(table, known)?,
        snapshot: None,
        rebuilt: Vec::new(),
        build: commands("build", Scope::Build)?,
        prepare: commands("prepare", Scope::Before(known))?,
        prepare_timeout: launch_keys::prepare_timeout(table)?,
        facts: commands("facts", Scope::Before(known))?,
        context: before(table, &common, known)?,
        packages: launch_keys::packages(table)?,
        processes: read_processes(name, table, &common, known, say_ready(table, &nodes))?,
        choices,
        software,
        more_ports: more_ports.clone(),
        nodes,
    };
    Ok((launch, common))
}

/// Commands before the launch have the directory and the variables of the contender, except
/// variables that name a port: ports are not known yet.
fn before(
    table: &Table<'_>,
    common: &ProcessSettings,
    known: LaunchNames<'_>,
) -> Result<ProcessContext, Error> {
    let runs = table.get("prepare").is_some() || table.get("facts").is_some();
    if let (true, Some(cwd)) = (runs, table.get("cwd")) {
        cwd.text_in(Scope::Before(known))?;
    }
    let mut context = common.context.clone();
    let is_of_launch = |placeholder: &Placeholder| {
        use Placeholder::{Host, Port, PortOf, Process};
        matches!(placeholder, Port | PortOf(_) | Process | Host)
    };
    context.env.retain(|(_, value)| !value.placeholders().any(is_of_launch));
    Ok(context)
}

fn names(name: &str, table: &Table<'_>) -> Result<Vec<String>, Error> {
    let Some(list) = processes(table) else { return Ok(vec![name.to_owned()]) };
    let mut names: Vec<String> = Vec::new();
    for value in list.list()? {
        let process = value.table()?;
        let Some(value) = process.get("name") else {
            return Err(process.error("every process requires a `name`"));
        };
        let name = value.word()?;
        names::check_key(name).map_err(|message| value.error(&message))?;
        if names.iter().any(|other| other == name) {
            return Err(value.error(&format!("two processes are called `{name}`")));
        }
        names.push(name.to_owned());
    }
    if names.is_empty() {
        Err(list.error("the list is empty: give at least one process"))
    } else {
        Ok(names)
    }
}

/// Which processes must have `ready`: those that tiebreak cannot check through the protocol of the
/// target.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadyRequirement {
    /// All: they are servers of a program.
    All,
    /// All but the last, which is driven.
    AllButLast,
    /// None: each is a node that is driven.
    None,
}

fn say_ready(table: &Table<'_>, nodes: &[String]) -> ReadyRequirement {
    match (is_program(table), nodes.is_empty()) {
        (true, _) => ReadyRequirement::All,
        (false, true) => ReadyRequirement::AllButLast,
        (false, false) => ReadyRequirement::None,
    }
}

fn read_processes(
    name: &str,
    table: &Table<'_>,
    common: &ProcessSettings,
    known: LaunchNames<'_>,
    say_ready: ReadyRequirement,
) -> Result<Vec<Process>, Error> {
    let scope = Scope::Process(known);
    if let Some(launch) = table.get("launch") {
        if say_ready == ReadyRequirement::All && common.ready.is_none() {
            return Err(launch.error(
                "`ready` is required, so that the program can be run: ready = { log = \"…\" }, { \
                 run = [\"…\"] } or { path = \"/\" }",
            ));
        }
        let command = command::read(&launch, common.shell.unwrap_or(false), scope)?;
        return Ok(vec![common.clone().process(name, command)]);
    }
    let list = processes(table).expect("asked before").list()?;
    let last = list.len() - 1;
    let process = |(at, value): (usize, &Value<'_>)| {
        let own = value.table()?;
        own.only(&[&PROCESS_KEYS[..], &process::KEYS].concat())?;
        let given = ProcessSettings::read(&own, scope)?;
        let next = match say_ready {
            ReadyRequirement::All => Some("the program can be run"),
            ReadyRequirement::AllButLast if at < last => Some("the next one can start"),
            ReadyRequirement::AllButLast | ReadyRequirement::None => None,
        };
        if let Some(next) = next.filter(|_| given.ready.is_none()) {
            return Err(own.error(&format!(
                "`ready` is required, so that {next}: ready = {{ log = \"…\" }}, {{ run = [\"…\"] \
                 }} or {{ path = \"/\" }}"
            )));
        }
        let given = given.over(common);
        let Some(launch) = own.get("launch") else {
            return Err(own.error("the process has no `launch`"));
        };
        let command = command::read(&launch, given.shell.unwrap_or(false), scope)?;
        Ok(given.process(&known.processes[at], command))
    };
    list.iter().enumerate().map(process).collect()
}

/// Reads the address. Returns it, and the hosts of its nodes if it has several.
fn url(table: &Table<'_>, known: LaunchNames<'_>) -> Result<(Text, Vec<String>), Error> {
    let names = known.processes;
    let Some(value) = table.get("url").filter(|_| !is_program(table)) else {
        let last = names.last().expect("at least one");
        let placeholder = if names.len() == 1 { "port".to_owned() } else { format!("{last}.port") };
        let text = format!("http://127.0.0.1:{{{placeholder}}}/");
        return Ok((Text::parse(&text, &|_| None).expect("a good address"), Vec::new()));
    };
    let text = value.text_in(Scope::Target(known))?;
    let ports = names.iter().chain(known.more_ports).map(|name| (name.clone(), 1)).collect();
    let url = check_url(&value, &text, &Values { port: 1, ports, ..Values::default() })?;
    if text.to_string().starts_with("file:") {
        return Err(
            value.error("only servers can be launched: for files (file:///) leave out `launch`")
        );
    }
    Ok((text, nodes(&value, &url, names.len())?))
}

/// Returns the hosts of the nodes of an address. Empty if it has only one.
fn nodes(value: &Value<'_>, url: &Url, processes: usize) -> Result<Vec<String>, Error> {
    let nodes = url.nodes();
    if nodes.len() < 2 {
        return Ok(Vec::new());
    }
    if nodes.len() != processes {
        return Err(value.error(&format!(
            "the address has {} nodes: give a `process` for each of them, in the order of the \
             address",
            nodes.len()
        )));
    }
    Ok(nodes.into_iter().map(|(host, _)| host.to_owned()).collect())
}

/// Checks that the text is an address once its placeholders are filled. Messages quote neither
/// login nor query.
pub(super) fn check_url(value: &Value<'_>, text: &Text, values: &Values) -> Result<Url, Error> {
    PROTOCOLS.url(&text.fill(values)).map_err(|message| value.error(&message))
}
