//! Whether a target that runs already is in sight: its processes, and the
//! cores that they may use.

use super::find::{self, Found};
use super::process::OutOfSight;
use crate::cores;
use record::Address;

/// The processes of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The topmost ones.
    pub found: Found,
    /// Cores that any of those may use, ascending; empty: not known.
    pub cores: Vec<u32>,
}

/// Looks for what serves this address; `pid` names the process itself.
///
/// # Errors
/// When it is out of sight, and why.
pub fn look(address: &Address, pid: Option<u32>) -> Result<Sight, OutOfSight> {
    let found = match pid {
        Some(pid) => find::process(pid)?,
        None => find::serving(address)?,
    };
    let of = |pid: u32| cores::allowed_to(pid).unwrap_or_default();
    let mut cores: Vec<u32> = found.pids().into_iter().flat_map(of).collect();
    cores.sort_unstable();
    cores.dedup();
    Ok(Sight { found, cores })
}
