//! What belongs to each load point of a sweep, and what the audit refuses of it.

use crate::verdict::{Comparison, Finding, LoadPoint};
use record::Question;

/// Returns the load points of the question. Empty if nothing was swept.
pub(super) fn of(
    question: &Question,
    comparisons: &[Comparison],
    findings: &[Finding],
) -> Vec<LoadPoint> {
    let width = question.width();
    let point = |at: usize| {
        let numbers = at * width..(at + 1) * width;
        let names: Vec<&str> = numbers.clone().map(|of| question.name_of(of as u32)).collect();
        let is_of_point =
            |of: &Comparison| [&of.a, &of.b].iter().all(|it| names.contains(&it.as_str()));
        // Pairs, and so comparisons, are in the order of the load points.
        let begin = comparisons.iter().position(is_of_point).unwrap_or(0);
        let many = comparisons.iter().filter(|of| is_of_point(of)).count();
        let is_about =
            |of: &&Finding| of.contender.as_ref().is_none_or(|name| names.contains(&name.as_str()));
        LoadPoint {
            contenders: numbers.clone(),
            comparisons: begin..begin + many,
            findings: findings.iter().filter(is_about).cloned().collect(),
        }
    };
    (0..question.load_points.len()).map(point).collect()
}
