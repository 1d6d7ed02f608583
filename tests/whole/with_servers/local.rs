//! Contenders without a server, with the whole binary: files in a directory, and
//! programs that run to their end.

use crate::common::{TestDirectory, number, rules};
use serde_json::Value;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

fn compare(directory: &TestDirectory, words: &[&str]) -> (i32, Value) {
    compare_by(directory, words, &["--rounds", "6"])
}

/// The same by as many rounds as these words ask for.
fn compare_by(directory: &TestDirectory, words: &[&str], rounds: &[&str]) -> (i32, Value) {
    let short = ["--round", "200ms", "--warm-up", "100ms"];
    directory.report(&[&["compare"], words, rounds, &short].concat())
}

/// A program that counts, says what it found, and announces its operations.
fn counting(to: u32, more: &str) -> String {
    format!(
        "exec:sh -c 'i=0; while [ $i -lt {to} ]; do i=$((i+1)); done; {more}echo operations 1000'"
    )
}

#[test]
fn files_are_loaded_verified_and_compared_with_a_store() {
    let directory = TestDirectory::new();
    let files = format!("files=file://{}", directory.file("cache").display());
    let words = ["memcached", &files, "--keys", "1k", "--verify", "all", "--connections", "4"];
    let more = ["--set", "files.locking=rename", "--slice", "50ms", "--pilot", "100ms"];
    let words = [&words[..], &more].concat();
    let (code, report) = compare(&directory, &words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let files = &report["contenders"][1];
    assert_eq!(files["outcomes"]["ok"], files["operations"], "{}", files["outcomes"]);
    assert_eq!(files["sent"]["load"], 1000);
    let cost = &files["target_cost"];
    assert_eq!(cost["cpu_unavailable"], "the generator reads and writes the files itself");
    let locking = cost["facts"].as_array().expect("facts").iter();
    let locking = locking.filter(|fact| fact["command"] == "locking").collect::<Vec<_>>();
    assert_eq!(locking[0]["line"], "none, written to a second file that is renamed");
    let about = |finding: &Value| {
        finding["rule"] == "generator_bottleneck" && finding["contender"] == "files"
    };
    let findings = report["findings"].as_array().expect("findings");
    assert!(!findings.iter().any(about), "the work is the generator's own");
    assert!(directory.file("cache").join(".tiebreak-cache").exists(), "it is marked as ours");
}

#[test]
fn files_that_are_removed_under_us_are_misses_and_void_it() {
    let directory = TestDirectory::new();
    let [kept, emptied] = ["kept", "emptied"].map(|name| directory.file(name));
    let (over, removed) = (AtomicBool::new(false), AtomicU64::new(0));
    let [a, b] = [("a", &kept), ("b", &emptied)]
        .map(|(name, path)| format!("{name}=file://{}", path.display()));
    let short = ["--slice", "50ms", "--pilot", "100ms"];
    let words = [&[a.as_str(), &b, "--keys", "1k", "--connections", "2"][..], &short].concat();
    // For as long as the run takes: how many operations it does depends on the machine,
    // and misses void it from 1 % of them on.
    let (code, report) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Relaxed) {
                removed.fetch_add(empty(&emptied), Relaxed);
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        });
        // Also where the run panics: else the scope would wait for ever.
        let _over = Raised(&over);
        compare(&directory, &words)
    });
    assert!(removed.load(Relaxed) > 0);
    assert_eq!(code, 3, "{:#}", report["findings"]);
    let void = report["findings"].as_array().expect("findings").iter();
    let void = void.filter(|finding| finding["weight"] == "void").collect::<Vec<_>>();
    assert!(void.iter().all(|finding| finding["contender"] == "b"), "{void:#?}");
    assert!(void.iter().any(|finding| finding["rule"] == "misses"), "{void:#?}");
}

/// Raises a flag when it is dropped.
struct Raised<'a>(&'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Removes the values in a cache, not its directories and its marker.
fn empty(directory: &std::path::Path) -> u64 {
    let mut removed = 0;
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => removed += empty(&entry.path()),
            _ if entry.file_name() == ".tiebreak-cache" => {}
            _ => removed += u64::from(std::fs::remove_file(entry.path()).is_ok()),
        }
    }
    removed
}

#[test]
fn programs_take_turns_and_are_compared_by_what_they_cost() {
    let directory = TestDirectory::new();
    let (a, b) = (counting(2000, "echo found; "), counting(40_000, "echo found; "));
    // A core that is taken away for a while slows several rounds in a row: few rounds
    // then decide nothing, however large the difference.
    let rounds = ["--until-decided", "--rounds", "8"];
    let (code, report) = compare_by(&directory, &[&format!("a={a}"), &format!("b={b}")], &rounds);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!(report["plan"]["pilot"]["interleave"], "turns");
    let metrics: Vec<&str> = report["comparisons"]
        .as_array()
        .expect("two")
        .iter()
        .filter_map(|comparison| comparison["metric"].as_str())
        .collect();
    assert_eq!(metrics, ["throughput", "target_cpu_per_operation"], "no quantiles of whole runs");
    assert_eq!(report["comparisons"][0]["verdict"], "slower", "{}", report["comparisons"][0]);
    for contender in report["contenders"].as_array().expect("two") {
        let runs = &contender["target_cost"]["runs"];
        let count = number(&runs["count"]);
        assert!(count >= 8.0, "one a round at least: {runs}");
        assert_eq!(number(&contender["operations"]), 1000.0 * count);
        assert_eq!(number(&runs["output_bytes"]), 6.0 * count, "`found` and its line's end");
        assert!(
            number(&runs["user"]) > 0.0 && number(&runs["wall"]) >= number(&runs["user"]) * 0.5
        );
        assert!(number(&contender["target_cost"]["peak_memory_bytes"]) > 0.0);
    }
    assert!(!rules(&report, "note").contains(&"one_launch"));
}

#[test]
fn a_program_that_says_less_is_named() {
    let directory = TestDirectory::new();
    let (a, b) = (counting(100, "echo found 100; "), counting(10, ""));
    let both = [&format!("a={a}")[..], &format!("b={b}")];
    let (code, report) = compare(&directory, &both);
    assert_eq!(code, 3, "{:#}", report["findings"]);
    assert_eq!(rules(&report, "void"), ["program_output"]);
}

#[test]
fn a_program_that_fails_now_and_then_is_not_called_faster() {
    let directory = TestDirectory::new();
    let flag = directory.file("flag").display().to_string();
    let every_other = format!(
        "exec:sh -c 'if [ -e {flag} ]; then rm {flag}; else touch {flag}; exit 7; fi; echo operations 1000'"
    );
    // The first run checks the readiness: it must succeed.
    std::fs::write(directory.file("flag"), "").expect("a file");
    let both = [format!("a={}", counting(20_000, "")), format!("b={every_other}")];
    // A turn in which no run is good ends the comparison with exit code 4. So a turn is long
    // against a run, which takes 2 ms, and against a machine that stands still for 200 ms.
    let words = ["compare", &both[0], &both[1], "--rounds", "6", "--warm-up", "100ms"];
    let (code, report) = directory.report(&[&words[..], &["--round", "600ms"]].concat());
    assert_eq!(code, 3, "{:#}", report["findings"]);
    let theirs = &report["contenders"][1]["outcomes"]["target_errors"];
    assert!(number(&theirs["exit"]) > 0.0, "{theirs}");
}

#[test]
fn what_programs_and_files_cannot_do_is_refused_with_its_remedy() {
    let directory = TestDirectory::new();
    let program = "a=exec:true";
    for (words, message) in [
        (
            &[program, "b=exec:true", "--connections", "8"][..],
            "exec: runs one program at a time, not 8",
        ),
        (&[program, "b=exec:true", "--rate", "5/s"], "because a program sets its own pace"),
        (&[program, "b=exec:true", "--interleave", "slices"], "contenders take turns"),
        (&[program, "b=exec:true", "--depth", "2"], "leave out depth"),
        (
            &[program, "b=exec:true", "--restarts", "10"],
            "a program (exec:) starts anew in every turn",
        ),
        (&[program, "b=exec:a | b"], "is shell syntax"),
        (&[program, "b=file://x"], "file:///dev/shm/cache"),
        (&["memcached", "redis", "--operations", "5"], "no contender is one"),
        (
            &["memcached", "b=file:///tmp/x", "--depth", "4"],
            "files have one operation in flight per connection",
        ),
        (&["memcached", "b=file:///tmp/x", "--reuse", "never"], "files have no connections"),
        (&["memcached", "redis", "--set", "redis.fsync=true"], "apply only to file:///"),
        (
            &["memcached", "b=file:///tmp/x", "--mix", "multi-get:3=1"],
            "each file is read separately: no request reads several",
        ),
    ] {
        let all = [&["compare"], words].concat();
        let out = directory.tiebreak(&all);
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains(message), "{words:?}: {stderr}");
    }
    let missing = directory.tiebreak(&["compare", program, "b=exec:no-such-program"]);
    let stderr = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("the program `no-such-program` is not installed"), "{stderr}");
}
