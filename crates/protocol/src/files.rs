//! Directories in which the generator itself reads and writes files.

use crate::{Access, Own};
use engine::{EngineError, Numbers};
use record::Workload;
use std::path::Path;

type Open = fn(&Path, &Own, Numbers) -> Result<Box<dyn Access>, EngineError>;
type Facts = fn(&Path, &Own) -> Result<Vec<(String, String)>, EngineError>;

/// The properties of files beyond those of every protocol.
pub struct Files {
    /// How many descriptors a directory needs in addition to its connections.
    pub descriptors: u64,
    /// Why a contender cannot have a workload, to follow its name. None if it can.
    pub refuses: fn(&Workload) -> Option<&'static str>,
    /// Opens a directory, with the settings and the numbers of a contender.
    pub open: Open,
    /// Names and values of the facts without which figures of a directory say little.
    pub facts: Facts,
}
