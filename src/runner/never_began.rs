//! A run that ended before it drove anything leaves its directory to the next one.

use super::run_directory::{LOGS, REPORTS};
use crate::journal::{self, Reader};
use record::{EndReason, Event, Phase};
use std::fs;
use std::io;
use std::path::Path;

/// Whether the journal in this directory is that of a run that ended early and loaded or drove nothing. A journal
/// without an end may still be written.
pub(super) fn found(directory: &Path) -> bool {
    let file = directory.join(journal::FILE);
    // Links are left where they are: somebody else may have put them there.
    if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(mut journal) = Reader::open(&file) else { return false };
    while let Ok(Some(event)) = journal.next_event() {
        match event {
            Event::Trial(trial) if !matches!(trial.phase, Phase::Ready | Phase::Null) => {
                return false;
            }
            Event::Loaded(_) => return false,
            Event::End(end) => return end.reason != EndReason::Complete,
            _ => {}
        }
    }
    false
}

/// Removes what such a run wrote.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    for name in REPORTS.into_iter().chain([journal::FILE]) {
        unless_missing(fs::remove_file(directory.join(name)))?;
    }
    unless_missing(fs::remove_dir_all(directory.join(LOGS)))
}

fn unless_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
