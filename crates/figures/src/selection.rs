//! The words with which a program is told to run one case alone.

/// Returns the text as a regular expression that matches it, in the syntax that the tools' languages share.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns a regular expression that matches this text and nothing longer.
pub(crate) fn anchored(text: &str) -> String {
    format!("^{}$", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_expression_matches_the_text_alone(text in "[^\n]{0,30}", other in "[^\n]{0,3}") {
            let expression = regex::Regex::new(&anchored(&text)).expect("a regular expression");
            prop_assert!(expression.is_match(&text));
            prop_assert_eq!(expression.is_match(&(text.clone() + &other)), other.is_empty());
        }
    }
}
