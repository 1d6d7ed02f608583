//! `figures` of a contender: what prints the figures of its cases, and where.

use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::Defaults;
use crate::targets::exec::figures::{FIGURES, TEMP, kind_named};
use crate::targets::exec::{Figures, Program};
use figures::Kind;
use protocol::Error;
use text::shown::shown;

pub(super) const KEYS: [&str; 5] = ["kind", "file", "pattern", "unit", "larger_is_better"];

/// Reads `figures` of a program, or of `[defaults]`. Returns None if it is no suite.
pub(super) fn of_program(
    table: &Table<'_>,
    defaults: &Defaults<'_>,
    program: &Program,
) -> Result<Option<Figures>, Error> {
    let of_defaults = || defaults.tables.iter().find_map(|table| table.get("figures"));
    let Some(value) = table.get("figures").or_else(of_defaults) else { return Ok(None) };
    let Some(figures) = read(&value)? else { return Ok(None) };
    figures.check(&program.command).map_err(|message| value.error(&message))?;
    if program.servers.is_some() && figures.file.is_some() {
        return Err(value.error(
            "beside servers {temp} is their directory, which all runs share: leave out `file`, and have the program \
             write into {figures}",
        ));
    }
    Ok(Some(figures))
}

/// Refuses `figures` of a contender that is no program.
pub(super) fn refuse(table: &Table<'_>) -> Error {
    let why = "only a program (url = 'exec:…') has figures of cases: remove this key";
    table.error_at("figures", why)
}

/// A name, a table, or whether they are looked for.
fn read(value: &Value<'_>) -> Result<Option<Figures>, Error> {
    if value.is_text() {
        let kind = kind_named(value.word()?).map_err(|message| value.error(&message))?;
        return Ok(Some(Figures { kind, file: None }));
    }
    if let Ok(is_asked) = value.flag() {
        return Ok(is_asked.then(Figures::default));
    }
    let table = value.table().map_err(|_| {
        value.error("must be the name of a kind, a table such as { kind = 'go', file = '{temp}/out.txt' }, or true")
    })?;
    table.only(&KEYS)?;
    let kind = kind(&table)?;
    let file = table.read("file", file)?;
    Ok(Some(Figures { kind, file }))
}

fn kind(table: &Table<'_>) -> Result<Option<Kind>, Error> {
    let named = table.get("kind");
    let name = named.as_ref().map(Value::word).transpose()?;
    let Some(pattern) = table.get("pattern") else {
        if let Some(value) = table.get("unit") {
            return Err(value.error("this key belongs to `pattern`: the other kinds know it"));
        }
        let kind = match (name, named) {
            (Some("pattern"), Some(value)) => {
                Err(value.error("`pattern` is missing: give the regular expression, such as '(?<name>\\S+) (?<number>\\S+) ns'"))
            }
            (Some(name), Some(value)) => kind_named(name).map_err(|message| value.error(&message)),
            _ => Ok(None),
        }?;
        return match (kind, table.get("larger_is_better")) {
            (Some(kind), Some(larger)) => Ok(Some(kind.with_direction(larger.flag()?))),
            (None, Some(larger)) => Err(larger.error("name the `kind` of the figures, too")),
            (kind, None) => Ok(kind),
        };
    };
    if name.is_some_and(|name| name != "pattern") {
        return Err(pattern
            .error("a pattern is a kind of its own: write kind = 'pattern', or leave out `kind`"));
    }
    let unit = table.read("unit", Value::owned_word)?;
    let larger = table.read("larger_is_better", Value::flag)?;
    let kind = Kind::pattern(pattern.word()?, unit.as_deref(), larger);
    kind.map(Some).map_err(|message| pattern.error(&message))
}

/// A file that the run itself has written: one from an earlier run must not be read.
fn file(value: &Value<'_>) -> Result<String, Error> {
    let file = value.word()?;
    let below = file.strip_prefix(TEMP).and_then(|rest| rest.strip_prefix('/'));
    match below {
        Some(name) if !name.is_empty() && !name.split('/').any(|part| part == "..") => Ok(file.to_owned()),
        _ if file == FIGURES => Ok(file.to_owned()),
        _ => Err(value.error(&format!(
            "`{}` must begin with {TEMP}/, the directory that each run has of its own: otherwise the figures of an \
             earlier run could be read",
            shown(file)
        ))),
    }
}
