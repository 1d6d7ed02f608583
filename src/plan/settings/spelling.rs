//! Words of other tools for the keys of settings.

use text::near;

/// A word, and the key that has its meaning here.
const WORDS: [(&str, &str); 8] = [
    ("path", "url"),
    ("url", "path"),
    ("target", "path"),
    ("body", "data"),
    ("data", "body"),
    ("concurrency", "connections"),
    ("clients", "connections"),
    ("duration", "round"),
];

/// Asks whether one of the known keys was meant: one that is spelled almost like this, or that has its meaning.
/// Empty if there is none.
pub(in crate::plan) fn did_you_mean(key: &str, known: &[&str]) -> String {
    let meant = near::did_you_mean(key, known.iter().copied());
    let same = WORDS.iter().find(|(word, same)| *word == key && known.contains(same));
    match same {
        Some((_, same)) if meant.is_empty() => format!("; did you mean `{same}`?"),
        _ => meant,
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn a_word_of_the_same_meaning_is_found_if_it_is_known() {
        assert_eq!(did_you_mean("path", &["url", "rate"]), "; did you mean `url`?");
        assert_eq!(did_you_mean("body", &["data"]), "; did you mean `data`?");
        assert_eq!(did_you_mean("header", &["headers"]), "; did you mean `headers`?");
        assert_eq!(did_you_mean("path", &["rate"]), "");
    }
}
