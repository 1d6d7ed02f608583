//! Checks requirements against a verdict.

use super::{By, Names, Requirement};
use judge::verdict::{Checked, Comparison, Finding, RequirementStatus, Weight, Word};
use record::Direction;
use report::words::THIS_LAUNCH_OF;
use text::shown::{short_case, shown, shown_sentence};

/// The audit rule that names contenders whose figures the generator may have limited.
pub(super) const BOTTLENECK: &str = "generator_bottleneck";

pub(super) fn requirement(
    requirement: &Requirement,
    comparisons: &[Comparison],
    findings: &[Finding],
) -> Vec<Checked> {
    let of_metric = comparisons
        .iter()
        .filter(|it| it.metric == requirement.metric && it.part() == requirement.part.as_deref());
    let seen = of_metric.filter_map(|comparison| Seen::of(requirement, comparison, findings));
    let checked: Vec<Checked> = seen.map(|seen| seen.check()).collect();
    if !checked.is_empty() {
        return checked;
    }
    vec![not_compared(requirement, &requirement.metric_name())]
}

/// The result of a requirement about something that was not compared.
pub(super) fn not_compared(requirement: &Requirement, what: &str) -> Checked {
    let first = requirement.pairs.iter().flatten().next();
    let names = first.cloned().unwrap_or(Names { a: String::new(), b: String::new() });
    Checked {
        requirement: requirement.text.clone(),
        a: names.a,
        b: names.b,
        status: RequirementStatus::Undetermined,
        why: format!("the run did not compare {what}"),
    }
}

/// One comparison, oriented so that its ratio is the required one.
pub(super) struct Seen<'a> {
    required: &'a Requirement,
    comparison: &'a Comparison,
    findings: &'a [Finding],
    /// Whether the requirement is about A/B where B/A was compared.
    inverted: bool,
}

/// A ratio with its interval.
#[derive(Clone, Copy)]
struct Ratio {
    estimate: f64,
    low: f64,
    high: f64,
}

impl<'a> Seen<'a> {
    /// Returns None if the requirement is not about this comparison.
    pub(super) fn of(
        required: &'a Requirement,
        comparison: &'a Comparison,
        findings: &'a [Finding],
    ) -> Option<Self> {
        let is = |a: &str, b: &str| {
            let mut pairs = required.pairs.iter().flatten();
            pairs.any(|pair| pair.a == a && pair.b == b)
        };
        let inverted = is(&comparison.b, &comparison.a);
        if required.pairs.is_some() && !inverted && !is(&comparison.a, &comparison.b) {
            return None;
        }
        Some(Seen { required, comparison, findings, inverted })
    }

    /// Returns the baseline, and the contender that the requirement is about.
    fn names(&self) -> (&'a str, &'a str) {
        let (a, b) = (self.comparison.a.as_str(), self.comparison.b.as_str());
        if self.inverted { (b, a) } else { (a, b) }
    }

    pub(super) fn check(&self) -> Checked {
        let (a, b) = self.names();
        let (status, why) = match self.ratio() {
            Ok(ratio) => self.judge(ratio),
            Err(why) => (RequirementStatus::Undetermined, why),
        };
        let requirement = self.required.text.clone();
        Checked { requirement, a: a.to_owned(), b: b.to_owned(), status, why }
    }

    /// Returns the reliable ratio, or why there is none.
    fn ratio(&self) -> Result<Ratio, String> {
        let it = self.comparison;
        let reasons = || shown_sentence(it.because.join("; "));
        if it.verdict == Word::Void {
            return Err("the audit refused the run".to_owned());
        }
        // If the generator may have caused a part of the difference, only the rest is reliable.
        let measured = || Some((it.ratio?, it.low?, it.high?));
        let beyond = it.beyond_generator.map(|beyond| (beyond.ratio, beyond.low, beyond.high));
        let Some((estimate, low, high)) = beyond.or_else(measured) else {
            let why =
                if it.because.is_empty() { String::new() } else { format!(": {}", reasons()) };
            return Err(format!("there is no interval to judge by{why}"));
        };
        // Undecided, and no number of rounds would change it: the judge does not
        // rely on the interval.
        let withheld = it.verdict == Word::Undecided && it.fresh_rounds.is_none();
        if withheld && !it.because.is_empty() {
            return Err(format!("the interval cannot be relied on: {}", reasons()));
        }
        Ok(if self.inverted {
            Ratio { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low }
        } else {
            Ratio { estimate, low, high }
        })
    }

    fn judge(&self, ratio: Ratio) -> (RequirementStatus, String) {
        let upward = self.required.sense.upward();
        let (worse, better) =
            if upward { (ratio.low, ratio.high) } else { (ratio.high, ratio.low) };
        let judged = match self.required.by {
            By::UnfavourableEnd => worse,
            By::Estimate => ratio.estimate,
            By::FavourableEnd => better,
        };
        let met = self.holds(judged);
        let seen = self.figures(ratio);
        if let Some(held) = self.generator_limited(met) {
            let held = shown(held);
            let why = format!(
                "{seen}; but the load generator may have limited {held}, and without that limit \
                 the ratio may lie on the other side of {}",
                self.digits(self.required.bound)
            );
            return (RequirementStatus::Undetermined, why);
        }
        let status = if met { RequirementStatus::Met } else { RequirementStatus::NotMet };
        (status, format!("{seen}: {}", self.reason(ratio.estimate, worse, better)))
    }

    fn holds(&self, ratio: f64) -> bool {
        self.required.sense.holds(ratio, self.required.bound)
    }

    /// If the generator was the slower part for a contender, the contender may be better than
    /// measured. Returns the contender for which that could change the result.
    fn generator_limited(&self, met: bool) -> Option<&'a str> {
        if self.required.metric.is_use() {
            // The generator does not affect what the target uses.
            return None;
        }
        let (a, b) = self.names();
        let higher = self.required.metric.direction() == Direction::HigherIsBetter;
        let asks_b_to_be_good = self.required.sense.upward() == higher;
        // If b was good enough, a better a could change that; and the other way round.
        let could_turn_it = if asks_b_to_be_good == met { a } else { b };
        let named = self.findings.iter().any(|finding| {
            finding.rule == BOTTLENECK
                && finding.weight >= Weight::Caution
                && finding.contender.as_deref() == Some(could_turn_it)
        });
        named.then_some(could_turn_it)
    }

    /// `throughput of new is 0.985x that of old (0.972x to 0.998x at 95 %)`.
    fn figures(&self, ratio: Ratio) -> String {
        let (a, b) = self.names();
        let it = self.comparison;
        let launches = (it.launch_of_a, it.launch_of_b);
        let (of_a, of_b) = if self.inverted { (launches.1, launches.0) } else { launches };
        let this = |is_launch: bool| if is_launch { THIS_LAUNCH_OF } else { "" };
        let [estimate, low, high] =
            [ratio.estimate, ratio.low, ratio.high].map(|ratio| self.digits(ratio));
        let level = (self.comparison.confidence * 1e6).round() / 1e4;
        let metric = self.required.metric_name();
        format!(
            "{metric} of {}{} is {estimate} that of {}{} ({low} to {high} at {level} %)",
            this(of_b),
            shown(b),
            this(of_a),
            shown(a)
        )
    }

    /// The case that it is about, escaped and shortened.
    pub(super) fn case(&self) -> String {
        self.comparison.case.as_deref().map(short_case).unwrap_or_default()
    }

    /// `parse/large 1.120x (1.080x to 1.150x)`.
    pub(super) fn brief(&self) -> String {
        let case = self.case();
        let Ok(ratio) = self.ratio() else { return case };
        let [estimate, low, high] =
            [ratio.estimate, ratio.low, ratio.high].map(|ratio| self.digits(ratio));
        format!("{case} {estimate} ({low} to {high})")
    }

    fn reason(&self, estimate: f64, worse: f64, better: f64) -> String {
        let (sense, bound) = (self.required.sense, self.digits(self.required.bound));
        let wanted = format!("{} {bound}", sense.sign());
        match self.required.by {
            By::UnfavourableEnd if self.holds(worse) => {
                format!("the whole interval is {wanted}")
            }
            By::UnfavourableEnd if self.holds(better) => {
                let far = if sense.upward() { "low" } else { "high" };
                format!("not shown to be {wanted}, it may be as {far} as {}", self.digits(worse))
            }
            By::FavourableEnd if self.holds(better) => {
                format!("not shown to violate {wanted}")
            }
            By::Estimate if self.holds(estimate) => format!("the estimate is {wanted}"),
            By::Estimate => format!("the estimate is not {wanted}"),
            _ => format!("no part of the interval is {wanted}"),
        }
    }

    fn digits(&self, ratio: f64) -> String {
        digits(ratio, self.required.bound)
    }
}

/// Three decimals, or more if they are needed to distinguish a ratio from the bound.
pub(super) fn digits(ratio: f64, bound: f64) -> String {
    let differ = |decimals: &usize| {
        let text = |value: f64| format!("{value:.decimals$}");
        ratio == bound || text(ratio) != text(bound)
    };
    let decimals = (3..9).find(differ).unwrap_or(9);
    format!("{ratio:.decimals$}x")
}
