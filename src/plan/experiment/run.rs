//! Settings of the run as a whole: what the flags of `tiebreak compare` say.

use crate::exit::Error;
use crate::near;
use crate::plan::commands::{self, OwnCommand};
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::{groups, own};
use crate::plan::groups::GroupGiven;
use crate::plan::sweep::{self, SweepAsked};
use crate::plan::{WorkloadAsked, units, workload};
use record::Interleave;
use std::time::Duration;

/// Keys at the top of the file.
pub(super) const KEYS: [&str; 16] = [
    "workload",
    "groups",
    "sweep",
    "rounds",
    "round",
    "warm_up",
    "slice",
    "interleave",
    "seed",
    "generator_cores",
    "matters",
    "confidence",
    "all_pairs",
    "expect_different",
    "restarts",
    "until_decided",
];

/// As far as it was given; flags on the command line win.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// What is done to the data of stores.
    pub workload: WorkloadAsked,
    /// Several workloads at once in each contender; empty: one.
    pub groups: Vec<GroupGiven>,
    /// One setting at several values.
    pub sweep: Option<SweepAsked>,
    /// Rounds.
    pub rounds: Option<u32>,
    /// How long each contender is driven in a round.
    pub round: Option<Duration>,
    /// How long each contender is driven before the pilot.
    pub warm_up: Option<Duration>,
    /// Length of a slice.
    pub slice: Option<Duration>,
    /// How contenders take turns.
    pub interleave: Option<Interleave>,
    /// Fixes the operations and the order of slices.
    pub seed: Option<u64>,
    /// How many cores the generator uses.
    pub generator_cores: Option<u32>,
    /// The smallest difference that matters, as a share.
    pub matters: Option<f64>,
    /// Level of the intervals, as a share.
    pub confidence: Option<f64>,
    /// Compare all pairs, not only with the first.
    pub all_pairs: bool,
    /// The contenders are expected to answer differently.
    pub expect_different: bool,
    /// How often every target is launched afresh.
    pub restarts: Option<u32>,
    /// Five looks instead of a fixed number of rounds.
    pub until_decided: bool,
}

impl RunSettings {
    pub(super) fn read(table: &Table<'_>) -> Result<RunSettings, Error> {
        let mut run = RunSettings { groups: groups::read(table)?, ..RunSettings::default() };
        for (key, value) in table.entries() {
            match key {
                "workload" => run.workload = workload_asked(&value.table()?)?,
                "sweep" => run.sweep = Some(sweep_asked(&value)?),
                "rounds" => run.rounds = Some(value.quantity(above_0)?),
                "round" => run.round = Some(value.quantity(units::duration)?),
                "warm_up" => run.warm_up = Some(value.quantity(units::duration)?),
                "slice" => run.slice = Some(value.quantity(units::duration)?),
                "interleave" => run.interleave = Some(interleave(&value)?),
                "seed" => run.seed = Some(value.quantity(units::count)?),
                "generator_cores" => run.generator_cores = Some(value.quantity(above_0)?),
                "matters" => run.matters = Some(value.quantity(units::percent)?),
                "confidence" => run.confidence = Some(value.quantity(units::percent)?),
                "all_pairs" => run.all_pairs = value.flag()?,
                "expect_different" => run.expect_different = value.flag()?,
                "restarts" => run.restarts = Some(value.quantity(above_0)?),
                "until_decided" => run.until_decided = value.flag()?,
                _ => {}
            }
        }
        Ok(run)
    }
}

/// Keys of `[workload]`.
pub(super) const WORKLOAD_KEYS: [&str; 14] = [
    "preset",
    "keys",
    "value",
    "compressible",
    "mix",
    "commands",
    "distribution",
    "hot",
    "verify",
    "statements",
    "requests",
    "setup",
    "tables",
    "feeds",
];

/// Keys of one of its `commands`.
pub(super) const COMMAND_KEYS: [&str; 2] = ["run", "weight"];

pub(super) fn workload_asked(table: &Table<'_>) -> Result<WorkloadAsked, Error> {
    table.only(&WORKLOAD_KEYS)?;
    let mut asked = WorkloadAsked { own: own::read(table)?, ..WorkloadAsked::default() };
    for (key, value) in table.entries() {
        match key {
            "preset" => asked.preset = Some(value.quantity(workload::named)?),
            "keys" => asked.keys = Some(value.quantity(workload::keys)?),
            "value" => asked.value = Some(value.quantity(workload::value)?),
            "compressible" => asked.compressible = value.flag()?,
            "mix" => asked.mix = Some(value.quantity(workload::mix)?),
            "commands" => asked.commands = own_commands(&value)?,
            "distribution" => asked.distribution = Some(value.quantity(workload::distribution)?),
            "hot" => asked.hot = Some(value.quantity(units::percent)?),
            "verify" => asked.verify = Some(value.quantity(workload::verify)?),
            _ => {}
        }
    }
    Ok(asked)
}

/// `sweep = { connections = [1, 8, 32] }`: one factor.
fn sweep_asked(value: &Value<'_>) -> Result<SweepAsked, Error> {
    let entries = value.table()?.entries();
    let [(name, values)] = entries.as_slice() else {
        return Err(value.error("one factor is swept: write { connections = [1, 8, 32] }"));
    };
    let factor = sweep::factor(name).map_err(|message| values.error(&message))?;
    let each = values.list()?.into_iter();
    let each = each.map(|value| value.quantity(|text| sweep::value(factor, text)));
    let each = each.collect::<Result<Vec<f64>, Error>>()?;
    SweepAsked::new(factor, each).map_err(|message| values.error(&message))
}

fn own_commands(value: &Value<'_>) -> Result<Vec<OwnCommand>, Error> {
    let list = value.list()?;
    match list.len() {
        0 => Err(value.error("the list is empty: leave it out for the operations of the preset")),
        len if len > commands::MOST => {
            Err(value.error(&format!("{len} commands: {} at most", commands::MOST)))
        }
        _ => list.iter().map(own_command).collect(),
    }
}

fn own_command(value: &Value<'_>) -> Result<OwnCommand, Error> {
    let table = value.table()?;
    table.only(&COMMAND_KEYS)?;
    let Some(run) = table.get("run") else {
        return Err(value.error("`run` is missing: the command, such as 'LPUSH {key} {value}'"));
    };
    let words = commands::words(run.word()?).map_err(|message| run.error(&message))?;
    let weight = table.get("weight").map(|value| value.quantity(workload::weight)).transpose()?;
    Ok(OwnCommand { words, weight: weight.unwrap_or(1.0) })
}

fn above_0(text: &str) -> Result<u32, String> {
    match units::count(text)? {
        0 => Err("must be above 0".to_owned()),
        count => u32::try_from(count).map_err(|_| format!("`{text}` is too large")),
    }
}

fn interleave(value: &Value<'_>) -> Result<Interleave, Error> {
    match value.word()? {
        "auto" => Ok(Interleave::Auto),
        "slices" => Ok(Interleave::Slices),
        "turns" => Ok(Interleave::Turns),
        other => {
            let meant = near::did_you_mean(other, ["auto", "slices", "turns"]);
            Err(value.error(&format!("`{other}` is none of auto, slices, turns{meant}")))
        }
    }
}
