//! YCSB: the measurements at its end.

use super::{Facts, Section, Tool, ToolKind, USUAL, percentile};
use crate::key::{Fact, Figures, Key};
use crate::numbers::{Number, number};

pub(super) static TOOL: Tool = Tool {
    name: "YCSB",
    kind: ToolKind::Database,
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Succeeded],
    clock: 0.001,
    silent: true,
    owns,
    settle,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    columns(line).is_some_and(|(of, name, _)| {
        of == "OVERALL" && ["RunTime(ms)", "Throughput(ops/sec)"].contains(&name)
    })
}

/// `[READ], Operations, 1000`
fn columns(line: &str) -> Option<(&str, &str, &str)> {
    let mut columns = line.split(',').map(str::trim);
    let (of, name, value) = (columns.next()?, columns.next()?, columns.next()?);
    let of = of.strip_prefix('[')?.strip_suffix(']')?;
    (columns.next().is_none() && !of.contains(']')).then_some((of, name, value))
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    let Some((of, name, value)) = columns(line) else { return };
    match (of, name) {
        ("OVERALL", "RunTime(ms)") => {
            section.clear();
            facts.begins();
            facts.figure(Key::Duration, number(value).milliseconds());
        }
        ("OVERALL", "Throughput(ops/sec)") => facts.figure(Key::Rate, number(value)),
        ("CLEANUP", _) => {}
        (of, "Operations") if of.ends_with("-FAILED") => {
            facts.adds(Key::Operations, number(value));
        }
        // It consists of a read and an update, which are counted as well.
        ("READ-MODIFY-WRITE", "Operations") => {
            facts.0.push(Fact::Mixed);
            facts.adds(Key::Operations, number(value).times(-1.0));
        }
        (of, "Operations") => {
            // An operation that always failed has times of nothing.
            let some = number(value) != Number::Clear(0.0);
            if some && section.is_empty() {
                *section = of.to_owned();
            } else if some {
                facts.0.push(Fact::Mixed);
            }
            facts.adds(Key::Operations, number(value));
        }
        (of, name) if section == of || name.starts_with("Return=") => figure(name, value, facts),
        _ => {}
    }
}

/// Where the reads and updates are cut off, nothing is left to subtract from.
fn settle(figures: &mut Figures) {
    if figures.get(&Key::Operations).is_some_and(|at| at.value < 0.0) {
        figures.remove(&Key::Operations);
    }
}

fn figure(name: &str, value: &str, facts: &mut Facts) {
    if let Some(status) = name.strip_prefix("Return=") {
        // Older versions print 0 for OK.
        let good = ["OK", "0", "", "BATCHED_OK"].contains(&status);
        facts.adds(if good { Key::Succeeded } else { Key::Errors }, number(value));
        return;
    }
    let Some((name, unit)) = name.split_once("Latency(") else { return };
    let key = match name {
        "Average" => Some(Key::Mean),
        "Min" => Some(Key::Min),
        "Max" => Some(Key::Max),
        _ => {
            let share = name.strip_suffix("Percentile").unwrap_or("");
            percentile(share.trim_end_matches("th").trim_end_matches("nd").trim_end_matches("rd"))
        }
    };
    let per = match unit {
        "us)" => 1e-6,
        "ms)" => 1e-3,
        _ => return,
    };
    if let (Some(key), Number::Clear(value)) = (key, number(value)) {
        facts.figure(key, Number::Clear(value * per));
    }
}
