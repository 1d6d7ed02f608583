//! The CPU time of a tree of processes.
//!
//! A process's own clock counts all its threads, ended ones too, but not its children. A child that
//! it waited for is included in the children's time of `/proc/PID/stat`; one that nobody waits for
//! (`SIGCHLD` ignored) is not included anywhere. So the last reading of an ended process is carried
//! over to its parent, as the minimum that must have arrived there.
//!
//! A process is missed if its parent ended before a search that would have found both: a server
//! that puts itself into the background must be named by its final process, or measured by a
//! cgroup.

use super::member::Member;
use keeper::process::{self, NotVisible};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// New processes are searched for after this many readings, even without a sign of any.
const SEARCH_EVERY: u32 = 64;
/// If a search has to read all of `/proc`, which takes milliseconds, there is at most one search in
/// this many readings.
const FULL_SEARCH_EVERY: u32 = 16;
/// How often one reading is repeated because a process ended meanwhile.
const PASSES: u32 = 4;

/// A tree of processes.
#[derive(Debug)]
pub(super) struct Tree {
    /// A parent always comes before its children, see [`Tree::refresh`].
    members: Vec<Member>,
    /// Time of ended processes without a parent in the tree.
    kept_ns: u64,
    search: Search,
}

/// When and how to search for new processes.
#[derive(Debug)]
struct Search {
    by: By,
    /// Its last word is the ID of the newest process or thread.
    youngest: Option<File>,
    seen_youngest: u64,
    readings_since: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The kernel lists the children of each thread.
    Children,
    /// The kernel was built without such lists: every process of the machine is examined.
    All,
}

impl Tree {
    pub(super) fn of(roots: &[u32]) -> Result<Tree, NotVisible> {
        let listed = fs::exists("/proc/thread-self/children").unwrap_or(false);
        Tree::searched(roots, if listed { By::Children } else { By::All })
    }

    /// Searches in the given way.
    pub(super) fn searched(roots: &[u32], by: By) -> Result<Tree, NotVisible> {
        let mut tree = Tree { members: Vec::new(), kept_ns: 0, search: Search::new(by) };
        for root in roots.iter().copied().collect::<BTreeSet<u32>>() {
            tree.members.push(Member::of(root).ok_or_else(|| not_there(root))?);
        }
        tree.search.now();
        tree.adopt();
        Ok(tree)
    }

    /// The processes of the tree at the last reading.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.members.iter().map(|member| member.pid).collect()
    }

    /// Whether no process of the tree was running at the last reading.
    pub(super) fn has_ended(&self) -> bool {
        self.members.iter().all(Member::has_ended)
    }

    /// CPU time of all current and former processes of the tree.
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

    /// Reads every member. Returns true if one had ended.
    ///
    /// Parents come first: a child that still exists when it is read cannot be included in what its
    /// parent had reaped before. In the reverse order a child could count twice.
    fn refresh(&mut self) -> bool {
        let there: Vec<bool> = self.members.iter_mut().map(Member::refresh).collect();
        if there.iter().all(|there| *there) {
            return false;
        }
        let (mut left, mut ended) = (Vec::new(), Vec::new());
        for (member, there) in self.members.drain(..).zip(there) {
            if there { left.push(member) } else { ended.push(member) }
        }
        self.members = left;
        self.carry_over(&ended);
        true
    }

    /// Adds the time of ended processes to their nearest remaining ancestor.
    fn carry_over(&mut self, ended: &[Member]) {
        let parents: BTreeMap<u32, u32> = ended.iter().map(|it| (it.pid, it.parent)).collect();
        for member in ended {
            let mut ancestor = member.parent;
            // At most as many steps as ended processes, so that a cycle cannot loop for ever.
            for _ in ended {
                let Some(next) = parents.get(&ancestor) else { break };
                ancestor = *next;
            }
            match self.members.iter_mut().find(|member| member.pid == ancestor) {
                Some(ancestor) => ancestor.expect(member.total_ns()),
                None => self.kept_ns += member.total_ns(),
            }
        }
    }

    /// Adds children that are not members yet, and their descendants.
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
            // Only a real child: the ID may have been reused.
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

    /// Records that a search is made now.
    fn now(&mut self) {
        self.seen_youngest = self.youngest();
        self.readings_since = 0;
    }

    /// Whether to search in this reading; if so, the search is recorded.
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

    /// The ID of the newest process or thread of this machine: while it does not change, nothing
    /// can have joined the tree.
    fn youngest(&self) -> u64 {
        let mut buffer = [0u8; 128];
        let read = self.youngest.as_ref().and_then(|file| file.read_at(&mut buffer, 0).ok());
        let text = std::str::from_utf8(&buffer[..read.unwrap_or(0)]).unwrap_or("");
        text.split_ascii_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(0)
    }
}

fn not_there(pid: u32) -> NotVisible {
    NotVisible(format!(
        "process {pid} does not exist, or this user may not see it: its CPU time cannot be read"
    ))
}
