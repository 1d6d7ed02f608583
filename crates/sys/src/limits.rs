//! Limits of this process, which the programs that it starts inherit.

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
};
use std::io;

/// Raises the soft limit of descriptors to the hard limit, and returns it.
///
/// # Errors
/// If the system refuses.
pub fn raise_descriptors() -> io::Result<u64> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    Ok(descriptors())
}

/// The soft limit of descriptors.
pub fn descriptors() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// From now on this process, and what it starts, leaves no core file: it would contain secrets.
///
/// # Errors
/// If the system refuses.
pub fn forbid_core_files() -> io::Result<()> {
    let maximum = getrlimit(Resource::Core).maximum;
    Ok(setrlimit(Resource::Core, Rlimit { current: Some(0), maximum })?)
}

/// From now on no other process of this user can read the memory and the environment of this process, and no
/// program that collects core dumps gets one. What it starts is not affected.
pub fn hide_memory() {
    // With this argument the call cannot fail.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
