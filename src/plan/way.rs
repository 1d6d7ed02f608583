//! How each contender of a plan is accessed.

use crate::access::Access;
use crate::exec::Program;
use crate::launch::Launch;
use crate::plan::Settings;
use crate::plan::local;
use crate::targets::sight::Sight;
use keeper::process::OutOfSight;

/// How a contender is accessed. No `Debug`: it holds secrets.
pub enum Way {
    /// Its target is already running.
    Attached {
        /// How to talk to it.
        access: Access,
        /// Its processes, or why they cannot be observed.
        sight: Result<Sight, OutOfSight>,
    },
    /// Its target is launched.
    Launched {
        /// How.
        launch: Box<Launch>,
        /// How it is talked to.
        settings: Settings,
    },
    /// The generator works on its files.
    Files(local::Directory),
    /// A program that is run repeatedly.
    Program {
        /// What is run.
        program: Box<Program>,
    },
}
