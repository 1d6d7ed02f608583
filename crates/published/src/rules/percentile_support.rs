//! Percentiles with too few samples.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "percentile_support",
    weight: Weight::Caution,
    threshold: "Counts the samples above each printed percentile. Fewer than 100 above a p90 or a \
                higher one: a caution.",
    why: "A p99 that rests on 10 samples differs by tens of percent between two runs of the same \
          server.",
    remedy: "Measure until 100 samples lie above the percentile (10 000 for a p99, 100 000 for a \
             p99.9), or quote a lower percentile.",
    check: Check::Run(check),
};

/// Fewest samples above a percentile without an objection.
const FEWEST: f64 = 100.0;
/// The lowest percentile that is checked.
const TAIL: f64 = 0.9;

fn check(run: &PublishedRun) -> Checked {
    let mut tail = run.percentiles().filter(|(part, _)| *part >= TAIL).peekable();
    if tail.peek().is_none() {
        return fine();
    }
    let Some(samples) = run.samples() else { return Err("how many samples there were") };
    let mut words = Vec::new();
    let mut lines = vec![samples.line];
    for (part, at) in tail {
        let above = samples.value * (1.0 - part);
        // Shares are not exact.
        if above < FEWEST - 1e-6 {
            words.push(format!("{} above the p{}", round(above), round(part * 100.0)));
            lines.push(at.line);
        }
    }
    if words.is_empty() {
        return fine();
    }
    // redis-benchmark and cassandra-stress print many.
    if words.len() > 5 {
        words.drain(2..words.len() - 2);
        words.insert(2, "…".to_owned());
    }
    let text = format!(
        "few of the {} samples are above the percentiles: {}",
        samples.value,
        listed(&words)
    );
    lines.truncate(6);
    found(Weight::Caution, text, lines)
}

/// Formats with as many decimals as needed, at most four.
fn round(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
