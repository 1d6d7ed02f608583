//! Conducts a run, and leaves a journal.

mod folder;
mod orders;
mod progress;
mod session;

use crate::exit::Error;
use crate::plan::{Resolved, hash};
use crate::shown::shown;
use crate::targets::tls;
use crate::{signals, utc};
use engine::{Broken, HttpAccess, Stop, http_lanes};
use progress::{Manner, Progress};
use record::{Address, Asked, Event, Header, journal::SCHEMA};
use session::{Book, Each, Session, foreseen};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How a run is to be recorded and told.
#[derive(Clone, Copy, Debug)]
pub struct Telling<'a> {
    /// The folder of the run; none: a new one.
    pub out: Option<&'a Path>,
    /// No progress on standard error.
    pub quiet: bool,
}

/// Conducts the run and gives its folder; how it ended is in the journal.
///
/// # Errors
/// When the folder or the journal cannot be written.
pub fn perform(resolved: &Resolved, stop: &Stop, telling: Telling<'_>) -> Result<PathBuf, Error> {
    let plan = &resolved.plan;
    let now = SystemTime::now();
    let header = Header {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        plan_hash: hash::of(plan),
        plan: plan.clone(),
        started: utc::rfc3339(now),
    };
    let (folder, mut journal) = folder::create(telling.out, now, &header.plan_hash)?;
    let told = shown(folder.display().to_string());
    let written = journal.write(&Event::Header(Box::new(header))).and_then(|()| journal.sync());
    written.map_err(|error| {
        Error::failed(format!("{told}: the journal cannot be written: {error}"))
    })?;
    let progress = Progress::start(Manner::fitting(telling.quiet), &plan.question.names);
    progress.keep_off(&plan.generator_cores);
    progress.say(&format!("run: {told} ({})", foreseen(plan)));
    for caution in &resolved.cautions {
        progress.say(&format!("caution: {caution}"));
    }
    let session = Session {
        plan,
        book: Book::new(journal, &progress, plan),
        drive: &mut |order, who, each| drive(&resolved.accesses, stop, order, who, each),
        stopped: &signals::caught,
        pause: &|at_most| signals::pause(stop, at_most),
        why_no_tls: &|contender| why_no_tls(resolved, contender),
    };
    match session.conduct() {
        Ok(_) => Ok(folder),
        Err(error) => Err(Error { text: format!("{told}: {}", error.text), ..error }),
    }
}

fn drive(
    accesses: &[HttpAccess],
    stop: &Stop,
    order: &Asked,
    who: &[usize],
    each: &mut Each<'_>,
) -> Result<(), Broken> {
    let lanes = who.iter().enumerate().map(|(lane, at)| http_lanes(order, lane, &accesses[*at]));
    engine::run(order, lanes.collect(), stop, each)
}

fn why_no_tls(resolved: &Resolved, contender: usize) -> Option<String> {
    match &resolved.plan.contenders.get(contender)?.address {
        Address::Tcp(address) => {
            tls::why_no_handshake(*address, resolved.accesses.get(contender)?.tls.as_ref()?)
        }
        Address::Unix(_) => None,
    }
}
