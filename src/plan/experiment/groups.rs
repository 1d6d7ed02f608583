//! `[[groups]]`, for all contenders or for one.

use crate::plan::experiment::declared;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings::group_given as groups;
use crate::plan::settings::group_given::GroupGiven;
use protocol::Error;

pub(super) fn keys() -> Vec<&'static str> {
    [&["name"], &groups::keys()[..]].concat()
}

/// Reads the groups of this table. Empty if it has none.
pub(super) fn read(table: &Table<'_>) -> Result<Vec<GroupGiven>, Error> {
    let Some(value) = table.get("groups") else { return Ok(Vec::new()) };
    let groups = value.list()?.iter().map(group).collect::<Result<Vec<_>, _>>()?;
    if groups.is_empty() {
        return Err(value.error("the list is empty: leave it out for one workload"));
    }
    groups::check(&groups).map_err(|message| value.error(&message))?;
    Ok(groups)
}

fn group(value: &Value<'_>) -> Result<GroupGiven, Error> {
    let table = value.table()?;
    table.only(&keys())?;
    let name = table.needed("name", "give the name of the group in the report")?;
    let mut group = GroupGiven::new(name.word()?).map_err(|message| name.error(&message))?;
    for (key, value) in table.entries() {
        match key {
            "name" => {}
            "mix" => {
                let text = declared::mix(&value)?;
                group.set(key, &text).map_err(|message| value.error(&message))?;
            }
            _ => value.quantity(|text| group.set(key, text))?,
        }
    }
    Ok(group)
}
