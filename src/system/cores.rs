//! Chooses the cores of the generator and of the targets.

use protocol::Error;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// At most this many workers without `--cores`.
const MOST_WORKERS: usize = 8;

/// The cores of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores {
    /// All that it may use, ascending.
    pub allowed: Vec<u32>,
    /// The generator's, ascending.
    pub generator: Vec<u32>,
    /// The targets', ascending. Empty if the generator and the targets share their cores.
    pub others: Vec<u32>,
    /// For tiebreak's own threads that drive nothing: with three cores or more, one that neither
    /// the generator nor the targets use; with two, the targets' core. Empty if all cores are the
    /// generator's.
    pub own: Vec<u32>,
}

/// What the system says about its cores.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Cores that this process may use, ascending.
    pub allowed: Vec<u32>,
    /// For each of them, the first core of the same physical core.
    pub physical: BTreeMap<u32, u32>,
    /// How many cores' worth of time the cgroup grants. None if it sets no limit.
    pub quota: Option<f64>,
}

impl Facts {
    /// Reads the facts about the cores that this process may use.
    ///
    /// # Errors
    /// If the kernel does not report which cores this process may use.
    pub fn read() -> io::Result<Facts> {
        let allowed = sys::affinity::allowed_cores(0)?;
        let physical = allowed.iter().map(|core| (*core, first_sibling(*core))).collect();
        Ok(Facts { allowed, physical, quota: quota(Path::new("/")) })
    }
}

/// Chooses half of the cores for the generator, from the last one down, at most [`MOST_WORKERS`],
/// or `requested` of them if that is given.
///
/// Whole physical cores are taken first: a generator thread on the sibling of
/// a target's core would slow the target down. A single core is shared.
///
/// # Errors
/// If more are requested than exist.
pub fn share_out(facts: &Facts, requested: Option<u32>) -> Result<Cores, Error> {
    let all = facts.allowed.len();
    let count = match requested {
        Some(requested) if requested as usize > all => {
            return Err(Error::usage(format!(
                "--cores {requested}: this process may use only {all} ({}): pass at most {all}",
                show(&facts.allowed)
            )));
        }
        Some(requested) => requested as usize,
        None => {
            let granted = facts.quota.map_or(all, |quota| (quota.floor() as usize).clamp(1, all));
            (granted / 2).clamp(1, MOST_WORKERS)
        }
    };
    let mut generator = pick(facts, count, requested.is_some());
    generator.sort_unstable();
    let rest = facts.allowed.iter().copied().filter(|core| !generator.contains(core));
    let rest: Vec<u32> = rest.collect();
    let (own, others) = match rest.as_slice() {
        [own, others @ ..] if !others.is_empty() => (vec![*own], others.to_vec()),
        shared => (shared.to_vec(), shared.to_vec()),
    };
    Ok(Cores { allowed: facts.allowed.clone(), generator, others, own })
}

/// Whole physical cores from the last one down. If the next one would exceed `count`, it is split
/// only if nothing was picked yet, or if exactly `count` was requested.
fn pick(facts: &Facts, count: usize, exactly: bool) -> Vec<u32> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for core in &facts.allowed {
        let key = facts.physical.get(core).copied().unwrap_or(*core);
        groups.entry(key).or_default().push(*core);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.last().copied()));
    let mut picked = Vec::new();
    for group in groups {
        let left = count - picked.len();
        if group.len() <= left {
            picked.extend(group);
        } else if left > 0 && (exactly || picked.is_empty()) {
            picked.extend(&group[group.len() - left..]);
        }
    }
    picked
}

/// Formats cores as ranges, such as `0-3,6`.
fn show(cores: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for core in cores {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *core => *last = *core,
            _ => parts.push((*core, *core)),
        }
    }
    let part = |(first, last): (u32, u32)| {
        if first == last { format!("{first}") } else { format!("{first}-{last}") }
    };
    parts.into_iter().map(part).collect::<Vec<_>>().join(",")
}

/// The first core that shares a physical core with this one; the core itself if the kernel does not
/// report it.
fn first_sibling(core: u32) -> u32 {
    let file = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let list = std::fs::read_to_string(file).unwrap_or_default();
    let first = list.split(|c: char| !c.is_ascii_digit()).next();
    first.and_then(|digits| digits.parse().ok()).unwrap_or(core)
}

/// The smallest quota of this process's cgroup and its ancestors, in cores. `root` is `/` except in
/// tests.
fn quota(root: &Path) -> Option<f64> {
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let quotas = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let path = path.trim_start_matches('/');
        match controllers {
            "" => walk_up(&root.join("sys/fs/cgroup"), path, quota_v2),
            list if list.split(',').any(|name| name == "cpu") => {
                walk_up(&root.join("sys/fs/cgroup/cpu"), path, quota_v1)
            }
            _ => Vec::new(),
        }
    });
    quotas.min_by(f64::total_cmp)
}

fn walk_up(mount: &Path, path: &str, read: fn(&Path) -> Option<f64>) -> Vec<f64> {
    let directory: PathBuf = mount.join(path);
    directory.ancestors().take_while(|at| at.starts_with(mount)).filter_map(read).collect()
}

fn quota_v2(directory: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(directory.join("cpu.max")).ok()?;
    let (quota, period) = text.trim().split_once(' ')?;
    Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
}

fn quota_v1(directory: &Path) -> Option<f64> {
    let read =
        |name| std::fs::read_to_string(directory.join(name)).ok()?.trim().parse::<f64>().ok();
    let (quota, period): (f64, f64) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
    (quota > 0.0).then_some(quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;

    /// `groups` holds the cores of each physical core.
    fn facts(groups: &[&[u32]], quota: Option<f64>) -> Facts {
        let mut facts = Facts { quota, ..Facts::default() };
        for group in groups {
            facts.allowed.extend(*group);
            facts.physical.extend(group.iter().map(|core| (*core, group[0])));
        }
        facts.allowed.sort_unstable();
        facts
    }

    /// Physical cores, the cgroup's quota and the requested number; the expected cores of the
    /// generator, of the targets and of tiebreak itself.
    type Case<'a> = (&'a [&'a [u32]], Option<f64>, Option<u32>, [&'a [u32]; 3]);

    #[test]
    fn half_of_the_cores_from_the_last_down() {
        let table: &[Case<'_>] = &[
            (&[&[0]], None, None, [&[0], &[], &[]]),
            // The targets' core is ours too: there is no third.
            (&[&[0], &[1]], None, None, [&[1], &[0], &[0]]),
            (&[&[0], &[1], &[2]], None, None, [&[2], &[1], &[0]]),
            (&[&[3], &[5], &[8], &[9]], None, None, [&[8, 9], &[5], &[3]]),
            // Siblings stay together: core 1 is the sibling of core 3.
            (&[&[0, 2], &[1, 3]], None, None, [&[1, 3], &[2], &[0]]),
            (&[&[0, 3], &[1, 4], &[2, 5]], None, None, [&[2, 5], &[1, 3, 4], &[0]]),
            // One physical core has to be split.
            (&[&[0, 1]], None, None, [&[1], &[0], &[0]]),
            // A cgroup that grants less than the cores.
            (&[&[0], &[1], &[2], &[3]], Some(2.5), None, [&[3], &[1, 2], &[0]]),
            (&[&[0], &[1], &[2], &[3]], Some(0.5), None, [&[3], &[1, 2], &[0]]),
            (&[&[0], &[1], &[2], &[3]], Some(64.0), None, [&[2, 3], &[1], &[0]]),
            // As asked, siblings or not.
            (&[&[0, 2], &[1, 3]], None, Some(3), [&[1, 2, 3], &[0], &[0]]),
            (&[&[0], &[1]], None, Some(2), [&[0, 1], &[], &[]]),
        ];
        for (groups, quota, requested, wanted) in table {
            let cores = share_out(&facts(groups, *quota), *requested).expect("enough cores");
            let sets = [&cores.generator[..], &cores.others, &cores.own];
            assert_eq!(sets, *wanted, "{groups:?} {quota:?} {requested:?}");
        }
        let many: Vec<Vec<u32>> = (0..64).map(|core| vec![core]).collect();
        let many: Vec<&[u32]> = many.iter().map(Vec::as_slice).collect();
        let cores = share_out(&facts(&many, None), None).expect("enough cores");
        assert_eq!(cores.generator, (56..64).collect::<Vec<_>>());
    }

    #[test]
    fn more_cores_than_there_are() {
        let error = share_out(&facts(&[&[0], &[1], &[5]], None), Some(4)).unwrap_err();
        assert_eq!(error.text, "--cores 4: this process may use only 3 (0-1,5): pass at most 3");
    }

    #[test]
    fn this_machine_says_something() {
        let facts = Facts::read().expect("Linux");
        assert!(!facts.allowed.is_empty());
        assert_eq!(facts.allowed.len(), facts.physical.len());
    }

    #[test]
    fn the_least_quota_above_us_counts() {
        let scratch = Scratch::new();
        let root = scratch.path();
        let write = |path: &str, text: &str| {
            let file = root.join(path);
            fs::create_dir_all(file.parent().expect("a directory")).expect("scratch");
            fs::write(file, text).expect("scratch");
        };
        write("proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/a/b\n0::/c/d\n");
        assert_eq!(quota(root), None);
        write("sys/fs/cgroup/c/d/cpu.max", "max 100000\n");
        write("sys/fs/cgroup/c/cpu.max", "350000 100000\n");
        assert_eq!(quota(root), Some(3.5));
        write("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
        write("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
        write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n");
        write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
        assert_eq!(quota(root), Some(1.5));
    }
}
