//! Derives the replicates of a comparison, rounds or launches, from trials.

use crate::{
    evidence::DriveSummary, evidence::Evidence, evidence::Launch, evidence::NoFigure,
    evidence::Operations, evidence::Trial, stats::quantile::median, verdict::Middle,
};
use record::{Metric, Pair, Question};
use text::{lists, units};
use thiserror::Error;

/// Why there is nothing to judge. It goes into the report.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NoReplicates {
    #[error("the record does not contain this contender")]
    NoContender,
    #[error("no round was complete")]
    NoRound,
    #[error("these load points were driven one after the other and share no rounds")]
    NotShared,
    #[error("no launch has all of its {} complete", units::show_counted(u64::from(*.rounds), "round"))]
    NoLaunch { rounds: u32 },
    #[error("the CPU time of {contender}'s target is not visible{}",
        .why.as_ref().map_or(String::new(), |why| format!(" ({why})")))]
    NotVisible { contender: String, why: Option<String> },
    /// A ratio to it would be infinite, and its logarithm not a number.
    #[error("no CPU time of {contender}'s target was measured in round {round}")]
    NoCpuTime { contender: String, round: u32 },
    #[error("{contender} has no {} in round {round}", .metric.path())]
    NoValue { contender: String, metric: Metric, round: u32 },
    #[error("{contender} has no {} in launch {launch}", .metric.path())]
    NoValueInLaunch { contender: String, metric: Metric, launch: u32 },
    #[error("{contender}: {why} in round {round}")]
    NoFigure { contender: String, round: u32, why: NoFigure },
}

/// b/a of one judged round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Round {
    pub(super) round: u32,
    /// None where only the launch as a whole must have one.
    pub(super) ratio: Option<f64>,
    /// b/a of the round with CPU time at rest charged to its owner.
    pub(super) charged: Option<f64>,
    /// b/a of the generator's own CPU time per operation.
    pub(super) generator: Option<f64>,
}

impl Round {
    /// A round of programs that measure themselves: no CPU time is charged, and no generator is part of it.
    pub(super) fn of_programs(round: u32, ratio: f64) -> Round {
        Round { round, ratio: Some(ratio), charged: None, generator: None }
    }
}

/// What a verdict rests on: one difference ln(b/a) for each replicate, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Replicates {
    pub(super) differences: Vec<f64>,
    /// The charged differences. None if one of them is not known.
    pub(super) charged: Option<Vec<f64>>,
    /// ln(b/a) of the generator's own CPU time per operation. None if one is not known.
    pub(super) generator: Option<Vec<f64>>,
    /// A sentence about launches that were left out.
    pub(super) left_out: Option<String>,
}

/// Which figures are paired.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of {
    pub(super) pair: Pair,
    pub(super) metric: Metric,
    pub(super) operations: Operations,
}

/// Returns b/a of every judged round. If one round has no ratio, there are none: dropping the
/// rounds in which a contender failed would flatter it. Quantiles are those of a launch where launches are
/// judged as a whole.
pub(super) fn rounds(evidence: &Evidence, of: Of) -> Result<Vec<Round>, NoReplicates> {
    let Of { pair, metric, operations } = of;
    let side = |contender: u32| evidence.side(contender, operations);
    let (Some(a), Some(b)) = (side(pair.a), side(pair.b)) else {
        return Err(NoReplicates::NoContender);
    };
    let trials = of_shared_rounds(a, b);
    let Some((first, _)) = trials.first() else {
        let are_apart = evidence.question.has_load_points_apart()
            && ![a, b].iter().any(|side| side.trials.is_empty());
        return Err(if are_apart { NoReplicates::NotShared } else { NoReplicates::NoRound });
    };
    // The generator's CPU time is that of all groups together.
    let driven = match operations {
        Operations::Group(_) => Operations::All,
        others => others,
    };
    let whole = |contender: u32, round: u32| trial_of(evidence.side(contender, driven)?, round);
    let generator = |round: u32| {
        let of = |contender: u32| whole(contender, round)?.generator_cpu();
        Some(of(pair.b)? / of(pair.a)?)
    };
    let by_launch = is_of_launches(evidence, a, metric);
    let round = |(a, b): &(&Trial, &Trial)| {
        let ratio = match (a.value(metric), b.value(metric)) {
            (Some(of_a), Some(of_b)) => Some(of_b / of_a),
            _ if by_launch => None,
            (None, _) => return Err(missing(evidence, pair.a, metric, a.round)),
            (_, None) => return Err(missing(evidence, pair.b, metric, a.round)),
        };
        let charged = a.charged().zip(b.charged()).filter(|_| metric == Metric::Throughput);
        let charged = charged.map(|(of_a, of_b)| of_b / of_a);
        Ok(Round { round: a.round, ratio, charged, generator: generator(a.round) })
    };
    match sight_lost(evidence, of) {
        // If not even the first round was visible, that is the reason to report, as for any other
        // missing figure.
        Some(lost) if first.round < lost => {
            trials.iter().take_while(|(a, _)| a.round < lost).map(round).collect()
        }
        _ => trials.iter().map(round).collect(),
    }
}

/// Whether the launch has a figure of its own, which is not the mean of its rounds.
fn is_of_launches(evidence: &Evidence, of: &DriveSummary, metric: Metric) -> bool {
    match metric {
        Metric::PeakMemory => evidence.rounds_of_a_launch().is_some(),
        _ => !of.launches.is_empty() && metric.quantile().is_some(),
    }
}

/// The trials of both contenders in the rounds that hold both, in order.
fn of_shared_rounds<'a>(a: &'a DriveSummary, b: &'a DriveSummary) -> Vec<(&'a Trial, &'a Trial)> {
    a.trials.iter().filter_map(|trial| Some((trial, trial_of(b, trial.round)?))).collect()
}

fn trial_of(driven: &DriveSummary, round: u32) -> Option<&Trial> {
    let at = driven.trials.binary_search_by_key(&round, |trial| trial.round).ok()?;
    driven.trials.get(at)
}

/// The first round in which a watcher could no longer read one of the targets, if their CPU time is
/// compared. The rounds before it count: that a connection was lost has nothing to do with how fast
/// a target is.
pub(super) fn sight_lost(evidence: &Evidence, of: Of) -> Option<u32> {
    let lost = [of.pair.a, of.pair.b].map(|side| evidence.sight_lost(side as usize));
    lost.into_iter().flatten().min().filter(|_| of.metric == Metric::TargetCpu)
}

/// The medians of what each contender's ratios were made of, in the first `n` replicates.
pub(super) fn middle(evidence: &Evidence, of: Of, n: usize) -> Option<Middle> {
    let Of { pair, metric, operations } = of;
    let each = evidence.rounds_of_a_launch().unwrap_or(1);
    let (a, b) = (evidence.side(pair.a, operations)?, evidence.side(pair.b, operations)?);
    let (of_a, of_b): (Vec<&Trial>, Vec<&Trial>) = of_shared_rounds(a, b).into_iter().unzip();
    let side = |driven: &DriveSummary, trials: &[&Trial]| {
        let of_launches = is_of_launches(evidence, driven, metric);
        // Without launches each round is a replicate.
        let of = |trial: &Trial| evidence.question.launch_of(trial.round).unwrap_or(trial.round);
        let replicates = trials.chunk_by(|one, next| of(one) == of(next));
        let whole = replicates.filter(|trials| trials.len() == each as usize).take(n);
        let figures: Option<Vec<f64>> = if metric == Metric::PeakMemory && of_launches {
            whole.map(|trials| driven.peak_memory(of(trials[0]))).collect()
        } else if of_launches {
            whole.map(|trials| driven.launch(of(trials[0]))?.value(metric)).collect()
        } else {
            whole.flatten().map(|trial| trial.value(metric)).collect()
        };
        Some((median(&figures?)?, of_launches))
    };
    let ((a, of_launches), (b, _)) = (side(a, &of_a)?, side(b, &of_b)?);
    Some(Middle { a, b, of_launches })
}

fn missing(evidence: &Evidence, of: u32, metric: Metric, round: u32) -> NoReplicates {
    let contender = evidence.name(of).to_owned();
    let at = of as usize;
    match metric {
        Metric::TargetCpu if !evidence.cpu_in_sight(at) => {
            let why = evidence.why_not_visible(at).map(|why| why.to_string());
            NoReplicates::NotVisible { contender, why }
        }
        Metric::TargetCpu => NoReplicates::NoCpuTime { contender, round },
        _ => NoReplicates::NoValue { contender, metric, round },
    }
}

/// The rounds by launch: the launches that have all of theirs, and the others.
fn launches<'a>(question: &Question, rounds: &'a [Round]) -> (Vec<&'a [Round]>, Vec<&'a [Round]>) {
    let each = question.rounds_of_a_launch().map_or(1, |each| each as usize);
    let launch = |round: &Round| question.launch_of(round.round);
    let launches = rounds.chunk_by(|one, next| launch(one) == launch(next));
    launches.partition(|rounds| rounds.len() == each)
}

/// ln(b/a) of the quantile of every launch that has all of its rounds. Returns None for other metrics, and
/// where launches are not judged as a whole.
fn quantiles_of_launches(
    evidence: &Evidence,
    of: Of,
    each: u32,
) -> Option<Result<Vec<f64>, NoReplicates>> {
    let Of { pair, metric, operations } = of;
    metric.quantile()?;
    let [a, b] = [pair.a, pair.b].map(|side| evidence.side(side, operations));
    let (a, b) = (a?, b?);
    let whole = a.shared_launches(b).filter(|(a, _)| a.rounds == each);
    let difference = |(of_a, of_b): (&Launch, &Launch)| {
        let value = |side: u32, of: &Launch| {
            let contender = evidence.name(side).to_owned();
            let missing = NoReplicates::NoValueInLaunch { contender, metric, launch: of.number };
            of.value(metric).ok_or(missing)
        };
        Ok((value(pair.b, of_b)? / value(pair.a, of_a)?).ln())
    };
    (!a.launches.is_empty()).then(|| whole.map(difference).collect())
}

/// ln(b/a) of the peak memory of every launch that has all of its rounds and has ended: while a target is up, its
/// peak may still rise.
pub(super) fn peaks_of_launches(
    evidence: &Evidence,
    of: Of,
    whole: impl Iterator<Item = u32>,
) -> Result<Vec<f64>, NoReplicates> {
    let Of { pair, metric, operations } = of;
    let driven = |side: u32| evidence.side(side, operations).ok_or(NoReplicates::NoContender);
    let (a, b) = (driven(pair.a)?, driven(pair.b)?);
    let has_ended = |launch: &u32| [a, b].iter().all(|of| of.peaks.contains_key(launch));
    let difference = |launch: u32| {
        let value = |side: u32, of: &DriveSummary| {
            let contender = evidence.name(side).to_owned();
            let missing = NoReplicates::NoValueInLaunch { contender, metric, launch };
            of.peak_memory(launch).ok_or(missing)
        };
        Ok((value(pair.b, b)? / value(pair.a, a)?).ln())
    };
    whole.filter(has_ended).map(difference).collect()
}

impl Replicates {
    /// Rounds are the replicates, or launches: the mean of the rounds of each, or its quantile.
    pub(super) fn new(
        evidence: &Evidence,
        of: Of,
        rounds: &[Round],
    ) -> Result<Replicates, NoReplicates> {
        let means = Replicates::of_rounds(evidence, rounds)?;
        let Some(each) = evidence.rounds_of_a_launch() else { return Ok(means) };
        if of.metric == Metric::PeakMemory {
            let (whole, _) = launches(&evidence.question, rounds);
            let whole = whole.iter().filter_map(|of| evidence.question.launch_of(of[0].round));
            let differences = peaks_of_launches(evidence, of, whole)?;
            return Ok(Replicates { differences, ..means });
        }
        match quantiles_of_launches(evidence, of, each) {
            Some(differences) => Ok(Replicates { differences: differences?, ..means }),
            None => Ok(means),
        }
    }

    /// Rounds are the replicates, or the means of the rounds of each launch.
    pub(super) fn of_rounds(
        evidence: &Evidence,
        rounds: &[Round],
    ) -> Result<Replicates, NoReplicates> {
        match evidence.rounds_of_a_launch() {
            None => Ok(Replicates::of(rounds.chunks(1))),
            Some(each) => Replicates::of_launches(&evidence.question, rounds, each),
        }
    }

    /// A launch counts if all of its rounds are complete: the mean of fewer rounds would scatter
    /// more than those of the others.
    fn of_launches(
        question: &Question,
        rounds: &[Round],
        each: u32,
    ) -> Result<Replicates, NoReplicates> {
        let (whole, parts) = launches(question, rounds);
        if whole.is_empty() {
            return Err(NoReplicates::NoLaunch { rounds: each });
        }
        let rounds = units::show_counted(u64::from(each), "round");
        let numbers = parts.iter().filter_map(|of| question.launch_of(of[0].round));
        let parts: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let left_out = (!parts.is_empty()).then(|| {
            let (launches, were, their) = match parts.len() {
                1 => ("launch", "was", "its"),
                _ => ("launches", "were", "their"),
            };
            let named = lists::listed(&parts);
            format!("{launches} {named} {were} left out: not all of {their} {rounds} are complete")
        });
        Ok(Replicates { left_out, ..Replicates::of(whole.into_iter()) })
    }

    fn of<'a>(each: impl Iterator<Item = &'a [Round]>) -> Replicates {
        let mean = |rounds: &[Round], ratio: fn(&Round) -> Option<f64>| {
            let sum: Option<f64> = rounds.iter().map(|round| Some(ratio(round)?.ln())).sum();
            Some(sum? / rounds.len() as f64)
        };
        let each: Vec<&[Round]> = each.collect();
        let of =
            |ratio| each.iter().map(|rounds| mean(rounds, ratio)).collect::<Option<Vec<f64>>>();
        Replicates {
            differences: of(|round| round.ratio).unwrap_or_default(),
            charged: of(|round| round.charged),
            generator: of(|round| round.generator),
            left_out: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::{SampleRun, fill};
    use crate::verdict::Middle;
    use record::Metric;

    #[test]
    fn the_middle_is_that_of_the_judged_rounds_or_launches() {
        let mut run = SampleRun::compare(20).with_restarts(10).with_whole_launches();
        run.question.secondary = vec![Metric::ResponseP50];
        run.each_seen("b", |round, seen| {
            // Three launches of ten are slow, and the rounds of each differ.
            let ms = if round <= 6 { 50 } else { 2 };
            fill(&mut seen.response_time, ms * 1_000_000, 800);
            seen.slices.iter_mut().for_each(|slice| slice.took_ns *= 2);
        });
        let verdict = run.verdict();
        let middles: Vec<Middle> =
            verdict.comparisons().iter().map(|of| of.middle.expect("figures")).collect();
        let [throughput, p50] = middles[..] else { panic!("{middles:?}") };
        assert!(!throughput.of_launches && p50.of_launches);
        assert!((throughput.b / throughput.a - 0.5).abs() < 1e-6, "{throughput:?}");
        assert!((p50.b - 0.002).abs() < 1e-5 && (p50.a - 0.001).abs() < 1e-5, "{p50:?}");
    }
}
