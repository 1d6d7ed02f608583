//! The oldest version of Rust that builds tiebreak: `Cargo.toml` sets it, and other files repeat it.

use std::collections::BTreeMap;

/// What stands before it, in manifests and in sentences.
const MARKERS: [&str; 2] = ["rust-version", "Rust"];

/// Former releases may have had another one.
const HISTORY: &str = "CHANGELOG.md";

/// Files that must name it: a reader looks there before building.
const PLACES: [&str; 4] =
    ["Cargo.toml", "README.md", "CONTRIBUTING.md", "contenders/kassandra/Cargo.toml"];

/// Each place that names another version than `Cargo.toml`, and each that must name one and does
/// not.
pub(crate) fn deviations(texts: &BTreeMap<String, String>) -> Vec<String> {
    let right = versions(&texts["Cargo.toml"]).first().copied();
    let mut found = Vec::new();
    for (file, text) in texts.iter().filter(|(file, _)| *file != HISTORY) {
        let versions = versions(text);
        let wrong = versions.iter().filter(|version| Some(**version) != right);
        found.extend(wrong.map(|version| format!("{file}: Rust {version}")));
        if versions.is_empty() && PLACES.contains(&file.as_str()) {
            found.push(format!("{file}: names no version of Rust"));
        }
    }
    found
}

/// The versions of Rust that a text names, such as 1.85.
fn versions(text: &str) -> Vec<&str> {
    let after = MARKERS.iter().flat_map(|marker| text.split(marker).skip(1));
    let starts = after.map(|rest| rest.trim_start_matches([' ', '\n', '(', '=', '"']));
    let numbers = starts.map(|rest| {
        let end = rest.find(|next: char| !next.is_ascii_digit() && next != '.');
        rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
    });
    numbers.filter(|number| number.starts_with("1.")).collect()
}
