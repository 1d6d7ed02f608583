//! Reads figures as load generators print them, and as articles print them after that: with decimal
//! commas, and with thousands in groups.

/// A text that should be a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// It can be read in only one way.
    Clear(f64),
    /// It can be read in two ways (`5,207`), or is not in a known format.
    Unclear,
}

impl Number {
    /// The figure in another unit.
    pub(crate) fn times(self, factor: f64) -> Number {
        self.map(|value| value * factor)
    }

    /// Milliseconds in seconds.
    pub(crate) fn milliseconds(self) -> Number {
        self.map(|value| value / 1e3)
    }

    fn map(self, convert: impl FnOnce(f64) -> f64) -> Number {
        match self {
            Number::Clear(value) => Number::Clear(convert(value)),
            Number::Unclear => Number::Unclear,
        }
    }
}

/// Reads one figure without a unit. A single point is a decimal point, because that is what the
/// tools print; a single comma before exactly three digits can be either mark.
pub(crate) fn number(text: &str) -> Number {
    let text = text.trim();
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()),
        None => (text, Some(0)),
    };
    let known = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let plain = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(known);
    let (true, Some(exponent)) = (plain, exponent) else { return Number::Unclear };
    match in_c_notation(digits) {
        Some(digits) => {
            format!("{digits}e{exponent}").parse().ok().filter(|value: &f64| value.is_finite())
        }
        None => None,
    }
    .map_or(Number::Unclear, Number::Clear)
}

/// Returns None if the digits can be read in two ways, or in none.
fn in_c_notation(digits: &str) -> Option<String> {
    let points = digits.matches('.').count();
    let commas = digits.matches(',').count();
    match (points, commas) {
        (0 | 1, 0) => Some(digits.to_owned()),
        (_, 0) => grouped(digits, '.'),
        (0, 1) => {
            let (before, after) = digits.split_once(',')?;
            let may_be_group = after.len() == 3 && before.len() <= 3 && before != "0";
            (!may_be_group && !after.is_empty()).then(|| format!("{before}.{after}"))
        }
        (0, _) => grouped(digits, ','),
        _ => {
            let (group, mark) =
                if digits.rfind('.') > digits.rfind(',') { (',', '.') } else { ('.', ',') };
            let (before, after) = digits.rsplit_once(mark)?;
            let whole = grouped(before, group)?;
            after.chars().all(|c| c.is_ascii_digit()).then(|| format!("{whole}.{after}"))
        }
    }
}

/// `1,234,567` without its marks.
fn grouped(digits: &str, mark: char) -> Option<String> {
    let mut groups = digits.split(mark);
    let first = groups.next()?;
    let sound = (1..=3).contains(&first.len())
        && groups.all(|group| group.len() == 3 && group.chars().all(|c| c.is_ascii_digit()));
    sound.then(|| digits.replace(mark, ""))
}

/// Splits a figure from the unit after it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','));
    let (figure, unit) = text.split_at(at.unwrap_or(text.len()));
    (figure, unit.trim())
}

/// Divides by the parts of a second: 9 ms are 9 ÷ 1000 s to the last digit.
fn in_seconds(value: f64, unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => value / 1e9,
        "us" | "µs" | "μs" | "usec" => value / 1e6,
        "ms" | "msec" | "milliseconds" => value / 1e3,
        "s" | "sec" | "secs" | "second" | "seconds" => value,
        "m" | "min" | "mins" => value * 60.0,
        "h" => value * 3600.0,
        _ => return None,
    })
}

/// Reads a duration with its unit, in seconds: `51.00us`, `98.68ms`, `0.2475 secs`, or in several
/// parts as Go prints it: `1m2.5s`.
pub(crate) fn seconds(text: &str) -> Number {
    let mut rest = text.trim();
    let mut sum = 0.0;
    loop {
        let (figure, behind) = split(rest);
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, next) = behind.split_at(end);
        let Number::Clear(value) = number(figure) else { return Number::Unclear };
        let Some(value) = in_seconds(value, unit.trim()) else { return Number::Unclear };
        sum += value;
        if next.is_empty() {
            return Number::Clear(sum);
        }
        rest = next;
    }
}

/// Reads a size with its unit, in bytes. `KB` are 1024 bytes, as in wrk, h2load and oha.
pub(crate) fn bytes(text: &str) -> Number {
    size(text, 1024.0)
}

/// Reads a size with its unit, in bytes, of tools whose units are powers of 1000: k6, autocannon.
pub(crate) fn decimal_bytes(text: &str) -> Number {
    size(text, 1000.0)
}

fn size(text: &str, kilo: f64) -> Number {
    let (figure, unit) = split(text);
    let (prefix, kilo) = match unit.strip_suffix("iB") {
        Some(prefix) => (prefix, 1024.0),
        None => match unit {
            "bytes" => ("", kilo),
            "Kbytes" => ("K", 1024.0),
            _ => (unit.strip_suffix('B').unwrap_or("?"), kilo),
        },
    };
    let factor = match prefix {
        "" => 1.0,
        "k" | "K" => kilo,
        "M" => kilo.powi(2),
        "G" => kilo.powi(3),
        "T" => kilo.powi(4),
        _ => return Number::Unclear,
    };
    number(figure).times(factor)
}

/// Reads a figure that wrk shortened by a letter: `34.09k`, `1.20M`.
pub(crate) fn shortened(text: &str) -> Number {
    let (figure, unit) = split(text);
    let factor = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return Number::Unclear,
    };
    number(figure).times(factor)
}

/// Reads a figure that must be followed by `unit`: in a figure that an article split into groups
/// (`5 207.31 req/s`) the first part is followed by something else, and is not the figure.
pub(crate) fn followed_by(text: &str, unit: &str) -> Number {
    let text = text.trim();
    let (figure, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if behind.trim_start().starts_with(unit) { number(figure) } else { Number::Unclear }
}

#[cfg(test)]
mod tests {
    use super::Number::{Clear, Unclear};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_way_to_read_it_or_none() {
        for (text, value) in [
            ("5207.31", Clear(5207.31)),
            ("5207", Clear(5207.0)),
            ("0.109", Clear(0.109)),
            ("1e+06", Clear(1e6)),
            ("5207,31", Clear(5207.31)),
            ("0,109", Clear(0.109)),
            ("1,234,567", Clear(1_234_567.0)),
            ("1.234.567", Clear(1_234_567.0)),
            ("1,234.5", Clear(1234.5)),
            ("1.234,5", Clear(1234.5)),
            ("12345,678", Clear(12345.678)),
            ("5,207", Unclear),
            ("1,23,4", Unclear),
            ("1,2.3,4", Unclear),
            ("", Unclear),
            (".", Unclear),
            ("NaN", Unclear),
            ("inf", Unclear),
            ("-3", Unclear),
            ("1e999", Unclear),
            ("12a", Unclear),
        ] {
            assert_eq!(number(text), value, "{text}");
        }
    }

    #[test]
    fn units_are_part_of_the_figure() {
        for (text, value) in [
            ("50us", Clear(50e-6)),
            ("1.01s", Clear(1.01)),
            ("2 secs", Clear(2.0)),
            ("1m2.5s", Clear(62.5)),
            ("3,5 ms", Clear(0.0035)),
            ("12", Unclear),
            ("5 parsecs", Unclear),
            ("m", Unclear),
        ] {
            assert_eq!(seconds(text), value, "{text}");
        }
        assert_eq!(bytes("1.50KB"), Clear(1536.0));
        assert_eq!(decimal_bytes("1.5 MB"), Clear(1_500_000.0));
        assert_eq!(decimal_bytes("1.5 MiB"), Clear(1.5 * 1024.0 * 1024.0));
        assert_eq!(bytes("7"), Unclear);
        assert_eq!(shortened("34.5k"), Clear(34_500.0));
        assert_eq!(followed_by("5207.31 [#/sec] (mean)", "[#/sec]"), Clear(5207.31));
        assert_eq!(followed_by("5 207.31 [#/sec] (mean)", "[#/sec]"), Unclear);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: String) {
            for read in [number(&text), seconds(&text), bytes(&text), shortened(&text)] {
                if let Clear(value) = read {
                    prop_assert!(value >= 0.0);
                }
            }
        }

        #[test]
        fn what_tools_print_is_read(value in 0.0..1e9f64) {
            let text = format!("{value:.2}");
            prop_assert_eq!(number(&text), Clear(text.parse().expect("a figure")));
        }
    }
}
