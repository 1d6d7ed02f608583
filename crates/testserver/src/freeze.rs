//! When the server stalls.

use super::behaviour::Freeze;
use text::units::nanoseconds;

/// One stall, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frozen {
    pub(super) from: u64,
    pub(super) until: u64,
}

/// The freeze that `now` lies in, if the first request came at `origin`.
pub(super) fn frozen(freeze: &Freeze, origin: u64, now: u64) -> Option<Frozen> {
    let since_first = now.checked_sub(origin)?.checked_sub(nanoseconds(freeze.first))?;
    let into_period = since_first % nanoseconds(freeze.every);
    let from = now - into_period;
    let until = from + nanoseconds(freeze.lasts);
    (now < until).then_some(Frozen { from, until })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn windows() {
        let ns = Duration::from_nanos;
        let freeze = Freeze { lasts: ns(10), every: ns(100), first: ns(30) };
        let cases = [
            (0, None),
            (999, None),
            (1000, None),
            (1029, None),
            (1030, Some((1030, 1040))),
            (1039, Some((1030, 1040))),
            (1040, None),
            (1129, None),
            (1135, Some((1130, 1140))),
            (9_031, Some((9_030, 9_040))),
        ];
        for (now, expected) in cases {
            let expected = expected.map(|(from, until)| Frozen { from, until });
            assert_eq!(frozen(&freeze, 1000, now), expected, "at {now}");
        }
    }
}
