//! How many operations a program did, as it announces with `operations N` in the last line of its
//! standard output.

use text::shown::shown;

/// More than any program does. Histograms and floats are exact below it.
const MOST: u64 = 1_000_000_000_000_000;

/// What the last line announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    /// No operations.
    Nothing,
    /// `operations` without a number in digits after it.
    Malformed,
    /// This many.
    Operations(u64),
}

/// Reads a last line: `operations 100000`. Blanks and underscores are allowed between the digits. A
/// suffix (`100k`) is not: a program has counted and need not round.
pub(super) fn announced(line: &str) -> Announced {
    let Some(rest) = line.trim().strip_prefix("operations") else { return Announced::Nothing };
    if rest.starts_with(|c: char| !c.is_whitespace()) {
        return Announced::Nothing;
    }
    let rest = rest.trim_start();
    let plain = rest.chars().all(|c| c.is_ascii_digit() || c == '_' || c == ' ');
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u64>() {
        Ok(number) if plain && rest.starts_with(|c: char| c.is_ascii_digit()) && number <= MOST => {
            Announced::Operations(number)
        }
        _ => Announced::Malformed,
    }
}

/// How many operations a run counts as: the number that it announced, or `given` (`--operations`).
///
/// # Errors
/// What is missing or contradictory, with the remedies. The message follows the name of
/// the program.
pub(super) fn operations(last_line: Option<&str>, given: Option<u64>) -> Result<u64, String> {
    let line = last_line.unwrap_or_default();
    let remedies = "have it print `operations N` as the last line of its standard output, or pass \
                    --operations N";
    match (announced(line), given) {
        (Announced::Operations(0), _) => {
            Err("announces 0 operations, so its runs cannot be compared; it must announce at \
                 least 1"
                .to_owned())
        }
        (_, Some(0)) => {
            Err("cannot count as 0 operations: --operations must be above 0".to_owned())
        }
        (Announced::Operations(number), Some(given)) if number != given => Err(format!(
            "announces {number} operations, but --operations (or `operations` in its file) is {given}: leave it out"
        )),
        (Announced::Operations(number), _) | (_, Some(number)) => Ok(number),
        (Announced::Malformed, None) => Err(format!(
            "announces `{}`, which is not a whole number in digits: have it print a line such as \
             `operations 100000`, or pass --operations N",
            shown(line)
        )),
        (Announced::Nothing, None) if line.is_empty() => {
            Err(format!("does not say how many operations it did: {remedies}"))
        }
        (Announced::Nothing, None) => Err(format!(
            "does not say how many operations it did (its last line is `{}`): {remedies}",
            shown(line)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_plain_numbers() {
        for (line, expected) in [
            ("operations 100000", Announced::Operations(100_000)),
            ("operations 100_000", Announced::Operations(100_000)),
            ("operations 100 000 ", Announced::Operations(100_000)),
            ("  operations \t 7\r", Announced::Operations(7)),
            ("operations 0", Announced::Operations(0)),
            ("operations 1000000000000000", Announced::Operations(MOST)),
            ("operations 1000000000000001", Announced::Malformed),
            ("operations 99999999999999999999", Announced::Malformed),
            ("operations 100k", Announced::Malformed),
            ("operations 1.5", Announced::Malformed),
            ("operations 1,000", Announced::Malformed),
            ("operations -5", Announced::Malformed),
            ("operations _5", Announced::Malformed),
            ("operations", Announced::Malformed),
            ("operations: 5", Announced::Nothing),
            ("operationsperformed 5", Announced::Nothing),
            ("5 operations", Announced::Nothing),
            ("Operations 5", Announced::Nothing),
            ("", Announced::Nothing),
        ] {
            assert_eq!(announced(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_missing_is_reported_with_the_remedies() {
        assert_eq!(operations(Some("operations 5"), None), Ok(5));
        assert_eq!(operations(Some("operations 5"), Some(5)), Ok(5));
        assert_eq!(operations(Some("done"), Some(5)), Ok(5));
        assert_eq!(operations(Some("operations done"), Some(5)), Ok(5));
        assert_eq!(operations(None, Some(5)), Ok(5));
        for (line, given, message) in [
            (
                None,
                None,
                "does not say how many operations it did: have it print `operations N` as the \
                 last line of its standard output, or pass --operations N",
            ),
            (
                Some("\u{1b}[1mdone"),
                None,
                "does not say how many operations it did (its last line is `\\u{1b}[1mdone`): \
                 have it print `operations N` as the last line of its standard output, or pass \
                 --operations N",
            ),
            (
                Some("operations 5k"),
                None,
                "announces `operations 5k`, which is not a whole number in digits: have it print \
                 a line such as `operations 100000`, or pass --operations N",
            ),
            (
                Some("operations 5"),
                Some(6),
                "announces 5 operations, but --operations (or `operations` in its file) is 6: leave it out",
            ),
            (
                Some("operations 0"),
                None,
                "announces 0 operations, so its runs cannot be compared; \
                                          it must announce at least 1",
            ),
            (None, Some(0), "cannot count as 0 operations: --operations must be above 0"),
        ] {
            assert_eq!(operations(line, given), Err(message.to_owned()));
        }
    }
}
