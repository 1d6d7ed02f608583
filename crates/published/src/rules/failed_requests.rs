//! Requests that failed.

use super::{Check, Checked, Rule, RunObjection, counts, fine, found, part_of, weight_of};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "failed_requests",
    weight: Weight::Void,
    threshold: "Counts failed connections, errors, timeouts, and what the tool reports as failed \
                without a reason. At least one: a caution. More than 1 in 1000 operations: void. As \
                many read and write errors of wrk as replies are a caution: the server ended each reply by \
                closing the connection.",
    why: "Failures take a different time than successes, and a tool may exclude them from its \
          percentiles (wrk its timeouts, h2load and oha all errors) or include them in its rate \
          (hey).",
    remedy: "Find out what failed (server log, backlog, connection limits), and measure again with \
             fewer connections if the server was overloaded.",
    check: Check::Run(check),
};

pub(super) const CLASSES: &[(Key, &str)] = &[
    (Key::ConnectErrors, "connect error"),
    (Key::ReadErrors, "read error"),
    (Key::WriteErrors, "write error"),
    (Key::Timeouts, "timeout"),
    (Key::Errors, "error"),
];

/// Share by which read errors and operations may differ if each operation causes one.
const NEAR: f64 = 0.05;

/// wrk counts an error when a server ends a reply by closing the connection. The reply counts.
fn closed_by_server(run: &PublishedRun) -> Option<RunObjection> {
    let (reads, all) = run.figure(Key::ReadErrors).zip(run.operations())?;
    // Some connections are found closed when the next request is written.
    let of_ends = [Key::ReadErrors, Key::WriteErrors];
    let (ends, others): (Vec<_>, Vec<_>) =
        CLASSES.iter().partition(|(key, _)| of_ends.contains(key));
    let (closed, _, _) = counts(run, &ends);
    let (sum, _, _) = counts(run, &others);
    let is_each = (closed - all.value).abs() <= NEAR * all.value;
    let of_wrk = run.tool.name == "wrk" || run.tool.name == "wrk2";
    (of_wrk && is_each && all.value > 0.0 && sum == 0.0).then(|| RunObjection {
        weight: Weight::Caution,
        evidence: format!(
            "{closed} read and write errors for {} replies: the server ended each reply by closing \
             the connection, so each request opened one",
            all.value
        ),
        lines: vec![reads.line, all.line],
    })
}

fn check(run: &PublishedRun) -> Checked {
    let operations = run.operations();
    if let Some(objection) = closed_by_server(run) {
        return Ok(vec![objection]);
    }
    let (sum, words, lines) = counts(run, CLASSES);
    if sum > 0.0 {
        let evidence =
            format!("{} operations failed: {}", part_of(sum, operations), listed(&words));
        return found(weight_of(sum, operations), evidence, lines);
    }
    let Some(failed) = run.figure(Key::Failed) else {
        let shown = run.tool.silent || run.figure(Key::Errors).is_some();
        return if shown { fine() } else { Err("how many operations failed") };
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
