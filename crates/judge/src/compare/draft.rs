//! One comparison before the audit.

use super::Support;
use super::at_rest::Withheld;
use super::bottleneck::SplitDifference;
use super::cases;
use super::replicates::{self, Replicates};
use crate::{
    draft::Draft,
    evidence::{Evidence, Operations},
    stats::{
        looks::{self, LOOKS, Look, Looked, Looks},
        rounds::{self, Spread},
        short_rounds,
        stein::{self, Variation},
    },
    verdict::{Charged, Comparison, Word},
    weigh::{Weighed, word},
};
use record::{InterimLook, LengthRule, Metric, Pair};
use text::units;

/// What is compared.
pub(super) struct Compared {
    pub(super) pair: Pair,
    pub(super) metric: Metric,
    pub(super) operations: Operations,
    pub(super) primary: bool,
    /// Comparisons in its family.
    pub(super) family: usize,
}

impl Compared {
    /// The comparison that a pair's verdict rests on.
    pub(super) fn primary(evidence: &Evidence, pair: Pair) -> Compared {
        let question = &evidence.question;
        let (metric, family) = (question.primary, question.pairs.len());
        Compared { pair, metric, operations: Operations::All, primary: true, family }
    }

    pub(super) fn draft(&self, evidence: &Evidence) -> Draft {
        if [self.pair.a, self.pair.b].into_iter().any(|side| evidence.has_left(side)) {
            // The audit says why.
            let (pair, comparison) = (self.pair, self.blank(evidence));
            return Draft { pair, comparison, weighed: None, settled: true };
        }
        let mut comparison = self.blank(evidence);
        let of = self.of();
        let replicates = super::rounds_of(evidence, of).and_then(|rounds| {
            let known = rounds.iter().filter_map(|round| Some((round.round, round.ratio?)));
            comparison.rounds = known.collect();
            Replicates::new(evidence, of, &rounds)
        });
        match replicates {
            Ok(replicates) => {
                comparison.because.extend(replicates.left_out.clone());
                let lost = replicates::sight_lost(evidence, of);
                comparison.because.extend(lost.map(|round| {
                    format!("rests on the rounds before round {round}, as long as it was visible")
                }));
                self.judge(evidence, &replicates, comparison)
            }
            Err(why) => {
                let draft = self.without_verdict(comparison, why.to_string());
                // A round without a ratio will never have one.
                Draft { settled: evidence.complete_rounds > 0, ..draft }
            }
        }
    }

    fn of(&self) -> replicates::Of {
        replicates::Of { pair: self.pair, metric: self.metric, operations: self.operations }
    }

    pub(super) fn blank(&self, evidence: &Evidence) -> Comparison {
        let question = &evidence.question;
        let (a, b) = (evidence.name(self.pair.a), evidence.name(self.pair.b));
        // What it is about, launches or programs, is known when all drafts are made.
        let mut blank = Comparison::undecided(a, b, self.metric, 1.0 - self.level(evidence));
        blank.primary = self.primary;
        blank.interim_looks = has_looks(evidence).then_some(0);
        match self.operations {
            Operations::All => {}
            Operations::Group(at) => blank.group = Some(question.groups[at].name.clone()),
            Operations::Request(at) => blank.request = Some(question.requests[at].clone()),
            Operations::Case(at) => blank.case = Some(evidence.cases.compared()[at].name.clone()),
        }
        blank
    }

    pub(super) fn without_verdict(&self, mut comparison: Comparison, why: String) -> Draft {
        comparison.because.push(why);
        Draft { pair: self.pair, comparison, weighed: None, settled: false }
    }

    /// The level of the interval that is judged.
    pub(super) fn level(&self, evidence: &Evidence) -> f64 {
        let alpha = evidence.question.alpha;
        match looks_of_short_rounds(evidence).and_then(<[_]>::last) {
            Some(last) => rounds::level(last.level, self.family),
            None if has_looks(evidence) => looks::level(alpha, self.family),
            None => rounds::level(spent(evidence), self.family),
        }
    }

    /// Judges at the end of a run of a fixed length, or at its looks.
    fn judge(&self, evidence: &Evidence, all: &Replicates, comparison: Comparison) -> Draft {
        if !has_looks(evidence) {
            let whole = (all.differences.len(), self.level(evidence));
            return self.judge_first(evidence, all, whole, comparison);
        }
        if let Some(looks) = looks_of_short_rounds(evidence) {
            return self.judge_at_latest(evidence, all, looks, comparison);
        }
        let question = &evidence.question;
        let Some(looks) = Looks::declared(&question.interim_looks, self.family, question.alpha)
        else {
            let why =
                format!("the record does not declare {LOOKS} looks, so their level is not known");
            return self.without_verdict(comparison, why);
        };
        let level = self.level(evidence);
        let at = |n: usize| self.judge_first(evidence, all, (n, level), comparison.clone());
        let looked = looks.judge(&all.differences, |seen, _| {
            let draft = at(seen.len());
            draft.settled.then_some(draft)
        });
        let Some(Looked { at: look, decided }) = looked else {
            let [first, ..] = looks.rounds();
            let why = before_the_first_look(evidence, all, first);
            return self.without_verdict(comparison, why);
        };
        let mut draft = decided.unwrap_or_else(|| {
            let mut draft = at(look.rounds as usize);
            draft.comparison.because.push(not_decided(look, replicate(evidence)));
            draft
        });
        draft.comparison.interim_looks = Some(look.number);
        draft
    }

    /// Judges what the last look has seen, whatever earlier ones said. The comparison is settled before
    /// the last look if its answer is plain.
    fn judge_at_latest(
        &self,
        evidence: &Evidence,
        all: &Replicates,
        looks: &[InterimLook],
        mut comparison: Comparison,
    ) -> Draft {
        let Some((number, look)) = short_rounds::latest(looks, all.differences.len()) else {
            let first = looks.first().map_or(0, |look| look.replicates);
            let why = before_the_first_look(evidence, all, first);
            return self.without_verdict(comparison, why);
        };
        let level = rounds::level(look.level, self.family);
        comparison.confidence = 1.0 - level;
        let judged = (look.replicates as usize, level);
        let mut draft = self.judge_first(evidence, all, judged, comparison);
        draft.comparison.interim_looks = Some(number);
        let is_last = number as usize == looks.len();
        let interval = draft.weighed.as_ref().and_then(|weighed| weighed.interval);
        let is_plain = |of| short_rounds::is_plain(of, evidence.question.matters);
        draft.settled &= is_last || interval.is_some_and(is_plain);
        if !is_last && draft.comparison.verdict == Word::Undecided {
            let rounds = units::show_counted(look.replicates.into(), replicate(evidence));
            let why =
                format!("undecided at look {number} of {} ({rounds}), the latest one", looks.len());
            draft.comparison.because.push(why);
        }
        draft
    }

    /// Judges the first `n` replicates at this level.
    fn judge_first(
        &self,
        evidence: &Evidence,
        all: &Replicates,
        (n, level): (usize, f64),
        mut comparison: Comparison,
    ) -> Draft {
        let weigh = |differences: &Vec<f64>| Weighed::new(differences.get(..n)?, level);
        let weighed = weigh(&all.differences);
        let mut settled = false;
        if let Some(weighed) = &weighed {
            comparison.replicates = n as u32;
            fill(&mut comparison, weighed);
            comparison.sees = self.sees(evidence, weighed, n as u32);
            comparison.middle = match self.operations {
                Operations::Case(case) => cases::middle(evidence, self.pair, case, n),
                _ => replicates::middle(evidence, self.of(), n),
            };
            let charged = all.charged.as_ref().and_then(weigh);
            comparison.charged = charged.map(|weighed| self.charged(evidence, &weighed));
            let generator = all.generator.as_ref().and_then(|generator| generator.get(..n));
            let split = generator
                .and_then(|generator| self.take_apart(&all.differences[..n], generator, level));
            settled = self.decide(evidence, weighed, split.as_ref(), &mut comparison);
        }
        Draft { pair: self.pair, comparison, weighed, settled }
    }

    fn word(&self, evidence: &Evidence, weighed: &Weighed) -> Option<Word> {
        let direction = self.metric.direction();
        Some(word(weighed.interval?, evidence.question.matters, direction))
    }

    fn charged(&self, evidence: &Evidence, weighed: &Weighed) -> Charged {
        Charged {
            ratio: weighed.estimate.exp(),
            interval: weighed.interval.map(|(low, high)| (low.exp(), high.exp())),
            verdict: self.word(evidence, weighed).unwrap_or(Word::Undecided),
        }
    }

    /// Determines the word. Returns true if more replicates would not change it.
    fn decide(
        &self,
        evidence: &Evidence,
        weighed: &Weighed,
        split: Option<&SplitDifference>,
        comparison: &mut Comparison,
    ) -> bool {
        comparison.verdict = self.word(evidence, weighed).unwrap_or_else(|| {
            comparison.because.push(self.too_few(evidence, comparison.replicates));
            Word::Undecided
        });
        let (of_interval, reasons) = (comparison.verdict, comparison.because.len());
        let withheld = self.withhold(evidence, split, comparison);
        if comparison.verdict == Word::Undecided {
            (comparison.at_least, comparison.beyond_generator) = (false, None);
        }
        let undecided = comparison.verdict == Word::Undecided;
        if undecided && of_interval != Word::Undecided {
            comparison.withheld = comparison.because.get(reasons).cloned();
        }
        if undecided && withheld == Withheld::No {
            comparison.fresh_rounds = self.fresh_rounds(evidence, weighed, comparison.replicates);
        }
        !undecided || withheld == Withheld::ForGood
    }

    /// Makes a comparison undecided whose interval is not enough for a word. The figures of a case are those of a
    /// program that measured itself, so no generator is part of them.
    fn withhold(
        &self,
        evidence: &Evidence,
        split: Option<&SplitDifference>,
        comparison: &mut Comparison,
    ) -> Withheld {
        if matches!(self.operations, Operations::Case(_)) {
            return Withheld::No;
        }
        // The generator comes first: if it held a contender back, there is nothing to charge.
        let mut withheld = self.refuse_support(evidence, comparison);
        if withheld == Withheld::No {
            withheld = self.withhold_generator_limited(evidence, split, comparison);
        }
        if withheld == Withheld::No {
            withheld = self.withhold_where_targets_work_at_rest(evidence, comparison);
        }
        withheld
    }

    pub(super) fn too_few(&self, evidence: &Evidence, replicates: u32) -> String {
        let compared = units::show_counted(self.family as u64, "comparison");
        let alpha = evidence.question.alpha;
        let looks = looks_of_short_rounds(evidence);
        let look = looks.and_then(|looks| short_rounds::latest(looks, replicates as usize));
        let (at, fewest, each) = match look {
            Some((_, look)) => {
                (look.level, rounds::fewest(self.family, look.level), " at this look")
            }
            None if has_looks(evidence) => {
                (self.level(evidence), looks::fewest(self.family, alpha), " at each look")
            }
            None => {
                let spent = spent(evidence);
                (spent, rounds::fewest(self.family, spent), "")
            }
        };
        format!(
            "{} cannot support {compared} at {}{each}; at least {fewest} are needed",
            units::show_counted(u64::from(replicates), replicate(evidence)),
            units::show_level(at),
        )
    }

    /// Makes the metric undecided if it has too few samples.
    fn refuse_support(&self, evidence: &Evidence, comparison: &mut Comparison) -> Withheld {
        let mut withheld = Withheld::No;
        for contender in [self.pair.a, self.pair.b] {
            let side = evidence.side(contender, self.operations);
            let support = side.and_then(|driven| Support::new(driven, self.metric));
            if let Some(why) = support.and_then(|support| support.refusal()) {
                comparison.because.push(format!("{}: {why}", evidence.name(contender)));
                comparison.verdict = Word::Undecided;
                withheld = Withheld::ForGood;
            }
        }
        withheld
    }

    /// The true difference that a run whose length was given by a difference or by a time calls with a
    /// chance of 80 %.
    fn sees(&self, evidence: &Evidence, weighed: &Weighed, replicates: u32) -> Option<f64> {
        let question = &evidence.question;
        let is_asked = question.length.see().is_some() || question.length.within_ns().is_some();
        let deviation = weighed.deviation.filter(|_| self.primary && is_asked)?;
        let level = rounds::level(question.alpha, self.family);
        Some(Variation { deviation, replicates, level }.seen_by(replicates))
    }

    /// Estimates the rounds of a run of a fixed length, even if this one had looks.
    fn fresh_rounds(
        &self,
        evidence: &Evidence,
        weighed: &Weighed,
        replicates: u32,
    ) -> Option<(u64, u64)> {
        let question = &evidence.question;
        let spread = Spread {
            estimate: weighed.estimate,
            deviation: weighed.deviation?,
            rounds: replicates as usize,
        };
        let level = rounds::level(question.alpha, self.family);
        let (about, up_to) = rounds::of_a_fresh_run(&spread, question.matters.ln_1p(), level)?;
        let fewest = u64::from(rounds::fewest(self.family, question.alpha));
        Some((about.max(fewest), up_to.max(fewest)))
    }
}

/// The error that the run's intervals spend in all.
fn spent(evidence: &Evidence) -> f64 {
    let question = &evidence.question;
    let is_of_two_stages = question.length.see().is_some();
    if is_of_two_stages { stein::spent(question.alpha) } else { question.alpha }
}

/// The looks of a run of short rounds. Returns None for every other run.
fn looks_of_short_rounds(evidence: &Evidence) -> Option<&[InterimLook]> {
    match &evidence.question.length {
        LengthRule::ShortRounds { looks, .. } if has_looks(evidence) => Some(looks),
        _ => None,
    }
}

fn before_the_first_look(evidence: &Evidence, all: &Replicates, first: u32) -> String {
    let replicate = replicate(evidence);
    let seen = units::show_counted(all.differences.len() as u64, replicate);
    format!("{seen} done; the first look is after {replicate} {first}")
}

pub(super) fn fill(comparison: &mut Comparison, weighed: &Weighed) {
    comparison.ratio = Some(weighed.estimate.exp());
    comparison.low = weighed.interval.map(|(low, _)| low.exp());
    comparison.high = weighed.interval.map(|(_, high)| high.exp());
    comparison.p = Some(weighed.p);
    comparison.t_interval = weighed.t.map(|(low, high)| (low.exp(), high.exp()));
}

/// Whether the run has looks, which count replicates.
pub(super) fn has_looks(evidence: &Evidence) -> bool {
    !evidence.question.interim_looks.is_empty()
}

/// The name of a replicate.
fn replicate(evidence: &Evidence) -> &'static str {
    match evidence.rounds_of_a_launch() {
        None => "round",
        Some(_) => "launch",
    }
}

fn not_decided(look: Look, replicate: &str) -> String {
    let rounds = units::show_counted(u64::from(look.rounds), replicate);
    match look.number as usize {
        LOOKS => format!(
            "not decided at the last of {LOOKS} looks ({rounds}): a fresh run is needed, because \
             this one must not be extended"
        ),
        number => format!("not decided at look {number} of {LOOKS} ({rounds}), the latest one"),
    }
}
