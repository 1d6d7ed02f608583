//! What can be driven by several machines.

use crate::plan::MOST_COUNTERS;
use protocol::Error;
use record::{Address, Contender};

/// Checks a plan that agents drive. With 0 agents, this process drives alone.
///
/// # Errors
/// If something in it cannot be shared among agents.
pub(in crate::plan) fn check(
    agents: u32,
    contenders: &[Contender],
    workers: usize,
    fewest_connections: u32,
) -> Result<(), Error> {
    if agents == 0 {
        return Ok(());
    }
    for contender in contenders {
        let name = &contender.name;
        let why = match &contender.address {
            Address::Directory(_) => "files are local to one machine",
            Address::Program => "a program (exec:) runs on one machine",
            Address::Unix(_) => "a unix socket is reached on one machine only",
            Address::Tcp(_) | Address::Nodes(_) => continue,
        };
        return Err(Error::usage(format!(
            "`{name}` cannot be driven by agents: {why}; leave out --agents"
        )));
    }
    if fewest_connections < agents * workers.max(1) as u32 {
        return Err(Error::usage(format!(
            "{agents} agents with {workers} workers each need at least {} connections, and one \
             contender has only {fewest_connections}: raise --connections or lower --cores",
            agents as usize * workers
        )));
    }
    let groups = contenders.iter().map(|contender| contender.groups.len().max(1)).max();
    let counters = agents as usize * workers.max(1) * groups.unwrap_or(1);
    if counters > MOST_COUNTERS {
        return Err(Error::usage(format!(
            "{agents} agents with {workers} workers each are too many: agents × workers × groups \
             of operations is {counters}, and at most {MOST_COUNTERS} are supported; lower --cores"
        )));
    }
    Ok(())
}
