//! Percentiles that include samples invented by the tool.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::show_seconds;

pub(super) const RULE: Rule = Rule {
    name: "filled_in",
    weight: Weight::Caution,
    threshold: "wrk only: it adds samples of its own whenever a reply took longer than the mean \
                time between replies. A longest reply of more than 100 times the p50 is a caution.",
    why: "The added samples represent requests that a constant rate would have sent; but no \
          constant rate was requested. When one in ten replies took 3 s and nine took 1 ms, wrk \
          --timeout 10s prints a p75 of 1.56 s.",
    remedy: "Quote wrk's throughput, and take response times from a tool that sends at a constant \
             rate.",
    check: Check::Run(check),
};

/// Longest reply ÷ p50 above which the added samples matter.
const FACTOR: f64 = 100.0;

fn check(run: &PublishedRun) -> Checked {
    if run.tool.name != "wrk" {
        return fine();
    }
    let (Some(median), Some(max)) = (run.figure(Key::Percentile(500_000)), run.figure(Key::Max))
    else {
        return fine();
    };
    if max.value <= FACTOR * median.value {
        return fine();
    }
    let text = format!(
        "the p50 is {}, the longest reply took {}: the upper percentiles include samples that wrk \
         added",
        show_seconds(median.value),
        show_seconds(max.value)
    );
    found(Weight::Caution, text, [median.line, max.line])
}
