//! Units: one for the figures of a case in all runs, whatever scale a tool chooses for each printout.

/// A figure with its unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) value: f64,
    pub(crate) unit: String,
    /// Whether a larger figure is better. None if it is not known.
    pub(crate) larger_is_better: Option<bool>,
}

/// What tools count: a prefix such as `k` before these words is a factor.
const COUNTED: [&str; 12] =
    ["", "B", "b", "bit", "bits", "byte", "bytes", "op", "ops", "elem", "item", "items"];

/// The parts of an operation that the time of one is printed for: `ns/iter`.
const ONE: [&str; 7] = ["op", "iter", "iteration", "call", "run", "ops", "loop"];

/// Returns the figure in the unit that all scales of its unit share: times in `ns`, rates in `…/s` without a prefix.
/// A rate is better when it is larger, a time and a number of bytes when it is smaller. Of others it is not known.
pub(crate) fn measured(value: f64, unit: &str) -> Measured {
    let unit = unit.trim();
    if let Some((factor, unit)) = time(unit) {
        return Measured { value: value * factor, unit, larger_is_better: Some(false) };
    }
    if let Some((factor, unit)) = rate(unit) {
        return Measured { value: value * factor, unit, larger_is_better: Some(true) };
    }
    if let Some((factor, unit)) = bytes(unit) {
        return Measured { value: value * factor, unit, larger_is_better: Some(false) };
    }
    // Go's custom metrics have a word before the unit: `p99-ns`.
    let is_time = unit.rsplit_once('-').is_some_and(|(_, last)| time(last).is_some());
    Measured { value, unit: unit.to_owned(), larger_is_better: is_time.then_some(false) }
}

/// The nanoseconds of a unit of time.
fn nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "min" => 60e9,
        _ => return None,
    })
}

/// `ms` and `ms/op` are times, and so is `ms/byte`, whose unit is `ns/byte`.
fn time(unit: &str) -> Option<(f64, String)> {
    scaled(unit, "ns", nanoseconds)
}

/// `KiB`, `bytes`, `B/op`
fn bytes(unit: &str) -> Option<(f64, String)> {
    scaled(unit, "B", |counted| {
        let (factor, counted) = prefixed(counted);
        ["B", "byte", "bytes"].contains(&counted).then_some(factor)
    })
}

/// The factor to this base, and the base in place of the unit before the `/`. What follows is left out if it is an
/// operation.
fn scaled(
    unit: &str,
    base: &str,
    factor: impl FnOnce(&str) -> Option<f64>,
) -> Option<(f64, String)> {
    let (scale, of) = unit.split_once('/').map_or((unit, None), |(scale, of)| (scale, Some(of)));
    let of = of.filter(|of| !ONE.contains(of));
    Some((factor(scale)?, of.map_or(base.to_owned(), |of| format!("{base}/{of}"))))
}

/// `MB/s`, `ops/us`, `/s`
fn rate(unit: &str) -> Option<(f64, String)> {
    let (counted, per) = unit.rsplit_once('/')?;
    let seconds = nanoseconds(per)? / 1e9;
    let (prefix, counted) = prefixed(counted.trim());
    Some((prefix / seconds, format!("{counted}/s")))
}

/// Splits a prefix off what is counted, if what remains is known.
fn prefixed(counted: &str) -> (f64, &str) {
    let (letter, base) = match counted.as_bytes() {
        [letter, b'i', ..] if counted[1..].len() > 1 || *letter != b'b' => {
            (Some(*letter), 1024_f64)
        }
        [letter, ..] => (Some(*letter), 1000_f64),
        [] => (None, 1000_f64),
    };
    let power = match letter {
        Some(b'k' | b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(b'T') => 4,
        _ => return (1.0, counted),
    };
    let rest = if base == 1024.0 { &counted[2..] } else { &counted[1..] };
    if COUNTED.contains(&rest) { (base.powi(power), rest) } else { (1.0, counted) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scales_of_one_unit_become_one_unit() {
        for (given, value, unit, larger) in [
            ("ns", 2.0, "ns", Some(false)),
            ("µs", 2e3, "ns", Some(false)),
            ("μs", 2e3, "ns", Some(false)),
            ("ms/op", 2e6, "ns", Some(false)),
            ("s/op", 2e9, "ns", Some(false)),
            ("ns/iter", 2.0, "ns", Some(false)),
            ("us/byte", 2e3, "ns/byte", Some(false)),
            ("ops/s", 2.0, "ops/s", Some(true)),
            ("ops/us", 2e6, "ops/s", Some(true)),
            ("ops/min", 2.0 / 60.0, "ops/s", Some(true)),
            ("MB/s", 2e6, "B/s", Some(true)),
            ("MiB/s", 2.0 * 1024.0 * 1024.0, "B/s", Some(true)),
            ("Gelem/s", 2e9, "elem/s", Some(true)),
            ("K/s", 2e3, "/s", Some(true)),
            ("/s", 2.0, "/s", Some(true)),
            ("ops/sec", 2.0, "ops/s", Some(true)),
            ("items/s", 2.0, "items/s", Some(true)),
            ("messages/s", 2.0, "messages/s", Some(true)),
            ("Messages/s", 2.0, "Messages/s", Some(true)),
            ("ki/s", 2.0 * 1024.0, "/s", Some(true)),
            ("p99-ns", 2.0, "p99-ns", Some(false)),
            ("B", 2.0, "B", Some(false)),
            ("KiB", 2048.0, "B", Some(false)),
            ("MB/op", 2e6, "B", Some(false)),
            ("bytes", 2.0, "B", Some(false)),
            ("hits", 2.0, "hits", None),
            ("GFLOPS", 2.0, "GFLOPS", None),
            ("", 2.0, "", None),
            (" cycles ", 2.0, "cycles", None),
            ("ö/s", 2.0, "ö/s", Some(true)),
        ] {
            let measured = measured(2.0, given);
            let near = (measured.value / value - 1.0).abs() < 1e-12;
            assert!(near, "{given}: {measured:?}");
            assert_eq!(
                (measured.unit.as_str(), measured.larger_is_better),
                (unit, larger),
                "{given}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_unit(unit in ".{0,8}", few in "[kMGi/sBµop]{0,6}") {
            for unit in [unit, few] {
                let once = measured(2.0, &unit);
                let twice = measured(once.value, &once.unit);
                prop_assert_eq!(&once.unit, &twice.unit);
                prop_assert_eq!(once.value, twice.value);
            }
        }
    }
}
