//! The contenders' figures side by side.

use super::layout::{Page, Paint, wrap};
use crate::report::{View, units, units::JOINT, words};
use judge::verdict::ContenderSummary;
use unicode_width::UnicodeWidthStr;

const LONGEST_NAME: usize = 28;
const BETWEEN: usize = 3;
const HEAD: [&str; 8] =
    ["contender", "throughput", "p50", "p99", "p99.9", "max", "errors", "our CPU/op"];

/// A table where it fits, else a paragraph for each contender.
pub(super) fn contenders(view: &View, page: &mut Page) {
    let rows: Vec<[String; 8]> = view.contenders.iter().map(row).collect();
    let widths: Vec<usize> = (0..HEAD.len())
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].width());
            cells.chain([HEAD[column].width()]).max().unwrap_or(0)
        })
        .collect();
    let needed = 2 + widths.iter().sum::<usize>() + BETWEEN * (HEAD.len() - 1);
    match needed <= page.width() {
        true => columns(&rows, &widths, page),
        false => paragraphs(&rows, page),
    }
}

fn row(contender: &ContenderSummary) -> [String; 8] {
    let times = &contender.response_time;
    [
        words::short_name(&contender.name, LONGEST_NAME),
        units::rate(contender.throughput),
        units::seconds(times.p50),
        units::seconds(times.p99),
        units::seconds(times.p999),
        units::seconds(times.max),
        units::count(words::errors(contender)),
        units::seconds(contender.generator_cpu_per_operation),
    ]
}

fn columns(rows: &[[String; 8]], widths: &[usize], page: &mut Page) {
    let line = |cells: &[String; 8]| {
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
    let head = page.painted(&line(&HEAD.map(str::to_owned)), Paint::Strong);
    page.line(2, &head);
    for row in rows {
        page.line(2, &line(row));
    }
}

fn paragraphs(rows: &[[String; 8]], page: &mut Page) {
    for row in rows {
        page.wrapped(2, &row[0], Paint::Strong);
        // A figure stays with its label: only the spaces between pairs break.
        let pairs: Vec<String> = HEAD[1..]
            .iter()
            .zip(&row[1..])
            .map(|(label, cell)| format!("{label} {cell}").replace(' ', &JOINT.to_string()))
            .collect();
        for line in wrap(&pairs.join(", "), page.width() - 4) {
            page.line(4, &line);
        }
    }
}
