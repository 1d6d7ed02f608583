//! How long the contenders were warmed up.

use super::super::View;
use judge::verdict::{ContenderSummary, WarmUps};
use text::shown::shown;
use text::{lists, units};

/// `1.25 s, until all had levelled`, or the fixed length.
pub(crate) fn warm_up(view: &View) -> String {
    let warm_ups: Vec<&WarmUps> = view.contenders.iter().map(|of| &of.warm_ups).collect();
    let longest = |of: fn(&WarmUps) -> u64| warm_ups.iter().map(|it| of(it)).max().unwrap_or(0);
    let number = warm_ups.iter().map(|it| it.number).max().unwrap_or(0);
    if number == 0 {
        return units::round_nanoseconds(view.plan().warm_up_ns);
    }
    let first = seconds(longest(|it| it.first_ns));
    let times = match number {
        1 => first,
        _ => format!(
            "{first} in the first launch, at most {} in each of {number}",
            seconds(longest(|it| it.longest_ns))
        ),
    };
    let cold: Vec<String> =
        view.contenders.iter().filter(|of| of.warm_ups.cold > 0).map(name).collect();
    match cold.as_slice() {
        [] => format!("{times}, until all had levelled"),
        _ => format!("{times}, the longest allowed: {} had not levelled", lists::listed(&cold)),
    }
}

fn seconds(ns: u64) -> String {
    units::seconds(Some(ns as f64 / 1e9))
}

fn name(of: &ContenderSummary) -> String {
    shown(&of.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn described(warm_ups: [WarmUps; 2]) -> String {
        let mut input = samples::restarts();
        for (contender, warm_ups) in input.contenders.iter_mut().zip(warm_ups) {
            contender.warm_ups = warm_ups;
        }
        warm_up(&input.view()).replace(units::JOINT, " ")
    }

    #[test]
    fn it_is_said_how_long_it_took_and_who_had_not_levelled() {
        let took = |number, first_ms: u64, longest_ms: u64, cold| WarmUps {
            number,
            first_ns: first_ms * 1_000_000,
            longest_ns: longest_ms * 1_000_000,
            cold,
        };
        assert_eq!(described([WarmUps::default(); 2]), "1 s");
        let one = [took(1, 1010, 1010, 0), took(1, 1250, 1250, 0)];
        assert_eq!(described(one), "1.25 s, until all had levelled");
        let several = [took(10, 1010, 1600, 0), took(10, 1250, 1875, 2)];
        assert_eq!(
            described(several),
            "1.25 s in the first launch, at most 1.88 s in each of 10, the longest allowed: new had not \
             levelled"
        );
    }
}
