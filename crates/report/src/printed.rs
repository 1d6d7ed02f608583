//! The audit of other tools' printed output (`tiebreak audit FILE`) as JSON, and the sentences
//! about it that the terminal and the page share.

use crate::json::boards;
use crate::words;
use judge::verdict::Weight;
use published::Audit;
use published::compare::{Comparison, Word};
use published::objection::{Objection, SkippedRule, SourceLine};
use published::rules::{RULES, Rule};
use published::run::PublishedRun;
use serde_json::{Value, json};
use text::units;

/// Name of the JSON schema: `schema/published.v1.json`.
const SCHEMA: &str = "tiebreak.published/1";

/// Objections of one rule and weight.
pub(crate) struct RuleObjections<'a> {
    pub(crate) rule: &'static Rule,
    pub(crate) weight: Weight,
    pub(crate) all: Vec<&'a Objection>,
}

/// Objections by rule, the heaviest first.
pub(crate) fn by_rule(audit: &Audit) -> Vec<RuleObjections<'_>> {
    let mut rule_objections: Vec<RuleObjections> = Vec::new();
    for objection in &audit.objections {
        let same = |of: &&mut RuleObjections| {
            of.rule.name == objection.rule && of.weight == objection.weight
        };
        match rule_objections.iter_mut().find(same) {
            Some(of) => of.all.push(objection),
            None => {
                rule_objections.extend(RULES.iter().find(|rule| rule.name == objection.rule).map(
                    |rule| RuleObjections { rule, weight: objection.weight, all: vec![objection] },
                ))
            }
        }
    }
    rule_objections
}

/// `ab.txt:19`
pub(crate) fn location(location: &SourceLine) -> String {
    format!("{}:{}", location.file, location.line)
}

/// The rules that could not be applied, grouped by what the output does not show.
pub(crate) fn unanswered(audit: &Audit) -> Vec<String> {
    let mut by_missing: Vec<(&str, &str, usize)> = Vec::new();
    for SkippedRule { rule, missing, .. } in &audit.unanswered {
        match by_missing.iter_mut().find(|of| (of.0, of.1) == (*rule, *missing)) {
            Some(of) => of.2 += 1,
            None => by_missing.push((rule, missing, 1)),
        }
    }
    let all = audit.runs.len();
    let sentences = by_missing.into_iter().map(|(rule, missing, runs)| match (runs, all) {
        (1, 1) => format!("{rule}: the output does not show {missing}"),
        _ => format!(
            "{rule}: {} of {all} do not show {missing}",
            units::show_counted(runs as u64, "run")
        ),
    });
    sentences.collect()
}

/// Which parts of the files were not read, and why, in words.
pub fn scan_notes(audit: &Audit) -> Vec<String> {
    let mut sentences = Vec::new();
    for (file, odd) in audit.files.iter().zip(&audit.scan_notes) {
        let most = published::MOST_RUNS;
        for (line, what) in [
            (odd.binary, "bytes that are not text; these lines were not read".to_owned()),
            (odd.long_line, "a line longer than 1 MiB; the rest of it was not read".to_owned()),
            (
                odd.cut_document,
                "an incomplete JSON document; it was read as far as it goes".to_owned(),
            ),
            (
                odd.points,
                "points of `k6 --out json`, which are not supported: use --summary-export"
                    .to_owned(),
            ),
            (odd.cut, "more than 1 GiB; the rest was not read".to_owned()),
            (odd.left_out, format!("more than {most} runs; the rest was not read")),
        ] {
            if let Some(line) = line {
                sentences.push(format!("{file}:{line}: {what}"));
            }
        }
        let here = audit.files.iter().position(|name| name == file);
        let is_board = here.is_some_and(|here| audit.board_files.contains(&here));
        if !is_board && !audit.runs.iter().any(|run| Some(run.file) == here) {
            sentences.push(format!("{file}: no output of a known tool"));
        }
    }
    sentences
}

/// `lines 1-43`
pub(crate) fn span(audit: &Audit, run: &PublishedRun) -> String {
    format!("{}:{}-{}", audit.files[run.file], run.first, run.last)
}

/// The printed figure by which a run is compared, in words.
pub(crate) fn main_figure(run: &PublishedRun) -> String {
    let measure = published::groups::Measure::of(run);
    let figure = measure.figure(run).map(|at| at.value);
    match measure {
        published::groups::Measure::Rate => units::rate(figure),
        _ => units::seconds(figure),
    }
}

/// The name of a run's contender.
pub(crate) fn contender(audit: &Audit, run: usize) -> &str {
    let group = audit.groups.iter().find(|group| group.runs.contains(&run));
    group.map_or("", |group| group.name.as_str())
}

/// The audit of other tools' printed output as JSON, `tiebreak.published/1`
/// (schema/published.v1.json), with a newline at its end.
pub fn json(audit: &Audit) -> String {
    // Figures are finite, so nothing in it can fail.
    serde_json::to_string_pretty(&value(audit)).expect("figures are always JSON") + "\n"
}

fn value(audit: &Audit) -> Value {
    let files = audit.files.iter().zip(&audit.scan_notes).map(|(name, odd)| {
        json!({
            "name": name,
            "binary": odd.binary,
            "long_line": odd.long_line,
            "cut_document": odd.cut_document,
            "points": odd.points,
            "cut": odd.cut,
            "left_out": odd.left_out,
        })
    });
    let groups = audit
        .groups
        .iter()
        .map(|group| json!({ "name": group.name, "named": group.named, "runs": group.runs }));
    let unanswered = audit
        .unanswered
        .iter()
        .map(|of| json!({ "rule": of.rule, "run": of.run, "missing": of.missing }));
    let runs = audit.runs.iter().enumerate().map(|(at, of)| run(audit, at, of));
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "void": audit.void(),
        "conclusion": audit.conclusion(),
        "files": files.collect::<Vec<Value>>(),
        "runs": runs.collect::<Vec<Value>>(),
        "contenders": groups.collect::<Vec<Value>>(),
        "comparisons": audit.comparisons.iter().map(comparison).collect::<Vec<Value>>(),
        "objections": audit.objections.iter().map(objection).collect::<Vec<Value>>(),
        "unanswered": unanswered.collect::<Vec<Value>>(),
        "lists": boards::lists(audit),
    })
}

fn run(audit: &Audit, at: usize, run: &PublishedRun) -> Value {
    let figures = run.figures().map(|(key, figure)| {
        let (name, unit) = key.name();
        json!({ "name": name, "value": figure.value, "unit": unit, "line": figure.line })
    });
    json!({
        "tool": run.tool.name,
        "file": run.file,
        "first_line": run.first,
        "last_line": run.last,
        "contender": audit.groups.iter().position(|group| group.runs.contains(&at)),
        "weight": audit.weight(at).map(words::weight),
        "figures": figures.collect::<Vec<Value>>(),
        "missing": run.missing(),
    })
}

fn comparison(of: &Comparison) -> Value {
    let (word, chance) = match of.word {
        Word::Void => ("void", None),
        Word::UnequalLoad => ("unequal_load", None),
        Word::NoFigure => ("no_figure", None),
        Word::OneRun => ("one_run", None),
        Word::Overlap => ("overlap", None),
        Word::TooFew(chance) => ("too_few", Some(chance)),
        Word::Apart(chance) => ("apart", Some(chance)),
    };
    json!({
        "a": of.a,
        "b": of.b,
        "measure": of.measure.words(),
        "ratio": of.ratio,
        "word": word,
        "chance": chance,
    })
}

fn objection(of: &Objection) -> Value {
    let source_lines = of.source_lines.iter().map(
        |location| json!({ "file": location.file, "line": location.line, "quote": location.quote }),
    );
    json!({
        "rule": of.rule,
        "weight": words::weight(of.weight),
        "runs": of.runs,
        "evidence": of.evidence,
        "places": source_lines.collect::<Vec<Value>>(),
    })
}
