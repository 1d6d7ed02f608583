//! The experiment file: a comparison that anyone can run again.
//!
//! ```toml
//! contenders = ["nginx", "mine"]
//! rounds = 10
//!
//! [defaults]
//! connections = 500
//!
//! [contender.nginx]
//! recipe = "nginx"
//!
//! [contender.mine]
//! prepare = [["make", "server"]]
//! launch = ["./server", "--port", "{port}"]
//! env = { TOKEN = "${TOKEN}" }
//! ready = { expect = 200, timeout = "30s" }
//! ```
//!
//! `schema/experiment.v1.json` describes it to editors. Every key is checked here before anything
//! is launched; errors name the file, the line and the key.

pub(super) mod feeds;
mod figures;

mod choices;
mod command;
mod contender;
mod contents;
mod custom;
mod declared;
mod groups;
mod launch_keys;
mod launched;
mod placeholders;
mod process;
mod program;
mod published;
pub mod recipes;
mod run;
mod scale;
mod scope;
mod source;
mod suites;
mod table;
mod target;

#[cfg(test)]
mod custom_tests;
#[cfg(test)]
mod defaults_tests;
#[cfg(test)]
mod published_tests;
#[cfg(test)]
mod schema_entries_tests;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod tests;

pub use contender::{Contender, keys as contender_keys};
pub use contents::contents;
pub use published::{Article, Method};
pub use run::RunInput;
pub use source::{FileText, IN_A_DIRECTORY, LARGEST, others_in};
pub use target::Target;

use crate::plan::WorkloadSettings;
use crate::targets::launch::{EnvLookup, Secret};
use protocol::Error;
use source::Source;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use table::Table;
use target::Defaults;
use text::near;
use toml::de::DeTable;

/// Top-level keys that are not settings of the run.
const TABLES: [&str; 5] = ["contenders", "defaults", "contender", "published", "scale"];

/// An experiment as its file describes it. No `Debug`: it can hold secrets.
#[derive(Clone)]
pub struct Experiment {
    /// The file as it was named.
    pub file: PathBuf,
    /// Its directory, absolute: paths in the file start here.
    pub directory: PathBuf,
    /// The contenders, in the order in which they are compared.
    pub contenders: Vec<Contender>,
    /// The settings that the flags of `tiebreak compare` can also set.
    pub run: RunInput,
    /// The article that it reproduces.
    pub article: Option<Article>,
    /// Every secret in the file, to be removed from logs.
    pub secrets: Vec<Secret>,
}

impl Experiment {
    /// Parses a file, at one of its scales if that is given.
    ///
    /// # Errors
    /// When it is not valid. The message has the form `file:line: key: problem and remedy`.
    pub fn parse(
        file: &FileText,
        scale: Option<&str>,
        environment: EnvLookup<'_>,
    ) -> Result<Experiment, Error> {
        parse(&Source::of_file(file, environment), scale)
    }
}

/// Whether the file is outside this directory and those below it, so that running it requires
/// `--allow-file`.
pub fn is_outside(file: &Path, current: &Path) -> bool {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    !absolute(file).starts_with(absolute(current))
}

fn parse(source: &Source<'_>, scale: Option<&str>) -> Result<Experiment, Error> {
    let root = DeTable::parse(source.text).map_err(|error| malformed(source, &error))?;
    let root = Table::root(source, &root);
    root.only(&[&TABLES[..], &run::keys()].concat())?;
    let run = RunInput::read(&root)?;
    let defaults = root.read("defaults", |value| Defaults::read(&value.table()?))?;
    let defaults = defaults.unwrap_or_default();
    let scales = scale::read(&root)?;
    // All scales are read, not only the selected one, so that a mistake in any is reported.
    for scale in &scales {
        described(&root, &scale.defaults.clone().over(defaults.clone()))?;
    }
    let (run, defaults) = match scale {
        Some(scale) => scale::apply(&root, scale, scales, run, defaults)?,
        None => (run, defaults),
    };
    let mut article = published::read(&root)?;
    if let Some(article) = &mut article {
        article.published.scale = scale.map(str::to_owned);
    }
    let described = described(&root, &defaults)?;
    let contenders = match root.get("contenders") {
        Some(list) => chosen(&list, &described, &defaults)?,
        None => described,
    };
    if contenders.is_empty() {
        return Err(root.error("there is no contender: describe one as [contender.NAME]"));
    }
    suites::check(&root, &contenders)?;
    published::check(&root, article.as_ref(), &contenders)?;
    let file = PathBuf::from(&source.name);
    let secrets = source.secrets.take();
    let directory = source.directory.clone();
    Ok(Experiment { file, directory, contenders, run, article, secrets })
}

fn described(root: &Table<'_>, defaults: &Defaults<'_>) -> Result<Vec<Contender>, Error> {
    let tables = root.read("contender", |contenders| Ok(contenders.table()?.entries()))?;
    let tables = tables.unwrap_or_default();
    let (mut described, mut is_any_launched) = (Vec::new(), false);
    for (name, value) in tables {
        let table = value.table()?;
        is_any_launched |= contender::is_launched(&table, defaults);
        described.push(contender::read(name, &table, defaults)?);
    }
    match defaults.of_launches() {
        Some(idle) if !is_any_launched => Err(idle.error(
            "this key is only for contenders that the file launches, but none of them has a \
             `launch` or a `process`",
        )),
        _ => Ok(described),
    }
}

/// Parses a file that describes one contender only, as recipes do.
pub(super) fn parse_one(name: &str, file: &str, text: &str) -> Result<Contender, Error> {
    let directory = PathBuf::from("/");
    let (name_of_file, secrets) = (file.to_owned(), RefCell::default());
    let source = Source { name: name_of_file, directory, text, environment: &|_| None, secrets };
    let root = DeTable::parse(text).map_err(|error| malformed(&source, &error))?;
    contender::read(name, &Table::root(&source, &root), &Defaults::default())
}

/// Parses a file that contains only a `[workload]`, as presets do.
pub(super) fn workload_alone(file: &str, text: &str) -> Result<WorkloadSettings, Error> {
    let (name, secrets) = (file.to_owned(), RefCell::default());
    let source =
        Source { name, directory: PathBuf::from("/"), text, environment: &|_| None, secrets };
    let root = DeTable::parse(text).map_err(|error| malformed(&source, &error))?;
    run::workload_asked(&Table::root(&source, &root))
}

/// The contenders that `contenders` names: tables of this file, or recipes.
fn chosen(
    list: &table::Value<'_>,
    described: &[Contender],
    defaults: &Defaults<'_>,
) -> Result<Vec<Contender>, Error> {
    let mut chosen: Vec<Contender> = Vec::new();
    for value in list.list()? {
        let name = value.word()?;
        if chosen.iter().any(|contender| contender.name == name) {
            return Err(value.error(&format!("`{name}` is named twice")));
        }
        let known = described.iter().find(|contender| contender.name == name).cloned();
        let Some(contender) = known.or_else(|| contender::only_recipe(name, defaults)) else {
            let mut known_names: Vec<&str> = recipes::names().collect();
            known_names.extend(described.iter().map(|contender| contender.name.as_str()));
            let meant = near::did_you_mean(name, known_names);
            let message = format!(
                "there is no [contender.{name}], and no recipe of that name ({}){meant}",
                recipes::names().collect::<Vec<_>>().join(", ")
            );
            return Err(value.error(&message));
        };
        chosen.push(contender);
    }
    Ok(chosen)
}

/// Makes an error of the TOML parser's message. Its full text would quote the line, which can hold
/// a secret.
fn malformed(source: &Source<'_>, error: &toml::de::Error) -> Error {
    let at = error.span().unwrap_or(0..0);
    source.error(&at, "", &format!("the file is not valid TOML: {}", error.message()))
}
