//! How the cases of a suite compare.

use super::list;
use judge::verdict::{Suite, SuitePair};
use serde_json::{Value, json};

pub(super) fn suite(of: &Suite) -> Value {
    json!({
        "cases": list(&of.cases, |case| json!({
            "name": case.name,
            "unit": case.unit,
            "larger_is_better": case.larger_is_better,
        })),
        "pairs": list(&of.pairs, pair),
        "only_in": of.only_in,
        "left_out": of.left_out,
        "control": of.control.as_ref().map(|control| {
            let different = control.comparisons.iter().filter(|of| of.verdict.is_difference());
            let mut counted = pair(&control.pair);
            counted["different"] = different.map(super::comparison).collect();
            counted
        }),
    })
}

fn pair(of: &SuitePair) -> Value {
    json!({
        "a": of.a,
        "b": of.b,
        "cases": of.cases(),
        "slower": of.slower,
        "faster": of.faster,
        "equivalent": of.equivalent,
        "undecided": of.undecided,
        "void": of.void,
        "failed": of.failed,
    })
}
