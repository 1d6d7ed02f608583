//! Flags, and keys of experiment files, that other tests do not give: each with its effect.

use crate::common::{TestDirectory, assert_sound, errors, number, serve, unhurried, url};
use crate::journals::changed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const SHORT: [&str; 12] = [
    "--rounds",
    "6",
    "--round",
    "100ms",
    "--pilot",
    "200ms",
    "--warm-up",
    "0s",
    "--connections",
    "4",
    "--out",
    "run",
];

/// An experiment file with these keys, in which one server is both contenders.
fn experiment(directory: &TestDirectory, keys: &str, url: &str, more: &str) {
    let both = format!("[contender.a]\nurl = '{url}'\n[contender.b]\nurl = '{url}'\n");
    fs::write(directory.file("e.toml"), format!("{keys}\n{both}{more}")).expect("a file");
}

/// Level and interval of the first comparison.
fn interval(report: &Value) -> (f64, f64, f64) {
    let of = &report["comparisons"][0];
    (number(&of["confidence"]), number(&of["low"]), number(&of["high"]))
}

/// The journal of the run, judged with another level.
fn judged_with(directory: &TestDirectory, alpha: f64) -> Value {
    let journal = directory.text("run/journal.jsonl");
    let (header, rest) = journal.split_once('\n').expect("lines");
    let header =
        changed(header, |event| event["header"]["plan"]["question"]["alpha"] = alpha.into());
    fs::create_dir(directory.file("judged")).expect("a directory");
    fs::write(directory.file("judged/journal.jsonl"), header + rest).expect("a file");
    let output = directory.tiebreak(&["report", "judged", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)))
}

#[test]
fn an_interval_has_the_confidence_that_was_asked_for() {
    let server = serve(unhurried());
    for (key, flag) in [("", &["--confidence", "60%"][..]), ("confidence = '60%'", &[])] {
        let directory = TestDirectory::new();
        experiment(&directory, key, &url(&server), "");
        let (code, report) = directory.report(&[&["compare", "e.toml"][..], &SHORT, flag].concat());
        assert_eq!(code, 0, "{:#}", report["findings"]);
        let (level, low, high) = interval(&report);
        let (higher, lowest, highest) = interval(&judged_with(&directory, 0.04));
        assert_eq!((level, higher), (0.6, 0.96));
        // The same rounds support less with more confidence.
        assert!(lowest < low && low < high && high < highest, "{lowest} {low} {high} {highest}");
    }
    let directory = TestDirectory::new();
    experiment(&directory, "", &url(&server), "");
    let words = [&["compare", "e.toml", "--confidence", "99.9%"][..], &SHORT].concat();
    let refused = directory.tiebreak(&words);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("6 rounds cannot support"), "{}", errors(&refused));
}

#[test]
fn a_scale_replaces_the_sizes_of_its_file() {
    let server = serve(unhurried());
    let directory = TestDirectory::new();
    let keys = "rounds = 20\nround = '5s'\nwarm_up = '5s'\ndefaults.connections = 50";
    let scale = "[scale.tiny]\nrounds = 6\nround = '50ms'\nwarm_up = '0s'\n\
                 defaults.connections = 3\n";
    experiment(&directory, keys, &url(&server), scale);
    let words = ["compare", "e.toml", "--scale", "tiny", "--pilot", "200ms"];
    let ran = directory.report(&words);
    assert_sound(&ran);
    let report = ran.1;
    assert_eq!((&report["complete_rounds"], &report["plan"]["round"]), (&6.into(), &0.05.into()));
    for of in report["contenders"].as_array().expect("contenders") {
        // One asks whether the server is ready, 3 are the pilot's, and 3 those of each round.
        assert_eq!(of["connections"]["opened"], 1 + 3 + 6 * 3, "{of:#}");
    }
    let unknown = directory.tiebreak(&["compare", "e.toml", "--scale", "tinny"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(errors(&unknown).contains("did you mean `tiny`?"), "{}", errors(&unknown));
}

#[test]
fn the_generator_has_as_many_cores_as_the_file_says() {
    let server = serve(unhurried());
    let all = tiebreak::system::cores::Facts::read().expect("our cores").allowed;
    let directory = TestDirectory::new();
    let with = |cores: usize| {
        let file = format!("generator_cores = {cores}\n[contender.a]\nurl = '{}'\n", url(&server));
        fs::write(directory.file("e.toml"), file).expect("a file");
    };
    for cores in [1, all.len()] {
        with(cores);
        let (_, report) = directory.report(&["run", "e.toml", "-n", "1000", "--warm-up", "0s"]);
        // The last ones.
        let generator = &report["plan"]["generator_cores"];
        assert_eq!(*generator, Value::from(&all[all.len() - cores..]), "{report:#}");
        assert_eq!(report["contenders"][0]["operations"], 1000);
    }
    with(all.len() + 1);
    let refused = directory.tiebreak(&["run", "e.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("may use only"), "{}", errors(&refused));
}

/// Content of all files below a directory.
fn contents(directory: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(directory).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| {
        if path.is_dir() { contents(&path) } else { vec![fs::read(path).expect("a file")] }
    };
    paths.flat_map(of).collect()
}

#[test]
fn a_file_that_is_too_old_is_a_miss() {
    let directory = TestDirectory::new();
    let target = format!("c=file://{}", directory.file("cache").display());
    // What counts is read after the warm-up, so that the values are then older than it.
    let words = ["run", &target, "--keys", "200", "--mix", "get=1", "--duration", "200ms"];
    for (expires, ended) in [("c.expires=1ms", "miss"), ("c.expires=1h", "ok")] {
        let more = ["--warm-up", "50ms", "--set", expires];
        let (_, report) = directory.report(&[&words[..], &more].concat());
        let of = &report["contenders"][0];
        assert!(number(&of["operations"]) > 0.0, "{expires}: {of:#}");
        assert_eq!(of["outcomes"][ended], of["operations"], "{expires}: {of:#}");
    }
}

/// Whether the second halves of all values of 4 kB in this directory repeat one word.
fn repeats(directory: &Path) -> bool {
    let values = contents(directory).into_iter().filter(|content| content.len() == 4000);
    let repeats = values.map(|value| {
        let words: Vec<&[u8]> = value[2040..].chunks_exact(8).collect();
        words.iter().all(|word| *word == words[0])
    });
    let repeats: Vec<bool> = repeats.collect();
    assert!(repeats.len() == 50 && repeats.iter().all(|of| *of == repeats[0]), "{repeats:?}");
    repeats[0]
}

#[test]
fn half_of_a_compressible_value_repeats() {
    for (what, flag, key, wanted) in [
        ("neither", &[][..], "", false),
        ("the flag", &["--compressible"], "", true),
        ("the key", &[], "compressible = true", true),
    ] {
        let directory = TestDirectory::new();
        let cache = directory.file("cache");
        let keys = "[workload]\nkeys = 50\nvalue = '4kB'";
        let file = format!("contender.c.url = 'file://{}'\n{keys}\n{key}\n", cache.display());
        fs::write(directory.file("e.toml"), file).expect("a file");
        let loaded = directory.tiebreak(&[&["load", "e.toml", "--quiet"], flag].concat());
        assert_eq!(loaded.status.code(), Some(0), "{what}: {}", errors(&loaded));
        assert_eq!(repeats(&cache), wanted, "{what}");
    }
}

#[cfg(feature = "oracle")]
#[test]
fn a_character_set_is_for_oracle_and_one_that_its_driver_has() {
    for (target, charset, says) in [
        ("c=postgres://me@127.0.0.1:1/x", "AL32UTF8", "charset applies only to oracle://"),
        (
            "c=oracle://me:secret@127.0.0.1:1/x",
            "LATIN1",
            "is not a character set of the driver: AL32UTF8",
        ),
    ] {
        let set = format!("c.charset={charset}");
        let refused = TestDirectory::new().tiebreak(&["run", target, "--set", &set]);
        assert_eq!(refused.status.code(), Some(2), "{target}: {}", errors(&refused));
        assert!(errors(&refused).contains(says), "{target}: {}", errors(&refused));
    }
}

#[cfg(feature = "oracle")]
#[test]
fn oracle_accepts_its_character_set() {
    let directory = TestDirectory::new();
    let of = "url = 'oracle://me:secret@127.0.0.1:1/x'\ncharset = 'AL32UTF8'\n";
    let file = format!("[contender.a]\n{of}[contender.b]\n{of}");
    fs::write(directory.file("e.toml"), file).expect("a file");
    let accepted = directory.tiebreak(&["check", "e.toml"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", errors(&accepted));
}
