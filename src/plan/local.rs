//! Contenders without a server: files in a directory, and whole programs.

use crate::exec;
use crate::exit::Error;
use crate::plan::resolved::contender;
use crate::plan::spec::Spec;
use crate::plan::{Settings, settings, store};
use crate::targets::url::{Place, Url};
use engine::files;
use record::{Address, Contender, Interleave, Reuse};
use std::path::PathBuf;

/// A directory is driven by so many descriptors: its folders stay open.
const DESCRIPTORS_OF_FILES: u64 = 300;
/// A program: its keeper's pipes.
const DESCRIPTORS_OF_A_PROGRAM: u64 = 16;

/// A directory that is used as a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Absolute.
    pub path: PathBuf,
    /// How it is written.
    pub settings: files::Settings,
}

/// A contender whose operations are done on files.
pub(super) fn files_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    settings: &Settings,
) -> Result<(Contender, Directory), Error> {
    store::refuse_requests(settings).map_err(Error::usage)?;
    let Place::Directory(path) = &url.place else { unreachable!("file: leads to a directory") };
    let refused = [
        (
            settings.depth.is_some_and(|depth| depth > 1),
            "depth",
            "a file is read or written at once",
        ),
        (settings.dialect.is_some(), "dialect", "files are spoken to by system calls"),
        (
            settings.reuse.is_some_and(|reuse| reuse != Reuse::Always),
            "reuse",
            "files have no connections to open anew",
        ),
    ];
    if let Some((_, key, why)) = refused.into_iter().find(|(given, ..)| *given) {
        return Err(Error::usage(format!("{why}: leave out {key} for them")));
    }
    let address = Address::Directory(path.clone());
    let directory = Directory { path: PathBuf::from(path), settings: settings.files.settings() };
    Ok((contender(spec, name, url, address, settings)?, directory))
}

/// A contender that is run to its end again and again.
pub(super) fn program_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    settings: &Settings,
) -> Result<Contender, Error> {
    store::refuse_requests(settings).map_err(Error::usage)?;
    if settings.depth.is_some() || settings.dialect.is_some() || settings.reuse.is_some() {
        return Err(Error::usage(
            "exec: a program has connections of its own, if any: leave out depth, dialect and \
             reuse for it",
        ));
    }
    let one = Settings { connections: settings.connections.or(Some(1)), ..settings.clone() };
    let asked = contender(spec, name, url, Address::Program, &one)?;
    exec::check(asked.connections, asked.arrivals).map_err(Error::usage)?;
    // --operations is said of each run, and is no limit of the whole.
    Ok(Contender { operations: None, ..asked })
}

/// What only files can be told.
pub(super) fn refuse_file_settings(settings: &Settings) -> Result<(), Error> {
    match settings.files == settings::FileSettings::default() {
        true => Ok(()),
        false => Err(Error::usage("locking, fsync and expires belong to files (file:///…)")),
    }
}

/// Whether any of them is a program.
pub(super) fn any_program(contenders: &[Contender]) -> bool {
    contenders.iter().any(|contender| contender.address == Address::Program)
}

/// A program's turn is as long as the program is: it cannot be sliced.
pub(super) fn only_turns(spec: &Spec) -> Result<Spec, Error> {
    match (spec.interleave, spec.slice) {
        (Some(Interleave::Slices), _) | (_, Some(_)) => Err(Error::usage(
            "exec: a program runs to its end, so contenders take turns: leave out --slice and \
             --interleave",
        )),
        _ => Ok(Spec { interleave: Some(Interleave::Turns), ..spec.clone() }),
    }
}

/// An empty file is no value.
pub(super) fn check_values(contender: &Contender) -> Result<(), Error> {
    let Some(workload) = &contender.workload else { return Ok(()) };
    let files = matches!(contender.address, Address::Directory(_));
    match files && workload.value.least() == 0 {
        true => Err(Error::usage(format!(
            "`{}` holds values of 1 byte at least: --value",
            contender.name
        ))),
        false => Ok(()),
    }
}

/// Descriptors that these contenders need beside their connections.
pub(super) fn descriptors(contenders: &[Contender]) -> u64 {
    let of = |contender: &Contender| match contender.address {
        Address::Directory(_) => DESCRIPTORS_OF_FILES,
        Address::Program => DESCRIPTORS_OF_A_PROGRAM,
        Address::Tcp(_) | Address::Unix(_) => 0,
    };
    contenders.iter().map(of).sum()
}
