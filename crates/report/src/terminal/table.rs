//! The contenders' figures side by side.

use super::layout::{Page, Paint, wrap};
use crate::words::columns::{self, Column, ERRORS, MAX, OUR_CPU, P50, P99, P999, THROUGHPUT};
use crate::{Style, View, words};
use judge::verdict::ContenderSummary;
use text::units::JOINT;
use unicode_width::UnicodeWidthStr;

pub(super) const LONGEST_NAME: usize = 28;
const BETWEEN: usize = 3;
const COLUMNS: [Column; 7] = [THROUGHPUT, P50, P99, P999, MAX, ERRORS, OUR_CPU];

/// Adds the figures of the contenders.
pub(super) fn contenders(view: &View, page: &mut Page) {
    figures(view, "contender", &COLUMNS, named(view), page);
    // A further column would not fit beside the others.
    if words::any_misses(view.contenders) {
        let each = named(view).map(|(name, of)| format!("{name} {}", words::misses(of)));
        let each: Vec<String> = each.collect();
        page.wrapped(2, &format!("misses: {}", each.join(", ")), Paint::Plain);
    }
    let bounds = words::times::read_at_rest(view);
    let sentences = [bounds, words::lanes::own_costs(view), words::lanes::library_shares(view)];
    page.sentences(2, sentences.into_iter().flatten(), Paint::Plain);
}

/// Adds a table with a row for each of these contenders or groups, under its name.
pub(super) fn figures<'a>(
    view: &View,
    name: &'static str,
    columns: &[Column],
    rows: impl Iterator<Item = (String, &'a ContenderSummary)>,
    page: &mut Page,
) {
    let row = |(name, of)| std::iter::once(name).chain(columns::cells(view, of, columns)).collect();
    table(&columns::head(name, columns), &rows.map(row).collect::<Vec<_>>(), page);
}

/// The contenders under their names.
pub(super) fn named<'a>(view: &View<'a>) -> impl Iterator<Item = (String, &'a ContenderSummary)> {
    view.contenders.iter().map(|of| (words::short_name(&of.name, LONGEST_NAME), of))
}

/// Adds a table if it fits, else a paragraph for each row. The first cell of a row is its
/// name.
pub(super) fn table<S: AsRef<str>>(head: &[S], rows: &[Vec<String>], page: &mut Page) {
    let widths = widths(head, rows);
    if needed(&widths) <= page.width() {
        columns(head, rows, &widths, page)
    } else {
        paragraphs(head, rows, page)
    }
}

/// Whether it is too wide for the page.
pub(super) fn is_wide(head: &[String], rows: &[Vec<String>], style: Style) -> bool {
    needed(&widths(head, rows)) > Page::new(style).width()
}

pub(super) fn widths<S: AsRef<str>>(head: &[S], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([head[column].as_ref().width()]).max().unwrap_or(0)
    };
    (0..head.len()).map(width).collect()
}

/// The width of the table, in columns of the terminal.
fn needed(widths: &[usize]) -> usize {
    2 + widths.iter().sum::<usize>() + BETWEEN * widths.len().saturating_sub(1)
}

fn columns<S: AsRef<str>>(head: &[S], rows: &[Vec<String>], widths: &[usize], page: &mut Page) {
    let line = |cells: &[String]| {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let space = " ".repeat(width - cell.width());
            match column {
                0 => line += &format!("{cell}{space}"),
                _ => line += &format!("{}{space}{cell}", " ".repeat(BETWEEN)),
            }
        }
        line
    };
    let head: Vec<String> = head.iter().map(|label| label.as_ref().to_owned()).collect();
    let head = page.painted(&line(&head), Paint::Strong);
    page.line(2, &head);
    for row in rows {
        page.line(2, &line(row));
    }
}

fn paragraphs<S: AsRef<str>>(head: &[S], rows: &[Vec<String>], page: &mut Page) {
    for row in rows {
        page.wrapped(2, &row[0], Paint::Strong);
        // A figure stays with its label: lines break only between pairs.
        let pairs: Vec<String> = head[1..]
            .iter()
            .zip(&row[1..])
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(label, cell)| {
                format!("{} {cell}", label.as_ref()).replace(' ', &JOINT.to_string())
            })
            .collect();
        for line in wrap(&pairs.join(", "), page.width() - 4) {
            page.line(4, &line);
        }
    }
}
