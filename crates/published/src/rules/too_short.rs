//! A run that was too short.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::units::show_seconds;

pub(super) const RULE: Rule = Rule {
    name: "too_short",
    weight: Weight::Caution,
    threshold: "Checks the duration: as printed, or operations ÷ rate, or as requested. Less than \
                10 s: a caution.",
    why: "Within seconds compilers warm up, caches fill and clock speeds change, and one second of \
          interference is a large part of the run. Published comparisons rest on runs of 0.9 to \
          2.4 s.",
    remedy: "Measure for at least 10 s, after a warm-up that is not counted.",
    check: Check::Run(check),
};

/// Shortest run without an objection, in seconds.
const SHORTEST: f64 = 10.0;

fn check(run: &PublishedRun) -> Checked {
    if run.tool.kind == ToolKind::Program {
        return fine();
    }
    let Some(duration) = run.duration() else { return Err("its duration") };
    // Allows for half a step of the clock and for the tool's own start.
    if duration.value >= SHORTEST * 0.995 {
        return fine();
    }
    let text = format!("the run lasted {}", show_seconds(duration.value));
    found(Weight::Caution, text, [duration.line])
}
