//! Quantities as people write them.

use crate::shown::shown;
use crate::units::whole;
use std::fmt;
use std::time::Duration;

/// Why a text is not a quantity. The variants hold the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// It is not a duration.
    NotADuration(String),
    /// It is a number without a unit of time.
    NoUnit(String),
    /// It is longer than a day.
    LongerThanADay(String),
    /// It is not a rate.
    NotARate(String),
    /// It is a rate of 0.
    RateOfZero,
    /// It is a rate that no generator can send.
    RateTooHigh(String),
    /// It is not a percentage.
    NotAPercentage(String),
    /// It is a number that may be a share or a percentage.
    Ambiguous(String),
    /// It is not a whole number.
    NotACount(String),
    /// It is not a number of bytes.
    NotBytes(String),
}

impl fmt::Display for QuantityError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        use QuantityError::*;
        let (text, problem) = match self {
            NotADuration(text) => (
                text,
                "is not a duration: write a number and a unit, such as 100us, 1.5ms, 2s or 1m",
            ),
            NoUnit(text) => {
                let text = shown(text);
                return write!(to, "`{text}` has no unit: write {text}s or {text}ms");
            }
            LongerThanADay(text) => (text, "is longer than a day"),
            NotARate(text) => {
                (text, "is not a rate: write operations per second, such as 5k/s, 1000/s or 250")
            }
            RateOfZero => {
                return to.write_str(
                    "a rate must be above 0; omit it to send the next request as soon as a reply \
                     arrives",
                );
            }
            RateTooHigh(text) => (text, "is more than any generator can send"),
            NotAPercentage(text) => (text, "is not a percentage: write one such as 1% or 0.5%"),
            Ambiguous(text) => {
                let text = shown(text);
                return write!(to, "`{text}` is ambiguous: write {text}%");
            }
            NotACount(text) => (text, "is not a whole number: write one such as 64 or 10k"),
            NotBytes(text) => (text, "is not a number of bytes: write 32B, 4kB or 1MB"),
        };
        write!(to, "`{}` {problem}", shown(text))
    }
}

impl std::error::Error for QuantityError {}

/// For callers whose own errors are texts.
impl From<QuantityError> for String {
    fn from(error: QuantityError) -> String {
        error.to_string()
    }
}

/// Longest duration: histograms are limited to a day.
const LONGEST_S: f64 = 86_400.0;

/// Parses a duration with its unit: `100us`, `1.5ms`, `2s`, `1m`, `1h`; `0` needs no unit.
///
/// # Errors
/// If the number or the unit is missing, or it is longer than a day.
pub fn duration(text: &str) -> Result<Duration, QuantityError> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let (number, unit) = split(text);
    let seconds = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "" if decimal(number).is_some() => {
            return Err(QuantityError::NoUnit(text.to_owned()));
        }
        _ => return Err(QuantityError::NotADuration(text.to_owned())),
    };
    let number = decimal(number).ok_or_else(|| QuantityError::NotADuration(text.to_owned()))?;
    let value = number * seconds;
    if value > LONGEST_S {
        return Err(QuantityError::LongerThanADay(text.to_owned()));
    }
    Ok(Duration::from_nanos(whole((value * 1e9).round())))
}

/// Parses operations per second: `5k/s`, `1000/s`, `250`, `1.5k`, `2M/s`.
///
/// # Errors
/// If it is not a number above 0, or has another unit of time.
pub fn rate(text: &str) -> Result<f64, QuantityError> {
    let wrong = || QuantityError::NotARate(text.to_owned());
    let per_second = scaled(text.strip_suffix("/s").unwrap_or(text)).ok_or_else(wrong)?;
    match per_second {
        rate if rate <= 0.0 => Err(QuantityError::RateOfZero),
        rate if rate > 1e8 => Err(QuantityError::RateTooHigh(text.to_owned())),
        rate => Ok(rate),
    }
}

/// Parses a share: `1%`, `0.5%`, or a fraction below 1, `0.01`.
///
/// # Errors
/// If it is not a share, or is ambiguous (`1`, `95`).
pub fn percent(text: &str) -> Result<f64, QuantityError> {
    let wrong = || QuantityError::NotAPercentage(text.to_owned());
    if let Some(number) = text.strip_suffix('%') {
        return decimal(number.trim_end()).map(|percent| percent / 100.0).ok_or_else(wrong);
    }
    match decimal(text) {
        Some(share) if share < 1.0 => Ok(share),
        Some(_) => Err(QuantityError::Ambiguous(text.to_owned())),
        None => Err(wrong()),
    }
}

/// Parses a whole number: `64`, `10k`, `1.5M`.
///
/// # Errors
/// If it is not a whole number.
pub fn count(text: &str) -> Result<u64, QuantityError> {
    match scaled(text) {
        Some(count) if count.fract() == 0.0 && count < 1e15 => Ok(whole(count)),
        _ => Err(QuantityError::NotACount(text.to_owned())),
    }
}

/// Splits a text into its leading number and the rest.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// Parses digits with at most one point. Rust's own parser would also accept `inf`,
/// `nan`, `1e9` and signs.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

fn scaled(text: &str) -> Option<f64> {
    let (number, unit) = split(text);
    let factor = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        _ => return None,
    };
    decimal(number).map(|number| number * factor)
}

/// Parses a number of bytes: `32B`, `4kB`, `1MB` (powers of 1000), `4KiB`, `1MiB`.
///
/// # Errors
/// If it is not a number of bytes.
pub fn bytes(text: &str) -> Result<u64, QuantityError> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let factor = match unit.trim() {
        "" | "B" => Some(1),
        "kB" => Some(1000),
        "MB" => Some(1_000_000),
        "KiB" => Some(1024),
        "MiB" => Some(1024 * 1024),
        _ => None,
    };
    let number = digits.parse::<u64>().ok();
    let bytes = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    bytes.ok_or_else(|| QuantityError::NotBytes(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations() {
        let good = [
            ("250ns", 250),
            ("100us", 100_000),
            ("100µs", 100_000),
            ("1.5ms", 1_500_000),
            ("0.1s", 100_000_000),
            ("2s", 2_000_000_000),
            ("2 s", 2_000_000_000),
            ("1m", 60_000_000_000),
            ("24h", 86_400_000_000_000),
            ("0", 0),
            ("0s", 0),
        ];
        for (text, ns) in good {
            assert_eq!(duration(text), Ok(Duration::from_nanos(ns)), "{text}");
        }
        let no_duration = |text: &str| QuantityError::NotADuration(text.to_owned()).to_string();
        let bad = [
            ("5", "`5` has no unit: write 5s or 5ms"),
            ("", &no_duration("")),
            ("ms", &no_duration("ms")),
            ("-1s", &no_duration("-1s")),
            ("1.2.3s", &no_duration("1.2.3s")),
            ("1e3s", &no_duration("1e3s")),
            ("infs", &no_duration("infs")),
            ("5 sec", &no_duration("5 sec")),
            ("25h", "`25h` is longer than a day"),
        ];
        for (text, message) in bad {
            assert_eq!(duration(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn rates() {
        for (text, per_second) in [
            ("5k/s", 5000.0),
            ("1000/s", 1000.0),
            ("250", 250.0),
            ("1.5k", 1500.0),
            ("2M/s", 2e6),
            ("0.5/s", 0.5),
        ] {
            assert_eq!(rate(text), Ok(per_second), "{text}");
        }
        let no_rate = |text: &str| {
            format!(
                "`{text}` is not a rate: write operations per second, such as 5k/s, 1000/s or 250"
            )
        };
        for text in ["", "/s", "5k/m", "5K", "fast", "-5", "nan"] {
            assert_eq!(rate(text).unwrap_err().to_string(), no_rate(text));
        }
        assert_eq!(rate("0/s"), Err(QuantityError::RateOfZero));
        assert_eq!(rate("1000M"), Err(QuantityError::RateTooHigh("1000M".to_owned())));
    }

    #[test]
    fn percentages() {
        for (text, share) in [("1%", 0.01), ("95%", 0.95), ("0.5 %", 0.005), ("0.01", 0.01)] {
            assert_eq!(percent(text), Ok(share), "{text}");
        }
        for (text, message) in [
            ("1", "`1` is ambiguous: write 1%"),
            ("95", "`95` is ambiguous: write 95%"),
            ("%", "`%` is not a percentage: write one such as 1% or 0.5%"),
            ("much", "`much` is not a percentage: write one such as 1% or 0.5%"),
        ] {
            assert_eq!(percent(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn counts() {
        for (text, number) in [("64", 64), ("10k", 10_000), ("1.5M", 1_500_000), ("0", 0)] {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        for text in ["", "1.5", "ten", "-1", "10kk", "99999999999999999"] {
            assert_eq!(
                count(text).unwrap_err().to_string(),
                format!("`{text}` is not a whole number: write one such as 64 or 10k")
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back_to_three_digits(ns in 1_000u64..100_000_000_000) {
            let back = duration(&crate::units::show_ns(ns)).unwrap().as_nanos() as f64;
            prop_assert!((back / ns as f64 - 1.0).abs() < 0.006, "{ns} -> {back}");
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = (duration(&text), rate(&text), percent(&text), count(&text));
        }
    }
}
