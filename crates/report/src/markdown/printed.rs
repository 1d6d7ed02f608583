//! The audit of other tools' printed output as Markdown.

use super::escape::{code, text};
use super::{push, ranked};
use crate::printed::by_rule;
use crate::words;
use crate::words::boards::{self, LISTS, Table};
use published::Audit;
use published::board::sentences::{heading, main};
use std::fmt::Write as _;

/// The largest number of rows of each table.
const MOST_ROWS: usize = 20;

/// The conclusion, the lists of leaderboards and the objections.
pub fn summary(audit: &Audit) -> String {
    let mut out = String::new();
    let void = if audit.void() { "Void: audit" } else { "Audit" };
    push(&mut out, format!("## {void} of published output"));
    push(&mut out, text(&audit.conclusion()));
    push(&mut out, main_list(audit));
    push(&mut out, other_lists(audit));
    push(&mut out, objections(audit));
    out
}

fn main_list(audit: &Audit) -> String {
    let Some(list) = main(&audit.lists) else { return String::new() };
    let mut out = format!("**{}**\n\n", text(&heading(list)));
    match boards::table(list, MOST_ROWS, 'x') {
        Some(Table::Ranked(head, rows)) => out += &ranked(head, rows),
        Some(Table::Unranked(head, rows)) => {
            let _ = write!(out, "| {} |\n|---|--:|--:|\n", head.join(" | "));
            for [name, figure, lead] in rows {
                let _ = writeln!(out, "| {} | {figure} | {lead} |", code(&name));
            }
        }
        None => {}
    }
    if let Some(more) = boards::more(list, MOST_ROWS) {
        let _ = write!(out, "\n{more}\n");
    }
    out
}

fn other_lists(audit: &Audit) -> String {
    let others = boards::other_lists(audit);
    if others.is_empty() {
        return String::new();
    }
    let mut out = format!("| {} |\n|---|---|--:|--:|---|\n", LISTS.join(" | "));
    for [name, by, entries, close, answer] in others.iter().take(MOST_ROWS) {
        let _ = writeln!(out, "| {} | {by} | {entries} | {close} | {answer} |", code(name));
    }
    match others.len().saturating_sub(MOST_ROWS) {
        0 => {}
        left => out.push_str(&format!("\nand {left} more\n")),
    }
    out
}

fn objections(audit: &Audit) -> String {
    let rules = by_rule(audit);
    if rules.is_empty() {
        return String::new();
    }
    let mut out = "| objection | rule | seen |\n|---|---|---|\n".to_owned();
    for of in rules {
        let weight = words::weight(of.weight);
        for objection in of.all {
            let seen = text(&objection.evidence);
            let _ = writeln!(out, "| {weight} | `{}` | {seen} |", of.rule.name);
        }
    }
    out
}
