//! `[[groups]]`: several workloads at once in each contender, each with its own
//! connections and arrivals.

use crate::plan::contender;
use crate::plan::contender::gather::Candidate;
use crate::plan::settings::group_given::GroupGiven;
use crate::plan::settings::{self, Settings};
use crate::plan::{Command, Spec};
use protocol::address::Url;
use protocol::{Error, Family};
use record::{Contender, Group, Intensity, Reuse, Share, Workload};

/// Checks that all contenders have the same groups: groups are compared by name.
pub(in crate::plan) fn check_names(all: &[Candidate]) -> Result<(), Error> {
    let names = |at: usize| all[at].groups.iter().map(|group| &group.name).collect::<Vec<_>>();
    let Some(other) = (1..all.len()).find(|at| names(*at) != names(0)) else { return Ok(()) };
    Err(Error::usage(format!(
        "the groups of `{}` differ from those of `{}`: groups are compared by name, so give both \
         contenders the same names in the same order",
        all[other].name, all[0].name
    )))
}

/// Gives a contender its groups. Its connections and arrivals are then the sum of theirs.
///
/// # Errors
/// When a setting cannot be combined with groups, or the target does not support them.
pub(in crate::plan) fn set(
    spec: &Spec,
    candidate: &Candidate,
    contender: &mut Contender,
) -> Result<(), Error> {
    if candidate.groups.is_empty() {
        return Ok(());
    }
    refuse_settings(spec, &candidate.settings).map_err(Error::usage)?;
    let groups = candidate.groups.iter().map(|group| {
        let named = |why: String| Error::usage(format!("group `{}`: {why}", group.name));
        let intensity = intensity(group).map_err(named)?;
        refuse(&candidate.url, contender, group, &intensity).map_err(named)?;
        Ok(Group { name: group.name.clone(), intensity })
    });
    contender.groups = groups.collect::<Result<Vec<Group>, Error>>()?;
    let each: Vec<Intensity> = contender.groups.iter().map(|group| group.intensity).collect();
    contender.intensity = Intensity::together(&each);
    Ok(())
}

fn intensity(group: &GroupGiven) -> Result<Intensity, String> {
    let settings = &group.settings;
    Ok(Intensity {
        connections: settings.connections.unwrap_or(contender::CONNECTIONS),
        depth: settings.depth.unwrap_or(1),
        arrivals: settings.arrivals()?,
    })
}

/// Refuses settings of the contender that each group must have.
fn refuse_settings(spec: &Spec, settings: &Settings) -> Result<(), String> {
    let given = settings::of_groups().find(|row| row.is_given(settings));
    if let Some(key) = given.map(|row| row.setting.key) {
        return Err(format!(
            "{key} must be set for each group: in [[groups]], or with --set NAME.GROUP.{key}="
        ));
    }
    match spec.run.operations {
        Some(_) if spec.command == Command::Run => Err("a number of operations is not supported \
                                                        with groups: set the length with --duration"
            .to_owned()),
        _ => Ok(()),
    }
}

/// Refuses settings that a group of this target cannot have.
fn refuse(
    url: &Url,
    contender: &Contender,
    group: &GroupGiven,
    intensity: &Intensity,
) -> Result<(), String> {
    let (deep, mixed) = (intensity.depth > 1, group.mix.is_some());
    let asks = contender.asks.statement().is_some();
    let row = url.protocol;
    let why = match (&row.family, row.no_groups, row.no_depth) {
        (_, Some(why), _) => why,
        (_, _, Some(why)) if deep => why,
        (Family::Requests(_), ..) if mixed => {
            "a mix requires a store; over HTTP every group sends the same request"
        }
        (Family::Messages(_), ..) if mixed => {
            "a mix requires a store; to a server of messages every group sends the same kind of message"
        }
        (Family::Sql(_), ..) if asks && mixed => {
            "a mix requires a workload; with a query every group sends the same statement"
        }
        _ if deep && contender.reuse != Reuse::Always => {
            "a depth above 1 requires persistent connections: --reuse always"
        }
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

/// Returns the workload of all groups. A group without a mix has that of the workload.
pub(in crate::plan) fn workload(
    spec: &Spec,
    groups: &[GroupGiven],
    whole: Workload,
) -> Result<Workload, String> {
    if groups.is_empty() {
        return Ok(whole);
    }
    if spec.workload.mix.is_some() && groups.iter().all(|group| group.mix.is_some()) {
        return Err("every group has its own mix: leave out the mix of the workload".to_owned());
    }
    let mixes: Vec<&Vec<Share>> =
        groups.iter().map(|group| group.mix.as_ref().unwrap_or(&whole.mix)).collect();
    Ok(Workload {
        mix: mixes.iter().flat_map(|mix| mix.iter().copied()).collect(),
        groups: mixes.iter().map(|mix| mix.len() as u32).collect(),
        ..whole.clone()
    })
}

/// Returns the fewest connections that any lane has, or the fewest rooms, since workers do not
/// share a room. Each group has its own pool.
pub(in crate::plan) fn fewest_connections(contender: &Contender) -> u32 {
    let groups = contender.groups.iter().map(|group| group.intensity.connections);
    let fewest = groups.min().unwrap_or(contender.intensity.connections);
    match contender.reuse {
        Reuse::Pool(pool) => pool.max.min(fewest),
        _ => fewest / contender.asks.members(),
    }
}
