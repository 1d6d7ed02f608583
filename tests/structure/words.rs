//! Words that are not used: `STYLE.md` lists them in a block of code that is marked `words`.

use std::fs;
use std::path::Path;

/// Kinds of files in which they are looked for, and the file of the tests themselves.
const KINDS: [&str; 7] = [".rs", ".md", ".sh", ".toml", ".php", ".js", "/test"];

/// Files that hold what others wrote, folders that are made, and the list itself.
const LEFT_OUT: [&str; 6] = [
    "/target",
    "/.git",
    "/tiebreak-runs",
    "/STYLE.md",
    "/node_modules",
    "/crates/published/tests/data",
];

/// METHOD says once that the idea may be called a braid.
const ONCE: (&str, &str) = ("docs/METHOD.md", "braid");

/// The lines of the list.
pub(crate) fn list(style: &str) -> Vec<&str> {
    let after = style.split_once("```words\n").expect("STYLE.md has a list of words").1;
    after.split_once("\n```").expect("the list has an end").0.lines().collect()
}

/// Each use of a word, as `file:line: word`.
pub(crate) fn uses(root: &Path, words: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    collect(root, "", &mut files);
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(root.join(&file)).expect("a text file");
        found.extend(uses_in(&file, &text, words));
    }
    found
}

fn collect(root: &Path, path: &str, files: &mut Vec<String>) {
    if LEFT_OUT.contains(&path) {
        return;
    }
    let full = root.join(path.trim_start_matches('/'));
    if full.is_dir() {
        for entry in fs::read_dir(&full).expect("a readable folder") {
            let name = entry.expect("a readable entry").file_name();
            collect(root, &format!("{path}/{}", name.to_str().expect("names are UTF-8")), files);
        }
    } else if KINDS.iter().any(|kind| path.ends_with(kind)) {
        files.push(path.trim_start_matches('/').to_owned());
    }
}

/// The uses in one file.
pub(crate) fn uses_in(file: &str, text: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for word in words {
        let in_lines = text.lines().enumerate().filter(|(_, line)| has_word(line, word));
        let left_out = usize::from((file, *word) == ONCE);
        let in_lines = in_lines.skip(left_out);
        found.extend(in_lines.map(|(number, _)| format!("{file}:{}: {word}", number + 1)));
    }
    found
}

/// Whether a line holds a word or phrase as a whole. A capital letter in it makes case matter.
fn has_word(line: &str, word: &str) -> bool {
    let lowered;
    let line = if word.chars().any(char::is_uppercase) {
        line
    } else {
        lowered = line.to_lowercase();
        &lowered
    };
    let is_letter = |of: Option<char>| of.is_some_and(char::is_alphanumeric);
    // A phrase that begins or ends with a sign, such as `; none:`, may touch a word there.
    let begins = is_letter(word.chars().next());
    let ends = is_letter(word.chars().next_back());
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !(begins && is_letter(before)) && !(ends && is_letter(after))
    })
}
