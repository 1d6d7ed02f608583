//! What contenders of all protocols have in common.

pub(super) mod access;
pub(super) mod agents;
pub(super) mod chat;
pub(super) mod database;
pub(super) mod destructive;
pub(super) mod gather;
pub mod groups;
pub(super) mod local;
pub(super) mod messages;
pub(super) mod request;
pub(super) mod store;
pub(super) mod watched;

use crate::plan::Settings;
use crate::plan::contender::gather::Candidate;
use crate::plan::{Command, Spec};
use protocol::address::Url;
use protocol::{Error, Protocol};
use record::{Address, Consistency, Contender, Intensity, RequestPlan, Sharding};
use std::time::Duration;

/// The default number of connections.
pub(super) const CONNECTIONS: u32 = 64;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Makes a contender at this address, without the parts that are specific to its protocol.
pub(super) fn contender(
    spec: &Spec,
    candidate: &Candidate,
    address: Address,
    asks: RequestPlan,
) -> Result<Contender, Error> {
    let Candidate { name, url, settings, .. } = candidate;
    let timeout = settings.timeout.unwrap_or(TIMEOUT);
    Ok(Contender {
        name: name.clone(),
        target: url.recorded(),
        revision: None,
        launch: Vec::new(),
        address,
        watch: None,
        asks,
        intensity: Intensity {
            connections: settings.connections.unwrap_or(CONNECTIONS),
            depth: settings.depth.unwrap_or(1),
            arrivals: settings.arrivals().map_err(Error::usage)?,
        },
        reuse: settings.policy(timeout).map_err(Error::usage)?,
        timeout_ns: timeout.as_nanos() as u64,
        // `compare --operations` is about programs.
        operations: spec.run.operations.filter(|_| spec.command == Command::Run),
        tls: None,
        consistency: consistency(url.protocol, settings).map_err(Error::usage)?,
        replication: (!url.protocol.consistency.is_empty()).then(|| settings.replication()),
        sharding: sharding(url, settings).map_err(Error::usage)?,
        groups: Vec::new(),
    })
}

/// The consistency level that each operation asks for. Returns None if the protocol has no
/// levels.
///
/// # Errors
/// When the protocol does not have the level; the message lists those that it has.
pub(super) fn consistency(
    protocol: &Protocol,
    settings: &Settings,
) -> Result<Option<Consistency>, String> {
    match settings.consistency {
        Some(level) if !protocol.consistency.contains(&level) => {
            let known: Vec<&str> = protocol.consistency.iter().map(|level| level.name()).collect();
            let (name, level) = (protocol.name, level.name());
            let known = known.join(", ");
            Err(format!(
                "{name} does not support the consistency level {level}; it supports {known}"
            ))
        }
        given => Ok(given.or(protocol.consistency.first().copied())),
    }
}

/// How the keys are spread over several servers. Returns None if there is one, or if the
/// nodes find the keys themselves.
///
/// # Errors
/// When the settings do not fit.
pub(super) fn sharding(url: &Url, settings: &Settings) -> Result<Option<Sharding>, String> {
    if url.protocol.is_sharded() { settings.sharding(url.nodes().len()) } else { Ok(None) }
}
