//! Operations that the tool excluded from its figures.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "broken_off",
    weight: Weight::Caution,
    threshold: "Looks for operations that the tool excludes from its percentiles: oha aborts \
                operations in flight at its deadline (-z); wrk drops replies that took longer than \
                its timeout (2 s unless --timeout is given); hey keeps only the first 1 000 000 \
                replies, and h2load a sample of 1 000 000 for each thread; wrk2 drops what it sent \
                in its first 10 s. Any such operation is a caution.",
    why: "The excluded operations are not a random sample: those that were aborted or timed out \
          are the slowest. For a server that answers every tenth request after 3 s, oha -z 2s \
          showed a longest reply of 14 ms, and wrk a p99 of 8 ms.",
    remedy: "oha: -w waits for operations in flight. wrk: set --timeout above the slowest reply. \
             hey, h2load: fewer requests per run, and several runs. wrk2: runs much longer than 10 \
             s.",
    check: Check::Run(check),
};

/// Replies whose times hey keeps, and h2load for each thread.
const KEPT: f64 = 1e6;

fn check(run: &PublishedRun) -> Checked {
    let some = |key| run.figure(key).filter(|at: &crate::key::At<f64>| at.value > 0.0);
    if let Some(at) = some(Key::Aborted) {
        let text = format!(
            "{} operations in flight were aborted at the end and are missing from the percentiles",
            at.value
        );
        return found(Weight::Caution, text, [at.line]);
    }
    let operations = run.operations();
    match (run.tool.name, operations) {
        ("wrk", _) => match some(Key::Timeouts) {
            Some(at) => {
                let text = format!(
                    "{} replies came after the timeout or never, and are missing from the \
                     percentiles",
                    at.value
                );
                found(Weight::Caution, text, [at.line])
            }
            None => fine(),
        },
        ("wrk2", Some(all)) => match run.figure(Key::Samples) {
            Some(kept) if kept.value < all.value => {
                let text = format!("the percentiles cover {} of {} replies", kept.value, all.value);
                found(Weight::Caution, text, [kept.line, all.line])
            }
            _ => fine(),
        },
        ("hey" | "h2load", Some(all)) if all.value > KEPT => {
            let text = format!(
                "{} keeps the times of 1 000 000 replies, but there were {}",
                run.tool.name, all.value
            );
            found(Weight::Caution, text, [all.line])
        }
        _ => fine(),
    }
}
