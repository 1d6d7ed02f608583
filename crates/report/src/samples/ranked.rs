//! A ranking.

use super::{Parts, compare, comparison, noise};
use judge::rank::ranking;
use judge::verdict::{Comparison, Word};
use record::Metric;

/// Four contenders, two of which cannot be told apart.
pub(crate) fn ranked() -> Parts {
    let named =
        [("node", 9_120.0), ("nginx", 151_000.0), ("caddy", 98_000.0), ("lighttpd", 150_200.0)];
    let mut parts = compare(&named, 10);
    for (at, (a, of_a)) in named.iter().enumerate() {
        for (b, of_b) in &named[at + 1..] {
            let ratio = of_b / of_a;
            let word = match ratio {
                ..0.98 => Word::Slower,
                0.98..1.02 => Word::Undecided,
                _ => Word::Faster,
            };
            let rounds: Vec<f64> = noise(10).map(|u| ratio * (0.99 + 0.02 * u)).collect();
            let made = comparison(a, b, word, (ratio, ratio * 0.988, ratio * 1.013), &rounds);
            parts.comparisons.push(Comparison { confidence: 1.0 - 0.05 / 6.0, ..made });
        }
    }
    parts.header.plan.question.is_ranked = true;
    parts.ranking =
        Some(ranking(Metric::Throughput, &parts.contenders, &parts.comparisons, Vec::new()));
    parts
}
