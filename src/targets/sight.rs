//! Finds the processes of a target that runs already, and the cores that they may use.

use super::find::{self, NamedProcess, ProcessTrees};
use keeper::process::{self, NotVisible, Stat};
use record::Address;
use std::collections::BTreeSet;

/// The processes of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetProcesses {
    /// The topmost ones.
    pub found: ProcessTrees,
    /// Cores that any of those may use, ascending. Empty if they are not known.
    pub cores: Vec<u32>,
}

/// Finds the processes that serve this address, unless they are named.
///
/// # Errors
/// Says why it cannot be seen.
pub fn look(address: &Address, named: &[NamedProcess]) -> Result<TargetProcesses, NotVisible> {
    let found = if named.is_empty() { find::serving(address)? } else { find::named(named)? };
    let cores = cores_of(&found.pids(), &process::all());
    Ok(TargetProcesses { found, cores })
}

/// The cores that any thread of these processes, or of their descendants, may use,
/// ascending: servers pin workers and threads one by one. A thread that ends meanwhile
/// has none.
pub fn cores_of(roots: &[u32], all: &[(u32, Stat)]) -> Vec<u32> {
    let mut tree: BTreeSet<u32> = roots.iter().copied().collect();
    loop {
        let known = tree.len();
        let children = all.iter().filter(|(_, stat)| tree.contains(&stat.parent));
        let children: Vec<u32> = children.map(|(pid, _)| *pid).collect();
        tree.extend(children);
        if tree.len() == known {
            break;
        }
    }
    let threads = tree.iter().flat_map(|pid| process::numbers_in(&format!("/proc/{pid}/task")));
    let cores = threads.flat_map(|thread| sys::affinity::allowed_cores(thread).unwrap_or_default());
    cores.collect::<BTreeSet<u32>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::cores;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn the_affinity_of_descendants_counts() {
        let own = cores::Facts::read().expect("Linux").allowed;
        let (first, last) = (own[0], *own.last().expect("a core"));
        // The shell keeps the last core, and its child has the first one alone.
        let script = format!("taskset -c {first} sleep 60 & echo $!; wait");
        let mut command = Command::new("taskset");
        command.args(["-c", &last.to_string(), "sh", "-c", &script]);
        let mut shell = command.stdout(Stdio::piped()).spawn().expect("taskset runs");
        let mut line = String::new();
        let out = shell.stdout.take().expect("a pipe");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("reads");
        let child: u32 = line.trim().parse().expect("a number");
        let pinned = || cores_of(&[child], &process::all()) == [first];
        while !pinned() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut both = vec![first, last];
        both.dedup();
        assert_eq!(cores_of(&[shell.id()], &process::all()), both);
        // The child is the shell's, which waits for it.
        sys::process::kill(child as i32, libc::SIGKILL, false).expect("it sleeps");
        shell.wait().expect("our child");
    }
}
