//! One comparison as it stands before the audit.

use super::{Support, Weighed, held_back, level, word};
use crate::{
    evidence::{Driven, Evidence},
    say,
    stats::rounds::{self, Spread},
    verdict::{Comparison, Word},
};
use record::{Direction, Metric, Pair};

/// A comparison, and what the audit wants to know of it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) pair: Pair,
    pub(crate) comparison: Comparison,
    /// What the rounds say; none where a round has no ratio.
    pub(crate) weighed: Option<Weighed>,
}

/// What is compared.
pub(super) struct Asked {
    pub(super) pair: Pair,
    pub(super) metric: Metric,
    pub(super) primary: bool,
    /// Comparisons in its family.
    pub(super) family: usize,
}

impl Asked {
    pub(super) fn draft(&self, evidence: &Evidence) -> Draft {
        let level = level(evidence, self.family);
        let mut comparison = self.blank(evidence, level);
        let weighed = match self.ratios(evidence) {
            Ok(ratios) => {
                let d: Vec<f64> = ratios.iter().map(|(_, ratio)| ratio.ln()).collect();
                comparison.rounds = ratios;
                Weighed::new(&d, level)
            }
            Err(why) => {
                comparison.because.push(why);
                None
            }
        };
        if let Some(weighed) = &weighed {
            fill(&mut comparison, weighed);
            self.decide(evidence, weighed, level, &mut comparison);
        }
        Draft { pair: self.pair, comparison, weighed }
    }

    fn blank(&self, evidence: &Evidence, level: f64) -> Comparison {
        Comparison {
            a: evidence.name(self.pair.a).to_owned(),
            b: evidence.name(self.pair.b).to_owned(),
            metric: self.metric,
            primary: self.primary,
            ratio: None,
            low: None,
            high: None,
            confidence: 1.0 - level,
            replicates: 0,
            looks: None,
            charged: None,
            p: None,
            t_interval: None,
            verdict: Word::Undecided,
            because: Vec::new(),
            at_least: false,
            fresh_rounds: None,
            rounds: Vec::new(),
        }
    }

    /// b/a of every judged round. One round without a ratio leaves none: to drop
    /// the rounds in which a contender failed would flatter it.
    fn ratios(&self, evidence: &Evidence) -> Result<Vec<(u32, f64)>, String> {
        let (a, b) = (self.side(evidence, self.pair.a), self.side(evidence, self.pair.b));
        let (Some(a), Some(b)) = (a, b) else {
            return Err("the record names no such contender".to_owned());
        };
        if a.trials.is_empty() {
            return Err("no round was complete".to_owned());
        }
        let missing = |name: u32, round: u32| {
            let name = evidence.name(name);
            format!("{name} has no {} in round {round}", self.metric.path())
        };
        let rounds = a.trials.iter().zip(&b.trials);
        let ratio = rounds.map(|(a, b)| match (a.value(self.metric), b.value(self.metric)) {
            (Some(of_a), Some(of_b)) => Ok((a.round, of_b / of_a)),
            (None, _) => Err(missing(self.pair.a, a.round)),
            (_, None) => Err(missing(self.pair.b, a.round)),
        });
        ratio.collect()
    }

    fn side<'a>(&self, evidence: &'a Evidence, contender: u32) -> Option<&'a Driven> {
        evidence.contenders.get(contender as usize)
    }

    fn decide(
        &self,
        evidence: &Evidence,
        weighed: &Weighed,
        level: f64,
        comparison: &mut Comparison,
    ) {
        let question = &evidence.question;
        comparison.verdict = match weighed.interval {
            Some(interval) => word(interval, question.matters, self.metric.direction()),
            None => {
                comparison.because.push(self.too_few(evidence, comparison.replicates));
                Word::Undecided
            }
        };
        if let (Some(lag_1), Some(_)) = (weighed.alarm, weighed.interval) {
            comparison.because.push(format!(
                "the rounds are correlated (lag 1: {lag_1:.2}): the interval was widened {:.2} \
                 times around the estimate",
                weighed.widening
            ));
        }
        let more_rounds_would_not_help =
            self.refuse_support(evidence, comparison) || self.withhold(evidence, comparison);
        self.mark_at_least(evidence, comparison);
        if comparison.verdict == Word::Undecided && !more_rounds_would_not_help {
            comparison.fresh_rounds = self.fresh_rounds(evidence, weighed, level);
        }
    }

    fn too_few(&self, evidence: &Evidence, rounds: u32) -> String {
        let alpha = evidence.question.alpha;
        let compared = say::counted(self.family as u64, "comparison");
        format!(
            "{} cannot support {compared} at {}: at least {}",
            say::counted(u64::from(rounds), "round"),
            say::exact_percent(alpha),
            rounds::fewest(self.family, alpha)
        )
    }

    /// Too few samples make the metric undecided. True: they did.
    fn refuse_support(&self, evidence: &Evidence, comparison: &mut Comparison) -> bool {
        let mut refused = false;
        for contender in [self.pair.a, self.pair.b] {
            let side = self.side(evidence, contender);
            let support = side.and_then(|driven| Support::new(driven, self.metric));
            if let Some(why) = support.and_then(|support| support.refusal()) {
                comparison.because.push(format!("{}: {why}", evidence.name(contender)));
                comparison.verdict = Word::Undecided;
                refused = true;
            }
        }
        refused
    }

    /// Equal figures that may be the generator's own are not called equivalent.
    /// In closed loop that goes for times as well: they follow from throughput
    /// and the number of connections. True: the word was withheld.
    fn withhold(&self, evidence: &Evidence, comparison: &mut Comparison) -> bool {
        if comparison.verdict != Word::Equivalent {
            return false;
        }
        let sides = [self.pair.a, self.pair.b];
        let held = sides.into_iter().filter_map(|side| Some((side, held_back(evidence, side)?)));
        for (side, idle) in held {
            comparison.verdict = Word::Undecided;
            comparison.because.push(format!(
                "the interval says equivalent, but the generator was idle for only {} of the time \
                 of {}: equal figures may be the generator's own",
                say::percent(idle),
                evidence.name(side)
            ));
        }
        comparison.verdict == Word::Undecided
    }

    /// "At least": only the contender that is ahead may have been held back.
    fn mark_at_least(&self, evidence: &Evidence, comparison: &mut Comparison) {
        let (ahead, behind) = match comparison.verdict {
            Word::Faster => (self.pair.b, self.pair.a),
            Word::Slower => (self.pair.a, self.pair.b),
            _ => return,
        };
        let throughput = self.metric.direction() == Direction::HigherIsBetter;
        comparison.at_least = throughput
            && held_back(evidence, ahead).is_some()
            && held_back(evidence, behind).is_none();
        if comparison.at_least {
            comparison.because.push(format!(
                "at least: the generator may have held back {}, which is ahead",
                evidence.name(ahead)
            ));
        }
    }

    fn fresh_rounds(
        &self,
        evidence: &Evidence,
        weighed: &Weighed,
        level: f64,
    ) -> Option<(u64, u64)> {
        let question = &evidence.question;
        let spread = Spread {
            estimate: weighed.estimate,
            // Correlated rounds count for less: as if each were noisier.
            deviation: weighed.deviation? * weighed.widening,
            rounds: evidence.complete_rounds as usize,
        };
        let (about, up_to) = rounds::of_a_fresh_run(&spread, question.matters.ln_1p(), level)?;
        let fewest = u64::from(rounds::fewest(self.family, question.alpha));
        Some((about.max(fewest), up_to.max(fewest)))
    }
}

fn fill(comparison: &mut Comparison, weighed: &Weighed) {
    comparison.replicates = comparison.rounds.len() as u32;
    comparison.ratio = Some(weighed.estimate.exp());
    comparison.low = weighed.interval.map(|(low, _)| low.exp());
    comparison.high = weighed.interval.map(|(_, high)| high.exp());
    comparison.p = Some(weighed.p);
    comparison.t_interval = weighed.t.map(|(low, high)| (low.exp(), high.exp()));
}
