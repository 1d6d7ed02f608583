//! Reads that found nothing.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::show_percent;

pub(super) const RULE: Rule = Rule {
    name: "misses",
    weight: Weight::Void,
    threshold: "Checks memtier's hits and misses per second. Any misses: a caution. More than 1 in \
                100 reads: void.",
    why: "A miss costs less than a value. memtier's defaults on an empty store read almost nothing \
          but misses.",
    remedy: "Load the keys first: memtier_benchmark --ratio 1:0 --key-pattern P:P -n allkeys, with \
             the same --key-maximum.",
    check: Check::Run(check),
};

/// Share of misses above which a run is void.
const MOST: f64 = 0.01;

fn check(run: &PublishedRun) -> Checked {
    let (Some(hits), Some(misses)) = (run.figure(Key::Hits), run.figure(Key::Misses)) else {
        return if run.tool.name == "memtier_benchmark" { Err("hits and misses") } else { fine() };
    };
    let share = misses.value / (hits.value + misses.value);
    if misses.value == 0.0 || !share.is_finite() {
        return fine();
    }
    let weight = if share > MOST { Weight::Void } else { Weight::Caution };
    found(weight, format!("{} of the reads found nothing", show_percent(share)), [misses.line])
}
