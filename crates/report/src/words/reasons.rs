//! Why verdicts are missing, or weaker than their intervals. A reason that several
//! comparisons share is given once.

use super::groups;
use judge::verdict::Comparison;
use text::shown::{shown, shown_sentence};

/// A reason, and the comparisons that have it (at least one).
pub struct Reason<'a> {
    /// A sentence, escaped for display.
    pub text: String,
    /// The comparisons in their order.
    pub of: Vec<&'a Comparison>,
}

/// The reasons that `find` returns for the comparisons, in the order of their first
/// occurrence.
pub fn reasons<'a>(
    comparisons: impl Iterator<Item = &'a Comparison>,
    find: impl Fn(&Comparison) -> Vec<String>,
) -> Vec<Reason<'a>> {
    let mut reasons: Vec<Reason<'a>> = Vec::new();
    for comparison in comparisons {
        for text in find(comparison) {
            match reasons.iter_mut().find(|reason| reason.text == text) {
                Some(reason) => reason.of.push(comparison),
                None => reasons.push(Reason { text, of: vec![comparison] }),
            }
        }
    }
    reasons
}

/// The reasons that the judge gives.
pub fn given(comparisons: &[Comparison]) -> Vec<Reason<'_>> {
    reasons(comparisons.iter(), |of| of.because.iter().map(shown_sentence).collect())
}

/// `p99 of new against old`.
pub fn about(of: &Comparison) -> String {
    format!("{} of {} against {}", groups::short_metric(of), shown(&of.b), shown(&of.a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_shared_reason_is_listed_once() {
        let mut input = samples::five();
        for comparison in &mut input.comparisons[..3] {
            comparison.because = vec!["the\u{7} same".to_owned()];
        }
        let reasons = given(&input.comparisons);
        let texts: Vec<(&str, usize)> =
            reasons.iter().map(|reason| (reason.text.as_str(), reason.of.len())).collect();
        let other = "the generator was the slower part for both, so nothing can be said";
        assert_eq!(texts, [(r"the\u{7} same", 3), (other, 1)]);
        assert_eq!(about(reasons[1].of[0]), "throughput of h2o against nginx 1.22");
    }
}
