//! `[scale.NAME]`: other sizes of the same experiment, chosen with `--scale NAME`.

use crate::plan::experiment::run::{self, RunInput};
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::Defaults;
use protocol::Error;
use text::lists;
use text::near;
use text::shown::shown;

/// The settings that a scale replaces.
pub(super) struct Scale<'a> {
    name: String,
    run: RunInput,
    pub(super) defaults: Defaults<'a>,
}

pub(super) fn read<'a>(root: &Table<'a>) -> Result<Vec<Scale<'a>>, Error> {
    let Some(value) = root.get("scale") else { return Ok(Vec::new()) };
    let scale = |(name, value): (&str, Value<'a>)| {
        let table = value.table()?;
        table.only(&[&["defaults"], &run::keys()[..]].concat())?;
        let defaults = table.read("defaults", |value| Defaults::read(&value.table()?))?;
        let defaults = defaults.unwrap_or_default();
        Ok(Scale { name: name.to_owned(), run: RunInput::read(&table)?, defaults })
    };
    value.table()?.entries().into_iter().map(scale).collect()
}

/// Applies a scale to the settings of the file.
///
/// # Errors
/// When the file has no scale of this name.
pub(super) fn apply<'a>(
    root: &Table<'a>,
    wanted: &str,
    mut all: Vec<Scale<'a>>,
    run: RunInput,
    defaults: Defaults<'a>,
) -> Result<(RunInput, Defaults<'a>), Error> {
    let Some(at) = all.iter().position(|scale| scale.name == wanted) else {
        return Err(root.error(&none_of(wanted, &all)));
    };
    let scale = all.swap_remove(at);
    Ok((scale.run.over(run), scale.defaults.over(defaults)))
}

fn none_of(wanted: &str, all: &[Scale<'_>]) -> String {
    let names: Vec<&str> = all.iter().map(|scale| scale.name.as_str()).collect();
    let wanted_shown = shown(wanted);
    if names.is_empty() {
        return format!(
            "--scale {wanted_shown}: the file has no scales; describe one as [scale.{wanted_shown}]"
        );
    }
    let listed: Vec<String> = names.iter().map(|name| shown(*name)).collect();
    let meant = near::did_you_mean(wanted, names.iter().copied());
    format!("--scale {wanted_shown}: the file has {}{meant}", lists::listed(&listed))
}
