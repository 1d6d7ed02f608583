//! `tiebreak man`: manual pages, made from the same definitions as the help.

use crate::cli::{Cli, output_file, outputs};
use clap::{Command, CommandFactory, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use protocol::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use text::near;
use text::shown::shown;

const EXAMPLES: &str = "\
Examples:
  tiebreak man | man -l -
      read the page of tiebreak without installing it
  tiebreak man compare | man -l -
      the page of one subcommand
  tiebreak man --dir /usr/local/share/man/man1
      install all pages, for `man tiebreak`, `man tiebreak-compare` and so on";

/// Print a manual page, or write all of them into a directory
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ManArgs {
    /// Print the page of this subcommand instead of that of tiebreak
    #[arg(value_name = "SUBCOMMAND", conflicts_with = "dir")]
    subcommand: Option<String>,
    /// Write the pages of tiebreak and of all its subcommands into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

pub(in crate::cli) fn perform(args: &ManArgs) -> Result<(), Error> {
    let root = root();
    match (&args.subcommand, &args.dir) {
        (_, Some(dir)) => write_all(&root, dir),
        (Some(name), None) => outputs::print(&page(find(&root, name)?)),
        (None, None) => outputs::print(&page(&root)),
    }
}

/// The command line.
fn root() -> Command {
    let mut root = Cli::command();
    root.build();
    root
}

/// The subcommands that are not hidden.
fn subcommands(root: &Command) -> impl Iterator<Item = &Command> {
    root.get_subcommands().filter(|command| !command.is_hide_set())
}

fn find<'a>(root: &'a Command, name: &str) -> Result<&'a Command, Error> {
    subcommands(root).find(|command| command.get_name() == name).ok_or_else(|| {
        let meant = near::did_you_mean(name, subcommands(root).map(Command::get_name));
        Error::usage(format!(
            "there is no subcommand `{}`{meant}; `tiebreak --help` lists all",
            shown(name)
        ))
    })
}

fn write_all(root: &Command, dir: &Path) -> Result<(), Error> {
    if !dir.is_dir() {
        let dir = shown(dir.display().to_string());
        return Err(Error::usage(format!(
            "--dir {dir}: the directory does not exist; create it with mkdir -p"
        )));
    }
    for command in subcommands(root).chain([root]) {
        let file = dir.join(man(command).get_filename());
        output_file::create(&file)
            .and_then(|mut to| to.write_all(page(command).as_bytes()))
            .map_err(|error| {
                let file = shown(file.display().to_string());
                Error::failed(format!("the page {file} cannot be written: {error}"))
            })?;
    }
    Ok(())
}

fn man(command: &Command) -> Man {
    Man::new(command.clone()).source(concat!("tiebreak ", env!("CARGO_PKG_VERSION")))
}

/// One page, in roff.
fn page(command: &Command) -> String {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = render(command, &mut page);
    String::from_utf8_lossy(&page).into_owned()
}

/// Renders section by section, because `Man::render` would put examples into a
/// section `EXTRA` and fill their lines like prose.
fn render(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = man(command);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    let mut roff = Roff::new();
    after_help(&after.map(ToString::to_string).unwrap_or_default(), &mut roff);
    roff.to_writer(page)
}

/// Renders the text that follows the options in the help. A paragraph there begins with
/// its title and a colon; indented lines are kept as they are.
fn after_help(text: &str, roff: &mut Roff) {
    for paragraph in text.split("\n\n") {
        let (title, body) = match paragraph.split_once(':') {
            Some((title, body)) if !title.contains('\n') && !title.contains(". ") => {
                (Some(title), body)
            }
            _ => (None, paragraph),
        };
        match title {
            Some(title) => roff.control("SH", [title.to_uppercase().as_str()]),
            None => roff.control("PP", []),
        };
        let lines = body.lines().filter(|line| !line.is_empty());
        let (kept, prose): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("  "));
        for line in prose {
            roff.text([roman(line.trim())]);
        }
        if !kept.is_empty() {
            roff.control("nf", []);
            for line in kept {
                roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
            roff.control("fi", []);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_has_a_page_with_its_examples() {
        let root = root();
        for command in subcommands(&root).chain([&root]) {
            let page = page(command);
            let name = command.get_display_name().unwrap_or("tiebreak");
            for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXAMPLES\n.nf\n"] {
                assert!(page.contains(section), "{name}: {section}: {page}");
            }
            // In roff `\-` is a hyphen that is not turned into a dash.
            assert!(page.replace("\\-", "-").contains(&format!("{name} - ")), "{page}");
        }
    }

    #[test]
    fn what_follows_the_options_becomes_sections() {
        let mut roff = Roff::new();
        after_help(
            "Examples:\n  one\n      why\n\nExit codes: 0 good ·\n2 bad\n\nJust prose.",
            &mut roff,
        );
        let text = roff.to_roff();
        let sections = ".SH EXAMPLES\n.nf\none\n    why\n.fi\n.SH \"EXIT CODES\"\n0 good ·\n2 bad\n.PP\nJust prose.\n";
        assert!(text.ends_with(sections), "{text}");
    }

    #[test]
    fn a_slip_is_seen() {
        let error = find(&root(), "compair").map(|_| ()).unwrap_err();
        assert!(error.text.contains("did you mean `compare`?"), "{}", error.text);
    }
}
