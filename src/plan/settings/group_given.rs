//! A group as the user gave it: `[[groups]]`, `--set NAME.GROUP.key=value`.

use crate::plan::settings::{self, Settings};
use crate::plan::settings::{names, workload};
use engine::workload::MOST_GROUPS;
use record::Share;
use text::near;
use text::shown::shown;

/// Returns the keys of a group, except its name: some of the settings of a contender, and the mix.
pub(in crate::plan) fn keys() -> Vec<&'static str> {
    settings::of_groups().map(|row| row.setting.key).chain([MIX]).collect()
}

const MIX: &str = "mix";

/// A group as the user gave it.
#[derive(Clone, Default, PartialEq)]
pub struct GroupGiven {
    /// Its name.
    pub name: String,
    /// The settings that a group can have.
    pub settings: Settings,
    /// What it does. None means what the workload says.
    pub mix: Option<Vec<Share>>,
}

impl GroupGiven {
    /// Makes a group without settings.
    ///
    /// # Errors
    /// When the name is not valid.
    pub fn new(name: &str) -> Result<GroupGiven, String> {
        names::check_key(name)?;
        if name.contains('.') {
            Err("the name of a group must not contain a dot: --set NAME.GROUP.key=value".to_owned())
        } else {
            Ok(GroupGiven { name: name.to_owned(), ..GroupGiven::default() })
        }
    }

    /// Sets one key from its text.
    ///
    /// # Errors
    /// When a group has no such key, or the value is not valid for it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if key == MIX {
            self.mix = Some(workload::mix(value)?);
            return Ok(());
        }
        let Some(row) = settings::of_groups().find(|row| row.setting.key == key) else {
            let problem = format!("a group has no key `{}`", shown(key));
            return Err(near::unknown(problem, key, &keys()));
        };
        row.set(&mut self.settings, value)
    }
}

/// Checks the groups of a file or of a contender: their names must differ, and there must not be
/// too many.
///
/// # Errors
/// When two have the same name, or there are too many.
pub fn check(groups: &[GroupGiven]) -> Result<(), String> {
    if groups.len() > MOST_GROUPS {
        let count = groups.len();
        return Err(format!("there are {count} groups, but at most {MOST_GROUPS} are supported"));
    }
    let twice = groups
        .iter()
        .enumerate()
        .find(|(at, group)| groups[..*at].iter().any(|other| other.name == group.name));
    match twice {
        Some((_, group)) => Err(format!("two groups are called `{}`", group.name)),
        None => Ok(()),
    }
}

/// Takes `GROUP.key=value` of `--set NAME.GROUP.key=value`. Returns None if it is not about
/// a group.
pub(in crate::plan) fn set(
    groups: &mut [GroupGiven],
    key: &str,
    value: &str,
) -> Option<Result<(), String>> {
    let (group, key) = key.split_once('.')?;
    let group = groups.iter_mut().find(|known| known.name == group)?;
    Some(group.set(key, value))
}
