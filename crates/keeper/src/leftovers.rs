//! Leftovers of a killed run: tiebreak and its keepers were both killed, and some of their
//! processes did not end. The next run ends them and reports it.

use crate::beneath::{Temporary, TemporaryId};
use crate::note::{self, Orphaned, VARIABLE};
use crate::process::{self, Identity, Stat};
use crate::tree::{self, Process};
use crate::{cgroup, hierarchy, subreaper};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::shown::shown;

/// Grace before they are killed; each got a stop signal already when its keeper died.
const GRACE: Duration = Duration::from_secs(2);

/// Ends what killed runs left behind, as far as it is proven to be theirs, and removes their
/// temporary directories. Returns a sentence for each keeper that left something.
pub fn end() -> Vec<String> {
    note::orphaned().iter().filter_map(end_one).collect()
}

/// What was found of one keeper.
struct Leftovers<'a> {
    orphaned: &'a Orphaned,
    /// Numbers and names of the processes that were ended.
    ended: BTreeMap<i32, String>,
    /// Processes that SIGKILL did not end.
    left: Vec<i32>,
    /// The temporary directory, and why it could not be removed.
    temporary: Option<(PathBuf, Option<String>)>,
}

fn end_one(orphaned: &Orphaned) -> Option<String> {
    let mut ended = BTreeMap::new();
    let mut left = Vec::new();
    if orphaned.begin.is_of_this_boot() {
        left = subreaper::end_all(GRACE, || {
            let all = proven(orphaned);
            ended.extend(all.iter().map(|process| (process.pid, name(process.pid))));
            all
        });
        if let Some(group) = orphaned.begin.cgroup.as_ref().filter(|group| is_there(group)) {
            cgroup::remove(&group.path);
        }
    }
    let temporary = orphaned.begin.temporary.as_ref().and_then(Temporary::again);
    let temporary = temporary.map(|directory| {
        (directory.path().to_owned(), directory.remove().err().map(|error| error.to_string()))
    });
    if left.is_empty() {
        orphaned.remove();
    }
    Leftovers { orphaned, ended, left, temporary }.description()
}

/// The processes that are proven to be this keeper's, and all below them; never this process or one
/// above it.
fn proven(orphaned: &Orphaned) -> Vec<Process> {
    let all = process::all();
    let group = members(orphaned.begin.cgroup.as_ref());
    let noted = |pid: u32, stat: &Stat| {
        let identity = Identity { pid, started: stat.started };
        orphaned.begin.is_of_this_namespace() && orphaned.processes.contains(&identity)
    };
    let variable = format!("{VARIABLE}={}", orphaned.begin.mark);
    let proven = all.iter().filter(|(pid, stat)| {
        noted(*pid, stat) || group.contains(pid) || has_variable(*pid, &variable)
    });
    let roots: Vec<i32> = proven.map(|(pid, _)| *pid as i32).collect();
    let spared = with_ancestors(std::process::id(), &all);
    let mut found: BTreeMap<i32, Process> = BTreeMap::new();
    for root in roots {
        let with_below = tree::look(root).into_iter().chain(tree::descendants(root));
        found.extend(with_below.map(|process| (process.pid, process)));
    }
    found.into_values().filter(|it| !it.zombie && !spared.contains(&(it.pid as u32))).collect()
}

fn with_ancestors(pid: u32, all: &[(u32, Stat)]) -> BTreeSet<u32> {
    let parents: BTreeMap<u32, u32> = all.iter().map(|(pid, stat)| (*pid, stat.parent)).collect();
    let above = std::iter::successors(Some(pid), |pid| {
        parents.get(pid).copied().filter(|parent| *parent != 0)
    });
    above.collect()
}

/// The processes in the recorded control group and in those below it.
fn members(group: Option<&TemporaryId>) -> BTreeSet<u32> {
    let group = group.filter(|group| is_there(group));
    group.into_iter().flat_map(|group| hierarchy::pids_within(&group.path)).collect()
}

fn is_there(group: &TemporaryId) -> bool {
    TemporaryId::of(&group.path).is_ok_and(|now| now == *group)
}

fn has_variable(pid: u32, variable: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
}

fn name(pid: i32) -> String {
    Stat::of(pid as u32).map_or_else(String::new, |stat| shown(stat.name))
}

impl Leftovers<'_> {
    /// Describes it in a sentence. Returns None if nothing was left.
    fn description(&self) -> Option<String> {
        let shown = |path: &Path| shown(path.as_os_str().as_encoded_bytes());
        let mut parts = Vec::new();
        if !self.ended.is_empty() {
            let each = self.ended.iter().map(|(pid, name)| format!("{name} ({pid})"));
            let each: Vec<String> = each.collect();
            parts.push(format!(
                "these processes were still running and were ended: {}",
                each.join(", ")
            ));
        }
        if !self.left.is_empty() {
            let each: Vec<String> = self.left.iter().map(i32::to_string).collect();
            parts.push(format!("SIGKILL did not end {}", each.join(", ")));
        }
        match &self.temporary {
            Some((path, None)) => parts.push(format!("{} was removed", shown(path))),
            Some((path, Some(why))) => {
                parts.push(format!("{} cannot be removed ({why})", shown(path)));
            }
            None => {}
        }
        if self.orphaned.begin.secrets {
            let logs = self.orphaned.logs.iter().filter(|log| log.exists());
            let logs: Vec<String> = logs.map(|log| shown(log)).collect();
            if !logs.is_empty() {
                let logs = logs.join(", ");
                parts.push(format!("these logs were not cleaned of secrets: {logs}"));
            }
        }
        let run = match &self.orphaned.begin.run {
            Some(run) => format!("the run in {}", shown(run)),
            None => "a run".to_owned(),
        };
        let description = parts.join("; ");
        (!parts.is_empty()).then(|| format!("{run} was killed with its keepers; {description}"))
    }
}
