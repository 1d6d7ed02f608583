//! "Did you mean …?"

/// Returns the known word nearest to the one typed, if it is near enough to be a typing error.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&typed, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Returns all known words: first those that contain the one typed, then those nearest to it.
pub fn by_distance<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let mut words: Vec<&str> = known.into_iter().collect();
    words.sort_by_cached_key(|word| {
        let word = word.to_lowercase();
        (!word.contains(&typed), strsim::damerau_levenshtein(&typed, &word))
    });
    words
}

/// Returns `; did you mean …?`, or an empty text.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{by_distance, nearest};

    #[test]
    fn typing_errors_are_recognised_and_other_words_are_not() {
        let known = ["reuse", "rate", "connections", "header"];
        for (typed, word) in [
            ("resue", Some("reuse")),
            ("Rate", Some("rate")),
            ("conections", Some("connections")),
            ("headers", Some("header")),
            ("pool", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), word, "{typed}");
        }
    }
    #[test]
    fn all_words_are_sorted_by_their_distance() {
        assert_eq!(
            by_distance("parze", ["write", "parse", "parser"]),
            ["parse", "parser", "write"]
        );
    }
}
