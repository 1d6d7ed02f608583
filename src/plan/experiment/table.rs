//! Typed reading of TOML that keeps the position of every value.

use crate::plan::experiment::source::Source;
use crate::plan::settings::spelling;
use crate::targets::launch::Text;
use protocol::Error;
use std::ops::Range;
use text::shown::shown;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table, and the path of keys that leads to it.
#[derive(Clone)]
pub(super) struct Table<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) path: String,
    table: &'a DeTable<'a>,
    at: Range<usize>,
    defaults: Defaults<'a>,
}

/// Other tables in which some keys are looked up if a table does not have them.
#[derive(Clone, Default)]
struct Defaults<'a> {
    keys: Vec<&'static str>,
    tables: Vec<Table<'a>>,
}

/// A value, and the path of keys that leads to it.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) path: String,
    value: &'a DeValue<'a>,
    at: Range<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn root(source: &'a Source<'a>, root: &'a Spanned<DeTable<'a>>) -> Table<'a> {
        let (table, at) = (root.get_ref(), root.span());
        Table { source, path: String::new(), table, at, defaults: Defaults::default() }
    }

    /// Returns the same table, but [`Table::get`] looks up these keys also in others; the first
    /// that has the key is used. Errors name the position of the value itself.
    pub(super) fn over(&self, tables: &[Table<'a>], keys: Vec<&'static str>) -> Table<'a> {
        Table { defaults: Defaults { keys, tables: tables.to_vec() }, ..self.clone() }
    }

    /// Makes an error about the table as a whole.
    pub(super) fn error(&self, message: &str) -> Error {
        self.source.error(&self.at, &self.path, message)
    }

    /// Makes an error about a key, or about the table as a whole if it lacks the key.
    pub(super) fn error_at(&self, key: &str, message: &str) -> Error {
        self.get(key).map_or_else(|| self.error(message), |value| value.error(message))
    }

    /// Reads the value of a key, if the table has it.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Value<'a>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.get(key).map(|value| read(&value)).transpose()
    }

    /// Returns the value of a key that must be given. `what` says what for.
    pub(super) fn needed(&self, key: &str, what: &str) -> Result<Value<'a>, Error> {
        self.get(key).ok_or_else(|| self.error(&format!("`{key}` is missing: {what}")))
    }

    /// Returns keys and values in the order of the file.
    pub(super) fn entries(&self) -> Vec<(&'a str, Value<'a>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let key: &'a std::borrow::Cow<'a, str> = key.get_ref();
            (key.as_ref(), self.value(key, value))
        };
        entries.into_iter().map(entry).collect()
    }

    fn value(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Value<'a> {
        let path = join(&self.path, key);
        Value { source: self.source, path, value: value.get_ref(), at: value.span() }
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'a>> {
        let own = self.table.get(key).map(|value| self.value(key, value));
        let Defaults { keys, tables } = &self.defaults;
        own.or_else(|| {
            if keys.contains(&key) { tables.iter().find_map(|table| table.get(key)) } else { None }
        })
    }

    /// Refuses keys other than these; the error names the first in the order of the file.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Error> {
        let mut keys: Vec<_> = self.table.iter().map(|(key, _)| key).collect();
        keys.sort_by_key(|key| key.span().start);
        let unknown = keys.into_iter().find(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown else { return Ok(()) };
        let meant = spelling::did_you_mean(key.get_ref(), known);
        let path = join(&self.path, key.get_ref());
        let message = format!("this key is not known{meant}");
        Err(self.source.error(&key.span(), &path, &message))
    }
}

pub(super) fn join(path: &str, key: &str) -> String {
    match path {
        "" => shown(key),
        path => format!("{path}.{}", shown(key)),
    }
}

impl<'a> Value<'a> {
    pub(super) fn error(&self, message: &str) -> Error {
        self.source.error(&self.at, &self.path, message)
    }

    fn not(&self, wanted: &str) -> Error {
        self.error(&format!("must be {wanted}, not {}", kind(self.value)))
    }

    /// Returns a text unchanged, without secrets or placeholders.
    pub(super) fn word(&self) -> Result<&'a str, Error> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.not("a text")),
        }
    }

    pub(super) fn owned_word(&self) -> Result<String, Error> {
        self.word().map(str::to_owned)
    }

    /// Reads a text that may contain secrets and placeholders.
    pub(super) fn text(&self) -> Result<Text, Error> {
        self.source.text(&self.at, &self.path, self.word()?)
    }

    /// Reads a quantity: a text, or a number if no unit is needed.
    pub(super) fn quantity<T, E: ToString>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, Error> {
        let text = match self.value {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return Err(self.not("a text or a number")),
        };
        parse(&text).map_err(|error| self.error(&error.to_string()))
    }

    pub(super) fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.not("true or false"))
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// Whether it is a text, or a list that begins with one.
    pub(super) fn is_texts(&self) -> bool {
        let first = self.value.as_array().and_then(|list| list.iter().next());
        first.map_or(self.value, |first| first.get_ref()).is_str()
    }

    /// Returns the values of a list, each with its position.
    pub(super) fn list(&self) -> Result<Vec<Value<'a>>, Error> {
        let DeValue::Array(list) = self.value else { return Err(self.not("a list")) };
        let value = |(at, value): (usize, &'a Spanned<DeValue<'a>>)| Value {
            source: self.source,
            path: format!("{}[{at}]", self.path),
            value: value.get_ref(),
            at: value.span(),
        };
        Ok(list.iter().enumerate().map(value).collect())
    }

    pub(super) fn table(&self) -> Result<Table<'a>, Error> {
        let DeValue::Table(table) = self.value else { return Err(self.not("a table")) };
        let (source, path, at) = (self.source, self.path.clone(), self.at.clone());
        Ok(Table { source, path, table, at, defaults: Defaults::default() })
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
