//! `--require`: what a comparison must show, for CI.
//!
//! `new/old throughput >= 0.97` says that the ratio new/old must be at least
//! 0.97. It is met if the whole interval of the ratio meets it: a slower build must not pass by
//! chance. Bounds are ratios, never times: only contenders of one round met the same machine.

mod cases;
mod check;
mod parse;

#[cfg(test)]
mod tests;

use judge::verdict::{Checked, Comparison, Finding, RequirementStatus, Suite};
use record::{Metric, Question};

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// As it was written.
    text: String,
    /// The pairs that it applies to: in a sweep, one at each load point. None means every pair that is compared.
    pairs: Option<Vec<Names>>,
    metric: Metric,
    /// The group or request whose metric it is. None means the metric of all operations.
    part: Option<String>,
    /// The cases that it is about, by their cost. None if it is about something else.
    cases: Option<cases::Which>,
    sense: Comparator,
    /// The ratio.
    bound: f64,
    by: By,
}

/// The contenders of a ratio b/a.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Names {
    a: String,
    b: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparator {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}

/// Which figure of a comparison must satisfy the requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The whole interval: the requirement was shown to be met.
    #[default]
    UnfavourableEnd,
    /// The estimate: if the true ratio equals the bound, it is met with a probability of one half.
    Estimate,
    /// Any part of the interval: the requirement was not shown to be violated.
    FavourableEnd,
}

impl Requirement {
    /// Reads `[B/A] METRIC [of GROUP | of REQUEST] OP RATIO [by estimate | by favourable end]`,
    /// such as `p99 <= 1.05x` or `p99 of writers <= 1.05x`, or about cases `every case <= 1.03x` or `case "parse/*"
    /// <= 1.03x`. The question lists the names and metrics.
    ///
    /// # Errors
    /// When it cannot be parsed, or the run does not judge what it requires; the text says how to
    /// write it.
    pub fn parse(text: &str, question: &Question) -> Result<Requirement, String> {
        match cases::requirement(text, question) {
            Some(of_cases) => of_cases.map_err(|why| parse::wrong(text, why)),
            None => parse::requirement(text, question),
        }
    }

    /// Checks that it is about a case, when those of a suite are known.
    ///
    /// # Errors
    /// When its pattern fits none of them; the text names the nearest ones.
    pub fn refuse_without_case<'a>(
        &self,
        cases: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), String> {
        cases::fits(self, cases).map_err(|why| parse::wrong(&self.text, why))
    }

    /// `p99 of writers`.
    fn metric_name(&self) -> String {
        let part = self.part.as_ref().map(|part| format!(" of {part}"));
        name_of(self.metric).to_owned() + &part.unwrap_or_default()
    }

    /// Checks it against every comparison that it is about: at least one entry.
    /// Comparisons, findings and the suite are those of one verdict.
    pub fn check(
        &self,
        comparisons: &[Comparison],
        findings: &[Finding],
        suite: Option<&Suite>,
    ) -> Vec<Checked> {
        match &self.cases {
            Some(which) => cases::check(self, which, comparisons, findings, suite),
            None => check::requirement(self, comparisons, findings),
        }
    }

    /// Whether it is decided, so that nobody has to wait for narrower intervals: of every comparison that it
    /// is about, the whole interval meets it or no part of it does.
    pub fn is_decided(&self, comparisons: &[Comparison]) -> bool {
        let by = |by| Requirement { by, ..self.clone() }.check(comparisons, &[], None);
        let (whole, any) = (by(By::UnfavourableEnd), by(By::FavourableEnd));
        whole.iter().zip(&any).all(|(whole, any)| {
            whole.status == RequirementStatus::Met || any.status == RequirementStatus::NotMet
        })
    }
}

impl Comparator {
    /// The sign, as it is written.
    fn sign(self) -> &'static str {
        match self {
            Comparator::AtLeast => ">=",
            Comparator::MoreThan => ">",
            Comparator::AtMost => "<=",
            Comparator::LessThan => "<",
        }
    }

    fn holds(self, ratio: f64, bound: f64) -> bool {
        match self {
            Comparator::AtLeast => ratio >= bound,
            Comparator::MoreThan => ratio > bound,
            Comparator::AtMost => ratio <= bound,
            Comparator::LessThan => ratio < bound,
        }
    }

    /// Whether it requires large ratios.
    fn upward(self) -> bool {
        matches!(self, Comparator::AtLeast | Comparator::MoreThan)
    }
}

/// The metrics that can be required: the short name, as it is shown.
const METRICS: [(&str, Metric); 7] = [
    ("throughput", Metric::Throughput),
    ("p50", Metric::ResponseP50),
    ("p99", Metric::ResponseP99),
    ("p99.9", Metric::ResponseP999),
    ("cpu", Metric::TargetCpu),
    ("memory", Metric::PeakMemory),
    ("capacity", Metric::Capacity),
];

fn name_of(metric: Metric) -> &'static str {
    METRICS.iter().find(|(_, other)| *other == metric).map_or(metric.path(), |(name, _)| name)
}
