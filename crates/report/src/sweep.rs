//! The parts of a sweep that the formatters use, as [`View`] has them for one run.

use super::{ReportInput, View};
use judge::bend::Bend;
use judge::verdict::{Comparison, ContenderSummary};
use record::{LoadPoint, Metric, Sweep};

/// Everything that a sweep's report is made from.
#[derive(Clone, Debug)]
pub struct SweepInput<'a> {
    /// The sweep and its load points.
    pub sweep: &'a Sweep,
    /// The inputs of the load points, in the sweep's order. None if a point was not driven.
    pub points: Vec<Option<ReportInput<'a>>>,
    /// Where each contender's curve bends.
    pub bends: &'a [Bend],
    /// The sweep's directory as `tiebreak report` takes it.
    pub run: &'a str,
}

/// A [`SweepInput`] with views in place of inputs.
#[derive(Clone, Debug)]
pub(super) struct SweepView<'a> {
    pub(super) sweep: &'a Sweep,
    pub(super) points: Vec<PointView<'a>>,
    pub(super) bends: &'a [Bend],
    pub(super) run: &'a str,
}

/// One load point.
#[derive(Clone, Debug)]
pub(super) struct PointView<'a> {
    pub(super) at: &'a LoadPoint,
    /// None if it was not driven.
    pub(super) view: Option<View<'a>>,
}

impl<'a> SweepView<'a> {
    pub(super) fn of(input: &'a SweepInput<'a>) -> SweepView<'a> {
        let points = input.sweep.points.iter().zip(&input.points);
        let point = |(at, input): (&'a LoadPoint, &'a Option<ReportInput<'a>>)| PointView {
            at,
            view: input.as_ref().map(View::of),
        };
        let points = points.map(point).collect();
        SweepView { sweep: input.sweep, points, bends: input.bends, run: input.run }
    }

    /// The load points that were driven.
    pub(super) fn driven(&self) -> impl Iterator<Item = (&'a LoadPoint, &View<'a>)> {
        self.points.iter().filter_map(|point| Some((point.at, point.view.as_ref()?)))
    }

    /// Any load point that was driven, for what all have in common.
    pub(super) fn any(&self) -> Option<&View<'a>> {
        self.driven().next().map(|(_, view)| view)
    }

    /// The contenders' names, and where their curves bend.
    pub(super) fn bends(&self) -> impl Iterator<Item = (&'a str, &'a Bend)> {
        let contenders =
            self.any().map_or(&[][..], |view| view.plan().question.contenders.as_slice());
        contenders.iter().map(|of| of.name.as_str()).zip(self.bends)
    }

    /// The comparisons that the verdicts of all load points rest on.
    pub(super) fn primaries(&self) -> impl Iterator<Item = &'a Comparison> {
        self.driven().flat_map(|(_, view)| view.primaries())
    }

    /// Names of the pairs compared, (a, b).
    pub(super) fn pairs(&self) -> Vec<(&'a str, &'a str)> {
        self.any().map_or(Vec::new(), View::pairs)
    }

    /// The metric that all verdicts rest on. Returns None if load points differ.
    pub(super) fn primary(&self) -> Option<Metric> {
        let mut all = self.driven().map(|(_, view)| view.plan().question.primary);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

impl<'a> PointView<'a> {
    /// The figures of the contender with this number. Returns None if it was not driven.
    pub(super) fn contender(&self, number: usize) -> Option<&'a ContenderSummary> {
        self.view.as_ref()?.contenders.get(number)
    }

    /// Whether the audit refused it.
    pub(super) fn void(&self) -> bool {
        self.view.as_ref().is_some_and(|view| view.void)
    }

    /// The comparison that the verdict on this pair rests on.
    pub(super) fn primary(&self, (a, b): (&str, &str)) -> Option<(&View<'a>, &'a Comparison)> {
        let view = self.view.as_ref()?;
        let mut primaries = view.primaries();
        Some((view, primaries.find(|comparison| comparison.a == a && comparison.b == b)?))
    }
}
