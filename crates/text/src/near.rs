//! "Did you mean …?"

use crate::shown::shown;

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

/// Returns `PROBLEM: a, b, c; did you mean …?`, about a word that is none of the known ones.
pub fn unknown(problem: impl std::fmt::Display, typed: &str, known: &[&str]) -> String {
    let meant = did_you_mean(typed, known.iter().copied());
    format!("{problem}: {}{meant}", known.join(", "))
}

/// Reads one of these words, each of which has a value. `what` says what they are, such as `a way to verify`.
///
/// # Errors
/// When it is none of them; the message lists them.
pub fn choice<T: Copy>(typed: &str, what: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(word, _)| *word == typed);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        unknown(format!("`{}` is not {what}", shown(typed)), typed, &known)
    })
}

#[cfg(test)]
mod tests {
    use super::{by_distance, choice, nearest};

    #[test]
    fn a_choice_has_a_value_or_the_list_of_words() {
        let ways = [("always", 1), ("never", 2)];
        assert_eq!(choice("never", "a way", &ways), Ok(2));
        let wrong = "`nevr` is not a way: always, never; did you mean `never`?";
        assert_eq!(choice("nevr", "a way", &ways), Err(wrong.to_owned()));
    }

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
