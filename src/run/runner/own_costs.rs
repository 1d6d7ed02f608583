//! Keeps the lanes' own costs for a day, so that the next run of the same lane need not measure
//! them again.
//!
//! One small file for each lane, in the user's cache directory. Nothing depends on it: a figure
//! that cannot be read or parsed, or belongs to another user, is measured anew, and one that cannot
//! be written is not kept.

use crate::system::cache;
use record::{LaneOrder, OwnCost, Plan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use text::fnv::fnv1a;

/// The version of what a file holds. Another one is measured anew.
const VERSION: u32 = 2;
/// How long a figure is used.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// The longest file that is read.
const MOST_BYTES: u64 = 16 * 1024;
/// The maximum plausible cost of an operation, in nanoseconds: a larger figure is damaged.
const MOST_NS: f64 = 1e9;

/// What is known of the lanes of one run.
#[derive(Debug, Default)]
pub(super) struct OwnCosts {
    /// Where figures are kept, or None if they are not.
    directory: Option<PathBuf>,
    /// The program and the machine that they belong to.
    machine: String,
    /// The lane that was looked up, by contender.
    lanes: BTreeMap<u32, String>,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// [`VERSION`].
    version: u32,
    /// Everything that the figure depends on, in words.
    lane: String,
    cpu_per_operation_ns: f64,
    /// Seconds since 1970.
    measured: u64,
}

impl OwnCosts {
    /// The costs of the plan's lanes against a null server on this core, in the cache directory of
    /// this user.
    pub(super) fn of(plan: &Plan, server_core: Option<u32>) -> OwnCosts {
        let (directory, program) = (cache::directory(), this_program());
        let (Some(directory), Some(program)) = (directory, program) else {
            return OwnCosts::default();
        };
        let host = &plan.host;
        let machine = format!(
            "{program}; {}; {}; cores {}, generator {}, server {}",
            host.kernel,
            host.cpu,
            list_cores(&host.cores),
            list_cores(plan.generator_cores.last()),
            list_cores(&server_core),
        );
        OwnCosts { directory: Some(directory.join("own-costs")), machine, lanes: BTreeMap::new() }
    }

    /// Costs of a made-up machine, in this directory.
    #[cfg(test)]
    pub(super) fn made_up(directory: PathBuf) -> OwnCosts {
        let machine = "made up".to_owned();
        OwnCosts { directory: Some(directory), machine, lanes: BTreeMap::new() }
    }

    /// The known cost of this contender's lane, which speaks this protocol.
    pub(super) fn find(
        &mut self,
        contender: u32,
        protocol: &str,
        lane: &LaneOrder,
    ) -> Option<OwnCost> {
        let directory = self.directory.as_deref()?;
        // Its address is that of a null server that does not run yet, which is the same for all
        // lanes.
        let lane = serde_json::to_string(lane).ok()?;
        let lane = format!("{}; {protocol}; {lane}", self.machine);
        let found = read(&directory.join(file_of(&lane)), &lane, SystemTime::now());
        self.lanes.insert(contender, lane);
        let (cpu_per_operation_ns, age) = found?;
        Some(OwnCost { contender, cpu_per_operation_ns, age_s: age.as_secs() })
    }

    /// Keeps the measured cost of this contender's lane, if it was looked up.
    pub(super) fn keep(&self, contender: u32, cpu_per_operation_ns: f64) {
        let (Some(directory), Some(lane)) = (&self.directory, self.lanes.get(&contender)) else {
            return;
        };
        let now = SystemTime::now();
        let measured = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let kept = Kept { version: VERSION, lane: lane.clone(), cpu_per_operation_ns, measured };
        // If this fails, the next run measures again, as this one did.
        let _ = write(directory, &file_of(lane), &kept, now);
    }
}

/// These cores with commas between them. Empty if there are none.
fn list_cores<'a>(cores: impl IntoIterator<Item = &'a u32>) -> String {
    cores.into_iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Distinguishes this program from every other build of it, without reading it.
fn this_program() -> Option<String> {
    let file = fs::metadata("/proc/self/exe").ok()?;
    Some(format!(
        "tiebreak {}, {} bytes of {}.{:09}",
        env!("CARGO_PKG_VERSION"),
        file.size(),
        file.mtime(),
        file.mtime_nsec()
    ))
}

fn file_of(lane: &str) -> String {
    format!("{:016x}.json", fnv1a(lane.as_bytes()))
}

/// Cost and age of the figure that is kept for this lane.
fn read(file: &Path, lane: &str, now: SystemTime) -> Option<(f64, Duration)> {
    // Opened so that a FIFO does not block and a link is not followed.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
    if !cache::is_ours(&file) {
        return None;
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    let kept: Kept = serde_json::from_str(&text).ok()?;
    let measured = UNIX_EPOCH.checked_add(Duration::from_secs(kept.measured))?;
    let age = now.duration_since(measured).ok()?;
    let sane = kept.cpu_per_operation_ns > 0.0 && kept.cpu_per_operation_ns < MOST_NS;
    let known = kept.version == VERSION && kept.lane == lane;
    (sane && known && age < KEPT).then_some((kept.cpu_per_operation_ns, age))
}

fn write(directory: &Path, name: &str, kept: &Kept, now: SystemTime) -> std::io::Result<()> {
    cache::make(directory)?;
    remove_old(directory, now);
    // The file is written under another name and renamed, so that two simultaneous runs leave one
    // complete file.
    let beside = directory.join(format!("{name}.{}", std::process::id()));
    let text = serde_json::to_string(kept)?;
    let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written =
        to.write_all(text.as_bytes()).and_then(|()| fs::rename(&beside, directory.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Removes files that no run will use any more.
fn remove_old(directory: &Path, now: SystemTime) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let changed = entry.metadata().ok().filter(fs::Metadata::is_file);
        let changed = changed.and_then(|about| about.modified().ok());
        let age = changed.and_then(|changed| now.duration_since(changed).ok());
        if age.is_some_and(|age| age > KEPT) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::conformance::alone;
    use crate::scratch::Scratch;
    use record::{LaneTask, Reuse};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn costs(scratch: &Scratch, machine: &str) -> OwnCosts {
        let directory = Some(scratch.path().join("cache/own-costs"));
        OwnCosts { directory, machine: machine.to_owned(), lanes: BTreeMap::new() }
    }

    fn lane(connections: u32) -> LaneOrder {
        alone::lane(connections, 1, Reuse::Always, LaneTask::Ask)
    }

    /// The cost that another run finds.
    fn found(scratch: &Scratch, machine: &str, protocol: &str, connections: u32) -> Option<f64> {
        let found = costs(scratch, machine).find(3, protocol, &lane(connections));
        found.map(|found| {
            assert_eq!(found.contender, 3);
            found.cpu_per_operation_ns
        })
    }

    /// Keeps 5 µs of `m`, `http`, 8 connections, and says in which file.
    fn kept(scratch: &Scratch) -> PathBuf {
        let mut costs = costs(scratch, "m");
        assert_eq!(costs.find(1, "http", &lane(8)), None);
        costs.keep(1, 5000.0);
        let directory = costs.directory.expect("a directory");
        let mut files = fs::read_dir(directory).expect("made").flatten();
        let file = files.next().expect("a file").path();
        assert!(files.next().is_none(), "one file, and nothing beside it");
        file
    }

    #[test]
    fn what_was_kept_is_found_for_the_same_lane_alone() {
        let scratch = Scratch::new();
        kept(&scratch);
        assert_eq!(found(&scratch, "m", "http", 8), Some(5000.0));
        assert_eq!(found(&scratch, "m", "http", 9), None);
        assert_eq!(found(&scratch, "m", "resp", 8), None);
        assert_eq!(found(&scratch, "another", "http", 8), None);
    }

    /// A change of these bytes requires another version.
    #[test]
    fn what_is_kept_is_fixed() {
        let scratch = Scratch::new();
        let file = kept(&scratch);
        assert_eq!(file.file_name().expect("a name"), "0f65a4141647605c.json");
        let text = fs::read_to_string(file).expect("readable");
        let (start, _) = text.split_once("\"measured\":").expect("the last field");
        let lane = concat!(
            r#"m; http; {"address":{"tcp":"127.0.0.1:0"},"connections":8,"depth":1,"#,
            r#""arrivals":"closed","reuse":"always","doing":"ask","timeout_ns":5000000000,"#,
            r#""burn_in_ns":0,"operations":null}"#,
        );
        let lane = lane.replace('"', "\\\"");
        assert_eq!(
            start,
            format!("{{\"version\":2,\"lane\":\"{lane}\",\"cpu_per_operation_ns\":5000.0,")
        );
        assert_eq!(list_cores(&[0, 2, 11]), "0,2,11");
        assert_eq!(list_cores(None), "");
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let mut none = OwnCosts::default();
        assert_eq!(none.find(0, "http", &lane(8)), None);
        none.keep(0, 5000.0);
    }

    #[test]
    fn a_figure_is_used_for_a_day() {
        let scratch = Scratch::new();
        let file = kept(&scratch);
        let text = fs::read_to_string(&file).expect("readable");
        let cost: Kept = serde_json::from_str(&text).expect("ours");
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(cost.measured + seconds);
        assert!(read(&file, &cost.lane, at(86_399)).is_some());
        assert!(read(&file, &cost.lane, at(86_400)).is_none());
        let before = UNIX_EPOCH + Duration::from_secs(cost.measured - 1);
        assert!(read(&file, &cost.lane, before).is_none(), "a clock that was set back");
        remove_old(file.parent().expect("a directory"), SystemTime::now() + 2 * KEPT);
        assert!(!file.exists());
    }

    #[test]
    fn what_cannot_be_trusted_is_measured_anew() {
        type Invalidate = fn(&Path);
        let spoil: [(&str, Invalidate); 7] = [
            ("another version", |file| {
                let text = fs::read_to_string(file).expect("readable");
                fs::write(file, text.replace("\"version\":2", "\"version\":1")).expect("written");
            }),
            ("damaged", |file| fs::write(file, "{\"lane\": 1").expect("written")),
            ("not text", |file| fs::write(file, [0xff; 9]).expect("written")),
            ("a cost of nothing", |file| {
                let text = fs::read_to_string(file).expect("readable");
                fs::write(file, text.replace("5000", "-1")).expect("written");
            }),
            ("others may write it", |file| {
                fs::set_permissions(file, fs::Permissions::from_mode(0o666)).expect("ours");
            }),
            ("a link", |file| {
                let beside = file.with_extension("moved");
                fs::rename(file, &beside).expect("ours");
                symlink(beside, file).expect("a link");
            }),
            ("a directory", |file| {
                fs::remove_file(file).expect("ours");
                fs::create_dir(file).expect("a directory");
            }),
        ];
        for (what, spoil) in spoil {
            let scratch = Scratch::new();
            let file = kept(&scratch);
            spoil(&file);
            assert_eq!(found(&scratch, "m", "http", 8), None, "{what}");
        }
    }

    #[test]
    fn a_folder_that_others_may_write_is_left_alone() {
        let scratch = Scratch::new();
        let mut costs = costs(&scratch, "m");
        let directory = costs.directory.clone().expect("a directory");
        fs::create_dir_all(&directory).expect("a directory");
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).expect("ours");
        costs.find(1, "http", &lane(8));
        costs.keep(1, 5000.0);
        assert_eq!(fs::read_dir(&directory).expect("readable").count(), 0);
    }
}
