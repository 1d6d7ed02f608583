//! Measures commits by ordinary comparisons: each probe is a run with a journal of its own.

use crate::cli::{conduct, outputs};
use crate::plan::Spec;
use crate::plan::against::{Building, NotBuilt, RevisionExperiment, Side};
use crate::run::bisect::{Measuring, ProbeToMeasure, Reading};
use crate::run::judging::{self, Judged};
use crate::run::runner::{self, Reporting};
use crate::system::signals;
use engine::Stop;
use judge::verdict::Weight;
use protocol::{Error, Exit};
use record::{Direction, EndReason, Metric, Pair};
use report::bisect::Commit;
use std::path::Path;
use std::time::Duration;
use text::shown::shown_sentence;

/// The pilot of each run, unless another one is asked for: that of runs with short rounds.
const PILOT: Duration = Duration::from_millis(400);

/// Compares commits of a repository.
pub(super) struct Comparisons<'a> {
    pub(super) experiment: &'a RevisionExperiment,
    pub(super) spec: Spec,
    pub(super) metric: Metric,
    pub(super) stop: &'a Stop,
    pub(super) is_quiet: bool,
}

pub(super) fn side(name: &str, commit: &Commit) -> Side {
    Side { name: name.to_owned(), commit: commit.clone(), is_work_tree: false }
}

/// The shortest turn of a program: it is run once, and a turn lasts until it has ended.
const ONE_RUN: Duration = Duration::from_millis(10);

/// The settings of a run of so many units.
pub(super) fn of_units(
    spec: &Spec,
    experiment: &RevisionExperiment,
    units: u32,
    seed: u64,
) -> Spec {
    let mut spec = Spec { units: Some(units), ..spec.clone() };
    spec.run.seed = Some(seed);
    // The rounds of a suite have no length, and no pilot.
    if experiment.is_suite() {
        return spec;
    }
    let is_program = experiment.is_program();
    if is_program {
        spec.run.round.get_or_insert(ONE_RUN);
        spec.run.warm_up.get_or_insert(Duration::ZERO);
    }
    spec.run.pilot.get_or_insert(if is_program { ONE_RUN } else { PILOT });
    spec
}

impl Measuring for Comparisons<'_> {
    fn measure(&mut self, what: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error> {
        let contenders = what.contenders().into_iter();
        let sides: Vec<Side> = contenders.map(|(name, commit)| side(name, commit)).collect();
        let tell = |step: &str| self.say(&format!("  {step}"));
        let building = Building { stopped: &signals::caught, tell: &tell };
        let (inputs, _snapshots) = match self.experiment.build(&sides, None, &building) {
            _ if signals::caught() => return Ok(Reading::Unfinished),
            Err(NotBuilt { position, error }) if error.exit == Exit::TargetFailed => {
                return Ok(Reading::Unusable(position, error.text));
            }
            built => built.map_err(|failed| failed.error)?,
        };
        let spec = of_units(&self.spec, self.experiment, what.units as u32, what.seed);
        let resolved = conduct::settle_read(&spec, inputs)?;
        let reporting = Reporting { out: Some(directory), quiet: true, ..Reporting::default() };
        runner::perform(&resolved, self.stop, reporting, None)?;
        self.read(what, directory)
    }

    fn read(&self, what: &ProbeToMeasure<'_>, directory: &Path) -> Result<Reading, Error> {
        let pairs = (1..what.places.len() as u32).map(|b| Pair { a: 0, b });
        let read = judging::read_with(directory, |judge| {
            let case = self.spec.case.as_deref();
            let differences = |pair| judge.differences(pair, self.metric, case);
            pairs.map(differences).collect::<Result<Vec<_>, _>>()
        });
        // What was killed may have written less than a line.
        let Ok((judged, differences)) = read else { return Ok(Reading::Unfinished) };
        if !is_of(what, &judged) {
            return Err(Error::usage(format!(
                "{} is not the run of this probe: it compares other commits",
                text::shown::shown(directory.display().to_string())
            )));
        }
        let Some(end) = judged.report_input().end.cloned() else { return Ok(Reading::Unfinished) };
        match end.reason {
            EndReason::Stopped => return Ok(Reading::Unfinished),
            EndReason::Failed => return Ok(Reading::Failed(Error::failed(end.detail))),
            EndReason::TargetFailed => {
                let detail = shown_sentence(&end.detail);
                return Ok(match failed_to_start(what, &end.detail) {
                    Some(position) => Reading::Unusable(position, detail),
                    None => Reading::Failed(Error::target(detail)),
                });
            }
            EndReason::Complete => {}
        }
        if let Some(refused) = refusal(&judged) {
            return Ok(Reading::Void(refused));
        }
        Ok(match differences {
            Err(why) => Reading::Void(why),
            Ok(ratios) => {
                let costs = ratios.iter().map(|of| costs(of, what.units, self.metric));
                costs.collect::<Result<Vec<_>, _>>().map_or_else(Reading::Void, Reading::Whole)
            }
        })
    }

    fn say(&self, sentence: &str) {
        if !self.is_quiet {
            outputs::complain(sentence);
        }
    }
}

/// Whether a run is that of a probe: it has its commits, in its order.
fn is_of(what: &ProbeToMeasure<'_>, judged: &Judged) -> bool {
    let ids = judged.report_input().header.plan.contenders.iter();
    let ids = ids.map(|of| of.revision.as_ref().map(|revision| revision.id.as_str()));
    ids.eq(what.contenders().iter().map(|(_, commit)| Some(commit.id.as_str())))
}

/// The position of the commit that did not start, if a failure is that: then it begins with the name. What a target
/// wrote may be anywhere after that. A target that dies while it is driven has another beginning.
fn failed_to_start(what: &ProbeToMeasure<'_>, detail: &str) -> Option<usize> {
    let name = detail.strip_prefix('`')?.split('`').next()?;
    what.contenders().iter().position(|(of, _)| *of == name)
}

/// Why the audit refused a run.
fn refusal(judged: &Judged) -> Option<String> {
    let finding = judged.verdict().findings().iter().find(|of| of.weight == Weight::Void)?;
    let about = finding.contender.as_ref().map_or(String::new(), |name| format!("{name}: "));
    Some(shown_sentence(format!("{about}{}", finding.evidence)))
}

/// The logarithms of ratios of cost, by unit. Where a run has one launch, its rounds are the replicates, and their mean
/// is the unit.
fn costs(differences: &[f64], units: usize, metric: Metric) -> Result<Vec<f64>, String> {
    let rounds = differences.len() / units.max(1);
    if rounds == 0 || rounds * units != differences.len() {
        return Err(format!("it has {} replicates in place of {units} units", differences.len()));
    }
    let sign = match metric.direction() {
        Direction::HigherIsBetter => -1.0,
        Direction::LowerIsBetter => 1.0,
    };
    let mean = |of: &[f64]| sign * of.iter().sum::<f64>() / of.len() as f64;
    Ok(differences.chunks(rounds).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::bisect::Line;

    #[test]
    fn only_a_failure_that_begins_with_a_name_says_that_a_commit_does_not_start() {
        let commits = vec![Commit::default(); 3];
        let line = Line { merge: None, commits, seed: 0, probes: Vec::new(), answer: None };
        let purpose = judge::bisect::Purpose::Side(1);
        let what = ProbeToMeasure { line: &line, places: &[0, 1], units: 1, purpose, seed: 0 };
        for (detail, position) in [
            ("`this`: it ended before it was ready; it wrote: no `good`", Some(1)),
            ("`good` (http://127.0.0.1:1/) is not ready: refused", Some(0)),
            ("`last`: it is not in this probe", None),
            ("a target died during the run: `this`: killed by signal 9", None),
            ("the disk of `this` is full", None),
        ] {
            assert_eq!(failed_to_start(&what, detail), position, "{detail}");
        }
    }

    #[test]
    fn a_unit_is_a_replicate_or_the_mean_of_the_rounds_of_one_launch() {
        let close = |of: &[f64], units, metric, wanted: &[f64]| {
            let costs = costs(of, units, metric).expect("whole units");
            let same = costs.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 1e-12);
            assert!(same && costs.len() == wanted.len(), "{costs:?}");
        };
        close(&[0.1, 0.3], 2, Metric::ResponseP99, &[0.1, 0.3]);
        close(&[0.1, 0.3], 1, Metric::ResponseP99, &[0.2]);
        close(&[0.1, 0.3], 1, Metric::Throughput, &[-0.2]);
        assert!(costs(&[0.1, 0.2, 0.3], 2, Metric::Throughput).is_err());
        assert!(costs(&[], 1, Metric::Throughput).is_err());
    }
}
