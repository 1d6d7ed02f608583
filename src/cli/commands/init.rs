//! `tiebreak init`.

use crate::cli::outputs;
use crate::plan::against;
use crate::plan::first_file::{first_file, recognised};
use crate::system::repository::Repository;
use protocol::Error;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use text::shown::shown_sentence;

const EXAMPLES: &str = "\
Examples:
  tiebreak init
      in the root of your repository; then `tiebreak compare --against HEAD~1`";

/// Write a first tiebreak.toml for the project in this directory
///
/// It looks at Cargo.toml, go.mod, package.json, pyproject.toml, requirements.txt, Makefile and Dockerfile,
/// and at files in Python where there is none of these: how the project is built, whether it has benchmarks, is a
/// server or a program, and how a server gets its port. Every line of the file is explained in it, and what
/// could not be known is said. Nothing is run, and an existing file is not changed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct InitArgs {}

pub(in crate::cli) fn perform() -> Result<(), Error> {
    let here = Path::new(".");
    let name = against::FILE;
    let Some(file) = first_file(here) else {
        return Err(Error::usage(format!(
            "nothing is here that tiebreak can read a build from ({}): write {name} yourself, as \
             `tiebreak help revisions` shows",
            recognised().join(", ")
        )));
    };
    let created = OpenOptions::new().write(true).create_new(true).open(here.join(name));
    let written = created.and_then(|mut created| created.write_all(file.text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::usage(format!(
            "{name} exists already and is not changed: `tiebreak check --against HEAD` shows what it does"
        )),
        _ => Error::failed(format!("{name} cannot be written: {error}")),
    })?;
    let mut text = format!("wrote {name} from {}\n", shown_sentence(&file.found));
    for unknown in &file.unknown {
        text += &format!("not known: {}\n", shown_sentence(unknown));
    }
    text += &format!("next: {}\n", next(here));
    outputs::print(&text)
}

fn next(here: &Path) -> String {
    let name = against::FILE;
    let Ok(repository) = Repository::containing(here) else {
        return format!(
            "git init, and a first commit; then tiebreak compare {name} --against HEAD"
        );
    };
    let at_top = here.canonicalize().is_ok_and(|here| here == repository.top());
    let file = if at_top { String::new() } else { format!("{name} ") };
    let before = if repository.commit("HEAD~1").is_ok() { "HEAD~1" } else { "HEAD" };
    format!("tiebreak compare {file}--against {before}")
}
