//! Figures in sentences. The report scales its own; these are for the texts
//! that the judge writes (evidence, remedies, reasons).

/// A share with about two digits: `4.2 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = match percent.abs() {
        large if large >= 9.95 => 0,
        middle if middle >= 0.995 => 1,
        _ => 2,
    };
    format!("{} %", trimmed(format!("{percent:.digits$}")))
}

/// A share that someone chose, with all its digits: `1.25 %`.
pub(crate) fn exact_percent(share: f64) -> String {
    format!("{} %", trimmed(format!("{:.4}", share * 100.0)))
}

/// Seconds with three digits: `4.10 ms`.
pub(crate) fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        s if s >= 1.0 => (seconds, "s"),
        s if s >= 1e-3 => (seconds * 1e3, "ms"),
        s if s >= 1e-6 => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    format!("{} {unit}", three_digits(value))
}

/// Nanoseconds with three digits.
pub(crate) fn nanoseconds(ns: u64) -> String {
    seconds(ns as f64 / 1e9)
}

/// Operations per second.
pub(crate) fn rate(per_second: f64) -> String {
    format!("{}/s", three_digits(per_second))
}

/// A ratio: `1.31x`.
pub(crate) fn ratio(ratio: f64) -> String {
    format!("{ratio:.3}x")
}

/// A number of things: `1 round`, `2 rounds`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Names or figures as a list: `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn three_digits(value: f64) -> String {
    match value.abs() {
        large if large >= 99.95 => format!("{value:.0}"),
        middle if middle >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn trimmed(number: String) -> String {
    if !number.contains('.') {
        return number;
    }
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let table =
            [(0.5, "50 %"), (0.042, "4.2 %"), (0.01, "1 %"), (0.00123, "0.12 %"), (0.0, "0 %")];
        for (share, text) in table {
            assert_eq!(percent(share), text);
        }
        assert_eq!(exact_percent(0.0125), "1.25 %");
        assert_eq!(exact_percent(0.05), "5 %");
        assert_eq!(exact_percent(0.1), "10 %");
    }

    #[test]
    fn times_and_rates() {
        let table = [(1.5, "1.50 s"), (0.0041, "4.10 ms"), (8.5e-5, "85.0 µs"), (3.2e-7, "320 ns")];
        for (time, text) in table {
            assert_eq!(seconds(time), text);
        }
        assert_eq!(nanoseconds(50_000_000), "50.0 ms");
        assert_eq!(rate(4999.7), "5000/s");
        assert_eq!(ratio(1.3), "1.300x");
    }

    #[test]
    fn lists_and_counts() {
        let names =
            |n: usize| ["a", "b", "c"][..n].iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(0)), "");
        assert_eq!(listed(&names(1)), "a");
        assert_eq!(listed(&names(3)), "a, b and c");
        assert_eq!(counted(1, "round"), "1 round");
        assert_eq!(counted(0, "round"), "0 rounds");
    }
}
