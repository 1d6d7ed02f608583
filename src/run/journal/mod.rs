//! The journal: JSON Lines, one event a line.
//!
//! A line is `{"seq":n,"sum":"…","event":{…}}`. `seq` counts from 0 without a gap; `sum` is FNV-1a
//! (64 bits, 16 hex digits) of the exact text of `event`, so a line that is incomplete or was
//! changed by hand is detected.

mod read;
mod version_2;
mod write;

pub use read::Reader;
pub use write::Writer;

/// The file's name in the directory of a run.
pub const FILE: &str = "journal.jsonl";

#[cfg(test)]
mod tests;
