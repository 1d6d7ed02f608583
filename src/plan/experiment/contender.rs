//! One contender: a target that is already running, or one that is launched.

use crate::plan::Settings;
use crate::plan::experiment::declared;
use crate::plan::experiment::figures;
use crate::plan::experiment::groups;
use crate::plan::experiment::launched::{change, check_url, launch_of_recipe, launched};
use crate::plan::experiment::process::{self, ProcessSettings};
use crate::plan::experiment::program;
use crate::plan::experiment::recipes;
use crate::plan::experiment::scope::{LaunchNames, Scope};
use crate::plan::experiment::table::Table;
use crate::plan::experiment::target::{
    Defaults, LAUNCH_KEYS, TARGET_KEYS, Target, is_program, processes, refuse,
};
use crate::plan::settings::declared::{Declared, keys_in_file};
use crate::plan::settings::group_given::GroupGiven;
use crate::plan::settings::names;
use crate::targets::launch::Values;
use protocol::Error;

/// Keys of a contender that belong neither to a request nor to a process.
pub(super) const KEYS: [&str; 9] =
    ["about", "url", "figures", "operations", "groups", "recipe", "site", "launch", "choices"];

/// A contender as the file describes it. No `Debug`: it can hold secrets.
#[derive(Clone)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// The server.
    pub target: Target,
    /// Its settings, merged with the file's defaults.
    pub settings: Settings,
    /// Its own groups. Empty means the groups of all contenders.
    pub groups: Vec<GroupGiven>,
}

impl Contender {
    /// Gives it another name: `tiebreak compare mine=nginx`.
    pub fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
        match &mut self.target {
            Target::Launched(launch) => launch.rename(name),
            Target::Program(program) => {
                if let Some(servers) = &mut program.servers {
                    servers.launch.rename(name);
                }
            }
            Target::Attached { .. } => {}
        }
    }
}

/// Returns the keys that a contender can have.
pub fn keys() -> Vec<&'static str> {
    [&KEYS[..], &LAUNCH_KEYS, &keys_in_file::<Settings>(), &process::KEYS].concat()
}

pub(super) fn read(
    name: &str,
    table: &Table<'_>,
    defaults: &Defaults<'_>,
) -> Result<Contender, Error> {
    names::check_key(name).map_err(|message| table.error(&message))?;
    table.only(&keys())?;
    let settings = declared::of_contender(table)?.over(&defaults.settings);
    let table = &with_defaults(table, defaults);
    let has = |key| table.get(key).is_some();
    let processes = processes(table).is_some();
    let target = match (has("launch"), processes, has("recipe"), has("url")) {
        (true, true, ..) => return Err(both(table, "process", "launch")),
        (true, _, true, _) => return Err(both(table, "launch", "recipe")),
        (_, true, true, _) => return Err(both(table, "process", "recipe")),
        _ if is_program(table) => program::read(name, table, defaults)?,
        _ if has("figures") => return Err(figures::refuse(table)),
        _ if has("operations") => return Err(program::refuse_operations(table)),
        (true, ..) | (_, true, ..) => {
            Target::Launched(Box::new(launched(name, table, defaults)?.0))
        }
        (_, _, true, _) => from_recipe(name, table, defaults)?,
        (_, _, _, true) => attached(table)?,
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

/// Returns the table of a contender, completed with the keys of `[defaults]` about the target. A
/// contender that has only `url` is already running, and a recipe needs no defaults.
fn with_defaults<'a>(table: &Table<'a>, defaults: &Defaults<'a>) -> Table<'a> {
    let has = |key| table.get(key).is_some();
    let of_launch = [&LAUNCH_KEYS[..], &["url", "site", "choices"]].concat();
    match (launches(table), has("recipe") || has("url")) {
        (true, _) => table.over(&defaults.tables, of_launch),
        (false, true) => table.clone(),
        (false, false) => table.over(&defaults.tables, [&LAUNCH_KEYS[..], &TARGET_KEYS].concat()),
    }
}

fn launches(table: &Table<'_>) -> bool {
    table.get("launch").is_some() || processes(table).is_some()
}

/// Whether the file, including its `[defaults]`, describes how this contender is launched.
pub(super) fn is_launched(table: &Table<'_>, defaults: &Defaults<'_>) -> bool {
    let table = with_defaults(table, defaults);
    table.get("recipe").is_none() && launches(&table)
}

pub(super) fn only_recipe(name: &str, defaults: &Defaults<'_>) -> Option<Contender> {
    let mut contender = recipes::contender(recipes::find(name)?);
    contender.settings = contender.settings.over(&defaults.settings);
    if let Target::Launched(launch) = &mut contender.target {
        change(launch, &defaults.given);
    }
    Some(contender)
}

fn both(table: &Table<'_>, key: &str, other: &str) -> Error {
    let message = format!("`{key}` cannot be combined with `{other}`: give one");
    table.error_at(key, &message)
}

fn attached(table: &Table<'_>) -> Result<Target, Error> {
    let why = "this key is only for targets that tiebreak launches, and this one is already \
               running (`url`)";
    refuse(table, &[&LAUNCH_KEYS[..], &["site", "choices"], &process::KEYS].concat(), why)?;
    let url = table.get("url").expect("asked before");
    let text = url.text_in(Scope::Attached)?;
    check_url(&url, &text, &Values::default())?;
    Ok(Target::Attached { url: text })
}

fn from_recipe(name: &str, table: &Table<'_>, defaults: &Defaults<'_>) -> Result<Target, Error> {
    let why = "the recipe sets this itself; allowed with `recipe` are `site`, `choices`, `user`, \
               `cores`, `cores_from` and settings of requests";
    refuse(table, &[&LAUNCH_KEYS[..], &["cwd", "env", "url"]].concat(), why)?;
    let mut launch = launch_of_recipe(name, table, why)?;
    let given =
        ProcessSettings::read(table, Scope::Process(LaunchNames::default()))?.over(&defaults.given);
    change(&mut launch, &given);
    Ok(Target::Launched(Box::new(launch)))
}
