//! `[published]`: the published experiment that a file reproduces, and its method.

use crate::plan::experiment::command;
use crate::plan::experiment::contender::Contender;
use crate::plan::experiment::scope::Scope;
use crate::plan::experiment::table::{Table, Value};
use crate::plan::experiment::target::Target;
use crate::targets::launch;
use protocol::Error;
use record::Published;
use std::collections::BTreeMap;

/// Keys of the table.
pub(super) const KEYS: [&str; 5] = ["question", "article", "unit", "figures", "method"];
pub(super) const METHOD_KEYS: [&str; 3] = ["run", "prints", "package"];

/// The method of measurement of the article.
#[derive(Clone)]
pub enum Method {
    /// A command, which is run once against each server and each directory.
    Command(launch::Method),
    /// One run of each program.
    OneRun,
}

/// The text for `OneRun` in a file.
pub(super) const ONE_RUN: &str = "one run";

/// The description of an article.
#[derive(Clone)]
pub struct Article {
    /// The part that is recorded.
    pub published: Published,
    /// Its method, or None if the file gives none.
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
        figures: table.read("figures", figures)?.unwrap_or_default(),
        scale: None,
    };
    let method = table.read("method", method)?;
    Ok(Some(Article { published, method }))
}

/// Checks that the method fits the contenders.
///
/// # Errors
/// When a command has no address to run against, or there is no program to run.
pub(super) fn check(
    root: &Table<'_>,
    article: Option<&Article>,
    contenders: &[Contender],
) -> Result<(), Error> {
    let Some(method) = article.and_then(|article| article.method.as_ref()) else { return Ok(()) };
    let is_program = |contender: &&Contender| matches!(contender.target, Target::Program(_));
    let why = match method {
        Method::OneRun => contenders.iter().find(|contender| !is_program(contender)).map(|contender| {
            format!(
                "\"{ONE_RUN}\" requires programs (exec:), and `{}` is not one: give a table with \
                 `run` and `prints`",
                contender.name
            )
        }),
        Method::Command(_) => contenders.iter().all(|contender| is_program(&contender)).then(|| {
            format!(
                "programs (exec:) have no address that a command could be run against: write \
                 \"{ONE_RUN}\", which runs each program once"
            )
        }),
    };
    let Some(why) = why else { return Ok(()) };
    let table = root.read("published", Value::table)?;
    let value = table.as_ref().and_then(|table| table.get("method"));
    Err(value.map_or_else(|| root.error(&why), |value| value.error(&why)))
}

fn needed(table: &Table<'_>, key: &str) -> Result<String, Error> {
    table.needed(key, "`question`, `article` and `unit` are required")?.owned_word()
}

/// Reads the published figures, by contender.
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
    if value.is_text() {
        return match value.word()? {
            ONE_RUN => Ok(Method::OneRun),
            _ => Err(value.error(
                "must be a table with `run` and `prints`, or \"one run\", which runs each program \
                 (exec:) once",
            )),
        };
    }
    let table = value.table()?;
    table.only(&METHOD_KEYS)?;
    let run = table.needed("run", "give the program and its arguments")?;
    let what = "give the words in front of the figure, such as \"Requests per second:\"";
    let prints = table.needed("prints", what)?;
    if prints.word()?.trim().is_empty() {
        return Err(prints.error("is empty: give the words in front of the figure"));
    }
    let package = table.read("package", Value::owned_word)?;
    Ok(Method::Command(launch::Method {
        command: command::read(&run, false, Scope::Method)?,
        prints: prints.word()?.to_owned(),
        package,
        directory: table.source.directory.clone(),
    }))
}
