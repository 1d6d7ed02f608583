//! The live view: a few lines, made from the state, the time and the terminal's size. Pure.

use super::line::{as_it_stands, errors, misses};
use super::loading::Remaining;
use super::screen::{Line, Paint, Size, fitted};
use super::state::{RunState, SoFar, whole_seconds};
use std::time::Instant;
use text::units::{show_ns, show_rate};
use unicode_width::UnicodeWidthStr;

/// The maximum columns of a bar, and the minimum beside a label.
const LONGEST_BAR: usize = 30;
const SHORTEST_BAR: usize = 8;
/// Columns between two things on a line.
const GAP: usize = 2;
/// The minimum columns of a name. If there is less space, the p99 is left out.
const SHORTEST_NAME: usize = 6;

/// The view, line by line. Lines end one column before the edge: some terminals
/// wrap a line that fills it.
pub(super) fn render(state: &RunState, now: Instant, size: Size, colour: bool) -> Vec<Line> {
    if !state.under_way() {
        return Vec::new();
    }
    let blank = Line::new(size.columns.saturating_sub(1), colour);
    let mut lines = head(state, now, &blank);
    lines.extend(rows(state, &blank));
    // One row for the cursor and one for the last message: lines that have scrolled away cannot be
    // erased.
    let most = size.rows.saturating_sub(2).max(1);
    if lines.len() > most {
        let hidden = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(blank.add(&format!("  and {hidden} more"), Paint::Faint));
    }
    lines
}

/// Label, bar and times: on one line if they fit, otherwise on two.
fn head(state: &RunState, now: Instant, blank: &Line) -> Vec<Line> {
    let (label, left) = (state.label(), state.left(now));
    let times = times(state, now, left);
    let room = blank.room();
    let beside = room.saturating_sub(label.width() + GAP + times.width());
    let bar = beside.saturating_sub(GAP).min(LONGEST_BAR);
    let start = blank.clone().add(&label, Paint::Strong);
    let column = label.width() + GAP;
    match left {
        None if beside > 0 => vec![start.to(column).add(&times, Paint::Faint)],
        Some(left) if bar >= SHORTEST_BAR => {
            let line = with_bar(start.to(column), left.done, bar);
            vec![line.to(column + bar + GAP).add(&times, Paint::Faint)]
        }
        _ => vec![start, below(left, &times, blank)],
    }
}

/// Bar and times on a line of their own.
fn below(left: Option<Remaining>, times: &str, blank: &Line) -> Line {
    let bar = blank.room().saturating_sub(times.width() + GAP).min(LONGEST_BAR);
    let line = match left {
        Some(left) if bar > 2 => with_bar(blank.clone(), left.done, bar).to(bar + GAP),
        _ => blank.clone(),
    };
    line.add(times, Paint::Faint)
}

fn with_bar(line: Line, done: f64, columns: usize) -> Line {
    let full = (done * columns as f64).floor() as usize;
    let full = full.min(columns);
    line.add(&"█".repeat(full), Paint::Done).add(&"░".repeat(columns - full), Paint::Faint)
}

fn times(state: &RunState, now: Instant, left: Option<Remaining>) -> String {
    let elapsed = show_ns(state.elapsed(now).as_secs() * 1_000_000_000);
    match left.map(|left| left.time) {
        None => elapsed,
        Some(Some(time)) => format!("{elapsed}, about {} left", whole_seconds(time)),
        Some(None) => format!("{elapsed}, longer than planned"),
    }
}

/// A line for each contender: name, rate, ratio as it stands, p99, errors, misses.
fn rows(state: &RunState, blank: &Line) -> Vec<Line> {
    let contenders = state.contenders();
    let longest = contenders.iter().map(|one| one.name.width()).max().unwrap_or(0);
    let least = longest.min(SHORTEST_NAME);
    let cells = cells(state, blank.room().saturating_sub(GAP + least));
    let taken: usize = cells.iter().map(Column::taken).sum();
    let names = longest.min(blank.room().saturating_sub(GAP + taken).max(least));
    let row = |(at, contender): (usize, &SoFar)| {
        let name = fitted(&contender.name, names);
        let mut line = blank.clone().to(GAP).add(&name, Paint::Strong);
        let mut column = GAP + names;
        for cells in &cells {
            if !cells.texts[at].is_empty() {
                line = line.to(column + GAP).add(&cells.texts[at], cells.paint);
            }
            column += cells.taken();
        }
        line
    };
    contenders.iter().enumerate().map(row).collect()
}

/// One figure of all contenders.
struct Column {
    texts: Vec<String>,
    paint: Paint,
}

impl Column {
    /// The columns of the terminal that it takes.
    fn taken(&self) -> usize {
        match width(&self.texts) {
            0 => 0,
            width => GAP + width,
        }
    }
}

/// The figures; without the misses, then without the ratio, and then without the p99, if there is no space for
/// them. A suite has no rate and no p99.
fn cells(state: &RunState, room: usize) -> Vec<Column> {
    let contenders = state.contenders();
    let has_rates = contenders.iter().any(|one| one.rate().is_some());
    let cell = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let figure = |text: String| if has_rates { text } else { String::new() };
    let column = |paint, text: &dyn Fn(&SoFar) -> String| Column {
        texts: contenders.iter().map(text).collect(),
        paint,
    };
    let mut rates = column(Paint::Plain, &|one| figure(cell(one.rate().map(show_rate))));
    flush_right(&mut rates.texts);
    let ratio = |at: usize| state.ratio(at).map(as_it_stands).unwrap_or_default();
    let ratios = Column { texts: (0..contenders.len()).map(ratio).collect(), paint: Paint::Plain };
    let p99s =
        column(Paint::Plain, &|one| figure(format!("p99 {}", cell(one.p99_ns.map(show_ns)))));
    let errors = column(Paint::Warning, &|one| errors(one).unwrap_or_default());
    let misses = column(Paint::Plain, &|one| misses(one).unwrap_or_default());
    let mut columns = vec![rates, ratios, p99s, errors, misses];
    // In the order in which they are left out.
    for left_out in [4, 1, 1] {
        if columns.iter().map(Column::taken).sum::<usize>() <= room {
            break;
        }
        columns.remove(left_out);
    }
    columns
}

fn width(cells: &[String]) -> usize {
    cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
}

fn flush_right(cells: &mut [String]) {
    let width = width(cells);
    for cell in cells {
        *cell = " ".repeat(width - cell.width()) + cell;
    }
}

#[cfg(test)]
mod tests;
