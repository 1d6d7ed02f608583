//! `[[groups]]`: several workloads at once in each contender, each with its own
//! connections and arrivals.

use crate::exit::Error;
use crate::near;
use crate::plan::settings::{self, Settings, Spread};
use crate::plan::spec::{Command, Spec};
use crate::plan::{resolved, units, workload};
use crate::shown::shown;
use crate::targets::url::{Protocol, Url};
use engine::workload::MOST_GROUPS;
use record::{Arrivals, Contender, Group, GroupAsked, Reuse, Share, Workload};

/// What can be said of a group, beside its name.
pub(super) const KEYS: [&str; 5] = ["connections", "depth", "rate", "arrivals", "mix"];

/// A group as it was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupGiven {
    /// Its name.
    pub name: String,
    /// Connections.
    pub connections: Option<u32>,
    /// Operations in flight on one of them.
    pub depth: Option<u32>,
    /// Operations per second.
    pub rate: Option<f64>,
    /// How they are spread.
    pub arrivals: Option<Spread>,
    /// What it does; none: what the workload says.
    pub mix: Option<Vec<Share>>,
}

impl GroupGiven {
    /// Nothing is said of it yet.
    ///
    /// # Errors
    /// When it cannot be called so.
    pub fn new(name: &str) -> Result<GroupGiven, String> {
        super::experiment::check_name(name)?;
        match name.contains('.') {
            true => Err("the name of a group has no dot: --set NAME.GROUP.key=value".to_owned()),
            false => Ok(GroupGiven { name: name.to_owned(), ..GroupGiven::default() }),
        }
    }

    /// Sets one key from its text.
    ///
    /// # Errors
    /// When it is no key of a group, or the value does not fit it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "connections" => self.connections = Some(settings::connections(value)?),
            "depth" => self.depth = Some(settings::depth(value)?),
            "rate" => self.rate = Some(units::rate(value)?),
            "arrivals" => self.arrivals = Some(settings::spread(value)?),
            "mix" => self.mix = Some(workload::mix(value)?),
            other => {
                let meant = near::did_you_mean(other, KEYS);
                let other = shown(other);
                return Err(format!("a group has no key `{other}`: {}{meant}", KEYS.join(", ")));
            }
        }
        Ok(())
    }
}

/// The groups of a file or of a contender: told apart by name, and not too many.
///
/// # Errors
/// When they are not.
pub fn check(groups: &[GroupGiven]) -> Result<(), String> {
    if groups.len() > MOST_GROUPS {
        return Err(format!("{} groups: {MOST_GROUPS} at most", groups.len()));
    }
    let twice = groups
        .iter()
        .enumerate()
        .find(|(at, group)| groups[..*at].iter().any(|other| other.name == group.name));
    match twice {
        Some((_, group)) => Err(format!("two groups are called `{}`", group.name)),
        None => Ok(()),
    }
}

/// Takes `GROUP.key=value` of `--set NAME.GROUP.key=value`. None: it is not about a
/// group.
pub(super) fn set(groups: &mut [GroupGiven], key: &str, value: &str) -> Option<Result<(), String>> {
    let (group, key) = key.split_once('.')?;
    let group = groups.iter_mut().find(|known| known.name == group)?;
    Some(group.set(key, value))
}

/// A group is compared with its namesake.
pub(super) fn check_names(names: &[String], groups: &[Vec<GroupGiven>]) -> Result<(), Error> {
    let of = |at: usize| groups[at].iter().map(|group| &group.name).collect::<Vec<_>>();
    let Some(other) = (1..groups.len()).find(|at| of(*at) != of(0)) else { return Ok(()) };
    Err(Error::usage(format!(
        "the groups of `{}` are not those of `{}`: a group is compared with the one of its name, \
         so give both the same names in the same order",
        names[other], names[0]
    )))
}

/// Gives a contender its groups: its connections and arrivals are then theirs
/// together.
///
/// # Errors
/// Whatever does not go with groups, and what the target cannot do.
pub(super) fn give(
    spec: &Spec,
    url: &Url,
    settings: &Settings,
    groups: &[GroupGiven],
    contender: &mut Contender,
) -> Result<(), Error> {
    if groups.is_empty() {
        return Ok(());
    }
    refuse_settings(spec, settings).map_err(Error::usage)?;
    let asked = groups.iter().map(|group| {
        let named = |why: String| Error::usage(format!("group `{}`: {why}", group.name));
        let asked = asked(group).map_err(named)?;
        refuse(url, contender, group, &asked).map_err(named)?;
        Ok(Group { name: group.name.clone(), asked })
    });
    contender.groups = asked.collect::<Result<Vec<Group>, Error>>()?;
    let asked: Vec<GroupAsked> = contender.groups.iter().map(|group| group.asked.clone()).collect();
    contender.connections = asked.iter().map(|group| group.connections).sum();
    contender.depth = asked.iter().map(|group| group.depth).max().unwrap_or(1);
    contender.arrivals = Arrivals::together(&asked);
    Ok(())
}

fn asked(group: &GroupGiven) -> Result<GroupAsked, String> {
    let GroupGiven { rate, arrivals, .. } = *group;
    Ok(GroupAsked {
        connections: group.connections.unwrap_or(resolved::CONNECTIONS),
        depth: group.depth.unwrap_or(1),
        arrivals: Settings { rate, arrivals, ..Settings::default() }.arrivals()?,
    })
}

/// What is said of the whole, and belongs to each group.
fn refuse_settings(spec: &Spec, settings: &Settings) -> Result<(), String> {
    let given = [
        ("connections", settings.connections.is_some()),
        ("depth", settings.depth.is_some()),
        ("rate", settings.rate.is_some()),
        ("arrivals", settings.arrivals.is_some()),
    ];
    if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(format!(
            "{key} belongs to each of the groups: say it in [[groups]], or for one by --set \
             NAME.GROUP.{key}="
        ));
    }
    match spec.operations {
        Some(_) if spec.command == Command::Run => Err("a number of operations is for one \
             workload, and there are groups: say how long (--duration)"
            .to_owned()),
        _ => Ok(()),
    }
}

/// What a group of this target cannot be asked for.
fn refuse(
    url: &Url,
    contender: &Contender,
    group: &GroupGiven,
    asked: &GroupAsked,
) -> Result<(), String> {
    let (deep, mixed) = (asked.depth > 1, group.mix.is_some());
    let asks = contender.sql.as_ref().is_some_and(|sql| sql.query.is_some());
    match url.protocol {
        Protocol::Program => Err("a program (exec:) makes its load itself, and has no groups"),
        Protocol::Http if deep => Err("depth belongs to stores (memcached://, redis://)"),
        Protocol::Http if mixed => {
            Err("a mix belongs to stores; of HTTP every group sends the same request")
        }
        Protocol::Postgres | Protocol::Mysql | Protocol::Oracle if deep => {
            Err("a client library has one statement in flight on a connection: leave out depth")
        }
        Protocol::Postgres | Protocol::Mysql | Protocol::Oracle if asks && mixed => {
            Err("a mix is of a workload; of a query every group sends the same statement")
        }
        Protocol::Files if deep => Err("a file is read or written at once: leave out depth"),
        _ if deep && contender.reuse != Reuse::Always => {
            Err("a depth above 1 needs persistent connections: --reuse always")
        }
        _ => Ok(()),
    }
    .map_err(str::to_owned)
}

/// The workload of all groups: the mix of each that has one, else what it would be
/// without groups.
pub(super) fn workload(
    spec: &Spec,
    groups: &[GroupGiven],
    whole: Workload,
) -> Result<Workload, String> {
    if groups.is_empty() {
        return Ok(whole);
    }
    if spec.workload.mix.is_some() && groups.iter().all(|group| group.mix.is_some()) {
        return Err("every group has a mix of its own: leave out that of the workload".to_owned());
    }
    let mixes: Vec<&Vec<Share>> =
        groups.iter().map(|group| group.mix.as_ref().unwrap_or(&whole.mix)).collect();
    Ok(Workload {
        mix: mixes.iter().flat_map(|mix| mix.iter().copied()).collect(),
        groups: mixes.iter().map(|mix| mix.len() as u32).collect(),
        ..whole.clone()
    })
}

/// Of the fewest connections that any lane has. Each group has a pool of its own.
pub(super) fn fewest_connections(contender: &Contender) -> u32 {
    let groups = contender.groups.iter().map(|group| group.asked.connections);
    let fewest = groups.min().unwrap_or(contender.connections);
    match contender.reuse {
        Reuse::Pool(pool) => pool.max.min(fewest),
        _ => fewest,
    }
}
