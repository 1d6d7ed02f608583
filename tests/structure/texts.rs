//! The files that people read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kinds of files that are read, and the file of the tests themselves.
const KINDS: [&str; 7] = [".rs", ".md", ".sh", ".toml", ".php", ".js", "/test"];

/// Files that hold what others wrote, directories that are made, and these tests.
const LEFT_OUT: [&str; 7] = [
    "/target",
    "/.git",
    "/tiebreak-runs",
    "/node_modules",
    "/crates/figures/tests/data",
    "/crates/published/tests/data",
    "/tests/structure",
];

/// Path from the root, and text, of each file.
pub(crate) fn read(root: &Path) -> BTreeMap<String, String> {
    let mut files = Vec::new();
    collect(root, "", &mut files);
    let text = |file: &String| fs::read_to_string(root.join(file)).expect("a text file");
    files.into_iter().map(|file| (file.clone(), text(&file))).collect()
}

fn collect(root: &Path, path: &str, files: &mut Vec<String>) {
    if LEFT_OUT.contains(&path) {
        return;
    }
    let full = root.join(path.trim_start_matches('/'));
    if full.is_dir() {
        for entry in fs::read_dir(&full).expect("a readable directory") {
            let name = entry.expect("a readable entry").file_name();
            collect(root, &format!("{path}/{}", name.to_str().expect("names are UTF-8")), files);
        }
    } else if KINDS.iter().any(|kind| path.ends_with(kind)) {
        files.push(path.trim_start_matches('/').to_owned());
    }
}
