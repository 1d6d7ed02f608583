//! `tiebreak setup`.

use super::packages;
use crate::cli::help;
use crate::cli::outputs;
use crate::plan::{self, Needs};
use crate::targets::launch::{Builds, Failed, LaunchCommand};
use crate::targets::software;
use crate::targets::software::{DownloadProgress, Fetched};
use protocol::{Error, Software};
use std::cell::Cell;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use text::shown::{shown, shown_sentence};

const EXAMPLES: &str = "\
Examples:
  tiebreak setup experiments/published/http-servers
      install what this experiment needs; without root, print the command for that";

fn after_help() -> String {
    EXAMPLES.to_owned() + &help::examples("setup", |of| of.setup)
}

/// Install what an experiment needs, or fetch software that Debian does not package
///
/// For an experiment file, or for all experiment files in a directory with an experiment.toml,
/// the missing Debian packages are installed with apt-get if tiebreak runs as root; otherwise
/// the command is printed. Debian starts most servers when their packages are installed. Then
/// the software that the experiment needs is fetched, and its `build` commands are run. It is
/// safe to repeat this command.
///
/// Software is fetched with `mvn` into $XDG_CACHE_HOME/tiebreak/software, or
/// ~/.cache/tiebreak/software, and the checksum of every file is verified. Software that is
/// there already is not fetched again. What an experiment builds is in the directory `built`
/// beside `software`. To uninstall either, delete its directory.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(in crate::cli) struct SetupArgs {
    /// Software that recipes need, or an experiment
    #[arg(value_name = "NAME|FILE.toml|DIR")]
    what: String,
    /// Allow an experiment file outside the current directory
    #[arg(long)]
    allow_file: bool,
}

pub(in crate::cli) fn perform(args: &SetupArgs) -> Result<(), Error> {
    if !args.what.contains('/') && !args.what.ends_with(".toml") {
        return fetch(software::of_setup(&args.what).map_err(Error::usage)?);
    }
    let needs = plan::needs(&args.what, args.allow_file)?;
    packages::install(&needs.missing)?;
    fetch(needs.software.clone())?;
    build(&needs)?;
    outputs::print("everything that the experiment needs is installed\n")
}

fn fetch(wanted: Vec<&'static Software>) -> Result<(), Error> {
    for software in wanted {
        let progress = Progress::of(software);
        let fetched = software::fetch(software, &|news| progress.show(news));
        progress.end();
        let (directory, when) = match fetched? {
            Fetched::Now(directory) => (directory, "is"),
            Fetched::Before(directory) => (directory, "was already"),
        };
        let directory = shown(directory.as_os_str().as_encoded_bytes());
        outputs::print(&format!("{} {when} in {directory}\n", software.shown()))?;
    }
    Ok(())
}

/// Runs the `build` commands. Each is announced before it begins, because it may take minutes.
fn build(needs: &Needs) -> Result<(), Error> {
    let announce = |command: &LaunchCommand, directory: &Path| {
        let directory = shown(directory.as_os_str().as_encoded_bytes());
        let text = shown_sentence(format!("building in {directory}: {command}"));
        // A closed standard error is no reason to stop.
        let _ = stderr().write_all(format!("{text}\n").as_bytes());
    };
    let mut builds = Builds::new(&needs.secrets, &|| false, &announce);
    let mut all = || -> Result<(), Failed> {
        needs.launches.iter().try_for_each(|launch| builds.run(launch))?;
        needs
            .programs
            .iter()
            .try_for_each(|(name, program)| builds.run_in(name, &program.directory, &program.build))
    };
    all().map_err(|failed| match failed {
        Failed::Error(error) => error,
        Failed::Stopped => Error::failed("the build was stopped"),
    })
}

/// Shows the progress: in one line that changes on a terminal, in a few lines elsewhere.
struct Progress {
    what: String,
    is_terminal: bool,
    /// The number of files that was shown last.
    files: Cell<usize>,
    /// Whether the line on the terminal must still be cleared.
    is_open: Cell<bool>,
}

impl Progress {
    fn of(software: &Software) -> Progress {
        Progress {
            what: software.shown(),
            is_terminal: stderr().is_terminal(),
            files: Cell::new(0),
            is_open: Cell::new(false),
        }
    }

    fn show(&self, news: DownloadProgress) {
        let what = &self.what;
        let text = match news {
            DownloadProgress::Waits => {
                format!("{what}: another tiebreak is fetching; waiting for it")
            }
            DownloadProgress::Begins => format!("{what}: fetching with mvn"),
            DownloadProgress::Files(count)
                if !self.is_terminal || self.files.replace(count) == count =>
            {
                return;
            }
            DownloadProgress::Files(count) => {
                format!("{what}: fetching with mvn, {count} files so far")
            }
            DownloadProgress::Checks => format!("{what}: comparing checksums"),
        };
        let text = if self.is_terminal { format!("\r{text}\x1b[K") } else { format!("{text}\n") };
        self.is_open.set(self.is_terminal);
        // A closed standard error is no reason to stop.
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Clears the line on the terminal.
    fn end(&self) {
        if self.is_open.take() {
            let _ = stderr().write_all(b"\r\x1b[K");
        }
    }
}
