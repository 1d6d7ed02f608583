//! `tiebreak recipes`.

use crate::cli::outputs;
use crate::plan::experiment::Target;
use crate::plan::recipes;
use crate::targets::launch;
use protocol::Error;
use protocol::Recipe;
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  tiebreak recipes
      all recipes, and what this machine lacks for them
  tiebreak recipes nginx > mine.toml
      the text of a recipe, as a start for your own
  tiebreak compare nginx lighttpd
      launch two of them and compare them";

/// List the servers that can be launched by name
///
/// Each recipe serves a page of 87 bytes, or a directory, on a free port of 127.0.0.1. Its files
/// are in a temporary directory; the configuration of the system is not changed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct RecipesArgs {
    /// Print this recipe
    name: Option<String>,
}

pub(in crate::cli) fn perform(args: &RecipesArgs) -> Result<(), Error> {
    let text = match &args.name {
        None => list(),
        Some(name) => match recipes::find(name) {
            Some(recipe) => recipe.text.to_owned(),
            None => return Err(Error::usage(recipes::unknown(name))),
        },
    };
    outputs::print(&text)
}

fn list() -> String {
    let width = recipes::names().map(str::len).max().unwrap_or(0);
    let mut text = String::new();
    for recipe in recipes::all() {
        let missing =
            missing(recipe).map_or(String::new(), |why| format!("\n{:width$}  ({why})", ""));
        let (name, about) = (recipe.name, recipes::about(recipe));
        writeln!(text, "{name:width$}  {about}{missing}").expect("writing to a string");
    }
    text
}

/// What this machine lacks for a recipe. None if it lacks nothing.
fn missing(recipe: Recipe) -> Option<String> {
    match recipes::contender(recipe).target {
        Target::Launched(launch) => launch::missing(&launch),
        Target::Attached { .. } | Target::Program(_) => None,
    }
}
