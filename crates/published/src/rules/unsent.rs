//! Operations that were due but never sent.

use super::{Check, Checked, Rule, fine, found, part_of};
use crate::key::{At, Key};
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "unsent",
    weight: Weight::Void,
    threshold: "Counts operations that were due but never sent: k6's dropped iterations, pgbench's \
                skipped transactions; and compares the rate with the requested one, if a command \
                line shows it. Any, or a rate more than 2 % below: a caution. More than 1 in 10: \
                void.",
    why: "The server did not get the intended load. k6 with 10 users at 1000 requests a second \
          dropped 992 of them while the server stalled, and printed a p99 of 1.3 ms.",
    remedy: "Use more users or connections for the same rate, or a lower rate.",
    check: Check::Run(check),
};

/// Share of operations that were not sent above which a run is void.
const MOST: f64 = 0.1;
/// Share by which the rate may be below the requested one.
const BELOW: f64 = 0.02;

fn check(run: &PublishedRun) -> Checked {
    if let Some(at) = run.figure(Key::Unsent).filter(|at| at.value > 0.0) {
        let due = run.operations().map(|sent| At { value: sent.value + at.value, ..sent });
        let too_many = due.is_none_or(|due| at.value > MOST * due.value);
        let weight = if too_many { Weight::Void } else { Weight::Caution };
        let text = format!("{} operations were due but never sent", part_of(at.value, due));
        return found(weight, text, [at.line]);
    }
    match run.figure(Key::AskedRate).zip(run.figure(Key::Rate)) {
        Some((requested, rate))
            if asks_for_all(run) && rate.value < (1.0 - BELOW) * requested.value =>
        {
            let too_many = rate.value < (1.0 - MOST) * requested.value;
            let weight = if too_many { Weight::Void } else { Weight::Caution };
            let text = format!(
                "{} per second were requested, but {} were sent",
                requested.value, rate.value
            );
            found(weight, text, [requested.line, rate.line])
        }
        _ => fine(),
    }
}

/// The rate of hey and h2load is that of one worker or client.
fn asks_for_all(run: &PublishedRun) -> bool {
    !["hey", "h2load"].contains(&run.tool.name)
}
