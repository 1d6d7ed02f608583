//! Contenders without a server: files in a directory, and whole programs.

use crate::plan::RunSettings;
use crate::plan::contender::candidate::Candidate;
use crate::plan::contender::contender;
use crate::plan::spec::Spec;
use crate::targets::exec;
use protocol::Error;
use protocol::address::Endpoint;
use record::{Address, Contender, Interleave, RequestPlan};
use std::path::PathBuf;

/// Descriptors that a directory needs: its directories stay open.
const DESCRIPTORS_OF_FILES: u64 = 300;
/// Descriptors that a program needs: the pipes of its keeper.
const DESCRIPTORS_OF_A_PROGRAM: u64 = 16;

/// A directory that is used as a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its absolute path.
    pub path: PathBuf,
    /// How it is written.
    pub settings: files::Settings,
}

/// A contender whose operations are done on files.
pub(in crate::plan) fn files_at(
    spec: &Spec,
    candidate: &Candidate,
) -> Result<(Contender, Directory), Error> {
    let Endpoint::Directory(path) = &candidate.url.endpoint else {
        unreachable!("file: leads to a directory")
    };
    let asks = RequestPlan::Files(candidate.work.clone().expect("files have a workload"));
    let address = Address::Directory(path.clone());
    let directory =
        Directory { path: PathBuf::from(path), settings: files::settings(&candidate.settings.own) };
    Ok((contender(spec, candidate, address, asks)?, directory))
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

/// Whether any of them is a program.
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

/// Refuses empty values: an empty file does not count as a value.
pub(in crate::plan) fn check_values(contender: &Contender) -> Result<(), Error> {
    match &contender.asks {
        RequestPlan::Files(work) if work.workload.value.least() == 0 => Err(Error::usage(format!(
            "`{}` stores values in files, which must have at least 1 byte: change --value",
            contender.name
        ))),
        RequestPlan::Files(_)
        | RequestPlan::Request(_)
        | RequestPlan::Requests { .. }
        | RequestPlan::Messages(_)
        | RequestPlan::Store(_)
        | RequestPlan::Statement { .. }
        | RequestPlan::Database { .. }
        | RequestPlan::Program => Ok(()),
    }
}

/// Returns the number of descriptors that these contenders need in addition to their connections.
pub(in crate::plan) fn descriptors(contenders: &[Contender]) -> u64 {
    let descriptors_of = |contender: &Contender| match contender.address {
        Address::Directory(_) => DESCRIPTORS_OF_FILES,
        Address::Program => DESCRIPTORS_OF_A_PROGRAM,
        Address::Tcp(_) | Address::Nodes(_) | Address::Unix(_) => 0,
    };
    contenders.iter().map(descriptors_of).sum()
}
