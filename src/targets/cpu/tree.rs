//! The CPU time of a tree of processes.
//!
//! A process's own clock counts all its threads, ended ones too, but not its
//! children. A child that it waited for is in what `/proc/PID/stat` calls its
//! children's time; one that nobody waits for (`SIGCHLD` ignored) is in nothing.
//! So the last reading of a process that has gone is carried over to its
//! parent, as the least that must have arrived there.
//!
//! Out of its sight stays a process whose parent ended before the tree was
//! searched with both in it: a server that puts itself into the background is
//! to be given by its final process, or measured by a cgroup.

use super::member::Member;
use keeper::process::{self, OutOfSight};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// Look for new processes after so many readings even if nothing told of them.
const SEARCH_EVERY: u32 = 64;
/// Where each search means to read all of `/proc` (milliseconds), at most one
/// in so many readings.
const FULL_SEARCH_EVERY: u32 = 16;
/// How often one reading starts again because a process ended under it.
const PASSES: u32 = 4;

/// A tree of processes.
#[derive(Debug)]
pub(super) struct Tree {
    /// A parent always stands before its children: see [`Tree::refresh`].
    members: Vec<Member>,
    /// Time of processes that have gone and left no parent in the tree.
    kept_ns: u64,
    search: Search,
}

/// When to look for new processes, and how.
#[derive(Debug)]
struct Search {
    by: By,
    /// Its last word is the number of the youngest process or thread.
    youngest: Option<File>,
    seen_youngest: u64,
    readings_since: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The kernel lists the children of each thread.
    Children,
    /// It was built without that: look at every process of the machine.
    All,
}

impl Tree {
    pub(super) fn of(roots: &[u32]) -> Result<Tree, OutOfSight> {
        let listed = fs::exists("/proc/thread-self/children").unwrap_or(false);
        Tree::searched(roots, if listed { By::Children } else { By::All })
    }

    /// Searched in the way that is asked for.
    pub(super) fn searched(roots: &[u32], by: By) -> Result<Tree, OutOfSight> {
        let mut tree = Tree { members: Vec::new(), kept_ns: 0, search: Search::new(by) };
        for root in roots.iter().copied().collect::<BTreeSet<u32>>() {
            tree.members.push(Member::of(root).ok_or_else(|| not_there(root))?);
        }
        tree.search.now();
        tree.adopt();
        Ok(tree)
    }

    /// The processes that it was made of when it was last read.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.members.iter().map(|member| member.pid).collect()
    }

    /// CPU time of all that is and was in the tree.
    pub(super) fn read(&mut self) -> u64 {
        let mut ended = self.refresh();
        if self.search.due(ended) {
            self.adopt();
        }
        for _ in 1..PASSES {
            if !ended {
                break;
            }
            ended = self.refresh();
        }
        self.kept_ns + self.members.iter().map(Member::total_ns).sum::<u64>()
    }

    /// Reads every member; true when one had ended.
    ///
    /// Parents first: a child that is still there when its turn comes cannot be
    /// in what its parent had reaped before. The other way round a child could
    /// count twice.
    fn refresh(&mut self) -> bool {
        let there: Vec<bool> = self.members.iter_mut().map(Member::refresh).collect();
        if there.iter().all(|there| *there) {
            return false;
        }
        let (mut left, mut gone) = (Vec::new(), Vec::new());
        for (member, there) in self.members.drain(..).zip(there) {
            if there { left.push(member) } else { gone.push(member) }
        }
        self.members = left;
        self.carry_over(&gone);
        true
    }

    /// What a gone process used has gone to the nearest ancestor that is left.
    fn carry_over(&mut self, gone: &[Member]) {
        let parents: BTreeMap<u32, u32> = gone.iter().map(|it| (it.pid, it.parent)).collect();
        for member in gone {
            let mut heir = member.parent;
            // At most as many steps as have gone: no ring can hold it up.
            for _ in gone {
                let Some(next) = parents.get(&heir) else { break };
                heir = *next;
            }
            match self.members.iter_mut().find(|member| member.pid == heir) {
                Some(heir) => heir.expect(member.total_ns()),
                None => self.kept_ns += member.total_ns(),
            }
        }
    }

    /// Looks for children that are not members yet, and for theirs.
    pub(super) fn adopt(&mut self) {
        let mut of_all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        if self.search.by == By::All {
            for (pid, stat) in process::all() {
                of_all.entry(stat.parent).or_default().push(pid);
            }
        }
        let mut known: BTreeSet<u32> = self.pids().into_iter().collect();
        let mut at = 0;
        while let Some(member) = self.members.get(at) {
            let parent = member.pid;
            let children = match self.search.by {
                By::Children => member.children(),
                By::All => of_all.remove(&parent).unwrap_or_default(),
            };
            let new = children.into_iter().filter(|child| known.insert(*child));
            // Only a true child: its number may be another process's by now.
            let new = new.filter_map(Member::of).filter(|child| child.parent == parent);
            self.members.extend(new);
            at += 1;
        }
    }
}

impl Search {
    fn new(by: By) -> Search {
        let youngest = File::open("/proc/loadavg").ok();
        Search { by, youngest, seen_youngest: 0, readings_since: 0 }
    }

    /// Notes that a search is made now.
    fn now(&mut self) {
        self.seen_youngest = self.youngest();
        self.readings_since = 0;
    }

    /// Whether to search in this reading. It is noted as made.
    fn due(&mut self, ended: bool) -> bool {
        self.readings_since += 1;
        let news = ended || self.youngest() != self.seen_youngest;
        let least = match self.by {
            By::Children => 1,
            By::All => FULL_SEARCH_EVERY,
        };
        let due =
            if news { self.readings_since >= least } else { self.readings_since >= SEARCH_EVERY };
        if due {
            self.now();
        }
        due
    }

    /// The number that the last process or thread of this machine was given:
    /// while it stays, nothing new can have joined the tree.
    fn youngest(&self) -> u64 {
        let mut buffer = [0u8; 128];
        let read = self.youngest.as_ref().and_then(|file| file.read_at(&mut buffer, 0).ok());
        let text = std::str::from_utf8(&buffer[..read.unwrap_or(0)]).unwrap_or("");
        text.split_ascii_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(0)
    }
}

fn not_there(pid: u32) -> OutOfSight {
    OutOfSight(format!(
        "process {pid} does not exist, or this user may not see it: its CPU time cannot be read"
    ))
}
