//! Examples in doc comments: there are none in Rust, because no crate has its own run (`doctest = false`).

use std::collections::BTreeMap;

/// Each example in Rust, as `file:line`. `texts` has the path and the text of each file.
pub(crate) fn in_rust(texts: &BTreeMap<String, String>) -> Vec<String> {
    let sources = texts.iter().filter(|(file, _)| file.ends_with(".rs"));
    sources.flat_map(|(file, text)| in_file(file, text)).collect()
}

fn in_file(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(language) = comment.and_then(|text| text.trim().strip_prefix("```")) else {
            continue;
        };
        if !inside && (language.is_empty() || language.starts_with("rust")) {
            found.push(format!("{file}:{}", number + 1));
        }
        inside = !inside;
    }
    found
}
