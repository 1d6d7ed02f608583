//! The search over the commits of a repository, through the binary.

use crate::against::{git, repository, write};
use crate::common::{TestDirectory, errors, stdout};
use crate::validator::assert_fits;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A program that sleeps for as long as a file says, once it was built.
pub(crate) const PROGRAM: [(&str, &str); 2] = [
    ("program.sh", "sleep $(cat built)\necho operations 100\n"),
    (
        "tiebreak.toml",
        "[contender.work]\nbuild = [['cp', 'length', 'built']]\nurl = 'exec:sh ./program.sh'\n",
    ),
];
pub(crate) const FAST: (&str, &str) = ("length", "0.02");
pub(crate) const SLOW: (&str, &str) = ("length", "0.2");

/// Nine commits, of which the seventh makes the work ten times as long, far more than a busy machine adds to the start of a
/// program, and the fifth does not build.
fn history() -> TestDirectory {
    let first = [PROGRAM[0], PROGRAM[1], FAST];
    let [one, two, three, five, seven, eight] =
        ["1", "2", "3", "5", "7", "8"].map(|n| ("notes", n));
    let directory = repository(&[&first, &[one], &[two], &[three]]);
    let commit = |number: u32| {
        git(directory.path(), &["add", "--all"]);
        git(directory.path(), &["commit", "--quiet", "--message", &format!("#{number} by @team")]);
    };
    fs::remove_file(directory.file("length")).expect("a file");
    commit(4);
    for (number, files) in
        [(5, [FAST, five]), (6, [SLOW, five]), (7, [SLOW, seven]), (8, [SLOW, eight])]
    {
        write(&directory, &files);
        commit(number);
    }
    directory
}

pub(crate) fn search(directory: &TestDirectory, more: &[&str]) -> (Option<i32>, String, String) {
    let output = directory.tiebreak(&[&["bisect"], more].concat());
    (output.status.code(), stdout(&output), errors(&output))
}

pub(crate) fn short(directory: &TestDirectory, revision: &str) -> String {
    git(directory.path(), &["rev-parse", "--short", revision])
}

/// Waits until the fourth probe has begun (the commit of the second and third one does not build), and kills the search.
fn kill_in_the_fourth_probe(directory: &TestDirectory) {
    let mut command = directory.command(&["bisect", "HEAD~8", "HEAD", "--out", "run-search", "-q"]);
    let mut child: Child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let began = Instant::now();
    while !directory.file("run-search/probes/004/journal.jsonl").exists() {
        assert!(began.elapsed() < Duration::from_secs(300), "no fourth probe");
        assert!(child.try_wait().expect("ours").is_none(), "it ended before its fourth probe");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("ours");
    child.wait().expect("ours");
}

#[test]
fn the_commit_is_named_also_if_the_search_was_killed_in_between() {
    let directory = history();
    kill_in_the_fourth_probe(&directory);
    let first = directory.file("run-search/probes/001/journal.jsonl");
    let kept = fs::read(&first).expect("a journal");
    let command = ["HEAD~8", "HEAD", "--out", "run-search"];
    let (code, answer, progress) = search(&directory, &command);
    assert_eq!(code, Some(0), "{progress}");
    assert_eq!(fs::read(&first).expect("a journal"), kept, "a finished probe is kept");
    let named = format!("{} (#6 by @team, ", short(&directory, "HEAD~2"));
    let line = answer.replace('\n', " ");
    assert!(line.starts_with(&named) && line.contains("against its parent"), "{answer}");
    assert!(
        progress.contains(&format!("{} is skipped", short(&directory, "HEAD~4"))),
        "{progress}"
    );
    assert!(progress.contains("of the weight") && progress.contains(" so far"), "{progress}");

    let record = directory.json("run-search/bisect.json");
    assert_fits(include_str!("../../schema/bisect.v1.json"), &record);
    let probes = record["lines"][0]["probes"].as_array().expect("probes");
    let states: Vec<&Value> = probes.iter().map(|probe| &probe["state"]).collect();
    let of = ["measured", "abandoned", "abandoned"].map(Value::from);
    assert_eq!([states[0], states[1], states[3]].map(Value::clone), of);
    assert_eq!((&probes[1]["failed"], &states[2]["unusable"]), (&4.into(), &4.into()));
    let page = directory.text("run-search/bisect.html");
    assert!(page.contains("#6 by @team") && page.contains("The way through the history"));

    let (code, again, _) = search(&directory, &[&command[..], &["--quiet"]].concat());
    assert_eq!((code, again), (Some(0), answer));
    assert_eq!(directory.json("run-search/bisect.json"), record, "nothing was measured again");
    let (code, _, why) = search(&directory, &[&command[..], &["--matters", "10%"]].concat());
    assert!(code == Some(2) && why.contains("`matters` was 0.03 and is 0.1"), "{why}");
    let file = format!("{}\n# another\n", PROGRAM[1].1);
    write(&directory, &[("tiebreak.toml", &file)]);
    let (code, _, why) = search(&directory, &command);
    assert!(code == Some(2) && why.contains("tiebreak.toml has changed since it began"), "{why}");
}

#[test]
fn a_plan_says_what_is_searched_and_builds_nothing() {
    let directory = history();
    let plan = |more: &[&str]| {
        let (code, text, why) =
            search(&directory, &[&["HEAD~8", "HEAD", "--dry-run"], more].concat());
        assert_eq!(code, Some(0), "{why}");
        text
    };
    let whole = plan(&[]);
    assert!(whole.starts_with("8 commits between "), "{whole}");
    assert!(whole.contains("which one made it slower (by throughput)?"), "{whole}");
    assert!(whole.contains("measuring takes ") && whole.contains(" at most"), "{whole}");
    let why = "is built again for every comparison, because a build is kept only while nothing in its tree has changed";
    assert!(whole.contains(why), "{whole}");
    // 4 removes it, 5 adds it, 6 changes it; BAD is measured in any case.
    let of_path = plan(&["--", "length"]);
    assert!(of_path.starts_with("4 commits between "), "{of_path}");
    // Paths are those of the directory that the user is in.
    write(&directory, &[("below/x", "1")]);
    let words = ["bisect", "HEAD~8", "HEAD", "--dry-run", "--allow-file", "--", "../length"];
    let mut below = directory.command(&words);
    let below = below.current_dir(directory.file("below")).output().expect("it runs");
    assert!(stdout(&below).starts_with("4 commits between "), "{}", errors(&below));
    let cheaper = plan(&["--improvement", "--by", "memory"]);
    assert!(cheaper.contains("which one made it use less (by target peak memory)?"), "{cheaper}");
    let built: Vec<PathBuf> = [".cache/tiebreak/revisions", "tiebreak-runs"]
        .map(|name| directory.file(name))
        .into_iter()
        .filter(|path| path.exists())
        .collect();
    assert_eq!(built, Vec::<PathBuf>::new());
}

#[test]
fn what_cannot_be_searched_says_why() {
    let directory = history();
    let broken = short(&directory, "HEAD~4");
    for (words, code, why) in [
        (&["v9", "HEAD"][..], 2, "the revision `v9` was not found"),
        (&["HEAD", "HEAD~3"], 2, "name the older commit first"),
        (&["HEAD~8", "HEAD", "--rounds", "20"], 2, "--rounds: a search chooses this itself"),
        (&["HEAD~8", "HEAD", "--control"], 2, "--control: a search chooses this itself"),
        (&["HEAD~8", "HEAD", "--", "lenght"], 2, "no commit between GOOD and BAD changes anything"),
        (&["HEAD~8", "HEAD", "--by", "p99.9"], 2, "--by p99.9 is compared only at a given rate"),
        (&["HEAD~8", "HEAD", "--by", "p50"], 2, "this contender has no such figure"),
        (&["HEAD~8", "HEAD", "--case", "x"], 2, "only contenders with `figures` have cases"),
        (
            &["HEAD~8", "HEAD", "--skip", "HEAD"],
            2,
            "the first and the last commit must be measured",
        ),
        (&["HEAD~4", "HEAD"], 4, &format!("GOOD ({broken})")),
    ] {
        let (exit, _, text) = search(&directory, words);
        assert!(exit == Some(code) && text.contains(why), "{words:?}: {exit:?} {text}");
    }
    let clone = TestDirectory::new();
    let from = format!("file://{}", directory.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth", "2", &from, "shallow"]);
    let shallow = clone.path().join("shallow");
    let id = git(directory.path(), &["rev-parse", "HEAD~8"]);
    let mut command = clone.command(&["bisect", &id, "HEAD"]);
    let output = command.current_dir(shallow).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("fetch-depth: 0"), "{}", errors(&output));
}
