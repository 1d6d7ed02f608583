//! Snapshots that no test reads any more.

use crate::scratch::Scratch;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories whose own tests make the names, and compare them with what is there.
const LISTED: [&str; 2] = ["crates/report/src/snapshots", "crates/published/tests/snapshots"];

/// Each file of a directory `snapshots` whose path from the directory above is in none of that
/// directory's sources.
pub(crate) fn unnamed(root: &Path) -> Vec<String> {
    let mut directories = Vec::new();
    for part in ["src", "crates", "tests"] {
        collect(&root.join(part), &mut directories);
    }
    assert!(directories.len() > LISTED.len(), "{directories:?}");
    let listed = |directory: &&PathBuf| LISTED.iter().any(|of| root.join(of) == **directory);
    let others = directories.iter().filter(|directory| !listed(directory));
    others.flat_map(|directory| unnamed_in(directory)).collect()
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(directory).into_iter().filter(|path| path.is_dir()) {
        if path.file_name().is_some_and(|name| name == "snapshots") {
            found.push(path);
        } else {
            collect(&path, found);
        }
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    entries.map(|entry| entry.expect("a readable entry").path()).collect()
}

fn unnamed_in(directory: &Path) -> Vec<String> {
    let above = entries(directory.parent().expect("it is below the root"));
    let sources = above.iter().filter(|path| path.extension().is_some_and(|of| of == "rs"));
    let sources: String =
        sources.map(|path| fs::read_to_string(path).expect("a source file")).collect();
    let named = |file: &PathBuf| {
        let name = file.file_name().expect("a file").to_str().expect("names are UTF-8");
        sources.contains(&format!("snapshots/{name}\""))
    };
    let unnamed = entries(directory).into_iter().filter(|file| !named(file));
    unnamed.map(|file| file.display().to_string()).collect()
}

#[test]
fn every_snapshot_is_read_by_a_test() {
    assert_eq!(unnamed(Path::new(env!("CARGO_MANIFEST_DIR"))), [""; 0]);
}

#[test]
fn an_unused_snapshot_is_found() {
    let scratch = Scratch::new();
    let root = scratch.path();
    for directory in ["src/a/snapshots", "src/b/c/snapshots", "crates/report/src/snapshots"] {
        fs::create_dir_all(root.join(directory)).expect("a directory");
        fs::write(root.join(directory).join("used.txt"), "").expect("a file");
        fs::write(root.join(directory).join("unused.txt"), "").expect("a file");
        let tests = root.join(directory).with_file_name("tests.rs");
        fs::write(tests, "include_str!(\"snapshots/used.txt\")").expect("a file");
    }
    let mut found = unnamed(root);
    found.sort();
    let wanted = ["src/a/snapshots", "src/b/c/snapshots"]
        .map(|directory| root.join(directory).join("unused.txt").display().to_string());
    assert_eq!(found, wanted);
}
