//! Code that the tests against real servers share.
#![allow(clippy::disallowed_types, reason = "a test has deadlines of its own")]
#![allow(dead_code, reason = "each of the test programs uses a part of it")]

pub(crate) mod certificates;
#[allow(clippy::duplicate_mod, reason = "programs that include this have it themselves")]
#[path = "../../common/scratch.rs"]
mod scratch;

use engine::{MakeLane, Stop};
use record::{Address, DriveOrder, Failure, LaneOrder, LaneTask, Seen, Workload};
use scratch::directory_within;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The users' password. It must not appear in any output.
pub(crate) const PASSWORD: &str = "correct-horse-7";
pub(crate) const MS: u64 = 1_000_000;
/// How long a question outside of the measurement may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long the start of a server may take, and what follows from it.
const LONGEST: Duration = Duration::from_secs(30);

/// An empty directory for a server, in memory if possible. It belongs to the server's user, because
/// database servers do not run as root.
pub(crate) fn directory(name: &str, user: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let directory = directory_within(&base, &format!("tb-{name}"));
    give_away(&directory, user);
    directory
}

/// Gives a file or a directory to this user, if we have the permission.
pub(crate) fn give_away(what: &Path, user: &str) {
    if !is_root() {
        return;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("users");
    let line = users.lines().find(|line| line.starts_with(&format!("{user}:")));
    let mut numbers = line.expect("its user").split(':').skip(2).map(|number| number.parse());
    let mut next = || numbers.next().and_then(Result::ok);
    chown(what, next(), next()).expect("ours to give");
}

/// A program, run as this user if we are root. It gets a signal to end when the thread that starts
/// it ends, even if that is killed.
pub(crate) fn as_user(user: &str, program: &str) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups"]);
    }
    command.args(["--pdeathsig", "QUIT", program]);
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").expect("Linux").uid() == 0
}

/// Sends a signal to a process that we started.
pub(crate) fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// The name, among these, of a number by which a database's replies are counted.
pub(crate) fn named(mut names: impl Iterator<Item = (u16, String)>, code: u16) -> String {
    let name = names.find(|(known, _)| *known == code);
    name.unwrap_or_else(|| panic!("{code} has no name")).1
}

/// Returns this access with a change.
pub(crate) fn with<A>(mut access: A, change: impl FnOnce(&mut A)) -> A {
    change(&mut access);
    access
}

/// Waits until a condition holds, at most half a minute.
pub(crate) fn wait_for(so: impl Fn() -> bool, why_not: impl Fn() -> String) {
    let gives_up = Instant::now() + LONGEST;
    while !so() {
        assert!(Instant::now() < gives_up, "not within half a minute: {}", why_not());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a server has written into its log.
pub(crate) fn log(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("log")).unwrap_or_default()
}

pub(crate) fn workload(preset: &str) -> Workload {
    Workload {
        keys: 1500,
        prefix: "p:".to_owned(),
        verify: record::Verify::All,
        ..engine::workload::preset(preset).expect("a preset")
    }
}

/// Four connections, closed loop, twice two slices of 50 ms.
pub(crate) fn order(address: Address, doing: LaneTask) -> DriveOrder {
    DriveOrder {
        seed: 3,
        rounds: 2,
        first_round: 1,
        round_ns: 50 * MS,
        slice_ns: 25 * MS,
        lanes: vec![LaneOrder { doing, timeout_ns: 5_000 * MS, ..LaneOrder::closed(address, 4) }],
        ..DriveOrder::default()
    }
}

/// The same order in one slice that ends after this many operations.
pub(crate) fn in_one_slice(mut order: DriveOrder, operations: u64) -> DriveOrder {
    order.rounds = 1;
    order.round_ns = 60_000 * MS;
    order.slice_ns = order.round_ns;
    order.lanes[0].operations = Some(operations);
    order
}

/// Drives one lane's order, and asserts that everything that was attempted is accounted for.
pub(crate) fn drive(order: &DriveOrder, lanes: Vec<MakeLane>) -> Seen {
    drive_until(&Stop::new().expect("a descriptor"), order, lanes)
}

/// The same, ended early by the holder of the other end of `stop`.
pub(crate) fn drive_until(stop: &Stop, order: &DriveOrder, lanes: Vec<MakeLane>) -> Seen {
    let mut all = Seen::default();
    engine::run(order, vec![lanes], Vec::new(), stop, &mut |trial| {
        all.merge(&trial.seen);
        ControlFlow::Continue(())
    })
    .expect("nothing broke");
    let attempted: u64 = all.slices.iter().map(|slice| slice.due).sum();
    let accounted = all.outcomes.total() + all.unsent + all.unfinished;
    assert_eq!(attempted + all.unsent_times, accounted, "{all:?}");
    assert_eq!(all.operations, all.outcomes.total());
    let message = format!("{all:?}");
    assert!(!message.contains(PASSWORD), "a password: {message}");
    all
}

/// Whether nothing took less than this. A histogram with three digits reads up to 0.1 % less: 40 ms
/// as 39.98.
pub(crate) fn took_at_least(seen: &Seen, ns: u64) -> bool {
    seen.response_time.min() >= Some(ns - ns / 1000)
}

/// Loads all keys of a workload twice, the second time over the existing rows.
pub(crate) fn load(address: Address, of: &Workload, lanes: impl Fn(&DriveOrder) -> Vec<MakeLane>) {
    let order = in_one_slice(order(address, LaneTask::load(of.clone())), of.to_load());
    for _ in 0..2 {
        let seen = drive(&order, lanes(&order));
        assert_eq!(seen.outcomes.ok, of.to_load(), "{:?}", seen.outcomes);
    }
}

/// With `reuse=N` each connection serves N operations, except the last one of each slot.
pub(crate) fn is_as_often_as_due(opened: u64, times: u32, seen: &Seen, order: &DriveOrder) {
    let fewest = seen.operations.div_ceil(u64::from(times));
    let slots = u64::from(order.lanes[0].intensity.connections);
    let operations = seen.operations;
    assert!((fewest..=fewest + slots).contains(&opened), "{opened} for {operations} operations");
}

/// Checks that every operation succeeded. On a busy machine each connection may still wait for a reply when
/// the run ends.
pub(crate) fn all_ok(seen: &Seen, what: &str) {
    let waiting = seen.outcomes.failed.get(&Failure::Waiting).copied().unwrap_or(0);
    assert!(seen.outcomes.ok > 0, "{what}: {:?}", seen.outcomes);
    assert!(waiting <= seen.connections.requested, "{what}: {:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok + waiting, seen.operations, "{what}: {:?}", seen.outcomes);
}
