//! Quantities as people write them.
use std::time::Duration;

/// A duration with its unit: `100us`, `1.5ms`, `2s`, `1m`, `250ns`.
///
/// # Errors
/// When number or unit is missing, negative or too large.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write a number and ns, us, ms, s or m");
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn units() {
        let cases = [
            ("100us", Some(100_000)),
            ("1.5ms", Some(1_500_000)),
            ("2s", Some(2_000_000_000)),
            ("250ns", Some(250)),
            ("1m", Some(60_000_000_000)),
            ("0s", Some(0)),
            ("5", None),
            ("ms", None),
            ("-1s", None),
            ("1e99s", None),
            ("1h", None),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(duration(text).ok(), nanoseconds.map(Duration::from_nanos), "{text}");
        }
    }
}
