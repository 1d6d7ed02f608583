//! The ranks of contenders: a table that all formats print, and what it means.

use super::{about_launches, figure, or_missing, short_metric, short_name};
use crate::View;
use judge::verdict::{Ranked, Ranking};
use text::shown::{shown, shown_sentence};
use text::units;

/// Longest name in a row, in characters.
const LONGEST_NAME: usize = 40;

/// A row of the table.
pub(crate) struct Row {
    /// `3`, or `1 to 2` where ranks are shared.
    pub(crate) rank: String,
    pub(crate) name: String,
    pub(crate) figure: String,
    /// The ratio to the first contender with its interval, such as `0.99x (0.98 to 1.01)`.
    pub(crate) ratio: String,
}

/// The rows, from the best to the worst.
pub(crate) fn rows(view: &View, ranking: &Ranking, sign: char) -> Vec<Row> {
    let row = |(of, to_first): (&Ranked, Option<f64>)| Row {
        rank: rank(of),
        name: short_name(&of.name, LONGEST_NAME),
        figure: figure(ranking.metric, of.estimate),
        ratio: or_missing(to_first.map(|it| ratio(it, of.low.zip(of.high), view.matters(), sign))),
    };
    with_ratios(&ranking.ranked).map(row).collect()
}

/// The contenders, each with its ratio to the first one. That of the first one itself is 1. A contender without a
/// figure has none.
pub(crate) fn with_ratios(ranked: &[Ranked]) -> impl Iterator<Item = (&Ranked, Option<f64>)> {
    let each = ranked.iter().enumerate();
    each.map(|(at, of)| (of, if at == 0 { of.estimate.and(Some(1.0)) } else { of.ratio }))
}

/// `3`, or `1 to 2` where ranks are shared.
pub(crate) fn rank(of: &Ranked) -> String {
    if of.best == of.worst { of.best.to_string() } else { format!("{} to {}", of.best, of.worst) }
}

/// `0.99x (0.98 to 1.01)`, with as many digits as the smallest difference that matters needs.
pub(crate) fn ratio(ratio: f64, bounds: Option<(f64, f64)>, matters: f64, sign: char) -> String {
    let ratios = units::ratios(ratio, bounds, matters);
    match bounds {
        Some(_) => format!("{}{sign} ({} to {})", ratios[0], ratios[1], ratios[2]),
        None => format!("{}{sign}", ratios[0]),
    }
}

/// The heads of the columns.
pub(crate) fn head(ranking: &Ranking) -> [String; 4] {
    let first = ranking.ranked.first().map_or(String::new(), |of| short_name(&of.name, 20));
    let metric = short_metric(ranking.metric).to_owned();
    ["rank".to_owned(), "contender".to_owned(), metric, format!("against {first}")]
}

/// What the ranks mean, in sentences without their capital letters.
pub(crate) fn about(view: &View, ranking: &Ranking) -> Vec<String> {
    let level = units::level(1.0 - view.plan().question.alpha);
    let shared = ranking.ranked.iter().any(|of| of.best != of.worst);
    let ties = if shared { "; contenders that share ranks cannot be told apart" } else { "" };
    let ranks = format!("all ranks hold together with {level}{ties}");
    let launches = about_launches(view.primaries())
        .map(|_| "they are about these launches of the servers; others may differ".to_owned());
    let not_ranked = ranking
        .not_ranked
        .iter()
        .map(|of| format!("not ranked: {}: {}", shown(&of.name), shown_sentence(&of.why)));
    std::iter::once(ranks)
        .chain(super::blocks(view.plan()))
        .chain(launches)
        .chain(not_ranked)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_contender_without_a_figure_has_no_ratio() {
        let mut input = samples::ranked();
        let mut ranking = input.ranking.take().expect("ranked");
        let last = ranking.ranked.last_mut().expect("four contenders");
        (last.estimate, last.ratio, last.low, last.high) = (None, None, None, None);
        let rows = rows(&input.view(), &ranking, 'x');
        assert_eq!((rows[0].ratio.as_str(), rows[3].ratio.as_str()), ("1.00x", units::MISSING));
    }
}
