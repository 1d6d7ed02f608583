//! Lists of entries, and what follows from each.

use super::BoardError;
use super::rows::{Board, BoardMetric, Row, Rows, Unit};
use judge::ALPHA;
use judge::stats::quantile::median;
use judge::stats::{rank_sum, rounds};
use judge::unpaired::{RepeatedRuns, UnpairedRanking, ranked};
use std::collections::HashMap;
use text::shown::shown;

/// Entries whose figures differ by less than this factor are called close. Single runs of one server differ by about as
/// much, often by more; it is no test.
pub const CLOSE: f64 = 1.015;
/// The largest number of runs of an entry.
const MOST_RUNS: usize = 40;
/// The largest number of figures in a list with several runs: the work grows with its square.
const MOST_FIGURES: usize = 5000;
/// The largest number of entries in such a list.
const MOST_ENTRIES: usize = 1000;

/// The entries of one level or profile, sorted by one metric.
#[derive(Clone, Debug)]
pub struct BoardList {
    /// The board.
    pub board: Board,
    /// The index of its file: of the first one, if files about one entry each were put together.
    pub file: usize,
    /// The level or profile, escaped.
    pub name: String,
    /// What it is sorted by.
    pub metric: BoardMetric,
    /// The unit of its figures.
    pub unit: Unit,
    /// Whether the board ranks by this metric.
    pub primary: bool,
    /// The entries with a figure, the best one first.
    pub entries: Vec<BoardEntry>,
    /// The names of those without one, escaped.
    pub without: Vec<String>,
    /// What follows.
    pub answer: Answer,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardEntry {
    /// Its name, escaped.
    pub name: String,
    /// The figure of each run.
    pub runs: Vec<f64>,
    /// The median of its runs.
    pub figure: f64,
    /// How much better it is than the next entry, as a factor of at least 1. None of the last one.
    pub lead: Option<f64>,
    /// Whether a neighbour is close.
    pub is_close: bool,
}

impl BoardEntry {
    /// Whether all of several runs have exactly the same figure, as copies of one have.
    pub fn is_copied(&self) -> bool {
        self.runs.len() > 1 && self.runs.iter().all(|run| *run == self.runs[0])
    }
}

/// What follows from a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// There is nothing to compare: fewer than two entries.
    Alone,
    /// One figure for each entry, so which of two is faster cannot be said.
    OneRun,
    /// So few runs that no pair can be separated.
    TooFewRuns,
    /// Ranks from runs that are not paired.
    Ranked(UnpairedRanking),
}

impl BoardList {
    /// How many entries lie close to a neighbour.
    pub fn close(&self) -> usize {
        self.entries.iter().filter(|of| of.is_close).count()
    }

    /// The pairs of entries.
    pub fn pairs(&self) -> usize {
        self.entries.len() * self.entries.len().saturating_sub(1) / 2
    }

    /// The fewest rounds of all entries, each in an order of its own, with which all pairs can be judged.
    pub fn fewest_rounds(&self) -> u32 {
        rounds::fewest(self.pairs(), ALPHA)
    }

    /// The fewest runs of each entry with which all pairs can be judged, unpaired.
    pub fn fewest_unpaired_runs(&self) -> u32 {
        rank_sum::fewest(self.pairs(), ALPHA)
    }
}

/// The lists of all files, given the files' names. Files about one entry each are put together. Lists of several other
/// files have the name of their file.
pub(crate) fn lists(
    files: Vec<(usize, Rows)>,
    names: &[String],
) -> Result<Vec<BoardList>, BoardError> {
    let mut boards: Vec<(usize, Rows)> = Vec::new();
    let mut owners: HashMap<String, usize> = HashMap::new();
    let mut parts: Option<usize> = None;
    for (file, rows) in files {
        let Some(only) = rows.only.clone() else {
            boards.push((file, rows));
            continue;
        };
        if owners.insert(only.clone(), file).is_some() {
            let text =
                format!("the results of {only} are in several of these files: leave one out");
            return Err(BoardError { file, line: None, text });
        }
        match parts {
            Some(at) => boards[at].1.all.extend(rows.all),
            None => {
                parts = Some(boards.len());
                boards.push((file, rows));
            }
        }
    }
    let several = boards.len() > 1;
    let mut all = Vec::new();
    for (file, rows) in boards {
        let name = names.get(file).filter(|_| several && rows.only.is_none());
        let prefix = name.map_or(String::new(), |name| format!("{}: ", last_part(name)));
        let lists = of_board(file, rows)?.into_iter();
        all.extend(lists.map(|of| BoardList { name: format!("{prefix}{}", of.name), ..of }));
    }
    Ok(all)
}

/// The name of a file without its directory.
fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Entries by their names, in the order of the file, each with the figures of its runs.
type Gathered = (Row, Vec<RepeatedRuns>);

fn of_board(file: usize, rows: Rows) -> Result<Vec<BoardList>, BoardError> {
    let board = rows.board;
    let mut gathered: Vec<Gathered> = Vec::new();
    let mut list_at: HashMap<(String, &'static str), usize> = HashMap::new();
    let mut entry_at: HashMap<(usize, String), usize> = HashMap::new();
    for row in rows.all {
        let key = (row.list.clone(), row.metric.name());
        let list = *list_at.entry(key).or_insert(gathered.len());
        if list == gathered.len() {
            gathered.push((row.clone(), Vec::new()));
        }
        let entries = &mut gathered[list].1;
        let entry = *entry_at.entry((list, row.entry.clone())).or_insert(entries.len());
        if entry == entries.len() {
            entries.push(RepeatedRuns { name: row.entry, figures: Vec::new() });
        }
        entries[entry].figures.extend(row.figure);
    }
    // The metric that the board ranks by comes first in each level.
    gathered.sort_by_key(|(row, _)| (row.order, !row.primary));
    gathered.into_iter().map(|gathered| of_rows(board, file, gathered)).collect()
}

fn of_rows(board: Board, file: usize, (row, entries): Gathered) -> Result<BoardList, BoardError> {
    let larger_is_better = row.metric.larger_is_better();
    let (mut sorted, mut without) = (Vec::new(), Vec::new());
    for of in entries {
        let name = shown(&of.name);
        match median(&of.figures) {
            Some(figure) => sorted.push(BoardEntry {
                name,
                runs: of.figures,
                figure,
                lead: None,
                is_close: false,
            }),
            None => without.push(name),
        }
    }
    sorted.sort_by(|one, other| {
        let order = one.figure.total_cmp(&other.figure);
        if larger_is_better { order.reverse() } else { order }
    });
    neighbours(&mut sorted, larger_is_better);
    let answer = answer(&sorted, larger_is_better).map_err(|text| BoardError {
        file,
        line: None,
        text: format!("{}: {text}", row.list),
    })?;
    Ok(BoardList {
        board,
        file,
        name: shown(&row.list),
        metric: row.metric,
        unit: row.unit,
        primary: row.primary,
        entries: sorted,
        without,
        answer,
    })
}

/// Compares each entry with the next one.
fn neighbours(sorted: &mut [BoardEntry], larger_is_better: bool) {
    for at in 1..sorted.len() {
        let ratio = sorted[at - 1].figure / sorted[at].figure;
        let lead = if larger_is_better { ratio } else { 1.0 / ratio };
        sorted[at - 1].lead = Some(lead).filter(|lead| lead.is_finite());
        if lead <= CLOSE {
            sorted[at - 1].is_close = true;
            sorted[at].is_close = true;
        }
    }
}

fn answer(sorted: &[BoardEntry], larger_is_better: bool) -> Result<Answer, String> {
    if sorted.len() < 2 {
        return Ok(Answer::Alone);
    }
    if sorted.iter().all(|of| of.runs.len() < 2) {
        return Ok(Answer::OneRun);
    }
    let figures: usize = sorted.iter().map(|of| of.runs.len()).sum();
    let most = sorted.iter().map(|of| of.runs.len()).max().unwrap_or(0);
    for (count, limit, what) in [
        (most, MOST_RUNS, "runs of one entry"),
        (figures, MOST_FIGURES, "runs"),
        (sorted.len(), MOST_ENTRIES, "entries with several runs"),
    ] {
        if count > limit {
            return Err(format!("more than {limit} {what} are not supported"));
        }
    }
    let runs: Vec<RepeatedRuns> = sorted.iter().map(independent).collect();
    Ok(ranked(&runs, larger_is_better).map_or(Answer::TooFewRuns, Answer::Ranked))
}

/// The runs of an entry. Copies of one run show no difference between runs.
fn independent(of: &BoardEntry) -> RepeatedRuns {
    let figures = if of.is_copied() { &of.runs[..1] } else { &of.runs };
    RepeatedRuns { name: of.name.clone(), figures: figures.to_vec() }
}
