//! Formats figures: three significant digits and a unit.
//!
//! Figures are in seconds, per second, in bytes or plain shares and ratios;
//! a missing figure is a dash, never a zero. A figure and its unit, and
//! the groups of a long number, are joined by a non-breaking space.

use std::time::Duration;

/// The non-breaking space.
pub const JOINT: char = '\u{a0}';

/// The text for a missing figure.
pub const MISSING: &str = "–";

const SECONDS: &[(f64, &str)] = &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
/// How tools write units of time, in seconds.
const TIMES_OF_TOOLS: &[(&str, f64)] =
    &[("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
const RATES: &[(f64, &str)] = &[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")];
const COUNTS: &[(f64, &str)] = &[(1e6, "M"), (1e3, "k"), (1.0, "")];
const BYTES: &[(f64, &str)] = &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];

/// A time: `2.05 ms`.
pub fn seconds(value: Option<f64>) -> String {
    scaled(value, SECONDS, false)
}

/// A chosen time, or a tick of an axis: `50 ms`, not `50.0 ms`.
pub fn round_seconds(value: f64) -> String {
    scaled(Some(value), SECONDS, true)
}

/// A chosen time of this many nanoseconds, or a tick of an axis: `50 ms`, not `50.0 ms`.
pub fn round_nanoseconds(value: u64) -> String {
    round_seconds(value as f64 / 1e9)
}

/// A figure in a unit as a tool writes it: `13.5 ms/op` for 13 500 000 ns/op, `812 MB/s`. Times get the unit that fits.
/// The unit is text of a stranger, which the caller escapes.
pub fn figure_of_tool(value: f64, unit: &str) -> String {
    let (first, rest) = unit.split_at(unit.find('/').unwrap_or(unit.len()));
    if let Some((_, size)) = TIMES_OF_TOOLS.iter().find(|(name, _)| *name == first) {
        return seconds(Some(value * size)) + rest;
    }
    if unit == "/s" {
        return rate(Some(value));
    }
    let digits = three_digits(value);
    let number = if (1e3..1e15).contains(&value) {
        count(whole(value.round()))
    } else if (1e-6..1e3).contains(&value) {
        format!("{digits:.*}", decimals_of(digits))
    } else {
        format!("{digits:e}")
    };
    if unit.is_empty() { number } else { format!("{number}{JOINT}{unit}") }
}

/// A rate: `23.4 k/s`.
pub fn rate(value: Option<f64>) -> String {
    scaled(value, RATES, false)
}

/// A chosen rate, or a tick of an axis: `5 k/s`.
pub fn round_rate(value: f64) -> String {
    scaled(Some(value), RATES, true)
}

/// A size: `87 B`, `1.5 kB`.
pub fn bytes(value: u64) -> String {
    scaled(Some(value as f64), BYTES, true)
}

/// A rate that is not rounded: `5 k/s`, `12345 /s`.
pub fn exact_rate(value: f64) -> String {
    if three_digits(value) == value { round_rate(value) } else { format!("{value}{JOINT}/s") }
}

/// A size that is not rounded: `1 kB`, `1024 B`.
pub fn exact_bytes(value: u64) -> String {
    if value.is_multiple_of(1000) && three_digits(value as f64) == value as f64 {
        bytes(value)
    } else {
        format!("{}{JOINT}B", count(value))
    }
}

/// A duration for a line of plain text: `50 ms`, `1.25 s`, from two minutes on
/// `2 min 5 s`.
pub fn show_ns(ns: u64) -> String {
    let seconds = whole((ns as f64 / 1e9).round());
    match (ns, seconds % 60) {
        (0..120_000_000_000, _) => plain(round_nanoseconds(ns)),
        (_, 0) => format!("{} min", seconds / 60),
        (_, rest) => format!("{} min {rest} s", seconds / 60),
    }
}

/// A rate for a line of plain text: `950 /s`, `12.5 k/s`.
pub fn show_rate(per_second: f64) -> String {
    plain(round_rate(per_second))
}

/// A count for a line of plain text, rounded: `950`, `12.5k`, `1M`.
pub fn show_count(count: u64) -> String {
    scaled(Some(count as f64), COUNTS, true).replace(JOINT, "")
}

/// A size for a line of plain text: `87 B`, `1.5 kB`.
pub fn show_bytes(value: u64) -> String {
    plain(bytes(value))
}

/// A share for a line of plain text: `5 %`, `0.5 %`.
pub fn show_percent(share: f64) -> String {
    plain(percent(share))
}

/// A time for a line of plain text, with three digits: `4.10 ms`.
pub fn show_seconds(value: f64) -> String {
    plain(seconds(Some(value)))
}

/// The level of an interval for a line of plain text: `1.25 %`.
pub fn show_level(confidence: f64) -> String {
    plain(level(confidence))
}

/// A whole number for a line of plain text: `7020`, `23 401`.
pub fn show_whole(n: u64) -> String {
    plain(count(n))
}

/// A number of things for a line of plain text: `1 round`, `2 rounds`.
pub fn show_counted(n: u64, what: &str) -> String {
    plain(counted(n, what))
}

/// A duration in whole seconds, rounded up, for a line of plain text: `3 s`.
pub fn show_whole_seconds(ns: u64) -> String {
    show_ns(ns.div_ceil(1_000_000_000).saturating_mul(1_000_000_000))
}

/// The nanoseconds of a duration, at most `u64::MAX` (584 years).
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A ratio for a line of plain text: `1.314x`.
pub fn show_ratio(ratio: f64) -> String {
    format!("{ratio:.3}x")
}

/// Replaces non-breaking spaces by plain ones.
fn plain(text: String) -> String {
    text.replace(JOINT, " ")
}

/// The factor by which something grew: `4`, `1.21`.
pub fn growth(ratio: f64) -> String {
    let ratio = three_digits(ratio);
    trimmed(format!("{ratio:.*}", decimals_of(ratio)))
}

/// A share as a percentage: `31.3 %`, `1 %`.
pub fn percent(share: f64) -> String {
    let percent = three_digits(share * 100.0);
    format!("{}{JOINT}%", trimmed(format!("{percent:.*}", decimals_of(percent))))
}

/// The level of an interval: `95 %`, `99.375 %`. With three digits, 99.375 % would become 99.4 %,
/// which is not the requested level.
pub fn level(confidence: f64) -> String {
    format!("{}{JOINT}%", trimmed(format!("{:.3}", confidence * 100.0)))
}

/// A whole number, in groups of three from five digits on: `7020`, `23 401`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(JOINT);
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 round`, `10 rounds`, `2 launches`.
pub fn counted(n: u64, what: &str) -> String {
    let ending = match n {
        1 => "",
        _ if what.ends_with("ch") || what.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{}{JOINT}{what}{ending}", count(n))
}

/// A ratio and its bounds with as many digits as needed to show on which side
/// of 1 and of the smallest difference that matters each bound lies.
pub fn ratios(ratio: f64, bounds: Option<(f64, f64)>, matters: f64) -> Vec<String> {
    let all: Vec<f64> = match bounds {
        Some((low, high)) => vec![ratio, low, high],
        None => vec![ratio],
    };
    let plain = if (0.5..10.0).contains(&ratio) { 2 } else { decimals_of(ratio) };
    let decimals = (plain..7).find(|d| are_distinguishable(&all[1..], matters, *d)).unwrap_or(7);
    all.iter().map(|value| format!("{value:.decimals$}")).collect()
}

/// Whether no bound is displayed as 1, as an edge of the band or as the other bound
/// without being equal to it.
fn are_distinguishable(bounds: &[f64], matters: f64, decimals: usize) -> bool {
    let read = |value: f64| format!("{value:.decimals$}");
    let look_equal = |one: f64, other: f64| one != other && read(one) == read(other);
    let edges = [1.0, 1.0 + matters, 1.0 / (1.0 + matters)];
    let mut all = bounds.iter().flat_map(|bound| edges.iter().chain(bounds).map(|e| (*bound, *e)));
    !all.any(|(one, other)| look_equal(one, other))
}

fn scaled(value: Option<f64>, units: &[(f64, &str)], trim: bool) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return MISSING.to_owned();
    };
    if value == 0.0 {
        return format!(
            "0{JOINT}{}",
            units.iter().find(|unit| unit.0 == 1.0).map_or("", |unit| unit.1)
        );
    }
    // The unit in which the rounded figure is at least 1: 999.7 µs is 1.00 ms.
    let fits = |unit: &&(f64, &str)| three_digits(value / unit.0) >= 1.0;
    let (size, name) = units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    let figure = three_digits(value / size);
    let text = format!("{figure:.*}", decimals_of(figure));
    format!("{}{JOINT}{name}", if trim { trimmed(text) } else { text })
}

/// The whole number of a value, without its fraction and within the limits of the type; 0 for no number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub fn whole(value: f64) -> u64 {
    value as u64
}

/// The value rounded to three significant digits.
fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The number of decimals that shows three significant digits.
fn decimals_of(value: f64) -> usize {
    let magnitude = value.abs().log10().floor();
    let decimals = if magnitude.is_finite() { 2.0 - magnitude } else { 2.0 };
    (0u8..7).find(|enough| f64::from(*enough) >= decimals).map_or(7, usize::from)
}

fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rates_and_sizes_have_three_digits_and_a_unit() {
        let table = [
            (seconds(Some(0.00205)), "2.05 ms"),
            (seconds(Some(0.0205)), "20.5 ms"),
            (seconds(Some(0.905)), "905 ms"),
            (seconds(Some(0.0009997)), "1.00 ms"),
            (seconds(Some(0.00099949)), "999 µs"),
            (seconds(Some(4.1e-6)), "4.10 µs"),
            (seconds(Some(7.0e-9)), "7.00 ns"),
            (seconds(Some(2.5e-10)), "0.250 ns"),
            (seconds(Some(31.0)), "31.0 s"),
            (seconds(Some(1234.0)), "1230 s"),
            (seconds(Some(0.0)), "0 s"),
            (seconds(None), "–"),
            (seconds(Some(f64::NAN)), "–"),
            (round_seconds(0.05), "50 ms"),
            (round_seconds(1.5), "1.5 s"),
            (round_seconds(100.0), "100 s"),
            (round_nanoseconds(1_000_000_000), "1 s"),
            (rate(Some(23_412.3)), "23.4 k/s"),
            (rate(Some(999.96)), "1.00 k/s"),
            (rate(Some(985.4)), "985 /s"),
            (rate(Some(0.25)), "0.250 /s"),
            (rate(None), "–"),
            (round_rate(5000.0), "5 k/s"),
            (exact_rate(5000.0), "5 k/s"),
            (exact_rate(12345.0), "12345 /s"),
            (exact_bytes(4000), "4 kB"),
            (exact_bytes(4096), "4096 B"),
            (exact_bytes(5120), "5120 B"),
            (growth(4.0), "4"),
            (growth(1.2149), "1.21"),
            (bytes(87), "87 B"),
            (bytes(0), "0 B"),
            (bytes(10_000_000), "10 MB"),
            (bytes(25_276_514_304), "25.3 GB"),
        ];
        for (given, expected) in table {
            assert_eq!(plain(given), expected);
        }
    }

    #[test]
    fn shares_and_counts() {
        assert_eq!(plain(percent(0.31349)), "31.3 %");
        assert_eq!(plain(percent(0.01)), "1 %");
        assert_eq!(plain(percent(0.005)), "0.5 %");
        assert_eq!(plain(percent(0.0)), "0 %");
        assert_eq!(plain(percent(1.0)), "100 %");
        assert_eq!(plain(level(0.95)), "95 %");
        assert_eq!(plain(level(1.0 - 0.05 / 8.0)), "99.375 %");
        assert_eq!(plain(level(1.0 - 0.05 / 3.0)), "98.333 %");
        assert_eq!(plain(count(7020)), "7020");
        assert_eq!(plain(count(23_401)), "23 401");
        assert_eq!(plain(count(1_234_567)), "1 234 567");
        assert_eq!(plain(counted(1, "round")), "1 round");
        assert_eq!(plain(counted(0, "note")), "0 notes");
        assert_eq!(plain(counted(2, "launch")), "2 launches");
    }

    #[test]
    fn lines_of_plain_text_have_no_zeros_at_the_end() {
        for (ns, text) in [
            (0, "0 s"),
            (999, "999 ns"),
            (100_000, "100 µs"),
            (1_234_567, "1.23 ms"),
            (50_000_000, "50 ms"),
            (1_250_000_000, "1.25 s"),
            (90_000_000_000, "90 s"),
            (125_000_000_000, "2 min 5 s"),
            (600_000_000_000, "10 min"),
        ] {
            assert_eq!(show_ns(ns), text);
        }
        for (rate, text) in [
            (0.5, "0.5 /s"),
            (950.0, "950 /s"),
            (999.7, "1 k/s"),
            (12_520.0, "12.5 k/s"),
            (2e6, "2 M/s"),
        ] {
            assert_eq!(show_rate(rate), text);
        }
        for (count, text) in [(0, "0"), (950, "950"), (300_000, "300k"), (1_000_000, "1M")] {
            assert_eq!(show_count(count), text);
        }
        for (seconds, text) in [(1.5, "1.50 s"), (0.0041, "4.10 ms"), (8.5e-5, "85.0 µs")] {
            assert_eq!(show_seconds(seconds), text);
        }
        for (level, text) in [(0.0125, "1.25 %"), (0.05, "5 %"), (0.1, "10 %")] {
            assert_eq!(show_level(level), text);
        }
        assert_eq!(show_whole(23_401), "23 401");
        assert_eq!(show_counted(1, "round"), "1 round");
        assert_eq!(show_counted(0, "round"), "0 rounds");
        assert_eq!(show_ratio(1.3), "1.300x");
        assert_eq!(show_percent(0.05), "5 %");
        assert_eq!(show_percent(0.005), "0.5 %");
        assert_eq!(show_percent(0.05 / 3.0), "1.67 %");
    }

    #[test]
    fn figures_of_tools_keep_their_unit_unless_it_is_a_time() {
        let table = [
            (13_500_000.0, "ns/op", "13.5 ms/op"),
            (13.5, "us", "13.5 µs"),
            (0.25, "s", "250 ms"),
            (812.4, "MB/s", "812 MB/s"),
            (81_240.0, "ops/sec", "81 240 ops/sec"),
            (81_240.0, "/s", "81.2 k/s"),
            (0.0123, "s^2", "0.0123 s^2"),
            (3e-9, "J", "3e-9 J"),
            (7.0, "", "7.00"),
        ];
        for (value, unit, expected) in table {
            assert_eq!(figure_of_tool(value, unit).replace(JOINT, " "), expected);
        }
    }

    #[test]
    fn ratios_show_the_digits_that_matter() {
        let table = [
            (1.314, (1.271, 1.358), ["1.31", "1.27", "1.36"]),
            (0.71, (0.66, 0.75), ["0.71", "0.66", "0.75"]),
            // A bound that would read as 1.00, or as 1 % more.
            (1.02, (1.0041, 1.03), ["1.020", "1.004", "1.030"]),
            (1.002, (0.996, 1.0098), ["1.0020", "0.9960", "1.0098"]),
            (0.995, (0.98, 0.9998), ["0.9950", "0.9800", "0.9998"]),
            // Exactly on an edge there is nothing to tell apart.
            (1.0, (1.0, 1.0), ["1.00", "1.00", "1.00"]),
            (0.71, (0.7098, 0.7102), ["0.7100", "0.7098", "0.7102"]),
            (12.3456, (11.0, 14.0), ["12.3", "11.0", "14.0"]),
            (0.1667, (0.163, 0.17), ["0.167", "0.163", "0.170"]),
            (0.01234, (0.011, 0.014), ["0.0123", "0.0110", "0.0140"]),
        ];
        for (ratio, bounds, expected) in table {
            assert_eq!(ratios(ratio, Some(bounds), 0.01), expected);
        }
        assert_eq!(ratios(1.3, None, 0.01), ["1.30"]);
    }
}
