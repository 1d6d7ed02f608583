//! A requested rate in a closed loop.

use super::{Check, Checked, Rule, fine, found};
use crate::key::{Key, Label};
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "closed_loop_rate",
    weight: Weight::Caution,
    threshold: "Checks whether a rate was requested (in the command line or the output) of a tool \
                that measures a reply's time from when the request was sent, not from when it was \
                due: hey -q, h2load --rps, oha -q without --latency-correction, bombardier -r, \
                fortio -qps, cassandra-stress throttle. Response times of such a run are a caution.",
    why: "While the server stalls, requests are sent late, and the time that they waited is not \
          measured. With a stall of 1 s in 10 at 1000 requests a second, oha -q prints a p99 of \
          0.3 ms and hey -q 28 ms; the truth is 905 ms.",
    remedy: "oha: --latency-correction. cassandra-stress: fixed= instead of throttle=. Otherwise: \
             wrk2, vegeta, or tiebreak --rate.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let Some(rate) = run.figure(Key::AskedRate) else { return fine() };
    let corrected =
        run.text(Label::Command).is_some_and(|at| at.value.contains("--latency-correction"));
    let from_due = !run.tool.closed
        || corrected
        || ["cassandra-stress", "sysbench", "pgbench", "latte"].contains(&run.tool.name);
    if from_due || run.percentiles().next().is_none() && run.figure(Key::Max).is_none() {
        return fine();
    }
    let text = format!("a rate of {} per second was requested of a closed loop", rate.value);
    found(Weight::Caution, text, [rate.line])
}
