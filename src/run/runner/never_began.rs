//! A run that ended before it drove anything leaves its directory to the next one.

use crate::run::journal;
use crate::run::journal::Reader;
use record::{EndReason, Event, Phase};
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
