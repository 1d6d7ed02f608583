//! Bytes of the target that belong to no request.

use super::{Evidence, Rule, non_success::MOST};
use crate::evidence::Part;
use crate::verdict::{Finding, Weight};
use text::units;

/// A larger share of connections on which the target spoke first voids the run.
const MOST_CONNECTIONS: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    name: "unasked_bytes",
    short: "the target sent bytes that nobody asked for",
    hint: "look at its replies (curl -i)",
    weight: Weight::Void,
    threshold: "Counts the operations of all rounds on connections on which the target then sent bytes \
                that belong to no request, and the connections on which it sent bytes before any. At \
                least one: a caution. More than 1 in 1000 operations, or 1 in 10 connections: void.",
    why: "A second reply, a body that is longer than its length, or a reply before the request is read \
          as the reply to the next request on the connection. Replies then come sooner than the work is \
          done, and belong to other requests.",
    remedy: "Look at a reply with curl -i, and at what follows it on the connection: a body that does \
             not match its Content-Length, or a handler that answers twice.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let wholes = evidence.wholes();
    let first = wholes.filter_map(|part| spoken_first(&part));
    evidence.parts_and_requests().iter().filter_map(finding).chain(first).collect()
}

fn finding(part: &Part<'_>) -> Option<Finding> {
    let (some, total) = (part.driven.unasked, part.driven.outcomes.total());
    let operations = units::show_counted(total, "operation");
    RULE.about_share(part, (some, total), MOST, |share| {
        format!(
            "bytes that belong to no request came on connections with {some} of {operations} \
             ({share})"
        )
    })
}

/// Bytes before a request are read as its reply, and each later reply as that to the next request.
fn spoken_first(part: &Part<'_>) -> Option<Finding> {
    let connections = &part.driven.connections;
    let (some, total) = (connections.spoken_first, connections.opened);
    let opened = units::show_counted(total, "connection");
    RULE.about_share(part, (some, total), MOST_CONNECTIONS, |share| {
        format!("bytes came before any request on {some} of {opened} ({share})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn one_in_a_thousand_is_the_limit() {
        let with = |unasked: u64| {
            let mut run = SampleRun::compare(4).with_operations(1000);
            run.each_seen("b", |round, seen| seen.unasked = if round == 1 { unasked } else { 0 });
            run
        };
        assert_eq!(weights(&with(0), RULE.name), []);
        assert_eq!(weights(&with(4), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with(5), RULE.name), [Weight::Void]);
        let found = with(5).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        let expected = "bytes that belong to no request came on connections with 5 of 4000 operations \
                        (0.125 %)";
        assert_eq!(found[0].evidence, expected);
    }

    #[test]
    fn a_target_that_speaks_first_is_void() {
        let with = |spoken: u64| {
            let mut run = SampleRun::compare(4).with_operations(1000);
            run.each_seen("b", |_, seen| {
                (seen.connections.opened, seen.connections.spoken_first) = (10, spoken);
            });
            run
        };
        assert_eq!(weights(&with(0), RULE.name), []);
        assert_eq!(weights(&with(1), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with(2), RULE.name), [Weight::Void]);
        let seen = &with(2).findings(RULE.name)[0].evidence;
        assert_eq!(seen, "bytes came before any request on 8 of 40 connections (20 %)");
    }
}
