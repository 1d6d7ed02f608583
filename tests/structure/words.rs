//! Words that are not used: `STYLE.md` lists them in a block of code that is marked `words`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kinds of files in which they are looked for, and the file of the tests themselves.
const KINDS: [&str; 7] = [".rs", ".md", ".sh", ".toml", ".php", ".js", "/test"];

/// Files that hold what others wrote, directories that are made, the list itself, and its tests.
const LEFT_OUT: [&str; 7] = [
    "/target",
    "/.git",
    "/tiebreak-runs",
    "/STYLE.md",
    "/node_modules",
    "/crates/published/tests/data",
    "/tests/structure",
];

/// METHOD says once that the idea may be called a braid.
const ONCE: (&str, &str) = ("docs/METHOD.md", "braid");

/// The lines of the list.
pub(crate) fn list(style: &str) -> Vec<&str> {
    let after = style.split_once("```words\n").expect("STYLE.md has a list of words").1;
    after.split_once("\n```").expect("the list has an end").0.lines().collect()
}

/// The files that people read: path from the root, and text.
pub(crate) fn texts(root: &Path) -> BTreeMap<String, String> {
    let mut files = Vec::new();
    collect(root, "", &mut files);
    let text = |file: &String| fs::read_to_string(root.join(file)).expect("a text file");
    files.into_iter().map(|file| (file.clone(), text(&file))).collect()
}

/// Each use of a word, as `file:line: word`.
pub(crate) fn uses(root: &Path, words: &[&str]) -> Vec<String> {
    texts(root).iter().flat_map(|(file, text)| uses_in(file, text, words)).collect()
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

/// The uses in one file, each line once for a word. A capital letter in a word makes case matter.
pub(crate) fn uses_in(file: &str, text: &str, words: &[&str]) -> Vec<String> {
    let lowered = text.to_lowercase();
    let mut found = Vec::new();
    for word in words {
        let has_capitals = word.chars().any(char::is_uppercase);
        let mut lines = lines_with(if has_capitals { text } else { &lowered }, word);
        if (file, *word) == ONCE && !lines.is_empty() {
            lines.remove(0);
        }
        found.extend(lines.iter().map(|line| format!("{file}:{line}: {word}")));
    }
    found
}

/// The lines, counted from 1, that hold a word or phrase as a whole.
fn lines_with(text: &str, word: &str) -> Vec<usize> {
    let is_letter = |of: Option<char>| of.is_some_and(char::is_alphanumeric);
    // A phrase that begins or ends with a sign, such as `; none:`, may touch a word there.
    let begins = is_letter(word.chars().next());
    let ends = is_letter(word.chars().next_back());
    let whole = text.match_indices(word).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !(begins && is_letter(before) || ends && is_letter(after))
    });
    let mut lines: Vec<usize> = whole.map(|(at, _)| text[..at].matches('\n').count() + 1).collect();
    lines.dedup();
    lines
}
