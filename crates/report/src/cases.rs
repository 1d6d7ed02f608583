//! The cases of one pair as reports show them: those of a suite, or the requests of a service that are judged apart.
//!
//! All ratios are those of cost, b/a, so that above 1 is slower: those of requests are turned around.

use crate::View;
use judge::verdict::{Comparison, FailedCase, Suite, SuitePair, Word};
use std::cmp::Ordering;
use text::units;

/// The cases of one pair.
pub(crate) struct Cases<'a> {
    pub(crate) a: &'a str,
    pub(crate) b: &'a str,
    /// One row for each case that has a figure in every round, in the order of their names.
    pub(crate) rows: Vec<Row<'a>>,
    /// Cases without a verdict because a figure is missing.
    pub(crate) failed: &'a [FailedCase],
    /// The smallest difference that matters, as a share.
    pub(crate) matters: f64,
    /// What one of them is called: a case, or a request.
    pub(crate) kind: &'static str,
    /// The comparisons of the family, which hold together.
    pub(crate) family: usize,
}

/// One case.
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) word: Word,
    /// The ratio of cost.
    pub(crate) ratio: Option<f64>,
    /// Its interval.
    pub(crate) bounds: Option<(f64, f64)>,
    /// The paired t interval at the same level.
    pub(crate) t_interval: Option<(f64, f64)>,
    /// The figures of both sides in the middle of the rounds.
    pub(crate) figures: Option<[Figure<'a>; 2]>,
    /// The comparison.
    pub(crate) of: &'a Comparison,
}

/// A figure as a tool reports it.
#[derive(Clone, Copy)]
pub(crate) struct Figure<'a> {
    pub(crate) value: f64,
    /// The unit, text of a stranger.
    pub(crate) unit: &'a str,
    /// Whether a larger figure is better, so that its inverse is what the case costs.
    pub(crate) larger_is_better: bool,
}

impl<'a> Cases<'a> {
    /// The cases of every pair: those of a suite, or requests that are judged apart. Empty if there are neither.
    pub(crate) fn all(view: &View<'a>) -> Vec<Cases<'a>> {
        match view.suite {
            Some(suite) => {
                suite.pairs.iter().map(|pair| Cases::of_pair(view, suite, pair)).collect()
            }
            None => view.pairs().iter().filter_map(|pair| Cases::of_requests(view, pair)).collect(),
        }
    }

    /// The requests of a pair, by what they cost: the inverse of their throughput. Returns None if none is judged
    /// apart.
    pub(crate) fn of_requests(view: &View<'a>, (a, b): &(&'a str, &'a str)) -> Option<Cases<'a>> {
        let requests = || view.comparisons.iter().filter(|of| of.request.is_some());
        let of_pair = requests().filter(|of| of.a == *a && of.b == *b);
        let rows: Vec<Row> = of_pair.filter_map(|of| Row::of_request(view, of)).collect();
        let family = requests().count();
        let matters = view.matters();
        let kind = "request";
        (!rows.is_empty()).then_some(Cases { a, b, rows, failed: &[], matters, kind, family })
    }

    /// The cases of this pair of a suite.
    pub(crate) fn of_pair(view: &View<'a>, suite: &'a Suite, pair: &'a SuitePair) -> Cases<'a> {
        let comparisons = &view.comparisons[pair.comparisons.clone()];
        Cases::new(view, suite, pair, comparisons)
    }

    /// The cases of a suite's control.
    pub(crate) fn of_control(view: &View<'a>, suite: &'a Suite) -> Option<Cases<'a>> {
        let control = suite.control.as_ref()?;
        Some(Cases::new(view, suite, &control.pair, &control.comparisons))
    }

    fn new(
        view: &View<'a>,
        suite: &'a Suite,
        pair: &'a SuitePair,
        comparisons: &'a [Comparison],
    ) -> Cases<'a> {
        // Both lists are in the order of the cases.
        let mut failed = pair.failed.iter().peekable();
        let rows = comparisons.iter().zip(&suite.cases).filter_map(|(of, case)| {
            if failed.next_if(|failed| failed.case == case.name).is_some() {
                return None;
            }
            let figure = |value: f64| Figure {
                value,
                unit: &case.unit,
                larger_is_better: case.larger_is_better,
            };
            let figures = of.middle.map(|middle| [figure(middle.a), figure(middle.b)]);
            let (ratio, bounds) = (of.ratio, of.low.zip(of.high));
            Some(Row {
                name: &case.name,
                word: of.verdict,
                ratio,
                bounds,
                t_interval: of.t_interval,
                figures,
                of,
            })
        });
        Cases {
            a: &pair.a,
            b: &pair.b,
            rows: rows.collect(),
            failed: &pair.failed,
            matters: view.matters(),
            kind: "case",
            family: view.comparisons.len(),
        }
    }

    /// How many cases there are, with those that failed.
    pub(crate) fn count(&self) -> usize {
        self.rows.len() + self.failed.len()
    }

    /// How many cases have this verdict.
    pub(crate) fn with(&self, word: Word) -> usize {
        self.rows.iter().filter(|row| row.word == word).count()
    }

    /// All cases, the slowest first. Those without a ratio are last.
    pub(crate) fn sorted(&self) -> Vec<&Row<'a>> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|one, other| by_ratio(other.ratio, one.ratio));
        rows
    }

    /// The cases that are slower, the slowest first, and then those that are faster, the fastest first.
    pub(crate) fn changed(&self) -> Vec<&Row<'a>> {
        let sorted = self.sorted();
        let of = |word: Word| sorted.iter().copied().filter(move |row| row.word == word);
        of(Word::Slower).chain(of(Word::Faster).rev()).collect()
    }
}

/// Ascending; one that is not known is below all others.
fn by_ratio(one: Option<f64>, other: Option<f64>) -> Ordering {
    let known = |ratio: Option<f64>| ratio.unwrap_or(f64::NEG_INFINITY);
    known(one).total_cmp(&known(other))
}

impl<'a> Row<'a> {
    /// A request that is judged apart.
    fn of_request(view: &View<'a>, of: &'a Comparison) -> Option<Row<'a>> {
        let name = of.request.as_deref()?;
        let over_all = |contender: &str| {
            let requests = &view.contender(contender)?.requests;
            requests.iter().find(|of| of.name == name)?.throughput
        };
        let middle = of.middle.map(|middle| (middle.a, middle.b));
        let rates = middle.or_else(|| over_all(&of.a).zip(over_all(&of.b)));
        let figure = |value: f64| Figure { value, unit: "/s", larger_is_better: true };
        let inverse = |(low, high): (f64, f64)| (1.0 / high, 1.0 / low);
        Some(Row {
            name,
            word: of.verdict,
            ratio: of.judged_ratio().map(|ratio| 1.0 / ratio),
            bounds: of.judged_bounds().map(inverse),
            t_interval: of.t_interval.map(inverse),
            figures: rates.map(|(a, b)| [figure(a), figure(b)]),
            of,
        })
    }

    /// The ratio and its bounds with as many digits as are needed: `1.12`, `1.08` and `1.15`. None without a ratio.
    pub(crate) fn ratios(&self, matters: f64) -> Option<Vec<String>> {
        Some(units::ratios(self.ratio?, self.bounds, matters))
    }
}
