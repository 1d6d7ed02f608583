//! A group as it was asked for: `[[groups]]`, `--set NAME.GROUP.key=value`.

use crate::plan::settings::{self, Settings};
use crate::plan::{names, workload};
use engine::workload::MOST_GROUPS;
use record::Share;
use text::near;
use text::shown::shown;

/// What can be said of a group, beside its name: settings that a contender has, too, and
/// what it does.
pub(super) fn keys() -> Vec<&'static str> {
    settings::of_groups().map(|row| row.setting.key).chain([MIX]).collect()
}

const MIX: &str = "mix";

/// A group as it was asked for.
#[derive(Clone, Default, PartialEq)]
pub struct GroupGiven {
    /// Its name.
    pub name: String,
    /// Those of its settings that groups have.
    pub settings: Settings,
    /// What it does. None means what the workload says.
    pub mix: Option<Vec<Share>>,
}

impl GroupGiven {
    /// Nothing is said of it yet.
    ///
    /// # Errors
    /// When it cannot be called so.
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
    /// When it is no key of a group, or the value does not fit it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if key == MIX {
            self.mix = Some(workload::mix(value)?);
            return Ok(());
        }
        let Some(row) = settings::of_groups().find(|row| row.setting.key == key) else {
            let known = keys();
            let meant = near::did_you_mean(key, known.iter().copied());
            let key = shown(key);
            return Err(format!("a group has no key `{key}`: {}{meant}", known.join(", ")));
        };
        (row.set)(&mut self.settings, value)
    }
}

/// The groups of a file or of a contender: told apart by name, and not too many.
///
/// # Errors
/// When they are not.
pub fn check(groups: &[GroupGiven]) -> Result<(), String> {
    if groups.len() > MOST_GROUPS {
        return Err(format!("{} groups: {MOST_GROUPS} at most", groups.len()));
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
pub(super) fn set(groups: &mut [GroupGiven], key: &str, value: &str) -> Option<Result<(), String>> {
    let (group, key) = key.split_once('.')?;
    let group = groups.iter_mut().find(|known| known.name == group)?;
    Some(group.set(key, value))
}
