//! Numbers as tools print them.

/// Parses a decimal number, with or without an exponent, whose thousands may be separated by commas: `1,234.5`.
/// Returns None if the text is no such number; `1,5` is none.
pub(crate) fn number(text: &str) -> Option<f64> {
    if !text.contains(',') {
        return decimal(text);
    }
    let whole = text.find('.').unwrap_or(text.len());
    let mut groups = text[..whole].split(',');
    let first = groups.next()?;
    let fits = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3);
    fits.then(|| decimal(&text.replace(',', ""))).flatten()
}

/// Parses a decimal number, with or without an exponent. Returns None for all else, `inf` and `NaN` included.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let begins = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    begins.then(|| text.parse().ok()).flatten()
}

/// Returns the number at the beginning of a text, and what follows it.
pub(crate) fn leading(text: &str) -> Option<(f64, &str)> {
    let end =
        text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    Some((number(&text[..end])?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_thousands_and_nothing_else() {
        for (text, value) in [
            ("12", Some(12.0)),
            ("1,234", Some(1234.0)),
            ("1,234,567.25", Some(1_234_567.25)),
            ("1.5e-3", Some(0.0015)),
            ("-3", Some(-3.0)),
            (".5", Some(0.5)),
            ("1,5", None),
            ("0,123", None),
            ("1,2345", None),
            (",123", None),
            ("inf", None),
            ("NaN", None),
            ("", None),
            ("1 234", None),
        ] {
            assert_eq!(number(text), value, "{text}");
        }
        assert_eq!(leading("41.2 us"), Some((41.2, " us")));
        assert_eq!(leading("1,234ns"), Some((1234.0, "ns")));
        assert_eq!(leading("ns"), None);
    }
}
