//! `[published]`: the published experiment that a file repeats, and its method.

use crate::exit::Error;
use crate::launch::Method;
use crate::plan::experiment::command;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use record::Published;
use std::collections::BTreeMap;

/// Keys of the table.
pub(super) const KEYS: [&str; 5] = ["question", "article", "unit", "figures", "method"];
/// Keys of `method`.
pub(super) const METHOD_KEYS: [&str; 3] = ["run", "prints", "package"];

/// What the file says of an article.
#[derive(Clone)]
pub struct Article {
    /// What is recorded of it.
    pub published: Published,
    /// Its method. None if it is not to be run.
    pub method: Option<Method>,
}

/// Reads the table. Returns None if the file has none.
pub(super) fn read(root: &Table<'_>) -> Result<Option<Article>, Error> {
    let Some(value) = root.get("published") else { return Ok(None) };
    let table = value.table()?;
    table.only(&KEYS)?;
    let published = Published {
        question: needed(&table, "question")?,
        article: needed(&table, "article")?,
        unit: needed(&table, "unit")?,
        figures: table.get("figures").map(|value| figures(&value)).transpose()?.unwrap_or_default(),
        scale: None,
    };
    let method = table.get("method").map(|value| method(&value)).transpose()?;
    Ok(Some(Article { published, method }))
}

fn needed(table: &Table<'_>, key: &str) -> Result<String, Error> {
    match table.get(key) {
        Some(value) => value.word().map(str::to_owned),
        None => Err(table
            .error(&format!("`{key}` is missing: `question`, `article` and `unit` are needed"))),
    }
}

/// The published figures, by contender.
fn figures(value: &Value<'_>) -> Result<BTreeMap<String, f64>, Error> {
    let figure = |(name, value): (&str, Value<'_>)| {
        let parse = |text: &str| {
            let figure = text.parse::<f64>().ok().filter(|figure| figure.is_finite());
            figure.ok_or_else(|| "must be a number".to_owned())
        };
        Ok((name.to_owned(), value.quantity(parse)?))
    };
    value.table()?.entries().into_iter().map(figure).collect()
}

fn method(value: &Value<'_>) -> Result<Method, Error> {
    let table = value.table()?;
    table.only(&METHOD_KEYS)?;
    let Some(run) = table.get("run") else {
        return Err(table.error("`run` is missing: the program and its arguments"));
    };
    let Some(prints) = table.get("prints") else {
        return Err(table.error(
            "`prints` is missing: the words in front of the figure, such as \
             \"Requests per second:\"",
        ));
    };
    if prints.word()?.trim().is_empty() {
        return Err(prints.error("is empty: give the words in front of the figure"));
    }
    let package = table.get("package").map(|value| value.word().map(str::to_owned)).transpose()?;
    Ok(Method {
        command: command::read(&run, false, Scope::Method)?,
        prints: prints.word()?.to_owned(),
        package,
        folder: table.source.folder.clone(),
    })
}
