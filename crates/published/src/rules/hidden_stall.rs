//! A stall that the percentiles hide: coordinated omission.

use super::{Check, Checked, Rule, fine, found};
use crate::key::{At, Key};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::show_seconds;

pub(super) const RULE: Rule = Rule {
    name: "hidden_stall",
    weight: Weight::Caution,
    threshold: "For tools that wait for a reply before they send the next request: if the longest \
                reply (max) was a stall of the server, requests sent at a constant rate would have \
                waited up to max − (1 − p) × duration at the percentile p. If this is more than \
                twice the printed percentile and more than 10 ms above it, that is a caution.",
    why: "While a server stalls, each connection sends one request and waits: a stall of 1 s in 10 \
          gives one slow sample per connection, which the p99 does not show. Users keep sending \
          requests (coordinated omission). With one such stall, ab, hey, oha and k6 print a p99 of \
          0.3 to 28 ms while the truth is 905 ms.",
    remedy: "Measure response times at a constant rate, from the moment each request was due: \
             wrk2, vegeta, oha --latency-correction with -q, or tiebreak --rate. Or quote only the \
             throughput.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    if !run.tool.closed {
        return fine();
    }
    let mut percentiles = run.percentiles().peekable();
    if percentiles.peek().is_none() {
        return fine();
    }
    let (Some(max), Some(duration)) = (run.figure(Key::Max), run.duration()) else {
        return Err("its duration and longest reply");
    };
    // The highest percentile that hides it is sufficient.
    let hides = |(part, at): &(f64, At<f64>)| {
        let truth = max.value - (1.0 - part) * duration.value;
        truth > 2.0 * at.value && truth > at.value + 0.01
    };
    let Some((part, at)) = percentiles.filter(hides).min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return fine();
    };
    let truth = max.value - (1.0 - part) * duration.value;
    let evidence = format!(
        "the longest reply took {}; if the server stalled that long, the p{} at a constant rate \
         is {}, not {}",
        show_seconds(max.value),
        (part * 1e6).round() / 1e4,
        show_seconds(truth),
        show_seconds(at.value)
    );
    found(Weight::Caution, evidence, [max.line, at.line])
}
