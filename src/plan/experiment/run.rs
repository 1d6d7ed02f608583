//! Settings of the whole run, which the flags of `tiebreak compare` can also set.

use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::{custom, declared, groups};
use crate::plan::settings::commands;
use crate::plan::settings::commands::{CustomCommand, CustomCommands};
use crate::plan::settings::declared::{Declared, keys_in_file};
use crate::plan::settings::group_given::GroupGiven;
use crate::plan::settings::sweep_settings as sweep;
use crate::plan::settings::sweep_settings::SweepSettings;
use crate::plan::settings::workload;
use crate::plan::{RunSettings, WorkloadSettings};
use protocol::Error;

/// Keys at the top of the file.
pub(super) fn keys() -> Vec<&'static str> {
    [&["workload", "groups", "sweep"], &keys_in_file::<RunSettings>()[..]].concat()
}

/// The settings that were given. Flags on the command line take precedence.
#[derive(Clone, Default, PartialEq)]
pub struct RunInput {
    /// What is done to the data of stores.
    pub workload: WorkloadSettings,
    /// Several workloads at once in each contender. Empty means one workload.
    pub groups: Vec<GroupGiven>,
    /// One setting at several values.
    pub sweep: Option<SweepSettings>,
    /// All other settings.
    pub settings: RunSettings,
}

impl RunInput {
    /// Merges two sets of settings; this one takes precedence. Groups and a sweep replace those of
    /// the other.
    pub(super) fn over(self, other: RunInput) -> RunInput {
        RunInput {
            workload: self.workload.over(&other.workload),
            groups: if self.groups.is_empty() { other.groups } else { self.groups },
            sweep: self.sweep.or(other.sweep),
            settings: self.settings.over(&other.settings),
        }
    }

    pub(super) fn read(table: &Table<'_>) -> Result<RunInput, Error> {
        let workload = table.read("workload", |value| workload_asked(&value.table()?))?;
        Ok(RunInput {
            workload: workload.unwrap_or_default(),
            groups: groups::read(table)?,
            sweep: table.read("sweep", sweep_settings)?,
            settings: declared::read(table)?,
        })
    }
}

pub(super) fn workload_keys() -> Vec<&'static str> {
    [&keys_in_file::<WorkloadSettings>()[..], &custom::KEYS].concat()
}

pub(super) const COMMAND_KEYS: [&str; 2] = ["run", "weight"];

pub(super) fn workload_asked(table: &Table<'_>) -> Result<WorkloadSettings, Error> {
    table.only(&workload_keys())?;
    let custom = custom::read(table)?;
    let commands = table.read("commands", custom_commands)?;
    let commands = CustomCommands(commands.unwrap_or_default());
    Ok(WorkloadSettings { custom, commands, ..declared::read(table)? })
}

/// `sweep = { connections = [1, 8, 32] }`: one factor.
fn sweep_settings(value: &Value<'_>) -> Result<SweepSettings, Error> {
    let entries = value.table()?.entries();
    let [(name, values)] = entries.as_slice() else {
        return Err(
            value.error("exactly one factor can be swept: write { connections = [1, 8, 32] }")
        );
    };
    let factor = sweep::factor(name).map_err(|message| values.error(&message))?;
    let each = values.list()?.into_iter();
    let each = each.map(|value| value.quantity(|text| sweep::value(factor, text)));
    let each = each.collect::<Result<Vec<f64>, Error>>()?;
    SweepSettings::new(factor, each).map_err(|message| values.error(&message))
}

fn custom_commands(value: &Value<'_>) -> Result<Vec<CustomCommand>, Error> {
    let list = value.list()?;
    match list.len() {
        0 => Err(value.error("the list is empty: leave it out for the operations of the preset")),
        len if len > commands::MOST => {
            let most = commands::MOST;
            Err(value.error(&format!("there are {len} commands, but at most {most} are supported")))
        }
        _ => list.iter().map(custom_command).collect(),
    }
}

fn custom_command(value: &Value<'_>) -> Result<CustomCommand, Error> {
    let table = value.table()?;
    table.only(&COMMAND_KEYS)?;
    let run = table.needed("run", "give the command, such as 'LPUSH {key} {value}'")?;
    let words = commands::words(run.word()?).map_err(|message| run.error(&message))?;
    let weight = table.read("weight", |value| value.quantity(workload::weight))?;
    Ok(CustomCommand { words, weight: weight.unwrap_or(1.0) })
}
