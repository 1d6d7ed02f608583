//! What the report says in words, once for the terminal and the page.

use super::{View, units};
use crate::shown::{shown, shown_sentence};
use judge::verdict::{Comparison, ContenderSummary, Weight, Word};
use record::{Address, Arrivals, Direction, EndReason, Interleave, Metric, Reuse, Whose};

/// Longest name in a sentence, in characters; the plan shows names in full.
const LONGEST_NAME: usize = 60;

/// A piece of a sentence. Terminal and page set names and ratios differently.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// Words of ours.
    Plain(String),
    /// Name of a contender, shown.
    Name(String),
    /// The ratio that the sentence is about.
    Lead(String),
    /// Any other ratio.
    Ratio(String),
}

/// A sentence in pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sentence(pub(super) Vec<Part>);

impl Sentence {
    fn plain(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Plain(text.into()));
        self
    }

    fn name(mut self, name: &str) -> Self {
        self.0.push(Part::Name(short_name(name, LONGEST_NAME)));
        self
    }

    fn lead(mut self, ratio: &str) -> Self {
        self.0.push(Part::Lead(ratio.to_owned()));
        self
    }

    fn ratio(mut self, ratio: &str) -> Self {
        self.0.push(Part::Ratio(ratio.to_owned()));
        self
    }

    /// The sentence as plain text, a ratio with this sign behind it.
    pub(super) fn text(&self, times: char) -> String {
        let piece = |part: &Part| match part {
            Part::Plain(text) | Part::Name(text) => text.clone(),
            Part::Lead(ratio) | Part::Ratio(ratio) => format!("{ratio}{times}"),
        };
        self.0.iter().map(piece).collect()
    }
}

/// What the comparison says, without its interval: `new is 1.31x faster than old`.
pub(super) fn claim(view: &View, comparison: &Comparison) -> Sentence {
    let (a, b) = (&comparison.a, &comparison.b);
    let said = Sentence::default();
    let Some(ratio) = comparison.ratio else {
        let said = said.name(b).plain(" against ").name(a);
        return if comparison.verdict == Word::Undecided {
            said.plain(" is undecided")
        } else {
            said
        };
    };
    let ratio = &units::ratios(ratio, bounds(comparison), view.matters())[0];
    let higher_is_better = comparison.metric.direction() == Direction::HigherIsBetter;
    match comparison.verdict {
        Word::Faster if higher_is_better => said
            .name(b)
            .plain(format!(" is {}", limit(comparison)))
            .lead(ratio)
            .plain(" faster than ")
            .name(a),
        Word::Faster => said
            .name(b)
            .plain(" is faster than ")
            .name(a)
            .plain(format!(": {}", limit(comparison)))
            .lead(ratio),
        Word::Slower => said
            .name(b)
            .plain(" is slower than ")
            .name(a)
            .plain(format!(": {}", limit(comparison)))
            .lead(ratio),
        Word::Equivalent => {
            said.name(b).plain(" and ").name(a).plain(" are equivalent: ").lead(ratio)
        }
        Word::Undecided => {
            said.name(b).plain(" against ").name(a).plain(" is undecided: ").lead(ratio)
        }
        Word::Void => said.name(b).plain(" against ").name(a).plain(": ").lead(ratio),
    }
}

/// What stands behind the claim: `throughput; 95 % interval 1.27x to 1.36x, 10 rounds`.
pub(super) fn basis(view: &View, comparison: &Comparison) -> Sentence {
    let rounds = units::counted(comparison.replicates.into(), "round");
    let said = Sentence::default().plain(format!("{}; ", metric(comparison.metric)));
    let Some(ratio) = comparison.ratio else {
        return said.plain("no round to judge by");
    };
    let level = units::level(comparison.confidence);
    let Some(bounds) = bounds(comparison) else {
        return said.plain(format!("{rounds}, too few for a {level} interval"));
    };
    let ratios = units::ratios(ratio, Some(bounds), view.matters());
    let said =
        said.plain(format!("{level} interval ")).ratio(&ratios[1]).plain(" to ").ratio(&ratios[2]);
    match comparison.verdict {
        Word::Equivalent => {
            said.plain(format!(", inside ±{}, {rounds}", units::percent(view.matters())))
        }
        _ => said.plain(format!(", {rounds}")),
    }
}

/// A metric of the second family: `p99: 4.10 ms -> 2.90 ms, 0.71x (0.66 to 0.75)`.
/// The level of its interval is said where it isn't that of the primary ones.
pub(super) fn second(view: &View, comparison: &Comparison) -> Sentence {
    let value = |name| view.contender(name).and_then(|of| figure_of(of, comparison.metric));
    let said = Sentence::default().plain(format!(
        "{}: {} -> {}",
        short_metric(comparison.metric),
        figure(comparison.metric, value(&comparison.a)),
        figure(comparison.metric, value(&comparison.b)),
    ));
    let Some(ratio) = comparison.ratio else {
        return said;
    };
    let level = match view.primaries().any(|primary| primary.confidence == comparison.confidence) {
        true => String::new(),
        false => format!("{} interval ", units::level(comparison.confidence)),
    };
    let bounds = bounds(comparison);
    let ratios = units::ratios(ratio, bounds, view.matters());
    let said = said.plain(format!(", {}", limit(comparison))).ratio(&ratios[0]);
    match bounds {
        Some(_) => said.plain(format!(" ({level}{} to {})", ratios[1], ratios[2])),
        None => said,
    }
}

/// `at least ` or `at most `, where the generator held back the one ahead: it
/// bounds the ratio from the side that the leader is on.
pub(super) fn limit(comparison: &Comparison) -> &'static str {
    let higher_is_better = comparison.metric.direction() == Direction::HigherIsBetter;
    match (comparison.at_least, comparison.verdict) {
        (true, Word::Faster) if higher_is_better => "at least ",
        (true, Word::Faster) => "at most ",
        (true, Word::Slower) if higher_is_better => "at most ",
        (true, Word::Slower) => "at least ",
        _ => "",
    }
}

/// Both bounds of the interval, where there is one.
pub(super) fn bounds(comparison: &Comparison) -> Option<(f64, f64)> {
    comparison.low.zip(comparison.high)
}

/// How many rounds would decide; none where the judge names no number.
pub(super) fn fresh_run(comparison: &Comparison) -> Option<String> {
    let (about, up_to) = comparison.fresh_rounds?;
    let perhaps = match up_to > about {
        true => format!(", perhaps up to {}", units::count(up_to)),
        false => String::new(),
    };
    let rounds = units::counted(about, "round");
    Some(format!("to decide it: about {rounds}{perhaps}, in a fresh run (--rounds {about})"))
}

/// The one word of a comparison.
pub(super) fn word(word: Word) -> &'static str {
    match word {
        Word::Faster => "FASTER",
        Word::Slower => "SLOWER",
        Word::Equivalent => "EQUIVALENT",
        Word::Undecided => "UNDECIDED",
        Word::Void => "VOID",
    }
}

/// The weight of a finding.
pub(super) fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Note => "note",
        Weight::Caution => "caution",
        Weight::Void => "void",
    }
}

/// How the audit went: `audit: 12 checks passed`.
pub(super) fn audit(view: &View) -> String {
    let checks = units::counted(view.rules_checked.into(), "check");
    let weights = [Weight::Void, Weight::Caution, Weight::Note];
    let raised: Vec<String> = weights
        .into_iter()
        .map(|weight| (weight, view.findings.iter().filter(|f| f.weight == weight).count()))
        .filter(|(_, n)| *n > 0)
        .map(|(weight, n)| match weight {
            Weight::Void => format!("{n} void"),
            Weight::Caution => units::counted(n as u64, "caution"),
            Weight::Note => units::counted(n as u64, "note"),
        })
        .collect();
    match raised.is_empty() {
        true => format!("{checks} passed"),
        false => format!("{checks}, {} raised", raised.join(", ")),
    }
}

/// What must be known about how the run went, besides the findings.
pub(super) fn remarks(view: &View) -> Vec<String> {
    let mut remarks = Vec::new();
    let (complete, planned) = (view.complete_rounds, view.plan().rounds);
    if complete < planned {
        remarks.push(format!("{complete} of {} complete", units::counted(planned.into(), "round")));
    }
    match view.end {
        None => remarks.push("the journal does not say how the run ended".to_owned()),
        Some(end) if end.reason != EndReason::Complete => {
            remarks.push(match end.detail.is_empty() {
                true => ended(end.reason).to_owned(),
                false => format!("{}: {}", ended(end.reason), shown_sentence(&end.detail)),
            });
        }
        Some(_) => {}
    }
    remarks.extend(view.journal_note.map(|note| format!("journal: {}", shown_sentence(note))));
    remarks
}

fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Complete => "all rounds were driven",
        EndReason::Stopped => "stopped before its end",
        EndReason::TargetFailed => "a target failed",
        EndReason::Failed => "tiebreak itself failed",
    }
}

/// How the contenders took turns: what the pilot chose or, without one, what
/// was done (`run` drives its one contender without a break).
pub(super) fn turns(view: &View) -> String {
    let Some(pilot) = view.pilot else {
        let driven = units::round_nanoseconds(view.plan().round_ns);
        return match view.plan().contenders.len() {
            1 => format!("no pilot; driven for {driven} without a break"),
            _ => "the journal holds no choice of the pilot".to_owned(),
        };
    };
    let round = units::round_nanoseconds(pilot.round_ns);
    let slice = units::round_nanoseconds(pilot.slice_ns);
    match pilot.interleave {
        Interleave::Turns => format!("turns: in each round every contender once, for {slice}"),
        _ => format!("slices of {slice}, until each contender was driven for {round} a round"),
    }
}

/// Name of a metric in a sentence.
pub(super) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::ResponseP50 => "p50 of response time",
        Metric::ResponseP99 => "p99 of response time",
        Metric::ResponseP999 => "p99.9 of response time",
    }
}

/// Name of a metric where response time goes without saying.
pub(super) fn short_metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::ResponseP50 => "p50",
        Metric::ResponseP99 => "p99",
        Metric::ResponseP999 => "p99.9",
    }
}

/// A contender's figure of this metric.
pub(super) fn figure_of(contender: &ContenderSummary, metric: Metric) -> Option<f64> {
    match metric {
        Metric::Throughput => contender.throughput,
        Metric::ResponseP50 => contender.response_time.p50,
        Metric::ResponseP99 => contender.response_time.p99,
        Metric::ResponseP999 => contender.response_time.p999,
    }
}

/// Operations that did not succeed, whoever's fault it was.
pub(super) fn errors(contender: &ContenderSummary) -> u64 {
    [Whose::Theirs, Whose::Ours, Whose::Host]
        .map(|whose| contender.outcomes.count(whose))
        .iter()
        .sum()
}

/// A figure of this metric with its unit.
pub(super) fn figure(metric: Metric, value: Option<f64>) -> String {
    match metric {
        Metric::Throughput => units::rate(value),
        _ => units::seconds(value),
    }
}

/// Where a contender was dialled.
pub(super) fn address(address: &Address) -> String {
    match address {
        Address::Tcp(socket) => socket.to_string(),
        Address::Unix(path) => shown(format!("unix:{path}")),
    }
}

/// When operations were due.
pub(super) fn arrivals(arrivals: Arrivals) -> String {
    match arrivals {
        Arrivals::Closed => "closed loop".to_owned(),
        Arrivals::Constant(rate) => format!("constant, {}", units::round_rate(rate)),
        Arrivals::Poisson(rate) => format!("Poisson, {}", units::round_rate(rate)),
    }
}

/// The connection policy.
pub(super) fn reuse(reuse: Reuse) -> String {
    match reuse {
        Reuse::Always => "persistent".to_owned(),
        Reuse::Never => "fresh".to_owned(),
        Reuse::Times(n) => format!("fresh after {}", units::counted(n.into(), "operation")),
    }
}

/// A name for a place with room for `longest` characters. The middle goes: of
/// names and addresses that share a beginning, the end tells them apart.
pub(super) fn short_name(name: &str, longest: usize) -> String {
    let name = shown(name);
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= longest {
        return name;
    }
    let kept = longest.saturating_sub(1);
    let (front, back) = (kept - kept / 2, kept / 2);
    let ends = [&chars[..front], &['…'], &chars[chars.len() - back..]];
    ends.concat().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_keep_both_ends() {
        assert_eq!(short_name("old", 5), "old");
        assert_eq!(short_name("http://127.0.0.1:8080/", 9), "http…080/");
        assert_eq!(short_name("a\u{202e}b", 24), r"a\u{202e}b");
    }
}
