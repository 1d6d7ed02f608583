//! Requests that failed.

use super::{Check, Checked, Rule, counts, fine, found, part_of, weight_of};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "failed_requests",
    weight: Weight::Void,
    threshold: "Counts failed connections, errors, timeouts, and what the tool reports as failed \
                without a reason. At least one: a caution. More than 1 in 1000 operations: void.",
    why: "Failures take a different time than successes, and a tool may exclude them from its \
          percentiles (wrk its timeouts, h2load and oha all errors) or include them in its rate \
          (hey).",
    remedy: "Find out what failed (server log, backlog, connection limits), and measure again with \
             fewer connections if the server was overloaded.",
    check: Check::Run(check),
};

const CLASSES: &[(Key, &str)] = &[
    (Key::ConnectErrors, "connect error"),
    (Key::ReadErrors, "read error"),
    (Key::WriteErrors, "write error"),
    (Key::Timeouts, "timeout"),
    (Key::Errors, "error"),
];

fn check(run: &PublishedRun) -> Checked {
    let operations = run.operations();
    let (sum, words, lines) = counts(run, CLASSES);
    if sum > 0.0 {
        let evidence =
            format!("{} operations failed: {}", part_of(sum, operations), listed(&words));
        return found(weight_of(sum, operations), evidence, lines);
    }
    let Some(failed) = run.figure(Key::Failed) else {
        // wrk, hey and oha print errors only if there are some.
        let silent =
            ["wrk", "wrk2", "hey", "oha", "vegeta", "cassandra-stress"].contains(&run.tool.name);
        return if silent { fine() } else { Err("how many operations failed") };
    };
    // Other rules report these.
    let explained = run.figures().filter(|(key, _)| match key {
        Key::OtherLength | Key::BadStatus => true,
        Key::Status(code) => !(200..400).contains(code),
        _ => false,
    });
    let left = failed.value - explained.map(|(_, at)| at.value).sum::<f64>();
    if left <= 0.0 {
        return fine();
    }
    let evidence =
        format!("{} operations failed; the output does not say why", part_of(left, operations));
    found(weight_of(left, operations), evidence, [failed.line])
}
