//! Reads declared settings: of the run, of all contenders, of one.

use crate::plan::Settings;
use crate::plan::experiment::process;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::settings::LARGEST_BODY;
use crate::plan::settings::declared::{Declared, InFile, Row, outer};
use crate::targets::launch::Values;
use protocol::{Error, input};
use text::shown::shown;

/// Reads these settings from a table. Its other keys are read elsewhere.
pub(super) fn read<S: Declared>(table: &Table<'_>) -> Result<S, Error> {
    let mut settings = S::default();
    for (key, value) in table.entries() {
        let is_it =
            |row: &&Row<S>| outer(row.setting.key_in_file()) == key || row.setting.former == key;
        let rows = || S::table().filter(is_it);
        for row in rows() {
            let setting = &row.setting;
            if key == setting.former && table.get(setting.key).is_some() {
                return Err(value.error(&format!(
                    "is the former name of {}, which is given, too: remove it",
                    setting.key
                )));
            }
            match row.setting.key_in_file().split_once('.') {
                None => one(row, &value, &mut settings)?,
                Some((_, inner)) => {
                    let table = value.table()?;
                    let known: Vec<&str> = rows().filter_map(inner_key).collect();
                    table.only(&known)?;
                    table.get(inner).map_or(Ok(()), |value| one(row, &value, &mut settings))?;
                }
            }
        }
    }
    Ok(settings)
}

/// Reads the settings of a contender, which can have a body.
pub(super) fn of_contender(table: &Table<'_>) -> Result<Settings, Error> {
    let mut settings: Settings = read(table)?;
    let is_body = |row: &&Row<Settings>| row.setting.in_file == InFile::Body;
    let body = Settings::table().find(is_body);
    if let Some(value) = body.and_then(|row| table.get(row.setting.key)) {
        settings.body = Some(data(&value)?.into());
    }
    Ok(settings)
}

/// Returns the key inside the table of this setting, such as `max` of `pool.max`.
fn inner_key<S>(row: &Row<S>) -> Option<&'static str> {
    row.setting.key_in_file().split_once('.').map(|(_, inner)| inner)
}

fn one<S: Declared>(row: &Row<S>, value: &Value<'_>, settings: &mut S) -> Result<(), Error> {
    match row.setting.in_file {
        InFile::Switch => {
            let text = value.flag()?.to_string();
            row.set(settings, &text).map_err(|message| value.error(&message))
        }
        InFile::Texts => texts(row, value, settings),
        InFile::Statuses => statuses(row, value, settings),
        InFile::Processes if !value.is_texts() => Ok(()),
        InFile::Pids | InFile::Processes => words(row, value, settings),
        InFile::Headers => headers(row, value, settings),
        InFile::Mix => {
            let text = mix(value)?;
            row.set(settings, &text).map_err(|message| value.error(&message))
        }
        // A single text cannot express these: the callers read them from the table.
        InFile::Body | InFile::Commands | InFile::Nowhere => Ok(()),
        _ => value.quantity(|text| row.set(settings, text)),
    }
}

/// One text, or a list of them.
fn texts<S: Declared>(row: &Row<S>, value: &Value<'_>, settings: &mut S) -> Result<(), Error> {
    let all = if value.is_list() { value.list()? } else { vec![value.clone()] };
    all.iter().try_for_each(|value| {
        row.set(settings, value.word()?).map_err(|message| value.error(&message))
    })
}

/// One status, or a list of them.
fn statuses<S: Declared>(row: &Row<S>, value: &Value<'_>, settings: &mut S) -> Result<(), Error> {
    let all: Vec<String> = process::statuses(value)?.iter().map(u16::to_string).collect();
    row.set(settings, &all.join(",")).map_err(|message| value.error(&message))
}

/// One word, or a list of them.
fn words<S: Declared>(row: &Row<S>, value: &Value<'_>, settings: &mut S) -> Result<(), Error> {
    if !value.is_list() {
        return value.quantity(|text| row.set(settings, text));
    }
    let word = |value: &Value<'_>| value.quantity(|text| Ok::<_, String>(text.to_owned()));
    let all = value.list()?.iter().map(word).collect::<Result<Vec<_>, _>>()?;
    row.set(settings, &all.join(",")).map_err(|message| value.error(&message))
}

/// A mix as the text that flags take: `get=0.9,set=0.1`. In a file it can also be a table.
pub(super) fn mix(value: &Value<'_>) -> Result<String, Error> {
    if value.is_text() {
        return value.owned_word();
    }
    let shares =
        value.table()?.entries().into_iter().map(|(kind, weight)| {
            weight.quantity(|text| Ok::<_, String>(format!("{kind}={text}")))
        });
    let shares = shares.collect::<Result<Vec<_>, Error>>()?;
    if shares.is_empty() {
        return Err(value.error("the mix is empty: write { get = 0.9, set = 0.1 }"));
    }
    Ok(shares.join(","))
}

/// Name and value, or name and several values.
fn headers<S: Declared>(row: &Row<S>, value: &Value<'_>, settings: &mut S) -> Result<(), Error> {
    for (name, value) in value.table()?.entries() {
        let values = if value.is_list() { value.list()? } else { vec![value] };
        for value in values {
            let text = value.text_in(Scope::Attached)?.fill(&Values::default());
            let set = row.set(settings, &format!("{name}:{text}"));
            set.map_err(|message| value.error(&message))?;
        }
    }
    Ok(())
}

/// A text, or `@file` beside the experiment file.
fn data(value: &Value<'_>) -> Result<Vec<u8>, Error> {
    match value.word()?.strip_prefix('@') {
        Some(file) => {
            let read = input::plain(&value.source.directory.join(file), LARGEST_BODY);
            read.map_err(|why| value.error(&format!("the file {} {why}", shown(file))))
        }
        None => Ok(value.template_in(Scope::Attached)?.fill(&Values::default()).into_bytes()),
    }
}

#[cfg(test)]
mod tests;
