//! From the requested contenders to candidates: their names, settings, groups and work.

use crate::plan::contender::gather::{Candidate, RequestedContender};
use crate::plan::contender::{chat, groups};
use crate::plan::settings::declared::Declared as _;
use crate::plan::settings::{group_given, names};
use crate::plan::{Settings, Spec, workload};
use protocol::Error;
use protocol::address::Url;
use text::shown::shown;

/// The candidates of a spec. `--set` takes precedence over flags, and flags over the experiment
/// file.
///
/// # Errors
/// When a name, an address, a setting, a group or the workload is not valid.
pub(in crate::plan) fn all(
    spec: &Spec,
    requested: Vec<RequestedContender>,
) -> Result<Vec<Candidate>, Error> {
    let urls = requested.iter().map(|requested| requested.location.url());
    let urls = urls.collect::<Result<Vec<_>, _>>()?;
    let typed: Vec<_> = requested.iter().map(|it| it.name.as_deref()).zip(urls.clone()).collect();
    let names = names::all(&typed).map_err(Error::usage)?;
    let each = requested.into_iter().zip(names).zip(urls);
    let mut all: Vec<Candidate> =
        each.map(|((requested, name), url)| candidate(spec, requested, name, url)).collect();
    set(spec, &mut all)?;
    groups::check_names(&all)?;
    if chat::is_asked(spec) {
        chat::check(spec, &all)?;
        return Ok(all);
    }
    for (number, candidate) in all.iter_mut().enumerate() {
        candidate.work = workload::of(spec, number, candidate)?;
    }
    Ok(all)
}

fn candidate(spec: &Spec, requested: RequestedContender, name: String, url: Url) -> Candidate {
    let RequestedContender { location, settings, groups, .. } = requested;
    let settings = spec.common.clone().over(&settings);
    let groups = if groups.is_empty() { spec.groups.clone() } else { groups };
    Candidate { name, url, location, settings, groups, work: None }
}

/// Applies `--set`.
fn set(spec: &Spec, all: &mut [Candidate]) -> Result<(), Error> {
    let names: Vec<String> = all.iter().map(|candidate| candidate.name.clone()).collect();
    let mut given = vec![Settings::default(); all.len()];
    for set in &spec.sets {
        let (at, key, value) = names::split_set(set, &names)
            .map_err(|message| Error::usage(format!("--set: {message}")))?;
        let set = group_given::set(&mut all[at].groups, key, value);
        set.unwrap_or_else(|| given[at].set(key, value)).map_err(|message| {
            Error::usage(format!("--set {}.{}: {message}", names[at], shown(key)))
        })?;
    }
    for (candidate, given) in all.iter_mut().zip(given) {
        candidate.settings = given.over(&candidate.settings);
    }
    Ok(())
}
