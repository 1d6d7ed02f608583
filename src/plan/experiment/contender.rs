//! One contender: a target that runs already, or one that is launched.

use crate::exec::Program;
use crate::exit::Error;
use crate::plan::Settings;
use crate::plan::experiment::command::Command;
use crate::plan::experiment::groups;
use crate::plan::experiment::process::{self, Around, Given, Process};
use crate::plan::experiment::program;
use crate::plan::experiment::requests;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::text::{Placeholder, Text, Values};
use crate::plan::groups::GroupGiven;
use crate::plan::recipes;
use crate::targets::url::Url;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Keys of a contender that are neither a request's nor a process's.
pub(super) const KEYS: [&str; 14] = [
    "about",
    "url",
    "groups",
    "pid",
    "recipe",
    "site",
    "launch",
    "process",
    "prepare",
    "prepare_timeout",
    "files",
    "temp",
    "facts",
    "packages",
];

/// Keys of a process that only it can have.
pub(super) const PROCESS_KEYS: [&str; 2] = ["name", "launch"];

/// Longest name: reports have columns.
const LONGEST_NAME: usize = 40;

/// How long what is prepared may take: builds are slow.
const PREPARE: Duration = Duration::from_secs(600);

/// A contender as the file has it. No `Debug`: it can hold secrets.
#[derive(Clone)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// The server.
    pub target: Target,
    /// How it is talked to, with the file's defaults.
    pub settings: Settings,
    /// Its own groups; empty: those of all.
    pub groups: Vec<GroupGiven>,
}

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

/// How to launch a target.
#[derive(Clone)]
pub struct Launch {
    /// The contender's name: its logs are called after it.
    pub name: String,
    /// A line for people.
    pub about: Option<String>,
    /// Where it is driven.
    pub url: Text,
    /// The folder of the file, absolute.
    pub folder: PathBuf,
    /// What it serves; none: a page of 87 bytes.
    pub site: Option<PathBuf>,
    /// The folder that its temporary folder is made in; none: the system's.
    pub temp: Option<PathBuf>,
    /// Written into its temporary folder, by path.
    pub files: Vec<(String, Text)>,
    /// Run to their end, once, before the first launch.
    pub prepare: Vec<Command>,
    /// How long each of them may take.
    pub prepare_timeout: Duration,
    /// Their first line is recorded.
    pub facts: Vec<Command>,
    /// Where `prepare` and `facts` run.
    pub around: Around,
    /// Debian's package for a program that may be missing.
    pub packages: BTreeMap<String, String>,
    /// Started in this order; the last one is driven.
    pub processes: Vec<Process>,
}

impl Contender {
    /// Gives it another name: `tiebreak compare mine=nginx`.
    pub fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
        if let Target::Launched(launch) = &mut self.target {
            launch.rename(name);
        }
    }
}

impl Launch {
    /// A process that is alone is called after its contender. Several keep their names:
    /// they speak of each other's ports by them.
    fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
        if let [alone] = &mut self.processes[..] {
            alone.name = name.to_owned();
        }
    }
}

/// What the file gives all contenders.
#[derive(Clone, Default)]
pub(super) struct Defaults {
    pub(super) settings: Settings,
    pub(super) given: Given,
}

impl Defaults {
    pub(super) fn read(table: &Table<'_>) -> Result<Defaults, Error> {
        table.only(&[&requests::KEYS[..], &process::KEYS].concat())?;
        let settings = requests::read(table)?;
        Ok(Defaults { settings, given: Given::read(table, Scope::Process(&[]))? })
    }
}

/// Reads the table of one contender.
pub(super) fn read(name: &str, table: &Table<'_>, defaults: &Defaults) -> Result<Contender, Error> {
    check_name(name).map_err(|message| table.error(&message))?;
    table.only(&[&KEYS[..], &requests::KEYS, &process::KEYS].concat())?;
    let settings = requests::read(table)?.over(&defaults.settings);
    let has = |key| table.get(key).is_some();
    let target = match (has("launch"), has("process"), has("recipe"), has("url")) {
        (true, true, ..) => return Err(both(table, "process", "launch")),
        (true, _, true, _) => return Err(both(table, "launch", "recipe")),
        (_, true, true, _) => return Err(both(table, "process", "recipe")),
        (true, ..) | (_, true, ..) => launched(name, table, defaults)?,
        (_, _, true, _) => from_recipe(name, table, defaults)?,
        (_, _, _, true) => match program::is_one(table) {
            true => program::read(table, defaults)?,
            false => attached(table)?,
        },
        _ => {
            return Err(table.error(
                "there is no target: give `url` for one that runs, or `launch`, `process` or \
                 `recipe` for one to launch",
            ));
        }
    };
    let groups = groups::read(table)?;
    Ok(Contender { name: name.to_owned(), target, settings, groups })
}

/// A contender that is nothing but a recipe.
pub(super) fn only_recipe(name: &str, defaults: &Defaults) -> Option<Contender> {
    let mut contender = recipes::find(name)?.contender();
    contender.settings = contender.settings.over(&defaults.settings);
    change(&mut contender.target, defaults.given.clone());
    Some(contender)
}

fn both(table: &Table<'_>, key: &str, other: &str) -> Error {
    let message = format!("`{key}` does not go with `{other}`: give one");
    table.get(key).map_or_else(|| table.error(&message), |value| value.error(&message))
}

/// Names are also names of files: no slashes, and no dot in front.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match name.chars().count() {
        1..=LONGEST_NAME if name.chars().all(fits) && !name.starts_with(['.', '-']) => Ok(()),
        1..=LONGEST_NAME => Err("a name is made of letters, digits and - _ ., and begins with a \
                                 letter, a digit or _"
            .to_owned()),
        _ => Err(format!("a name has 1 to {LONGEST_NAME} characters")),
    }
}

/// Keys that have no meaning for this kind of target.
pub(super) fn refuse(table: &Table<'_>, keys: &[&str], why: &str) -> Result<(), Error> {
    let found = table.entries().into_iter().find(|(key, _)| keys.contains(key));
    found.map_or(Ok(()), |(_, value)| Err(value.error(why)))
}

fn attached(table: &Table<'_>) -> Result<Target, Error> {
    let of_launches = ["site", "prepare", "prepare_timeout", "files", "temp", "facts", "packages"];
    let why = "this is for targets that tiebreak launches, and this one runs already (`url`)";
    refuse(table, &[&of_launches[..], &process::KEYS].concat(), why)?;
    let url = table.get("url").expect("asked before");
    let text = url.text_in(Scope::Attached)?;
    check_url(&url, &text, &Values::default())?;
    let pid = |text: &str| match text.parse() {
        Ok(pid @ 1..=0x7fff_ffff) => Ok(pid),
        _ => Err(format!("`{text}` is not the number of a process")),
    };
    let pid = table.get("pid").map(|value| value.quantity(pid)).transpose()?;
    Ok(Target::Attached { url: text, pid })
}

fn from_recipe(name: &str, table: &Table<'_>, defaults: &Defaults) -> Result<Target, Error> {
    let own = ["url", "prepare", "prepare_timeout", "files", "temp", "facts", "packages"];
    let fixed = ["instead_of_root", "cwd", "env", "ready", "stop", "stop_grace", "shell"];
    let why = "the recipe says this itself; with `recipe` go `site`, `user`, `cores`, \
               `cores_from` and what is said about requests";
    refuse(table, &[&own[..], &fixed, &["pid"]].concat(), why)?;
    let value = table.get("recipe").expect("asked before");
    let wanted = value.word()?;
    let recipe = recipes::find(wanted).ok_or_else(|| value.error(&recipes::unknown(wanted)))?;
    let mut target = recipe.contender().target;
    let given = Given::read(table, Scope::Process(&[]))?.over(&defaults.given);
    change(&mut target, given);
    if let Target::Launched(launch) = &mut target {
        launch.rename(name);
        launch.site = site(table)?;
    }
    Ok(target)
}

fn change(target: &mut Target, given: Given) {
    if let Target::Launched(launch) = target {
        for process in &mut launch.processes {
            given.clone().change(process);
        }
    }
}

fn launched(name: &str, table: &Table<'_>, defaults: &Defaults) -> Result<Target, Error> {
    refuse(table, &["pid"], "tiebreak launches this target and knows its processes")?;
    let names = names(name, table)?;
    let common = Given::read(table, Scope::Process(&names))?.over(&defaults.given);
    let shell = common.shell.unwrap_or(false);
    let commands = |key| match table.get(key) {
        Some(value) => Command::read_all(&value, shell, Scope::Before),
        None => Ok(Vec::new()),
    };
    let timeout =
        table.get("prepare_timeout").map(|value| value.quantity(crate::plan::units::duration));
    let launch = Launch {
        name: name.to_owned(),
        about: table.get("about").map(|about| about.word().map(str::to_owned)).transpose()?,
        url: url(table, &names)?,
        folder: table.source.folder.clone(),
        site: site(table)?,
        temp: temp(table)?,
        files: files(table, &names)?,
        prepare: commands("prepare")?,
        prepare_timeout: timeout.transpose()?.unwrap_or(PREPARE),
        facts: commands("facts")?,
        around: before(table, &common)?,
        packages: packages(table)?,
        processes: processes(name, table, &common, &names)?,
    };
    Ok(Target::Launched(Box::new(launch)))
}

/// What runs before the launch has folder and variables of the whole
/// contender, without those that name a port: there are none yet.
fn before(table: &Table<'_>, common: &Given) -> Result<Around, Error> {
    let runs = table.get("prepare").is_some() || table.get("facts").is_some();
    if let (true, Some(cwd)) = (runs, table.get("cwd")) {
        cwd.text_in(Scope::Before)?;
    }
    let mut around = common.around();
    let names_port =
        |place: &Placeholder| matches!(place, Placeholder::Port | Placeholder::PortOf(_));
    around.env.retain(|(_, value)| !value.placeholders().any(names_port));
    Ok(around)
}

fn names(name: &str, table: &Table<'_>) -> Result<Vec<String>, Error> {
    let Some(list) = table.get("process") else { return Ok(vec![name.to_owned()]) };
    let mut names: Vec<String> = Vec::new();
    for value in list.list()? {
        let process = value.table()?;
        let Some(value) = process.get("name") else {
            return Err(process.error("every process needs a `name`"));
        };
        let name = value.word()?;
        check_name(name).map_err(|message| value.error(&message))?;
        if names.iter().any(|other| other == name) {
            return Err(value.error(&format!("two processes are called `{name}`")));
        }
        names.push(name.to_owned());
    }
    match names.is_empty() {
        true => Err(list.error("the list is empty: give at least one process")),
        false => Ok(names),
    }
}

fn processes(
    name: &str,
    table: &Table<'_>,
    common: &Given,
    names: &[String],
) -> Result<Vec<Process>, Error> {
    let scope = Scope::Process(names);
    if let Some(launch) = table.get("launch") {
        let command = Command::read(&launch, common.shell.unwrap_or(false), scope)?;
        return Ok(vec![common.clone().process(name, command)]);
    }
    let list = table.get("process").expect("asked before").list()?;
    let last = list.len() - 1;
    let process = |(at, value): (usize, &Value<'_>)| {
        let own = value.table()?;
        own.only(&[&PROCESS_KEYS[..], &process::KEYS].concat())?;
        let given = Given::read(&own, scope)?;
        if at < last && !given.has_ready() {
            return Err(own.error(
                "say when it is ready, so that the next one can start: ready = { log = \"…\" }, \
                 { run = [\"…\"] } or { path = \"/\" }",
            ));
        }
        let given = given.over(common);
        let Some(launch) = own.get("launch") else {
            return Err(own.error("the process has no `launch`"));
        };
        let command = Command::read(&launch, given.shell.unwrap_or(false), scope)?;
        Ok(given.process(&names[at], command))
    };
    list.iter().enumerate().map(process).collect()
}

fn url(table: &Table<'_>, names: &[String]) -> Result<Text, Error> {
    let Some(value) = table.get("url") else {
        let last = names.last().expect("at least one");
        let place = if names.len() == 1 { "port".to_owned() } else { format!("{last}.port") };
        let text = format!("http://127.0.0.1:{{{place}}}/");
        return Ok(Text::parse(&text, &|_| None).expect("a good address"));
    };
    let text = value.text_in(Scope::Target(names))?;
    let ports = names.iter().map(|name| (name.clone(), 1)).collect();
    check_url(&value, &text, &Values { port: 1, ports, ..Values::default() })?;
    match text.to_string().split_once(':') {
        Some(("exec" | "file", _)) => Err(value.error(
            "what is launched is a server; programs (exec:) and files (file:///) are contenders \
             without a `launch`",
        )),
        _ => Ok(text),
    }
}

/// Whatever stands for the placeholders, the address must be one. Its messages
/// quote neither login nor query.
fn check_url(value: &Value<'_>, text: &Text, values: &Values) -> Result<(), Error> {
    Url::parse(&text.fill(values)).map(drop).map_err(|message| value.error(&message))
}

fn site(table: &Table<'_>) -> Result<Option<PathBuf>, Error> {
    let Some(value) = table.get("site") else { return Ok(None) };
    let folder = table.source.folder.join(value.word()?);
    match folder.is_dir() {
        true => Ok(Some(folder)),
        false => Err(value.error("there is no such folder")),
    }
}

/// A folder that is there: `/dev/shm`.
fn temp(table: &Table<'_>) -> Result<Option<PathBuf>, Error> {
    let Some(value) = table.get("temp") else { return Ok(None) };
    let folder = PathBuf::from(value.word()?);
    match folder.is_absolute() && folder.is_dir() {
        true => Ok(Some(folder)),
        false => Err(value.error("there is no such folder: give an absolute path, as /dev/shm")),
    }
}

fn files(table: &Table<'_>, names: &[String]) -> Result<Vec<(String, Text)>, Error> {
    let Some(value) = table.get("files") else { return Ok(Vec::new()) };
    let file = |(path, value): (&str, Value<'_>)| {
        let plain = |part| matches!(part, Component::Normal(_));
        if path.is_empty() || !Path::new(path).components().all(plain) {
            let message = "files are written into the temporary folder: a path without `..`, and \
                           without `/` in front";
            return Err(value.error(message));
        }
        Ok((path.to_owned(), value.template_in(Scope::Target(names))?))
    };
    value.table()?.entries().into_iter().map(file).collect()
}

fn packages(table: &Table<'_>) -> Result<BTreeMap<String, String>, Error> {
    let Some(value) = table.get("packages") else { return Ok(BTreeMap::new()) };
    let package =
        |(program, value): (&str, Value<'_>)| Ok((program.to_owned(), value.word()?.to_owned()));
    value.table()?.entries().into_iter().map(package).collect()
}
