//! A run at several load points, as the formatters use it.

use super::View;
use judge::belief::HeadlineStatus;
use judge::growth::Curve;
use judge::verdict::{Comparison, ContenderSummary};
use record::RunSweep;

/// A run at several load points. Each has a [`View`] with what belongs to it.
#[derive(Clone, Debug)]
pub(super) struct SweepView<'a> {
    pub(super) whole: View<'a>,
    pub(super) sweep: &'a RunSweep,
    /// By ascending value.
    pub(super) points: Vec<PointView<'a>>,
}

/// One load point.
#[derive(Clone, Debug)]
pub(super) struct PointView<'a> {
    pub(super) value: f64,
    /// Its contenders, comparisons and findings.
    pub(super) view: View<'a>,
}

impl<'a> View<'a> {
    /// The load points. Returns None if the run has none, or no complete round.
    pub(super) fn sweep(&self) -> Option<SweepView<'a>> {
        let sweep = self.plan().sweep.as_ref()?;
        let points = self.load_points.len();
        let is_read = points > 0 && points == sweep.values.len() && self.complete_rounds > 0;
        let points = sweep.values.iter().zip(self.load_points).map(|(value, point)| PointView {
            value: *value,
            view: View {
                contenders: &self.contenders[point.contenders.clone()],
                comparisons: &self.comparisons[point.comparisons.clone()],
                findings: &point.findings,
                void: point.void(),
                checked: &[],
                growth: None,
                load_points: &[],
                ..*self
            },
        });
        is_read.then(|| SweepView { whole: *self, sweep, points: points.collect() })
    }
}

impl<'a> SweepView<'a> {
    /// Whether the load points were driven one after the other, each in rounds of its own.
    pub(super) fn are_apart(&self) -> bool {
        self.whole.plan().question.has_load_points_apart()
    }

    /// The names of the targets. Earlier versions did not record that of one target, so it is its address.
    pub(super) fn targets(&self) -> Vec<&'a str> {
        match self.sweep.targets.as_slice() {
            [] => {
                self.whole.plan().contenders.iter().take(1).map(|of| of.target.as_str()).collect()
            }
            names => names.iter().map(String::as_str).collect(),
        }
    }

    /// The targets' names and curves. Returns an empty list if too few rounds were complete.
    pub(super) fn curves(&self) -> Vec<(&'a str, &'a Curve)> {
        let curves = self.whole.growth.map_or(&[][..], |growth| growth.curves.as_slice());
        self.targets().into_iter().zip(curves).collect()
    }

    /// The load points that the audit refused.
    pub(super) fn void(&self) -> Vec<f64> {
        self.points.iter().filter(|point| point.view.void).map(|point| point.value).collect()
    }

    /// The first of the load points whose headline can be believed least.
    pub(super) fn least_believed(&self) -> &PointView<'a> {
        let rank = |point: &PointView| {
            let belief = point.view.belief();
            (belief.status, belief.withheld.is_some())
        };
        let worst = self.points.iter().map(rank).max();
        let worst = worst.unwrap_or((HeadlineStatus::Stands, false));
        let is_worst = |point: &&PointView| rank(point) == worst;
        self.points.iter().find(is_worst).expect("a sweep has load points")
    }

    /// The numbers of the pairs of targets that are compared, (a, b).
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let width = self.sweep.width();
        let pairs = self.whole.plan().question.pairs.iter();
        let pairs = pairs.map(|pair| (pair.a as usize, pair.b as usize));
        pairs.filter(|(a, b)| *a < width && *b < width).collect()
    }
}

impl<'a> PointView<'a> {
    /// The figures of the target with this number.
    pub(super) fn target(&self, number: usize) -> Option<&'a ContenderSummary> {
        self.view.contenders.get(number)
    }

    /// The comparison that the verdict on these two targets rests on.
    pub(super) fn primary(&self, (a, b): (usize, usize)) -> Option<&'a Comparison> {
        let (a, b) = (&self.target(a)?.name, &self.target(b)?.name);
        self.view.primaries().find(|comparison| comparison.a == *a && comparison.b == *b)
    }
}
