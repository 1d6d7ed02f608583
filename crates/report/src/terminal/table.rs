//! The contenders' figures side by side.

use super::layout::{Page, Paint, wrap};
use crate::{Style, View, words};
use judge::verdict::ContenderSummary;
use text::units::{self, JOINT};
use unicode_width::UnicodeWidthStr;

pub(super) const LONGEST_NAME: usize = 28;
const BETWEEN: usize = 3;
const HEAD: [&str; 8] =
    ["contender", "throughput", "p50", "p99", "p99.9", "max", "errors", "our CPU/op"];

/// Adds the figures of the contenders.
pub(super) fn contenders(view: &View, page: &mut Page) {
    let rows: Vec<Vec<String>> = view.contenders.iter().map(row).collect();
    table(&HEAD, &rows, page);
    // A further column would not fit beside the others.
    if words::any_misses(view.contenders) {
        let of = |of: &ContenderSummary| {
            format!("{} {}", words::short_name(&of.name, LONGEST_NAME), words::misses(of))
        };
        let each: Vec<String> = view.contenders.iter().map(of).collect();
        page.wrapped(2, &format!("misses: {}", each.join(", ")), Paint::Plain);
    }
    let bounds = words::times::read_at_rest(view);
    for sentence in [bounds, words::lanes::own_costs(view), words::lanes::library_shares(view)] {
        sentence.iter().for_each(|sentence| page.wrapped(2, sentence, Paint::Plain));
    }
}

fn row(contender: &ContenderSummary) -> Vec<String> {
    let times = &contender.response_time;
    vec![
        words::short_name(&contender.name, LONGEST_NAME),
        units::rate(contender.throughput),
        words::times::p50(times),
        words::times::p99(times),
        words::times::p999(times),
        words::times::max(times),
        units::count(words::errors(contender)),
        units::seconds(contender.generator_cpu_per_operation),
    ]
}

/// Adds a table if it fits, else a paragraph for each row. The first cell of a row is its
/// name.
pub(super) fn table(head: &[&str], rows: &[Vec<String>], page: &mut Page) {
    let widths = widths(head, rows);
    if needed(&widths) <= page.width() {
        columns(head, rows, &widths, page)
    } else {
        paragraphs(head, rows, page)
    }
}

/// Whether it is too wide for the page.
pub(super) fn is_wide(head: &[String], rows: &[Vec<String>], style: Style) -> bool {
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    needed(&widths(&head, rows)) > Page::new(style).width()
}

fn widths(head: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([head[column].width()]).max().unwrap_or(0)
    };
    (0..head.len()).map(width).collect()
}

/// The width of the table, in columns of the terminal.
fn needed(widths: &[usize]) -> usize {
    2 + widths.iter().sum::<usize>() + BETWEEN * widths.len().saturating_sub(1)
}

fn columns(head: &[&str], rows: &[Vec<String>], widths: &[usize], page: &mut Page) {
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
    let head: Vec<String> = head.iter().map(|label| (*label).to_owned()).collect();
    let head = page.painted(&line(&head), Paint::Strong);
    page.line(2, &head);
    for row in rows {
        page.line(2, &line(row));
    }
}

fn paragraphs(head: &[&str], rows: &[Vec<String>], page: &mut Page) {
    for row in rows {
        page.wrapped(2, &row[0], Paint::Strong);
        // A figure stays with its label: lines break only between pairs.
        let pairs: Vec<String> = head[1..]
            .iter()
            .zip(&row[1..])
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(label, cell)| format!("{label} {cell}").replace(' ', &JOINT.to_string()))
            .collect();
        for line in wrap(&pairs.join(", "), page.width() - 4) {
            page.line(4, &line);
        }
    }
}
