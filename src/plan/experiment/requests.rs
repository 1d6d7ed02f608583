//! What is said about requests: the keys of `--set`, as a table.

use crate::exit::Error;
use crate::input;
use crate::plan::Settings;
use crate::plan::experiment::process::statuses;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::text::Values;
use crate::plan::settings;
use crate::shown::shown;

/// The keys.
pub(super) const KEYS: [&str; 20] = [
    "connections",
    "depth",
    "dialect",
    "locking",
    "fsync",
    "expires",
    "query",
    "charset",
    "protocol",
    "table",
    "pool",
    "reply",
    "reuse",
    "rate",
    "arrivals",
    "timeout",
    "expect",
    "method",
    "headers",
    "data",
];

pub(super) fn read(table: &Table<'_>) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    for (key, value) in table.entries() {
        match key {
            "expect" => settings.expect = Some(statuses(&value)?),
            "headers" => settings.headers = headers(&value)?,
            "data" => settings.body = Some(data(&value)?.into()),
            "connections" | "depth" | "dialect" | "reuse" | "rate" | "arrivals" | "timeout"
            | "locking" | "expires" | "method" | "query" | "charset" | "protocol" | "table" => {
                value.quantity(|text| settings.set(key, text))?;
            }
            "pool" => inner(key, &["max", "wait", "upkeep"], &value, &mut settings)?,
            "reply" => inner(key, &["max"], &value, &mut settings)?,
            "fsync" => {
                let flag = value.flag()?.to_string();
                settings.set(key, &flag).map_err(|message| value.error(&message))?;
            }
            _ => {}
        }
    }
    Ok(settings)
}

/// `pool = { max = 10, wait = "1s", upkeep = "reset" }`
fn inner(
    outer: &str,
    keys: &[&str],
    value: &Value<'_>,
    settings: &mut Settings,
) -> Result<(), Error> {
    let table = value.table()?;
    table.only(keys)?;
    for (key, value) in table.entries() {
        value.quantity(|text| settings.set(&format!("{outer}.{key}"), text))?;
    }
    Ok(())
}

/// Name and value, or name and several values.
fn headers(value: &Value<'_>) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut headers = Vec::new();
    for (name, value) in value.table()?.entries() {
        let values = if value.is_list() { value.list()? } else { vec![value] };
        for value in values {
            let text = value.text_in(Scope::Attached)?.fill(&Values::default());
            let header = settings::header(&format!("{name}:{text}"));
            headers.push(header.map_err(|message| value.error(&message))?);
        }
    }
    Ok(headers)
}

/// A text, or `@file` beside the experiment file.
fn data(value: &Value<'_>) -> Result<Vec<u8>, Error> {
    match value.word()?.strip_prefix('@') {
        Some(file) => {
            let read = input::plain(&value.source.folder.join(file), settings::LARGEST_BODY);
            read.map_err(|why| value.error(&format!("the file {} {why}", shown(file))))
        }
        None => Ok(value.template_in(Scope::Attached)?.fill(&Values::default()).into_bytes()),
    }
}
