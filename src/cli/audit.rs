//! `tiebreak audit`.

use super::outputs;
use super::text::wrapped;
use crate::exit::{Error, Exit};
use crate::judging::{self, Judged, sweep};
use crate::report::words::findings::{Group, grouped};
use crate::report::words::reasons::{about, given};
use crate::shown::{shown, shown_sentence};
use clap::ValueHint;
use judge::audit::RULES;
use judge::verdict::{Comparison, Weight};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tiebreak audit tiebreak-runs/20261122T000649Z-1a2b3c4d
      every finding, why it matters, what to do, and why verdicts are missing or weaker
  tiebreak audit tiebreak-runs/20261122T000649Z-1a2b3c4d >/dev/null; echo $?
      3 where the audit refused the run";

/// Show what the audit found in a run: evidence, why it matters, what to do
///
/// Exits as the run did.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AuditArgs {
    /// Folder of the run, or of a sweep
    #[arg(value_name = "RUN", value_hint = ValueHint::DirPath)]
    run: PathBuf,
}

pub(super) fn perform(args: &AuditArgs) -> Result<Exit, Error> {
    if sweep::is_one(&args.run) {
        let swept = sweep::read(&args.run)?;
        outputs::print(&of_sweep(&swept, outputs::width()))?;
        return Ok(swept.exit());
    }
    let judged = judging::read(&args.run)?;
    outputs::print(&told(&judged, outputs::width()))?;
    Ok(judged.exit())
}

/// Load point by load point.
fn of_sweep(swept: &sweep::Swept, width: usize) -> String {
    let point = |(folder, judged): (&str, Option<&Judged>)| match judged {
        Some(judged) => format!("{folder}: {}", told(judged, width)),
        None => format!("{folder}: not driven\n"),
    };
    swept.points().map(point).collect::<Vec<String>>().join("\n")
}

fn told(judged: &Judged, width: usize) -> String {
    let findings = judged.verdict().findings();
    let checked = judged.verdict().rules_checked();
    let mut out = match findings.len() {
        0 => format!("{checked} rules checked, nothing found\n"),
        1 => format!("{checked} rules checked, 1 finding\n"),
        many => format!("{checked} rules checked, {many} findings\n"),
    };
    for group in grouped(findings) {
        out += &one(&group, width);
    }
    out += &reasons(judged.verdict().comparisons(), width);
    if let Some(note) = judged.note() {
        out += &wrapped("\njournal: ", &shown_sentence(note), width);
    }
    out
}

/// Findings of several contenders that say the same: what was seen of each, and the
/// reason and the remedy once.
fn one(group: &Group<'_>, width: usize) -> String {
    let finding = group.first;
    let mut out = format!("\n{}: {}\n", weight(finding.weight), shown(&finding.rule));
    for (names, evidence) in group.evidence() {
        let who = match names.is_empty() {
            true => String::new(),
            false => format!("{}: ", names.join(", ")),
        };
        out += &wrapped("  seen: ", &format!("{who}{evidence}"), width);
    }
    if let Some(rule) = RULES.iter().find(|rule| rule.name == finding.rule) {
        out += &wrapped("  why:  ", rule.why, width);
    }
    out + &wrapped("  do:   ", &shown_sentence(&finding.remedy), width)
}

/// Why verdicts are missing, or weaker than their intervals.
fn reasons(comparisons: &[Comparison], width: usize) -> String {
    let told = given(comparisons).into_iter().map(|reason| {
        let of: Vec<String> = reason.of.iter().map(|of| about(of)).collect();
        let of = wrapped("  of:   ", &of.join("; "), width);
        format!("\nverdict\n{of}{}", wrapped("  why:  ", &reason.text, width))
    });
    told.collect()
}

pub(super) fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Note => "note",
        Weight::Caution => "caution",
        Weight::Void => "void",
    }
}
