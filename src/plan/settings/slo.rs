//! `--slo`: objectives, such as `p99 <= 5ms`.

use record::{Objective, Percentile};
use std::time::Duration;
use text::quantities;
use text::shown::shown;
use text::units::nanoseconds;

/// How to write an objective, for the end of an error.
const EXAMPLE: &str = "write it like 'p99 <= 5ms' or 'errors <= 0.1%'";
/// What objectives limit.
const KNOWN: [&str; 4] = ["p50", "p99", "p99.9", "errors"];

/// `--slo`: a percentile of response time, or errors, and its limit.
///
/// # Errors
/// When it cannot be parsed; the text says how to write it.
pub(super) fn objective(text: &str) -> Result<Objective, String> {
    let is_sign = |c: char| "<>=!≤≥".contains(c);
    let Some((left, rest)) = text.find(is_sign).map(|at| text.split_at(at)) else {
        return Err(format!("`{}`: the sign <= is missing; {EXAMPLE}", shown(text)));
    };
    let limit = rest.trim_start_matches(is_sign);
    let sign = &rest[..rest.len() - limit.len()];
    let wrong = |why: String| format!("`{}`: {why}", shown(text));
    if !["<=", "≤"].contains(&sign) {
        return Err(wrong(format!("an objective is an upper limit, with the sign <=; {EXAMPLE}")));
    }
    let (name, limit) = (left.trim(), limit.trim());
    if name == "errors" {
        return errors(limit).map_err(wrong);
    }
    let percentile = Percentile::ALL.into_iter().find(|known| known.name() == name);
    let percentile = percentile
        .ok_or_else(|| wrong(format!("`{}` is not one of {}", shown(name), KNOWN.join(", "))))?;
    let limit: Duration =
        quantities::duration(limit).map_err(|error| wrong(format!("the limit {error}")))?;
    if limit.is_zero() {
        return Err(wrong(format!("the limit must be above 0; {EXAMPLE}")));
    }
    let limit_ns = nanoseconds(limit);
    Ok(Objective::ResponseTime { percentile, limit_ns })
}

fn errors(limit: &str) -> Result<Objective, String> {
    let fraction = match limit {
        "0" => 0.0,
        _ => quantities::percent(limit).map_err(|error| format!("the limit {error}"))?,
    };
    if (0.0..1.0).contains(&fraction) {
        Ok(Objective::Errors { fraction })
    } else {
        Err("the limit must be below 100%".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_errors_have_a_limit() {
        let time = |percentile, limit_ns| Ok(Objective::ResponseTime { percentile, limit_ns });
        let errors = |fraction| Ok(Objective::Errors { fraction });
        for (text, wanted) in [
            ("p99 <= 5ms", time(Percentile::P99, 5_000_000)),
            ("p99.9<=1.5s", time(Percentile::P999, 1_500_000_000)),
            (" p50 ≤ 200us ", time(Percentile::P50, 200_000)),
            ("errors <= 0.1 %", errors(0.001)),
            ("errors <= 0.1%", errors(0.001)),
            ("errors <= 0", errors(0.0)),
        ] {
            assert_eq!(objective(text), wanted, "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_remedy() {
        for (text, message) in [
            (
                "p99 5ms",
                "`p99 5ms`: the sign <= is missing; write it like 'p99 <= 5ms' or 'errors <= 0.1%'",
            ),
            (
                "p99 >= 5ms",
                "`p99 >= 5ms`: an objective is an upper limit, with the sign <=; write it like \
                 'p99 <= 5ms' or 'errors <= 0.1%'",
            ),
            ("p95 <= 5ms", "`p95 <= 5ms`: `p95` is not one of p50, p99, p99.9, errors"),
            ("p99 <= 5", "`p99 <= 5`: the limit `5` has no unit: write 5s or 5ms"),
            (
                "p99 <= 0",
                "`p99 <= 0`: the limit must be above 0; write it like 'p99 <= 5ms' or 'errors <= \
                 0.1%'",
            ),
            ("errors <= 100%", "`errors <= 100%`: the limit must be below 100%"),
        ] {
            assert_eq!(objective(text), Err(message.to_owned()), "{text}");
        }
    }
}
