//! Conducts a run and writes its journal.

mod agent;
mod chunks;
mod environment;
mod first_replies;
mod lane_numbers;
mod load;
mod load_alone;
mod looks;
mod meter;
mod null;
mod orders;
mod own_costs;
pub(crate) mod run_directory;
mod said;
mod segments;
mod session;
mod settling;
mod silence;
mod stores;
mod stores_known;
mod targets;
mod withdrawn;

use crate::agents::{self, Expected, Membership};
use crate::plan::question::hash;
use crate::plan::{ContenderAccess, Resolved};
use crate::run::progress::{Progress, ProgressStyle};
use crate::system::{signals, utc};
use crate::targets::launch;
use crate::targets::launch::LaunchContext;
pub(crate) use agent::assist;
use engine::Stop;
use keeper::leftovers;
pub use load_alone::{LoadReporting, load};
use own_costs::OwnCosts;
use protocol::{Error, private, secrets};
use record::{Event, Header, Plan, journal::SCHEMA};
use report::words;
pub(crate) use run_directory::empty as new_folder;
use session::{RunSession, TrialWriter};
pub(crate) use session::{foreseen, foreseen_of_one};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};
use stores_known::Stores;
use targets::Targets;
use text::shown::shown;
use text::units::show_ns;

/// Where a run is recorded and how it is reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reporting<'a> {
    /// The directory of the run. None means a new one.
    pub out: Option<&'a Path>,
    /// No progress on standard error.
    pub quiet: bool,
    /// Measure the lanes' own costs anew, and do not keep them.
    pub no_cache: bool,
    /// End after the first stage: the run only finds out how long a run must be.
    pub only_first_stage: bool,
}

/// Conducts the run and returns its directory; the journal says how it ended. If `membership` is
/// given, this process coordinates agents, which drive.
///
/// # Errors
/// If the directory or the journal cannot be written, or an agent is missing.
pub(crate) fn perform(
    resolved: &Resolved,
    stop: &Stop,
    reporting: Reporting<'_>,
    membership: Option<&Membership>,
) -> Result<PathBuf, Error> {
    let plan = &resolved.plan;
    check_programs(resolved)?;
    let hash = hash::of(plan);
    let expected = Expected { plan_hash: &hash, workers: workers(plan) };
    let gathered = membership.map(|this| agents::gather(this, &expected, stop)).transpose();
    let mut coordinator = gathered?;
    let now = SystemTime::now();
    let words = resolved.spec.words.clone();
    let may_be_recorded = !words.iter().any(|word| secrets::appear_in(word));
    let words = if may_be_recorded { words } else { Vec::new() };
    let header = Header { words, ..header(plan, now) };
    let (directory, mut journal) = run_directory::create(reporting.out, now, &header.plan_hash)?;
    let directory_text = shown(directory.display().to_string());
    let written = journal.write(&Event::Header(Box::new(header))).and_then(|_| journal.sync());
    written.map_err(|error| {
        Error::failed(format!("{directory_text}: the journal cannot be written: {error}"))
    })?;
    let style = ProgressStyle::fitting(reporting.quiet);
    let progress = Progress::start(style, &plan.question.names());
    progress.keep_on(&resolved.own_cores);
    if !plan.question.pairs.is_empty() && plan.sweep.is_none() {
        progress.compare_by(plan.question.primary);
    }
    if reporting.only_first_stage && plan.question.is_suite {
        progress.say("plan: one run of each program, which lists the cases");
    } else if reporting.only_first_stage {
        let takes = show_ns(plan.least_ns());
        progress.say(&format!("plan: a pilot and a first stage, at least {takes}"));
    } else {
        let takes = foreseen_of_one(plan);
        progress.say(&format!("run: {directory_text} ({takes}, seed {})", plan.seed));
    }
    for sentence in words::blocks(plan).into_iter().chain(words::methods(plan)) {
        progress.say(&sentence);
    }
    for caution in &resolved.cautions {
        progress.say(&format!("caution: {caution}"));
    }
    end_leftovers(&progress);
    let logs = directory.join(run_directory::LOGS);
    if plan.launches() {
        private::create_directory(&logs).map_err(|error| {
            Error::failed(format!("{directory_text}/{}: {error}", run_directory::LOGS))
        })?;
        tell_launches(&progress, plan);
    }
    let context = LaunchContext {
        logs: &logs,
        cores: &resolved.target_cores,
        secrets: &resolved.secrets,
        stopped: &signals::caught,
    };
    let mut targets =
        Targets::new(resolved, stop, context, coordinator.as_mut(), progress.driving());
    let own_costs = if reporting.no_cache {
        OwnCosts::default()
    } else {
        OwnCosts::of(plan, resolved.target_cores.first().copied())
    };
    let session = RunSession {
        plan,
        left_out: targets.left_out.clone(),
        writer: TrialWriter::new(journal, &progress, plan, reporting.only_first_stage),
        environment: &mut targets,
        stores: Stores::default(),
        own_costs,
        stopped: &signals::caught,
        pause: &|at_most| signals::pause(stop, at_most),
        only_first_stage: reporting.only_first_stage,
        began: Instant::now(),
    };
    let conducted = session.conduct();
    drop(targets);
    if let Some(coordinator) = coordinator {
        coordinator.dismiss();
    }
    match conducted {
        Ok(_) => Ok(directory),
        Err(error) => Err(Error { text: format!("{directory_text}: {}", error.text), ..error }),
    }
}

/// How many workers each process that drives has.
fn workers(plan: &Plan) -> u32 {
    plan.generator_cores.len().max(1) as u32
}

fn header(plan: &Plan, now: SystemTime) -> Header {
    Header {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        plan_hash: hash::of(plan),
        plan: plan.clone(),
        started: utc::rfc3339(now),
        words: Vec::new(),
    }
}

/// Checks that every program to be launched exists, so that a missing one is not noticed only when
/// half of the targets run.
pub(crate) fn check_programs(resolved: &Resolved) -> Result<(), Error> {
    for (contender, contender_access) in resolved.plan.contenders.iter().zip(&resolved.accesses) {
        let missing = match contender_access {
            ContenderAccess::Launched { launch, .. } => launch::missing(launch),
            ContenderAccess::Program { program } => program.why_not(),
            ContenderAccess::Attached { .. } | ContenderAccess::Files(_) => None,
        };
        if let Some(missing) = missing {
            return Err(Error::target(format!("`{}`: {missing}", contender.name)));
        }
    }
    Ok(())
}

/// Ends processes that a killed run left behind: they would disturb the measurement.
fn end_leftovers(progress: &Progress) {
    for leftover in leftovers::end() {
        progress.say_always(&format!("caution: {leftover}"));
    }
}

/// Every command, before it is launched.
fn tell_launches(progress: &Progress, plan: &Plan) {
    let launched = |(number, _): &(usize, _)| plan.target_of(*number) == *number;
    for (_, contender) in plan.contenders.iter().enumerate().filter(launched) {
        for line in &contender.launch {
            progress.say(&format!("{}: {line}", contender.name));
        }
    }
}
