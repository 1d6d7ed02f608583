//! Leaderboards that others published: tables that all formats print.

use super::{or_missing, ranking, short_name};
use judge::MATTERS;
use judge::unpaired::UnpairedRanking;
use published::Audit;
use published::board::sentences::main;
use published::board::{Answer, BoardEntry, BoardList, Unit};
use text::units;

/// Longest name in a row, in characters.
const LONGEST_NAME: usize = 40;

/// The table of one list.
pub(crate) enum Table {
    /// Its ranks.
    Ranked([String; 4], Vec<ranking::Row>),
    /// Entries that cannot be told apart: the name, the figure, and how far ahead of the next one it is.
    Unranked([&'static str; 3], Vec<[String; 3]>),
}

/// The table of a list, with at most `most` rows. Returns None for a list without figures.
pub(crate) fn table(list: &BoardList, most: usize, sign: char) -> Option<Table> {
    if list.entries.is_empty() {
        return None;
    }
    Some(match &list.answer {
        Answer::Ranked(of) => ranks(list, of, most, sign),
        Answer::Alone | Answer::OneRun | Answer::TooFewRuns => {
            let rows = list.entries.iter().take(most).map(|of| unranked(list, of, sign));
            let head = ["entry", list.metric.name(), "ahead of the next"];
            Table::Unranked(head, rows.collect())
        }
    })
}

fn ranks(list: &BoardList, of: &UnpairedRanking, most: usize, sign: char) -> Table {
    let first = short_name(&of.ranked[0].name, 20);
    let metric = format!("median {}", list.metric.name());
    let head = ["rank".to_owned(), "entry".to_owned(), metric, format!("against {first}")];
    let rows = ranking::with_ratios(&of.ranked).take(most).map(|(of, to_first)| ranking::Row {
        rank: ranking::rank(of),
        name: short_name(&of.name, LONGEST_NAME),
        figure: or_missing(of.estimate.map(|value| figure(list.unit, value))),
        ratio: or_missing(
            to_first.map(|ratio| ranking::ratio(ratio, of.low.zip(of.high), MATTERS, sign)),
        ),
    });
    Table::Ranked(head, rows.collect())
}

fn unranked(list: &BoardList, of: &BoardEntry, sign: char) -> [String; 3] {
    let lead = of.lead.map(|lead| format!("{lead:.3}{sign}"));
    [short_name(&of.name, LONGEST_NAME), figure(list.unit, of.figure), or_missing(lead)]
}

fn figure(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerSecond => units::rate(Some(value)),
        Unit::Seconds => units::seconds(Some(value)),
        Unit::Unknown => units::growth(value),
    }
}

/// What is said below a table of at most `most` rows. None if all rows are there.
pub(crate) fn more(list: &BoardList, most: usize) -> Option<String> {
    let more = list.entries.len().checked_sub(most).filter(|more| *more > 0)?;
    Some(format!("and {} more", units::show_whole(more as u64)))
}

/// The heads of the table of lists.
pub(crate) const LISTS: [&str; 5] =
    ["list", "by", "entries", "close to a neighbour", "order of neighbours"];

/// The lists that are not shown in full, those by which the board ranks first.
pub(crate) fn other_lists(audit: &Audit) -> Vec<[String; 5]> {
    let shown = main(&audit.lists);
    let is_other = |of: &&BoardList| shown.is_none_or(|main| !std::ptr::eq(*of, main));
    let mut others: Vec<&BoardList> = audit.lists.iter().filter(is_other).collect();
    others.sort_by_key(|of| !of.primary);
    let row = |of: &BoardList| {
        [
            short_name(&of.name, LONGEST_NAME),
            of.metric.name().to_owned(),
            units::show_whole(of.entries.len() as u64),
            units::show_whole(of.close() as u64),
            answer(&of.answer),
        ]
    };
    others.into_iter().map(row).collect()
}

fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Alone => "nothing to compare".to_owned(),
        Answer::OneRun => "cannot be said".to_owned(),
        Answer::TooFewRuns => "too few runs".to_owned(),
        Answer::Ranked(of) => format!("{} of {} pairs separated", of.separated, of.pairs),
    }
}
