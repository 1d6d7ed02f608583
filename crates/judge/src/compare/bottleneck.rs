//! Whether the generator was the slower part, and which verdict is then possible.
//!
//! Two servers whose CPU cost differed by 1.3 × once showed the same throughput, because one
//! generator core was slower than either. So equal figures are not called equivalent if the
//! generator was hardly idle and the target not at its limit.
//!
//! Differences are treated differently. If the two contenders are ways to reach one target, or
//! client libraries drive both, every application pays the client's cost: it is part of what is
//! compared. Between different targets on lanes of the engine, the cost of our codecs belongs to
//! neither contender, and a difference counts only as far as it exceeds the difference of the
//! generator's own cost.

use super::{Compared, at_rest::Withheld};
use crate::cost::GENERATOR_LIMITED_BELOW;
use crate::weigh::{Weighed, word};
use crate::{
    evidence::{Evidence, Operations},
    verdict::{Beyond, ClientShare, Comparison, Word},
};
use record::{Direction, Metric};
use text::units;

/// A target that used at least this share of its allowed cores was at its limit.
pub(crate) const AT_ITS_LIMIT_FROM: f64 = 0.95;
/// A generator that ran for this share of its time leaves a target little room: even a target that
/// took no time at all would show as only 1 ÷ 0.8 = 1.25 times as fast. From this share on the
/// generator's own cost is subtracted from a difference.
pub(crate) const LITTLE_ROOM_FROM: f64 = 0.8;

/// A contender that the generator held back, or may have held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GeneratorLimited {
    /// Share of their time that the generator's threads ran.
    pub(crate) busy: f64,
    /// Share of their time that they had no core.
    pub(crate) kept: f64,
    /// Share of its cores that the target used; with it, the generator certainly held the contender
    /// back. None if it is not known.
    pub(crate) target: Option<f64>,
}

impl GeneratorLimited {
    /// Whether it is known that the target had cores to spare.
    pub(crate) fn certain(&self) -> bool {
        self.target.is_some()
    }

    /// Returns text such as `the generator was busy for 96 % of the time of b and without a core
    /// for 3 %, and its target used 60 % of its cores`.
    fn figures(&self, name: &str) -> String {
        let target = match self.target {
            Some(target) => format!("its target used {} of its cores", units::show_percent(target)),
            None => "it is not known how busy its target was".to_owned(),
        };
        format!("the generator was {}, and {target}", self.generator(&format!(" of {name}")))
    }

    /// Returns text such as `busy for 96 % of the time`, and how long the generator had no core if
    /// that is part of the reason.
    pub(crate) fn generator(&self, of: &str) -> String {
        let busy = format!("busy for {} of the time{of}", units::show_percent(self.busy));
        if self.busy > 1.0 - GENERATOR_LIMITED_BELOW {
            busy
        } else {
            format!("{busy} and without a core for {}", units::show_percent(self.kept))
        }
    }
}

/// Whether, in closed loop, equal figures of the contender may be due to the generator: it was
/// hardly idle, and the target was not at its limit as far as that is known. A generator without a
/// core is not idle either: another program that slows it down slows all contenders down alike. If
/// the generator does the target's work itself, its figures are what was requested.
pub(crate) fn generator_limited(evidence: &Evidence, contender: u32) -> Option<GeneratorLimited> {
    not_the_target(evidence, contender)
        .filter(|held| held.busy + held.kept > 1.0 - GENERATOR_LIMITED_BELOW)
}

/// What the generator did in closed loop, or None if the target was at its limit.
fn not_the_target(evidence: &Evidence, contender: u32) -> Option<GeneratorLimited> {
    let at = contender as usize;
    if evidence.contender_question(at).is_some_and(|question| question.done_by_generator) {
        return None;
    }
    let driven = evidence.contenders.get(at).filter(|driven| driven.closed())?;
    let time = evidence.generator_time(at).filter(|_| driven.judged.operations > 0)?;
    let target = evidence.target_busy(at);
    let held = GeneratorLimited { busy: time.busy, kept: time.kept, target };
    (!at_its_limit(evidence, at)).then_some(held)
}

/// Whether the target used nearly all of its allowed cores, as far as is known. If the generator
/// runs on some of them, the sum of both counts.
pub(crate) fn at_its_limit(evidence: &Evidence, contender: usize) -> bool {
    // Stolen time counts for both, because it is not known on which core it was stolen.
    let stolen = evidence.stolen_from_target(contender).unwrap_or(0.0);
    let generator = evidence.generator_on_targets_cores(contender);
    let filled = |busy: f64| busy + generator + stolen >= AT_ITS_LIMIT_FROM;
    evidence.target_busy(contender).is_some_and(filled)
}

/// A difference split into the part that the generator's own cost explains and the rest.
pub(super) struct SplitDifference {
    /// The explained part: ln(b/a) of the metric.
    explained: f64,
    /// The part beyond it.
    beyond: Weighed,
}

impl Compared {
    /// Subtracts the generator's cost from the differences, replicate by replicate: `generator` is
    /// ln(b/a) of its own CPU time per operation. The throughputs of a generator that is always
    /// busy are inversely proportional to those costs. In closed loop times follow from throughput
    /// and the number of connections.
    pub(super) fn take_apart(
        &self,
        differences: &[f64],
        generator: &[f64],
        level: f64,
    ) -> Option<SplitDifference> {
        let sign = match self.metric.direction() {
            Direction::HigherIsBetter => -1.0,
            Direction::LowerIsBetter => 1.0,
        };
        let explained: Vec<f64> = generator.iter().map(|cost| sign * cost).collect();
        let beyond = differences.iter().zip(&explained).map(|(all, of_it)| all - of_it);
        let beyond = Weighed::new(&beyond.collect::<Vec<f64>>(), level)?;
        Some(SplitDifference { explained: Weighed::new(&explained, level)?.estimate, beyond })
    }

    /// Withholds a word that may be due to the generator, except on what the target uses.
    pub(super) fn withhold_generator_limited(
        &self,
        evidence: &Evidence,
        split: Option<&SplitDifference>,
        comparison: &mut Comparison,
    ) -> Withheld {
        if self.metric.is_use() {
            return Withheld::No;
        }
        let client_counts = evidence.client_counts(self.pair);
        match comparison.verdict {
            Word::Equivalent => self.withhold_equal_figures(evidence, comparison),
            Word::Faster | Word::Slower if client_counts => {
                self.add_client_share(evidence, comparison);
                Withheld::No
            }
            Word::Faster | Word::Slower => {
                let withheld = self.subtract_generator_cost(evidence, split, comparison);
                self.mark_at_least(evidence, comparison);
                withheld
            }
            Word::Undecided if !client_counts => self.give_up_if_both_held(evidence, comparison),
            Word::Undecided | Word::Void => Withheld::No,
        }
    }

    /// The contenders of the pair that the generator held back.
    fn held(&self, evidence: &Evidence) -> Vec<(u32, GeneratorLimited)> {
        let sides = [self.pair.a, self.pair.b].into_iter();
        sides.filter_map(|side| Some((side, generator_limited(evidence, side)?))).collect()
    }

    fn withhold_equal_figures(&self, evidence: &Evidence, comparison: &mut Comparison) -> Withheld {
        let held = self.held(evidence);
        let Some((first, _)) = held.first() else { return Withheld::No };
        comparison.because.push(format!(
            "the interval says equivalent, but {}: equal figures may be due to the generator; {}",
            figures(evidence, &held),
            remedy(evidence, *first)
        ));
        comparison.verdict = Word::Undecided;
        Withheld::ForGood
    }

    /// If the generator was the slower part for both, more rounds reveal nothing about the targets.
    fn give_up_if_both_held(&self, evidence: &Evidence, comparison: &mut Comparison) -> Withheld {
        let held = self.held(evidence);
        if held.iter().filter(|(_, held)| held.certain()).count() < 2 {
            return Withheld::No;
        }
        comparison.because.push(format!(
            "{}: the generator limited both figures; {}",
            figures(evidence, &held),
            remedy(evidence, self.pair.a)
        ));
        Withheld::ForGood
    }

    /// If the generator left the target of the slower contender little room, that contender may be
    /// slower because it costs the generator more. Then only what exceeds this cost counts.
    ///
    /// If the generator had time to spare while it drove the slower contender, the target was at
    /// its limit, and the generator's cost explains nothing.
    fn subtract_generator_cost(
        &self,
        evidence: &Evidence,
        split: Option<&SplitDifference>,
        comparison: &mut Comparison,
    ) -> Withheld {
        let Some((_, behind)) = self.ahead_and_behind(comparison.verdict) else {
            return Withheld::No;
        };
        let little_room = |held: &GeneratorLimited| held.busy >= LITTLE_ROOM_FROM;
        let Some(held) = not_the_target(evidence, behind).filter(little_room) else {
            return Withheld::No;
        };
        let (Some(split), Some(measured)) = (split, comparison.ratio) else { return Withheld::No };
        // The cost points the other way: without it the difference would be larger.
        if split.explained * measured.ln() <= 0.0 {
            return Withheld::No;
        }
        let Some(interval) = split.beyond.interval else { return Withheld::No };
        let (margin, direction) = (evidence.question.matters, self.metric.direction());
        let costs = self.costs(evidence);
        let explained = units::show_ratio(split.explained.exp());
        if word(interval, margin, direction) == comparison.verdict {
            let beyond = Beyond {
                ratio: split.beyond.estimate.exp(),
                low: interval.0.exp(),
                high: interval.1.exp(),
            };
            comparison.because.push(format!(
                "at least: the generator's own cost per operation ({costs}) may explain \
                 {explained} of {}; {} remains",
                units::show_ratio(measured),
                units::show_ratio(beyond.ratio)
            ));
            (comparison.at_least, comparison.beyond_generator) = (true, Some(beyond));
            return Withheld::No;
        }
        comparison.because.push(format!(
            "the interval says {}, but {}, and its own cost per operation ({costs}) explains \
             {explained} of {}: the remaining difference is undecided; {}",
            if comparison.verdict == Word::Faster { "faster" } else { "slower" },
            held.figures(evidence.name(behind)),
            units::show_ratio(measured),
            remedy(evidence, behind)
        ));
        comparison.verdict = Word::Undecided;
        let same_side = split.beyond.estimate * measured.ln() > 0.0;
        if same_side && split.beyond.estimate.abs() > margin.ln_1p() {
            Withheld::ForNow
        } else {
            Withheld::ForGood
        }
    }

    /// Returns text such as `10.1 µs for a, 8.2 µs for b`.
    fn costs(&self, evidence: &Evidence) -> String {
        let cost = |side: u32| {
            let cost = generator_cost(evidence, side).unwrap_or(0.0);
            format!("{} for {}", units::show_seconds(cost), evidence.name(side))
        };
        format!("{}, {}", cost(self.pair.a), cost(self.pair.b))
    }

    /// The faster and the slower contender, if the verdict says which is which.
    fn ahead_and_behind(&self, word: Word) -> Option<(u32, u32)> {
        match word {
            Word::Faster => Some((self.pair.b, self.pair.a)),
            Word::Slower => Some((self.pair.a, self.pair.b)),
            _ => None,
        }
    }

    /// Marks a verdict "at least" if the generator held back the faster contender.
    fn mark_at_least(&self, evidence: &Evidence, comparison: &mut Comparison) {
        let Some((ahead, _)) = self.ahead_and_behind(comparison.verdict) else { return };
        let Some(held) = generator_limited(evidence, ahead) else { return };
        if comparison.at_least || self.metric != Metric::Throughput {
            return;
        }
        comparison.at_least = true;
        comparison.because.push(format!(
            "at least: the generator {} {}, which is ahead",
            if held.certain() { "held back" } else { "may have held back" },
            evidence.name(ahead)
        ));
    }

    /// States how much of the difference is spent in the client, if that is known and throughput
    /// determines how long an operation takes.
    fn add_client_share(&self, evidence: &Evidence, comparison: &mut Comparison) {
        let Some((ahead, behind)) = self.ahead_and_behind(comparison.verdict) else { return };
        if self.metric != Metric::Throughput || self.operations != Operations::All {
            return;
        }
        let share = || {
            let took = |side: u32| {
                let driven = evidence.contenders.get(side as usize).filter(|it| it.closed())?;
                let threads = f64::from(evidence.question.workers.max(1));
                Some(threads / driven.throughput()?)
            };
            Some(ClientShare {
                difference: took(behind)? - took(ahead)?,
                client: generator_cost(evidence, behind)? - generator_cost(evidence, ahead)?,
            })
        };
        let Some(share) = share().filter(|share| share.difference > 0.0) else { return };
        let of_it = match share.client {
            less if less <= 0.0 => "none of it is".to_owned(),
            all if all >= share.difference => "all of it is".to_owned(),
            part => format!("{} are", units::show_seconds(part)),
        };
        comparison.because.push(format!(
            "an operation of {1} takes {0} longer; {of_it} spent in the client",
            units::show_seconds(share.difference),
            evidence.name(behind)
        ));
        comparison.client_share = Some(share);
    }
}

/// The generator's CPU time per operation of the judged rounds, in seconds.
fn generator_cost(evidence: &Evidence, contender: u32) -> Option<f64> {
    let driven = evidence.contenders.get(contender as usize)?;
    let operations = Some(driven.judged.operations).filter(|operations| *operations > 0)?;
    Some(driven.generator_cpu_ns as f64 / 1e9 / operations as f64)
}

fn figures(evidence: &Evidence, held: &[(u32, GeneratorLimited)]) -> String {
    let figures = held.iter().map(|(side, held)| held.figures(evidence.name(*side)));
    figures.collect::<Vec<_>>().join("; ")
}

/// How to make the target the slower part, or how to compare without that.
fn remedy(evidence: &Evidence, contender: u32) -> String {
    let question = &evidence.question;
    let generator = &question.generator_cores;
    let target = evidence.cores_of(contender as usize);
    let is_ours = |core: &&u32| generator.contains(core);
    let split: Vec<String> =
        target.iter().filter(|core| !is_ours(core)).map(u32::to_string).collect();
    if !split.is_empty() && target.iter().any(|core| generator.contains(core)) {
        return format!(
            "pin the target of {} away from the generator's cores (taskset -c {})",
            evidence.name(contender),
            split.join(",")
        );
    }
    let others = question.allowed_cores.iter().filter(|core| !is_ours(core)).count();
    if others >= 2 {
        return format!("give the generator more cores (--cores {})", question.workers + 1);
    }
    "compare response times at a --rate that both can reach, or the targets' CPU per operation"
        .to_owned()
}
