//! The audit of other tools' printed output, for the terminal.

use super::boards;
use super::layout::{Page, Paint};
use crate::printed::{by_rule, contender, location, main_figure, scan_notes, span, unanswered};
use crate::{Style, words};
use judge::verdict::Weight;
use published::Audit;

/// The audit of other tools' printed output for the terminal, with a newline at its end: the
/// conclusion, then each objection with its lines.
pub fn report(audit: &Audit, style: Style) -> String {
    let mut page = Page::new(style);
    page.wrapped(2, &audit.conclusion(), Paint::Strong);
    page.blank();
    boards::lists(audit, &mut page);
    for (at, run) in audit.runs.iter().enumerate() {
        let text = format!("{}  {}  {}", span(audit, run), contender(audit, at), main_figure(run));
        page.entry(run.tool.name, Paint::Plain, &text);
    }
    for rule_objections in by_rule(audit) {
        page.blank();
        let paint = match rule_objections.weight {
            Weight::Void => Paint::Alarm,
            Weight::Caution => Paint::Warning,
            Weight::Note => Paint::Plain,
        };
        page.wrapped(
            2,
            &format!("{}: {}", words::weight(rule_objections.weight), rule_objections.rule.name),
            paint,
        );
        for objection in &rule_objections.all {
            page.labelled(4, "seen", Paint::Plain, &objection.evidence);
            for at in &objection.source_lines {
                // Not wrapped: its columns are part of the quotation.
                page.line(6, &format!("{}: {}", location(at), at.quote));
            }
        }
        page.labelled(4, "why", Paint::Plain, rule_objections.rule.why);
        page.labelled(4, "do", Paint::Plain, rule_objections.rule.remedy);
    }
    for (heading, lines) in [("not applied", unanswered(audit)), ("not read", scan_notes(audit))] {
        if lines.is_empty() {
            continue;
        }
        page.blank();
        page.wrapped(2, heading, Paint::Plain);
        page.sentences(4, lines, Paint::Plain);
    }
    page.finish()
}
