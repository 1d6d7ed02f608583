//! Compares meters with what the measured processes report about themselves.

use super::tree::{By, Tree};
use super::*;
use crate::not_tested::{Lack, lacks};
use crate::scratch::directory_within;
use crate::targets::child::Child;
use keeper::hierarchy::homes;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

const MS: u64 = 1_000_000;
/// The CPU time that orders and answers cost the child between two readings.
const CHAT: u64 = 4 * MS;
/// `/proc` reports the time of reaped children in steps of 10 ms, user and system separately.
const REAPED: u64 = 2 * 10 * MS + CHAT;

/// What the meter saw of some work, and the CPU time that the children report for it.
fn compare(
    meter: &mut Meter,
    child: &mut Child,
    truth: impl Fn(&mut Child) -> u64,
    work: impl FnOnce(&mut Child),
) -> (u64, u64) {
    let (seen, true_ns) = (meter.read(), truth(child));
    work(child);
    let true_ns = truth(child) - true_ns;
    (meter.read() - seen, true_ns)
}

#[track_caller]
fn assert_near((seen, truth): (u64, u64), within: u64) {
    eprintln!("seen {:.2} ms, true {:.2} ms", seen as f64 / 1e6, truth as f64 / 1e6);
    assert!(truth > 2 * within, "the truth, {truth} ns, is too small to tell anything");
    assert!(seen.abs_diff(truth) <= within, "seen {seen} ns, true {truth} ns");
}

fn used(child: &mut Child) -> u64 {
    child.ask("used")
}

fn used_and_reaped(child: &mut Child) -> u64 {
    child.ask("used") + child.ask("reaped")
}

#[test]
fn one_process() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    assert_eq!(meter.source(), Source::ProcessClocks);
    let work = |child: &mut Child| {
        child.send("burn 60");
    };
    assert_near(compare(&mut meter, &mut child, used, work), CHAT);
}

#[test]
fn threads_that_ended_count() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let work = |child: &mut Child| {
        child.send("threads 20");
    };
    assert_near(compare(&mut meter, &mut child, used, work), CHAT);
}

#[test]
fn a_nested_tree() {
    let mut child = Child::start();
    child.ask("start");
    child.ask("sub start");
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let truth = |child: &mut Child| {
        ["used", "sub used", "sub sub used"].map(|it| child.ask(it)).iter().sum()
    };
    let work = |child: &mut Child| {
        for order in ["burn 20", "sub burn 30", "sub sub burn 40"] {
            child.send(order);
        }
    };
    assert_near(compare(&mut meter, &mut child, truth, work), 2 * CHAT);
}

#[test]
fn children_that_come_later_count_from_their_birth() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let before = meter.read();
    let first = child.ask("used");
    child.ask("start");
    child.ask("sub thread-starts");
    for order in ["sub burn 30", "sub sub burn 40"] {
        child.send(order);
    }
    let truth: u64 = ["used", "sub used", "sub sub used"].map(|it| child.ask(it)).iter().sum();
    assert_near((meter.read() - before, truth - first), 2 * CHAT);
}

#[test]
fn children_that_nobody_saw_count_when_they_are_reaped() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let work = |child: &mut Child| {
        for _ in 0..3 {
            child.send("brief 30");
        }
    };
    assert_near(compare(&mut meter, &mut child, used_and_reaped, work), REAPED);
}

#[test]
fn a_child_that_was_seen_and_ended_counts_once() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let (first, before) = (meter.read(), used_and_reaped(&mut child));
    let mut last = first;
    for order in ["start", "sub burn 40", "end", "start", "sub burn 40", "end", "brief 20"] {
        child.send(order);
        let now = meter.read();
        assert!(now >= last, "it went back at `{order}`");
        last = now;
    }
    assert_near((last - first, used_and_reaped(&mut child) - before), REAPED);
}

#[test]
fn many_short_children_do_not_add_up_an_error() {
    let mut child = Child::start();
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let (first, before) = (meter.read(), used_and_reaped(&mut child));
    // Each is seen with less than a step of 10 ms, and reaped with a little more.
    for _ in 0..12 {
        child.ask("start");
        child.send("sub burn 3");
        meter.read();
        child.send("sub burn 1");
        child.send("end");
        meter.read();
    }
    let truth = used_and_reaped(&mut child) - before;
    assert_near((meter.read() - first, truth), REAPED);
}

#[test]
fn what_no_parent_reaps_is_kept_as_it_was_seen() {
    let mut child = Child::start();
    child.send("ignore");
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let (first, before) = (meter.read(), child.ask("used"));
    child.ask("start");
    child.send("sub burn 50");
    let subs = child.ask("sub used");
    meter.read();
    child.send("end");
    assert_eq!(child.ask("reaped"), 0, "the kernel says nothing of it");
    let truth = child.ask("used") - before + subs;
    assert_near((meter.read() - first, truth), 2 * CHAT);
}

#[test]
fn an_orphan_stays_in_the_tree() {
    let mut child = Child::start();
    child.ask("start");
    child.ask("sub start");
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    child.send("sub sub spin 120");
    // The process in between is killed, so the spinning one becomes an orphan.
    let first = meter.read();
    child.send("end");
    let mut last = first;
    for _ in 0..10_000 {
        let now = meter.read();
        assert!(now >= last);
        last = now;
        if last - first > 90 * MS {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    panic!("only {} ns of the orphan were seen", last - first);
}

#[test]
fn both_ways_of_searching_find_the_same() {
    let mut child = Child::start();
    child.ask("start");
    child.ask("sub start");
    let found = [By::Children, By::All].map(|by| {
        let mut pids = Tree::searched(&[child.pid()], by).expect("ours").pids();
        pids.sort_unstable();
        pids
    });
    assert_eq!(found[0].len(), 3);
    assert_eq!(found[0], found[1]);
}

#[test]
fn several_roots_are_added_up_and_none_twice() {
    let (mut one, two) = (Child::start(), Child::start());
    let sub = u32::try_from(one.ask("start")).expect("a pid");
    let tree = Tree::of(&[one.pid(), sub, two.pid(), two.pid()]).expect("ours");
    assert_eq!(tree.pids().len(), 3);
}

#[test]
fn a_target_that_has_gone_keeps_its_last_reading() {
    let mut child = Child::start();
    let pid = child.pid();
    let mut meter = Meter::of_tree(pid).expect("ours");
    child.send("burn 20");
    let last = meter.read();
    assert!(last >= 20 * MS && meter.peak_memory().is_some());
    let peak = meter.peak_memory();
    child.end();
    assert_eq!((meter.read(), meter.peak_memory()), (last, peak));
    let error = Meter::of_tree(pid).expect_err("gone");
    assert!(error.0.contains(&format!("process {pid} does not exist")), "{error}");
}

#[test]
fn peak_memory_is_that_of_the_tree() {
    const MIB: u64 = 1 << 20;
    let mut child = Child::start();
    child.ask("start");
    let mut meter = Meter::of_tree(child.pid()).expect("ours");
    let before = meter.peak_memory().expect("it runs");
    assert_eq!(before.source, MemorySource::Processes);
    for order in ["memory", "sub memory"] {
        child.send(&format!("{order} {}", 48 * MIB));
    }
    let grown = meter.peak_memory().expect("it runs").bytes - before.bytes;
    // The memory was freed again, but still counts as the peak. Small pieces existed before.
    assert!((80 * MIB..=110 * MIB).contains(&grown), "{grown} bytes");
}

/// A cgroup for one test; whatever is in it must have ended before.
struct Cgroup(PathBuf);

impl Cgroup {
    /// Where cgroups of this version are mounted.
    fn home(source: Source) -> Option<PathBuf> {
        let of_version =
            |path: &PathBuf| Counter::of(path).is_ok_and(|counter| counter.source() == source);
        homes("self").into_iter().find(of_version)
    }

    /// Creates the cgroup. Returns None if the system does not allow that.
    fn new(source: Source, name: &str) -> Option<Cgroup> {
        if lacks(Lack::WritableCgroup) {
            return None;
        }
        let home = Cgroup::home(source).expect("it is mounted");
        Some(Cgroup(directory_within(&home, &format!("tiebreak-test-{name}"))))
    }

    /// A child that is in it from the start.
    fn child(&self) -> Child {
        let service = File::options().write(true).open(self.0.join("cgroup.procs"));
        let service = service.expect("who made it may move processes in");
        Child::start_with(|command| {
            // SAFETY: one system call, and no memory is used.
            unsafe { command.pre_exec(move || (&service).write_all(b"0")) };
        })
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // A child of a child ends a little later than its parent.
        let gone = (0..2000).any(|_| {
            thread::sleep(Duration::from_millis(1));
            fs::remove_dir(&self.0).is_ok()
        });
        assert!(gone || thread::panicking(), "{} is left behind", self.0.display());
    }
}

#[test]
fn a_cgroup_counts_all_that_ran_in_it() {
    // A system without the first version has nothing that tiebreak could read there.
    let first = Cgroup::home(Source::CgroupV1).map(|_| Source::CgroupV1);
    for source in [Source::CgroupV2].into_iter().chain(first) {
        let Some(cgroup) = Cgroup::new(source, "counts") else { continue };
        let mut child = cgroup.child();
        let mut meter = Meter::of_launched(child.pid(), Some(&cgroup.0)).expect("it runs");
        assert_eq!(meter.source(), source);
        let work = |child: &mut Child| {
            child.send("threads 15");
            child.send("brief 30");
        };
        assert_near(compare(&mut meter, &mut child, used_and_reaped, work), 2 * CHAT);
        assert!(meter.peak_memory().is_some_and(|peak| peak.bytes > 100_000));
        let last = meter.read();
        drop((child, cgroup));
        assert_eq!(meter.read(), last, "the last reading stands");
    }
}

#[test]
fn who_did_not_get_in_is_measured_by_its_tree() {
    let Some(cgroup) = Cgroup::new(Source::CgroupV2, "outside") else { return };
    let child = Child::start();
    let meter = Meter::of_launched(child.pid(), Some(&cgroup.0)).expect("it runs");
    assert_eq!(meter.source(), Source::ProcessClocks);
}

#[test]
fn an_attached_target_with_a_cgroup_to_itself_is_read_from_it() {
    let Some(cgroup) = Cgroup::new(Source::CgroupV2, "attached") else { return };
    let mut child = cgroup.child();
    let sub = u32::try_from(child.ask("start")).expect("a pid");
    let source = |pids: &[u32]| Meter::of_attached(pids).expect("it runs").source();
    assert_eq!(source(&[child.pid()]), Source::CgroupV2);
    // The cgroup contains more than this process.
    assert_eq!(source(&[sub]), Source::ProcessClocks);
    let other = Child::start();
    assert_eq!(source(&[other.pid()]), Source::ProcessClocks);
}

/// Prints what a reading costs; `--nocapture` shows it.
#[test]
fn what_a_reading_costs() {
    let mut children = vec![Child::start()];
    children[0].ask("start");
    children[0].ask("sub start");
    children.extend((0..6).map(|_| Child::start()));
    let roots: Vec<u32> = children.iter().map(Child::pid).collect();
    let cases =
        [("1 process", &roots[1..2]), ("a tree of 3", &roots[..1]), ("9 processes", &roots)];
    for (what, roots) in cases {
        let mut meter = Meter::of_trees(roots).expect("ours");
        print_cost(what, || meter.read());
        let mut tree = Tree::of(roots).expect("ours");
        print_cost(&format!("{what}, searched each time"), || tree.adopt());
    }
    if let Some(cgroup) = Cgroup::new(Source::CgroupV2, "costs") {
        let mut meter = Meter::of_cgroup(&cgroup.0).expect("ours");
        print_cost("a cgroup", || meter.read());
    }
}

fn print_cost<T>(what: &str, mut read: impl FnMut() -> T) {
    const READINGS: u32 = 200;
    let started = Instant::now();
    for _ in 0..READINGS {
        std::hint::black_box(read());
    }
    let each = started.elapsed() / READINGS;
    eprintln!("a reading of {what}: {:.1} µs", each.as_nanos() as f64 / 1e3);
}
