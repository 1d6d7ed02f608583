//! The revision of a repository that a contender was built from.

use serde::{Deserialize, Serialize};

/// A revision. Its subject and its author are texts of strangers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The id of the commit.
    pub id: String,
    /// The id as git shortens it.
    pub short: String,
    /// The first line of its message.
    pub subject: String,
    /// The name of its author.
    pub author: String,
    /// When it was written, as RFC 3339 with the author's offset.
    pub authored: String,
    /// What was added to the commit, if it is the working tree. None for the commit alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<WorkTree>,
    /// How often it was built, each time for replicates of its own (`--rebuilds`). 0 without that.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub rebuilds: u32,
}

/// How a working tree differs from its commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTree {
    /// Tracked files that differ, deleted ones included.
    pub changed_files: u64,
    /// Files that are neither tracked nor ignored.
    pub untracked_files: u64,
}
