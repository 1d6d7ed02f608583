//! The lists of leaderboards, in the audit of other tools' output.

use published::Audit;
use published::board::sentences::main;
use published::board::{Answer, BoardEntry, BoardList, Unit};
use serde_json::{Value, json};

/// All lists.
pub(crate) fn lists(audit: &Audit) -> Vec<Value> {
    let shown = main(&audit.lists);
    let each = audit.lists.iter();
    each.map(|of| list(of, shown.is_some_and(|main| std::ptr::eq(of, main)))).collect()
}

fn list(of: &BoardList, is_main: bool) -> Value {
    let (answer, separated) = match &of.answer {
        Answer::Alone => ("alone", None),
        Answer::OneRun => ("one_run", None),
        Answer::TooFewRuns => ("too_few_runs", None),
        Answer::Ranked(ranking) => ("ranked", Some(ranking.separated)),
    };
    let entries = of.entries.iter().enumerate().map(|(at, it)| entry(of, at, it));
    json!({
        "board": of.board.name(),
        "file": of.file,
        "name": of.name,
        "metric": of.metric.name(),
        "unit": match of.unit {
            Unit::PerSecond => Some("/s"),
            Unit::Seconds => Some("s"),
            Unit::Unknown => None,
        },
        "larger_is_better": of.metric.larger_is_better(),
        "primary": of.primary,
        "main": is_main,
        "answer": answer,
        "close": of.close(),
        "pairs": of.pairs(),
        "separated": separated,
        "fewest_rounds": of.fewest_rounds(),
        "fewest_unpaired_runs": of.fewest_unpaired_runs(),
        "entries": entries.collect::<Vec<Value>>(),
        "without_figure": of.without,
    })
}

fn entry(list: &BoardList, at: usize, of: &BoardEntry) -> Value {
    let ranked = match &list.answer {
        Answer::Ranked(ranking) => ranking.ranked.get(at),
        Answer::Alone | Answer::OneRun | Answer::TooFewRuns => None,
    };
    json!({
        "name": of.name,
        "figure": of.figure,
        "runs": of.runs,
        "lead": of.lead,
        "close": of.is_close,
        "best": ranked.map(|it| it.best),
        "worst": ranked.map(|it| it.worst),
        "group": ranked.map(|it| it.group),
        "ratio": ranked.and_then(|it| it.ratio),
        "low": ranked.and_then(|it| it.low),
        "high": ranked.and_then(|it| it.high),
    })
}
