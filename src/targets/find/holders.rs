//! Finds the processes that hold listening sockets.

use super::{ProcessTrees, Root, sockets::Listening};
use keeper::process::{self, Identity, NotVisible, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{fs, io};

/// Bytes of the name of a program that the kernel keeps.
const LONGEST_NAME: usize = 15;

/// The longest time between fork and exec. Later, a process that looks like its parent is one of its workers.
const LONGEST_START: Duration = Duration::from_secs(2);
/// The pause between two looks at a process that is about to run its program.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Programs that forward to other servers: their CPU time is not the target's. The kernel truncates
/// names to 15 bytes.
const FORWARDERS: [&str; 10] = [
    "docker-proxy",
    "rootlessport",
    "rootlesskit",
    "slirp4netns",
    "pasta",
    "pasta.avx2",
    "gvproxy",
    "kubectl",
    "ssh",
    "sshd",
];

/// A program that listens for servers until they are started, and keeps their sockets. Its tree is
/// the whole machine.
const ACTIVATES: &str = "systemd";

/// All processes of this moment.
pub(super) struct Processes(BTreeMap<u32, Stat>);

impl Processes {
    pub(super) fn now() -> Processes {
        Processes(process::all().into_iter().collect())
    }

    /// The parent of a process, the parent's parent and so on, as far as the namespace shows them.
    fn above(&self, pid: u32) -> Vec<u32> {
        let mut above: Vec<u32> = Vec::new();
        let mut at = pid;
        while let Some(parent) = self.0.get(&at).map(|stat| stat.parent) {
            if !self.0.contains_key(&parent) || above.contains(&parent) {
                break;
            }
            above.push(parent);
            at = parent;
        }
        above
    }

    /// tiebreak and all processes that started it.
    fn ours(&self, own: u32) -> Vec<u32> {
        let mut ours = self.above(own);
        ours.push(own);
        ours
    }

    /// Whether one of these holders is still a copy of a process that started tiebreak, or has begun
    /// to run its own program. The kernel closes sockets before it sets the arguments of the program.
    fn have_copy(&self, holders: &BTreeSet<u32>, own: u32) -> bool {
        let ours = self.ours(own);
        let is_copy = |pid: &u32| {
            let above = self.above(*pid);
            let parent = above.iter().find(|above| ours.contains(above) && holders.contains(above));
            let starts = |parent: &u32| {
                let now = program(*pid);
                now == program(*parent) || now.is_some_and(|(_, arguments)| arguments.is_empty())
            };
            !ours.contains(pid) && parent.is_some_and(starts)
        };
        holders.iter().any(is_copy)
    }

    fn identity(&self, pid: u32) -> Option<Identity> {
        self.0.get(&pid).map(|stat| Identity { pid, started: stat.started })
    }

    pub(super) fn root(&self, pid: u32) -> Option<Root> {
        let ancestors = self.above(pid).into_iter().filter_map(|above| self.identity(above));
        let name = self.0.get(&pid)?.name.clone();
        Some(Root { process: self.identity(pid)?, name, ancestors: ancestors.collect() })
    }

    fn name(&self, pid: u32) -> &str {
        self.0.get(&pid).map_or("", |stat| stat.name.as_str())
    }

    /// The topmost process whose program has this name.
    pub(super) fn called(&self, name: &str, own: u32) -> Result<u32, NotVisible> {
        let mut end = name.len().min(LONGEST_NAME);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let all = self.0.iter().filter(|(_, stat)| stat.name == name[..end]);
        let top = self.topmost(&all.map(|(pid, _)| *pid).collect(), own);
        let shown = text::shown::shown(name);
        match Vec::from_iter(top)[..] {
            [pid] => Ok(pid),
            [] => Err(NotVisible(format!("no visible process is called `{shown}`"))),
            ref several => {
                let pids: Vec<String> = several.iter().map(u32::to_string).collect();
                Err(NotVisible(format!(
                    "several processes are called `{shown}` ({}): name the ones that are meant \
                     with pid",
                    pids.join(", ")
                )))
            }
        }
    }

    /// The topmost holders, without those whose tree would contain tiebreak itself and those that
    /// only start servers on demand.
    pub(super) fn topmost(&self, holders: &BTreeSet<u32>, own: u32) -> BTreeSet<u32> {
        let ours = self.ours(own);
        let fits = |pid: &u32| !ours.contains(pid) && self.name(*pid) != ACTIVATES;
        let holders: BTreeSet<u32> = holders.iter().copied().filter(fits).collect();
        let top = |pid: &u32| {
            let above = self.above(*pid).into_iter().rev().find(|above| holders.contains(above));
            above.unwrap_or(*pid)
        };
        holders.iter().map(top).collect()
    }
}

/// The topmost processes that hold one of these sockets. `address` is for messages.
pub(super) fn topmost(address: &str, listening: &Listening) -> Result<ProcessTrees, NotVisible> {
    let (holders, all_seen, processes) = settled_holders(&listening.inodes);
    if holders.is_empty() {
        return Err(if all_seen {
            in_another_namespace(address)
        } else {
            locked(address, listening)
        });
    }
    let top = processes.topmost(&holders, std::process::id());
    let roots: Vec<Root> = top.into_iter().filter_map(|pid| processes.root(pid)).collect();
    if roots.is_empty() {
        return Err(NotVisible(format!(
            "only tiebreak itself, a process that started it, or {ACTIVATES} listens on {address}: \
             the server's CPU time cannot be separated from theirs; name its process with pid"
        )));
    }
    match roots.iter().find(|root| FORWARDERS.contains(&root.name.as_str())) {
        Some(root) => Err(NotVisible(format!(
            "{} (process {}) listens on {address} and forwards to another server: name that \
             server's process with pid if it runs on this machine",
            root.name, root.process.pid
        ))),
        None => Ok(ProcessTrees { roots }),
    }
}

/// The holders as [`holding`] returns them, once none of them is between fork and exec: until it runs its
/// own program, a child has all sockets of its parent. One that was started by the program that
/// started tiebreak would be taken for the server, because that program is left out. Also returns all
/// processes, which were read after the holders.
fn settled_holders(inodes: &BTreeSet<u64>) -> (BTreeSet<u32>, bool, Processes) {
    let until = Instant::now() + LONGEST_START;
    loop {
        let (mut holders, all_seen) = holding(inodes);
        let processes = Processes::now();
        if Instant::now() >= until || !processes.have_copy(&holders, std::process::id()) {
            // One may have begun to run its program since, or have ended.
            let runs = |pid| Stat::of(pid).is_some_and(|stat| !stat.zombie);
            holders.retain(|pid| holds(*pid, inodes).unwrap_or_else(|_| runs(*pid)));
            return (holders, all_seen, processes);
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// What distinguishes a program from others: its file and its arguments.
fn program(pid: u32) -> Option<(PathBuf, Vec<u8>)> {
    let file = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    Some((file, fs::read(format!("/proc/{pid}/cmdline")).ok()?))
}

/// Whether a process holds one of these sockets.
///
/// # Errors
/// If it has ended, or belongs to another user.
pub(super) fn holds(pid: u32, inodes: &BTreeSet<u64>) -> io::Result<bool> {
    Ok(sockets_of(pid)?.any(|inode| inodes.contains(&inode)))
}

/// The sockets of a process. There are none if it has ended or cannot be inspected.
pub(super) fn inodes_of(pid: u32) -> BTreeSet<u64> {
    sockets_of(pid).map(Iterator::collect).unwrap_or_default()
}

fn sockets_of(pid: u32) -> io::Result<impl Iterator<Item = u64>> {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd"))?.flatten();
    let links = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
    Ok(links.filter_map(|link| socket(link.to_str())))
}

/// The processes that hold one of these sockets, and whether all processes could be inspected.
pub(super) fn holding(inodes: &BTreeSet<u64>) -> (BTreeSet<u32>, bool) {
    let (mut holders, mut all_seen) = (BTreeSet::new(), true);
    for pid in process::numbers_in("/proc") {
        match holds(pid, inodes) {
            Ok(true) => _ = holders.insert(pid),
            Ok(false) => {}
            Err(error) => all_seen &= error.kind() != io::ErrorKind::PermissionDenied,
        }
    }
    (holders, all_seen)
}

/// The inode in `socket:[4711]`.
fn socket(link: Option<&str>) -> Option<u64> {
    link?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

fn in_another_namespace(address: &str) -> NotVisible {
    NotVisible(format!(
        "no visible process holds the socket that listens on {address}: the server runs in another \
         namespace, such as a container; name its process with pid if you can see it"
    ))
}

fn locked(address: &str, listening: &Listening) -> NotVisible {
    let users: Vec<String> = listening.users.iter().map(u32::to_string).collect();
    let owner =
        if users.is_empty() { String::new() } else { format!(" (user {})", users.join(", ")) };
    NotVisible(format!(
        "this user may not see which process listens on {address}: it belongs to another \
         user{owner}; name it with pid, which requires no privileges, or run tiebreak as that \
         user or as root"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (pid, parent, name)
    fn processes(table: &[(u32, u32, &str)]) -> Processes {
        let stat = |parent, name: &str| Stat {
            session: 1,
            zombie: false,
            name: name.to_owned(),
            parent,
            threads: 1,
            reaped_ticks: 0,
            started: 100,
        };
        Processes(table.iter().map(|(pid, parent, name)| (*pid, stat(*parent, name))).collect())
    }

    #[test]
    fn the_topmost_holder_and_never_an_ancestor_of_ours() {
        let processes = processes(&[
            (1, 0, "systemd"),
            (10, 1, "nginx"),
            (11, 10, "nginx"),
            (12, 10, "nginx"),
            (20, 1, "foreman"),
            (21, 20, "ruby"),
            (22, 20, "ruby"),
            (23, 21, "helper"),
            (24, 23, "ruby"),
            (30, 1, "sh"),
            (31, 30, "tiebreak"),
            (32, 30, "server"),
        ]);
        let cases: [(&[u32], &[u32]); 8] = [
            (&[10, 11, 12], &[10]),
            (&[11, 12], &[11, 12]),
            (&[1, 10, 11], &[10]),
            (&[1], &[]),
            (&[21, 22], &[21, 22]),
            // A process in between that does not hold it.
            (&[21, 24], &[21]),
            (&[30, 32], &[32]),
            (&[31], &[]),
        ];
        for (holders, top) in cases {
            let found = processes.topmost(&holders.iter().copied().collect(), 31);
            assert_eq!(found.into_iter().collect::<Vec<_>>(), top, "{holders:?}");
        }
        assert_eq!(processes.called("nginx", 31), Ok(10));
        assert_eq!(
            processes.called("ruby", 31).expect_err("two trees").0,
            "several processes are called `ruby` (21, 22): name the ones that are meant with pid"
        );
        for name in ["tiebreak", "none", ""] {
            assert!(
                processes
                    .called(name, 31)
                    .is_err_and(|why| why.0.starts_with("no visible process"))
            );
        }
        let root = processes.root(12).expect("it is there");
        assert_eq!(root.ancestors.iter().map(|it| it.pid).collect::<Vec<_>>(), [10, 1]);
        assert_eq!((root.name.as_str(), processes.root(99)), ("nginx", None));
    }

    #[test]
    fn a_ring_of_parents_has_an_end() {
        assert_eq!(processes(&[(1, 2, ""), (2, 1, "")]).above(1), [2, 1]);
    }

    #[test]
    fn links_of_sockets() {
        assert_eq!(socket(Some("socket:[4711]")), Some(4711));
        for link in ["pipe:[4711]", "socket:[x]", "/socket:[1]", ""] {
            assert_eq!(socket(Some(link)), None);
        }
    }

    #[test]
    fn sentences_say_what_to_do() {
        let listening = Listening { inodes: [1].into(), users: [0].into() };
        assert_eq!(
            locked("127.0.0.1:80", &listening).0,
            "this user may not see which process listens on 127.0.0.1:80: it belongs to another \
             user (user 0); name it with pid, which requires no privileges, or run tiebreak as \
             that user or as root"
        );
        assert!(in_another_namespace("[::1]:80").0.contains("such as a container"));
    }
}
