//! The ranks of contenders: a table that all formats print, and what it means.

use super::{about_launches, figure, short_metric, short_name};
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
    /// The ratio to the first contender, with its interval; `sign` stands behind the ratio.
    pub(crate) ratio: String,
}

/// The rows, from the best to the worst.
pub(crate) fn rows(view: &View, ranking: &Ranking, sign: char) -> Vec<Row> {
    let row = |of: &Ranked| Row {
        rank: rank(of),
        name: short_name(&of.name, LONGEST_NAME),
        figure: figure(ranking.metric, of.estimate),
        ratio: ratio(view, of, sign),
    };
    ranking.ranked.iter().map(row).collect()
}

fn rank(of: &Ranked) -> String {
    if of.best == of.worst { of.best.to_string() } else { format!("{} to {}", of.best, of.worst) }
}

fn ratio(view: &View, of: &Ranked, sign: char) -> String {
    let Some(ratio) = of.ratio else { return format!("1.00{sign}") };
    let bounds = of.low.zip(of.high);
    let ratios = units::ratios(ratio, bounds, view.matters());
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
    std::iter::once(ranks).chain(launches).chain(not_ranked).collect()
}
