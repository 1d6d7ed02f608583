//! From the journals of a sweep's load points to the statements about the sweep.

use super::Judged;
use crate::run::journal;
use crate::system::exit;
use judge::bend::{self, Bend, Load};
use protocol::{Error, Exit};
use record::{EndReason, Sweep};
use report::SweepInput;
use std::path::Path;

/// A sweep with its judged load points.
#[derive(Clone, Debug)]
pub struct Swept {
    sweep: Sweep,
    /// In the sweep's order. None if it was not driven.
    points: Vec<Option<Judged>>,
    /// The bends in the curve of each contender.
    bends: Vec<Bend>,
    run: String,
}

/// Whether this is the directory of a sweep.
pub fn is_one(run: &Path) -> bool {
    run.join(journal::sweep::FILE).is_file()
}

/// Reads and judges every load point.
///
/// # Errors
/// If the sweep or one of its journals cannot be read.
pub fn read(run: &Path) -> Result<Swept, Error> {
    let sweep = journal::sweep::read(run)?;
    let judged = |directory: &String| {
        let directory = run.join(directory);
        if directory.join(journal::FILE).exists() {
            super::read(&directory).map(Some)
        } else {
            Ok(None)
        }
    };
    let points = sweep.points.iter().map(|point| judged(&point.directory));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let bends = bends(&sweep, &points);
    Ok(Swept { sweep, points, bends, run: run.display().to_string() })
}

impl Swept {
    /// The sweep in the form that the report needs.
    pub fn report_input(&self) -> SweepInput<'_> {
        SweepInput {
            sweep: &self.sweep,
            points: self
                .points
                .iter()
                .map(|point| point.as_ref().map(Judged::report_input))
                .collect(),
            bends: &self.bends,
            run: &self.run,
        }
    }

    /// The summary of each load point, by its directory. None if it was not driven.
    pub fn points(&self) -> impl Iterator<Item = (&str, Option<&Judged>)> {
        let points = self.sweep.points.iter().zip(&self.points);
        points.map(|(point, judged)| (point.directory.as_str(), judged.as_ref()))
    }

    /// Whether any load point has a complete round.
    pub fn driven(&self) -> bool {
        self.points.iter().flatten().any(|point| point.driven > 0)
    }

    /// The exit code of the sweep: that of its worst load point. One that a signal ended before its
    /// first complete round is ignored, like an incomplete round.
    pub fn exit(&self) -> Exit {
        let counts = self.points.iter().flatten().filter(|point| !point.cut());
        exit::of_sweep(counts.map(Judged::exit))
    }
}

impl Judged {
    /// Whether it ended before its first complete round without a failure.
    fn cut(&self) -> bool {
        let was_stopped = self.end.as_ref().is_none_or(|end| end.reason == EndReason::Stopped);
        was_stopped && self.verdict.complete_rounds() == 0
    }
}

/// Where each contender's curve bends. A load point that is void is no evidence.
fn bends(sweep: &Sweep, points: &[Option<Judged>]) -> Vec<Bend> {
    let Some(any) = points.iter().flatten().next() else { return Vec::new() };
    let (contenders, alpha) = (&any.header.plan.contenders, any.header.plan.question.alpha);
    let level = bend::level(alpha, points.len(), contenders.len());
    let bend_of = |at: usize| {
        let sound = sweep.points.iter().zip(points).filter_map(|(point, judged)| {
            let judged = judged.as_ref().filter(|judged| !judged.verdict.void())?;
            let launch = judged.header.plan.question.rounds_of_a_launch();
            Some(Load::new(point.value, judged.verdict.contenders().get(at)?, launch))
        });
        let open = contenders[at].intensity.arrivals.rate().is_some();
        bend::of(sweep.factor, open, &sound.collect::<Vec<_>>(), level)
    };
    (0..contenders.len()).map(bend_of).collect()
}
