//! Contenders without a server: files in a directory, and whole programs.

use crate::plan::RunSettings;
use crate::plan::contender::contender;
use crate::plan::contender::gather::Candidate;
use crate::plan::spec::Spec;
use crate::protocols::PROTOCOLS;
use crate::targets::exec;
use protocol::address::Endpoint;
use protocol::{Error, Files, Own, Protocol};
use record::{Address, Contender, Interleave, RequestPlan};
use std::path::PathBuf;

/// A directory that is used as a cache.
#[derive(Clone)]
pub struct Directory {
    /// Its absolute path.
    pub path: PathBuf,
    /// What was given for it.
    pub settings: Own,
    /// How it is opened.
    pub files: &'static Files,
}

/// A contender whose operations are done on files.
pub(in crate::plan) fn files_at(
    spec: &Spec,
    candidate: &Candidate,
) -> Result<(Contender, Directory), Error> {
    let protocol = candidate.url.protocol;
    let (Endpoint::Directory(path), Some(files)) = (&candidate.url.endpoint, protocol.files())
    else {
        unreachable!("these files are in a directory")
    };
    let asks = RequestPlan::Files(candidate.work.clone().expect("files have a workload"));
    let address = Address::Directory(path.clone());
    let (path, settings) = (PathBuf::from(path), candidate.settings.own.clone());
    Ok((contender(spec, candidate, address, asks)?, Directory { path, settings, files }))
}

/// A contender that is run to its end again and again.
pub(in crate::plan) fn program_at(spec: &Spec, candidate: &Candidate) -> Result<Contender, Error> {
    let mut contender = contender(spec, candidate, Address::Program, RequestPlan::Program)?;
    contender.intensity.connections = candidate.settings.connections.unwrap_or(1);
    exec::check(contender.intensity.connections, contender.intensity.arrivals)
        .map_err(Error::usage)?;
    // --operations applies to each run and does not limit the total.
    Ok(Contender { operations: None, ..contender })
}

pub(in crate::plan) fn any_program(contenders: &[Contender]) -> bool {
    contenders.iter().any(|contender| contender.address == Address::Program)
}

/// A turn of a program lasts until the program ends, so it cannot be sliced.
pub(in crate::plan) fn only_turns(spec: &Spec) -> Result<Spec, Error> {
    match (spec.run.interleave, spec.run.slice) {
        (Some(Interleave::Slices), _) | (_, Some(_)) => Err(Error::usage(
            "exec: a program runs to its end, so contenders take turns: leave out --slice and \
             --interleave",
        )),
        _ => {
            let run = RunSettings { interleave: Some(Interleave::Turns), ..spec.run.clone() };
            Ok(Spec { run, ..spec.clone() })
        }
    }
}

/// Refuses values that cannot be stored in files.
pub(in crate::plan) fn check_values(
    contender: &Contender,
    protocol: &Protocol,
) -> Result<(), Error> {
    let files = protocol.files().zip(contender.asks.workload());
    match files.and_then(|(files, workload)| (files.refuses)(workload)) {
        Some(why) => Err(Error::usage(format!("`{}` {why}", contender.name))),
        None => Ok(()),
    }
}

/// Returns the number of descriptors that these contenders need in addition to their connections.
pub(in crate::plan) fn descriptors(contenders: &[Contender]) -> u64 {
    let descriptors_of = |contender: &Contender| match contender.address {
        Address::Program => exec::DESCRIPTORS,
        _ => PROTOCOLS
            .of_recorded(&contender.target)
            .and_then(Protocol::files)
            .map_or(0, |files| files.descriptors),
    };
    contenders.iter().map(descriptors_of).sum()
}
