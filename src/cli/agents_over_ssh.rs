//! A comparison whose agents this process starts on other hosts by ssh.

use super::options::OutputOptions;
use super::{conduct, outputs};
use crate::agents::{Announce, EXPERIMENT, ExperimentFile, Hosts, Membership, take_arguments};
use crate::plan::{self, Spec};
use crate::system::remote::Token;
use protocol::{Error, Exit};
use record::DialPolicy;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use text::lists;

/// What an agent is started with: other users of its host see arguments, so it reads them from a
/// file.
const FROM_FILE: &str = "--arguments-from";

/// Set in an agent whose files were sent to its host.
static WAS_SENT: OnceLock<()> = OnceLock::new();

/// The arguments of this process: as they are, or those in the file that they name.
pub(super) fn of_agent(typed: Vec<OsString>) -> io::Result<Vec<OsString>> {
    match &typed[..] {
        [program, option, file] if option == FROM_FILE => {
            let mut all = vec![program.clone()];
            all.extend(take_arguments(Path::new(file))?);
            let _ = WAS_SENT.set(());
            Ok(all)
        }
        _ => Ok(typed),
    }
}

/// Removes the experiment file if it was sent to this host, because it may hold secrets.
pub(super) fn remove_sent_experiment() {
    if WAS_SENT.get().is_some() {
        // A comparison of addresses has none.
        let _ = fs::remove_file(EXPERIMENT);
    }
}

/// Prepares the hosts, coordinates their agents and reports the comparison.
pub(super) fn perform(
    spec: &Spec,
    names: &[String],
    gather: Duration,
    output: &OutputOptions,
) -> Result<Exit, Error> {
    // What is wrong with the comparison is reported before anything is copied.
    let mut inputs = plan::read(spec)?;
    let experiment = inputs.file.take();
    let experiment =
        experiment.map(|named| ExperimentFile { argument: named.argument, text: named.file.text });
    let resolved = conduct::settle_read(spec, inputs)?;
    let copies = output.copies()?;
    let stop = conduct::catch_signals()?;
    if !output.quiet {
        outputs::complain(&format!("copying tiebreak to {}", lists::listed(names)));
    }
    let (hosts, address) =
        Hosts::prepare(names, &arguments()?, experiment.as_ref(), gather, &stop)?;
    let hosts = Arc::new(hosts);
    let this = coordinator(hosts.clone(), names, address, spec.allow_public, gather)?;
    let measured = conduct::measure(&resolved, output.reporting(), Some(&this));
    let failures = hosts.end(measured.is_err());
    let measured = measured.map_err(|error| with_failures(error, &failures))?;
    for failure in &failures {
        outputs::complain(&format!("caution: {failure}"));
    }
    outputs::publish(&measured, &copies, output.verbose)
}

fn coordinator(
    hosts: Arc<Hosts>,
    names: &[String],
    address: IpAddr,
    allow_public: bool,
    gather: Duration,
) -> Result<Membership, Error> {
    if !DialPolicy::new(allow_public).allows(address) {
        return Err(Error::usage(format!(
            "{} sees this machine at {address}, a public address: confirm with --allow-public that \
             the coordinator may listen there",
            names[0]
        )));
    }
    if let Err(error) = TcpListener::bind((address, 0)) {
        return Err(Error::failed(format!(
            "{} sees this machine at {address}, where it cannot listen: {error}; with another \
             machine or address translation between them, start the agents with --agents env",
            names[0]
        )));
    }
    let token = Token::new().map_err(Error::failed)?;
    Ok(Membership {
        rank: 0,
        size: names.len() as u32 + 1,
        coordinator: SocketAddr::new(address, 0),
        token,
        gather,
        announce: Some(Announce::Hosts(hosts)),
    })
}

/// The arguments of this process.
fn arguments() -> Result<Vec<String>, Error> {
    let text = std::env::args_os().map(OsString::into_string);
    text.collect::<Result<_, _>>()
        .map_err(|_| Error::usage("--agents ssh requires arguments that are UTF-8"))
}

/// The error of the run, and the failures of hosts that it does not name.
fn with_failures(error: Error, failures: &[String]) -> Error {
    let new = failures.iter().filter(|failure| !error.text.contains(failure.as_str()));
    let text = new.fold(error.text.clone(), |text, failure| format!("{text}\n{failure}"));
    Error { text, ..error }
}
