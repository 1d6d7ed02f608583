//! From a spec to a judged journal: the steps that `compare`, `run` and `demo` share.

use crate::agents::Membership;
use crate::plan::sweep::load_points;
use crate::plan::{self, Inputs, Machine, Resolved, Spec, WATCH_TOKEN_VARIABLE, resolve};
use crate::run::judging;
use crate::run::judging::Judged;
use crate::run::runner;
use crate::run::runner::Reporting;
use crate::system::remote::Token;
use crate::system::{cores, host, signals};
use crate::targets::sight;
use crate::targets::watch;
use engine::Stop;
use protocol::Error;
use protocol::address::resolver;
use protocol::address::resolver::Resolver;
use std::path::PathBuf;

/// Settles the plan for this machine.
pub(super) fn settle(spec: &Spec) -> Result<Resolved, Error> {
    settle_read(spec, plan::read(spec)?)
}

/// Settles the plan for this machine from what was read: at one load point, or at all those that are swept.
pub(super) fn settle_read(spec: &Spec, inputs: Inputs) -> Result<Resolved, Error> {
    with_machine(spec, |machine, resolver| match load_points(spec, &inputs)? {
        Some(points) => points.settle(machine, resolver),
        None => resolve(spec, inputs, machine, resolver),
    })
}

/// Settles the plan for an agent, which asks no watcher.
pub(super) fn settle_for_agent(spec: &Spec) -> Result<Resolved, Error> {
    let inputs = plan::read(spec)?;
    with_machine(spec, |machine, resolver| {
        resolve(spec, inputs, &Machine { watch: None, ..machine.clone() }, resolver)
    })
}

pub(super) fn with_machine<T>(
    spec: &Spec,
    settle: impl FnOnce(&Machine, &mut Resolver<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let cores = read_cores()?;
    let host = host::facts(&cores.allowed, raise_descriptors()?);
    let mut resolver = Resolver::new(spec.allow_public, &resolver::look_up, &resolver::accepts);
    let drawn_seed = draw_seed()?;
    let machine = Machine {
        cores,
        host,
        look: sight::look,
        watch: Some(watch::describe),
        watch_token: watch_token(),
        drawn_seed,
    };
    settle(&machine, &mut resolver)
}

/// The token of watchers for which no file is named.
fn watch_token() -> Option<Result<Token, String>> {
    let text = std::env::var_os(WATCH_TOKEN_VARIABLE).filter(|text| !text.is_empty())?;
    Some(Token::of(&text.to_string_lossy()))
}

/// Raises the limit of descriptors as far as possible, and returns it.
pub(super) fn raise_descriptors() -> Result<u64, Error> {
    sys::limits::raise_descriptors().map_err(|error| {
        Error::failed(format!("the limit of file descriptors cannot be raised: {error}"))
    })
}

/// Draws a seed for plans that do not set one.
pub(super) fn draw_seed() -> Result<u64, Error> {
    host::draw_seed()
        .map_err(|error| Error::failed(format!("no seed can be read from /dev/urandom: {error}")))
}

/// The cores of this process.
pub(super) fn read_cores() -> Result<cores::Facts, Error> {
    cores::Facts::read()
        .map_err(|error| Error::failed(format!("the cores of this process are unknown: {error}")))
}

/// The signals that ask for the end.
pub(super) fn catch_signals() -> Result<Stop, Error> {
    signals::catch()
        .map_err(|error| Error::failed(format!("signal handlers cannot be installed: {error}")))
}

/// Drives the plan and judges the journal.
pub(super) fn measure(
    resolved: &Resolved,
    reporting: Reporting<'_>,
    membership: Option<&Membership>,
) -> Result<(PathBuf, Judged), Error> {
    let stop = catch_signals()?;
    let directory = runner::perform(resolved, &stop, reporting, membership)?;
    let judged = judging::read(&directory)?;
    Ok((directory, judged))
}
