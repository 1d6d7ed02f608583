//! Wire holds no socket, clock or thread: it cannot reach the standard library.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_links_std() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 5, "found only {files:?}");
    for file in files {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let words: Vec<&str> = text.split_whitespace().collect();
        let links = words
            .windows(3)
            .any(|three| three[..2] == ["extern", "crate"] && three[2].starts_with("std"));
        assert!(!links, "{} says `extern crate std`", file.display());
    }
}

#[test]
fn the_crate_forbids_std_and_unsafe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(root).expect("UTF-8");
    assert!(text.lines().any(|line| line == "#![no_std]"));
    assert!(text.lines().any(|line| line == "#![forbid(unsafe_code)]"));
}
