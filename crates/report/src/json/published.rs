//! A published experiment, as data.

use super::{list, unless_empty};
use crate::View;
use judge::single_runs;
use judge::verdict::Comparison;
use record::SingleRun;
use serde_json::{Value, json};

pub(super) fn published(view: &View) -> Option<Value> {
    let mut published = json!(view.plan().published.as_ref()?);
    published["single_runs"] = list(view.single_runs, |run| single_run(view, run));
    let would_mislead = view.primaries().filter_map(|of| would_mislead(view, of));
    published["would_mislead"] = would_mislead.collect();
    Some(published)
}

fn single_run(view: &View, run: &SingleRun) -> Value {
    let contender = view.contenders.get(run.contender as usize);
    json!({
        "contender": contender.map_or("", |of| of.name.as_str()),
        "command": run.command,
        "figure": run.figure,
        "trouble": unless_empty(&run.trouble),
    })
}

/// How many of all pairs of a round of `a` and another round of `b` contradict the verdict.
fn would_mislead(view: &View, of: &Comparison) -> Option<Value> {
    let counted = single_runs::of_comparison(of, view.contenders, &view.plan().question)?;
    let (pairs, wrong) = (counted.pairs, counted.wrong);
    Some(json!({ "a": of.a, "b": of.b, "pairs": pairs, "wrong": wrong }))
}
