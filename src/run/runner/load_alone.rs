//! The load phase without a following run: `tiebreak load`.

use super::own_costs::OwnCosts;
use super::session::{RunSession, TrialWriter};
use super::stores_known::Stores;
use super::targets::Targets;
use super::{end_leftovers, header};
use crate::plan::Resolved;
use crate::run::journal::{Reader, Writer};
use crate::run::progress::{Progress, ProgressStyle};
use crate::system::signals;
use crate::targets::launch::LaunchContext;
use engine::Stop;
use judge::Judge;
use judge::verdict::StoreSummary;
use protocol::Error;
use record::{EndReason, Event, Plan};
use std::path::Path;
use std::time::SystemTime;

/// Settings of a load.
#[derive(Clone, Copy, Debug)]
pub struct LoadReporting {
    /// No progress on standard error.
    pub quiet: bool,
    /// Write all keys, whatever the stores contain.
    pub reload: bool,
}

/// Loads the stores of a plan whose targets all run already. Returns the result of each by
/// contender, None if it was not loaded.
///
/// Nothing is judged, so no journal is left: it is written into memory and read from there like any
/// other.
///
/// # Errors
/// If a target or tiebreak failed. Being stopped is not an error.
pub fn load(
    resolved: &Resolved,
    stop: &Stop,
    reporting: LoadReporting,
) -> Result<Vec<Option<StoreSummary>>, Error> {
    let plan = &resolved.plan;
    let progress = Progress::start(ProgressStyle::fitting(reporting.quiet), &plan.question.names());
    progress.keep_on(&resolved.own_cores);
    end_leftovers(&progress);
    let context = LaunchContext {
        logs: Path::new(""),
        cores: &resolved.target_cores,
        secrets: &resolved.secrets,
        stopped: &signals::caught,
    };
    let mut targets = Targets::new(resolved, stop, context, None, progress.driving());
    let mut memory = Vec::new();
    let mut journal = Writer::new(&mut memory, |_| Ok(()));
    let header = Event::Header(Box::new(header(plan, SystemTime::now())));
    journal.write(&header).map_err(|error| Error::failed(error.to_string()))?;
    let session = RunSession {
        plan,
        left_out: targets.left_out.clone(),
        writer: TrialWriter::new(journal, &progress, plan, false),
        environment: &mut targets,
        stores: Stores::only_loaded(reporting.reload),
        own_costs: OwnCosts::default(),
        stopped: &signals::caught,
        pause: &|at_most| signals::pause(stop, at_most),
        only_first_stage: false,
        began: std::time::Instant::now(),
    };
    let end = session.conduct()?;
    match end.reason {
        EndReason::Complete | EndReason::Stopped => summaries(plan, &memory),
        EndReason::TargetFailed => Err(Error::target(end.detail)),
        EndReason::Failed => Err(Error::failed(end.detail)),
    }
}

fn summaries(plan: &Plan, journal: &[u8]) -> Result<Vec<Option<StoreSummary>>, Error> {
    let mut reader = Reader::new(journal, "the journal in memory".to_owned());
    let mut judge = Judge::new(&plan.question);
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Store(report) => judge.store(&report),
            Event::Loaded(loaded) => judge.loaded(&loaded),
            _ => {}
        }
    }
    Ok(judge.verdict().contenders().iter().map(|contender| contender.store.clone()).collect())
}
