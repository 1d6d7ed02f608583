//! Sweeps over sizes of values that do not fit together, in stores that tiebreak launches.

use super::stores::{memcached, redis};
use crate::common::stores::Store;
use crate::common::{TestDirectory, assert_sound, errors, stdout};
use crate::validator;
use serde_json::Value;

const LAUNCHES: u64 = 7;

/// A sweep of two stores with these keys in an experiment file, in seven launches, each with two rounds of each of two
/// sizes.
struct Swept {
    directory: TestDirectory,
    report: Value,
    stderr: String,
    events: Vec<Value>,
}

impl Swept {
    fn new(keys: &str, sizes: &str) -> Swept {
        let directory = TestDirectory::new();
        let file = format!("[contender.a]\n{keys}\n[contender.b]\n{keys}\n");
        std::fs::write(directory.file("e.toml"), file).expect("writes");
        let words = [
            &["compare", "e.toml", "--sweep", sizes, "--keys", "1000", "--connections", "4"][..],
            &["--mix", "get=1", "--verify", "all", "--launches", "7", "--rounds", "2"],
            &["--round", "200ms", "--pilot", "200ms", "--warm-up", "0s", "--seed", "1"],
            &["--out", "run"],
        ];
        let output = directory.tiebreak(&words.concat());
        let stderr = errors(&output);
        print!("{}{stderr}", stdout(&output));
        let report = directory.json("run/report.json");
        assert_sound(&(output.status.code().expect("a code"), report.clone()));
        assert_eq!(validator::wrong(&report), Vec::<String>::new());
        let journal = std::fs::read_to_string(directory.file("run/journal.jsonl"));
        let journal = journal.expect("a journal");
        let events = journal.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        Swept { events: events.collect(), directory, report, stderr }
    }

    /// The events of this kind.
    fn events(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.events.iter().filter_map(move |event| event["event"].get(kind))
    }

    /// How often a contender was loaded.
    fn loads(&self, contender: u64) -> u64 {
        self.events("loaded").filter(|loaded| loaded["contender"] == contender).count() as u64
    }

    /// The load point that each launch drove first, 0 or 1.
    fn firsts(&self) -> Vec<u64> {
        let first_round = |trial: &&Value| trial["round"].as_u64().is_some_and(|n| n % 4 == 1);
        let rounds = self.events("trial").filter(|trial| trial["phase"] == "round");
        let of_a = rounds.filter(first_round).filter_map(|trial| trial["contender"].as_u64());
        of_a.filter(|contender| contender % 2 == 0).map(|contender| contender / 2).collect()
    }

    /// Each launch drives both sizes, in its own order, and the launch is the replicate.
    fn assert_launches_are_replicates(&self) {
        let report = &self.report;
        assert_eq!(report["sweep"]["apart"], true);
        assert_eq!(report["complete_rounds"], 4 * LAUNCHES);
        assert_eq!(report["plan"]["restarts"], LAUNCHES);
        let firsts = self.firsts();
        assert_eq!(firsts.len() as u64, LAUNCHES);
        assert!(firsts.contains(&0) && firsts.contains(&1), "{firsts:?}");
        for trial in self.events("trial").filter(|trial| trial["phase"] == "round") {
            let [round, contender] = ["round", "contender"].map(|of| trial[of].as_u64());
            let (round, contender) = (round.expect("its round") - 1, contender.expect("who"));
            let first = firsts[(round / 4) as usize];
            let driven = if round % 4 < 2 { first } else { 1 - first };
            assert_eq!(contender / 2, driven, "in round {}", round + 1);
        }
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        let primaries = comparisons.iter().filter(|of| of["primary"] == true);
        let primaries: Vec<&Value> = primaries.collect();
        assert_eq!(primaries.len(), 2);
        for comparison in primaries {
            assert_eq!(comparison["replicates"], LAUNCHES, "{comparison:#}");
            assert_eq!(comparison["scope"], "programs", "{comparison:#}");
        }
        for contender in report["contenders"].as_array().expect("contenders") {
            assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
        }
        for level in report["sweep"]["levels"].as_array().expect("load points") {
            assert_eq!(level["void"], false, "{level}");
        }
        // The data of one load point and their note.
        let ends = self.events("store").filter(|store| store["when"] == "rounds_end");
        let items: Vec<&Value> = ends.map(|store| &store["items"]).collect();
        assert!(items.len() as u64 >= 4 * LAUNCHES, "{items:?}");
        assert!(items.iter().all(|items| **items == 1001), "{items:?}");
        let again = stdout(&self.directory.tiebreak(&["report", "run", "--markdown"]));
        assert!(again.replace('\u{a0}', " ").contains("7 launches × 2 rounds"), "{again}");
    }

    /// The numbers of the launches of a's target.
    fn launches(&self) -> Vec<u64> {
        let targets = self.events("target").filter(|target| target["contender"] == 0);
        targets.filter_map(|target| target["launch"].as_u64()).collect()
    }
}

/// Values of 8000 and of 10 000 bytes under 1000 keys each take 18 MB, and each server has 16.8 MB.
#[test]
fn each_launch_of_a_redis_drives_all_sizes_one_after_the_other() {
    let swept = Swept::new(&redis("", ", '--maxmemory', '16mb'"), "value=8000,10000");
    assert!(
        swept.stderr.contains("one after the other in each launch and share no rounds"),
        "{}",
        swept.stderr
    );
    swept.assert_launches_are_replicates();
    assert_eq!(swept.launches(), (1..=LAUNCHES).collect::<Vec<_>>());
    // For the pilot and in each launch, except what the pilot left to the first launch.
    let kept = |point: u64| u64::from(point == 1 && swept.firsts()[0] == point);
    for contender in 0..4 {
        assert_eq!(swept.loads(contender), 1 + LAUNCHES - kept(contender / 2));
    }
}

/// Values of 4000 and of 5000 bytes under 1000 keys each take 9 MB, and each server has 8.39 MB. One that had values of
/// one size has no room for those of the other.
#[test]
fn a_memcached_starts_anew_for_each_size() {
    let swept = Swept::new(&memcached(", '-m', '8'"), "value=4000,5000");
    let said =
        "one after the other in each launch, each in a process of its own, and share no rounds";
    assert!(swept.stderr.contains(said), "{}", swept.stderr);
    swept.assert_launches_are_replicates();
    // Two in the pilot and in each launch, except that of the pilot that the first launch uses.
    let of_first = if swept.firsts()[0] == 1 { 1 } else { 2 };
    let all = 2 + of_first + 2 * (LAUNCHES - 1);
    assert_eq!(swept.launches(), (1..=all).collect::<Vec<_>>());
    assert_eq!(swept.report["contenders"][0]["target_cost"]["launches"], all);
    for contender in 0..4 {
        let evicted = &swept.report["contenders"][contender]["store"]["evicted"]["rounds"];
        assert_eq!(*evicted, 0, "contender {contender}");
    }
}

/// The memory of a running server stays divided among the sizes that were there first.
#[test]
fn a_running_memcached_is_not_driven_with_one_size_after_the_other() {
    let directory = TestDirectory::new();
    let server = Store::memcached(&["-m", "8"]);
    let sweep = ["--sweep", "value=4000,5000", "--keys", "1000", "--out", "run"];
    let output = directory.tiebreak(&[&["run", &server.url()][..], &sweep].concat());
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for said in ["at least 9 MB", "room for 8.39 MB", "stays divided", "let tiebreak launch it"] {
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}
