//! `tiebreak clean`.

use crate::cli::outputs;
use crate::targets::revisions;
use protocol::Error;
use text::shown::shown;
use text::units::{bytes, counted};

const EXAMPLES: &str = "\
Examples:
  tiebreak clean
      remove what `tiebreak compare --against` has built";

/// Remove the builds of revisions that are kept in your cache
///
/// `tiebreak compare --against` keeps what it built from a commit in $XDG_CACHE_HOME/tiebreak/revisions
/// or ~/.cache/tiebreak/revisions: at most 10 GB, those that were used longest ago are removed first.
/// This removes all of them but those that a running tiebreak uses, and nothing that tiebreak did
/// not make.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct CleanArgs {}

pub(in crate::cli) fn perform() -> Result<(), Error> {
    let removed = revisions::clean().map_err(Error::failed)?;
    let directory = shown(removed.directory.display().to_string());
    let builds = counted(removed.snapshots, "build");
    let mut text = format!("removed {builds} ({}) from {directory}\n", bytes(removed.bytes));
    if removed.used > 0 {
        let used = counted(removed.used, "build");
        text += &format!("left {used} that another tiebreak uses\n");
    }
    outputs::print(&text)?;
    match removed.failed.first() {
        Some(failed) => Err(Error::failed(format!("{} cannot be removed", shown(failed)))),
        None => Ok(()),
    }
}
