//! Contenders that sent replies of different lengths.

use super::{Check, GroupObjection, Rule};
use crate::groups::RunGroup;
use crate::key::{At, Key};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "unequal_replies",
    weight: Weight::Void,
    threshold: "Compares the bytes of a reply's body between the contenders (ab: Document Length; \
                hey, oha: Size/request; others: bytes of all bodies ÷ operations). Any difference: \
                a caution. More than 10 %: void.",
    why: "Servers that send different pages do different work. One that sends less is faster for \
          that reason alone.",
    remedy: "Let all contenders send the same bytes: compare them with curl and cmp.",
    check: Check::All(check),
};

/// Share by which lengths may differ before a comparison is void.
const MOST: f64 = 0.1;
/// The largest number of named pairs.
const MOST_NAMED: usize = 10;

fn check(runs: &[PublishedRun], groups: &[RunGroup]) -> Vec<GroupObjection> {
    let with_length = groups.iter().filter_map(|group| {
        let run = group.runs[0];
        length(&runs[run]).filter(|at| at.value > 0.0).map(|at| (group, run, at))
    });
    let mut all = with_length;
    let Some((first, run_a, a)) = all.next() else { return Vec::new() };
    let others = all.filter(|(_, _, b)| (b.value - a.value).abs() >= 0.5);
    let found = others.take(MOST_NAMED).map(|(group, run_b, b)| {
        let difference = a.value.max(b.value) / a.value.min(b.value) - 1.0;
        GroupObjection {
            weight: if difference > MOST { Weight::Void } else { Weight::Caution },
            evidence: format!(
                "the replies of {} have {:.0} bytes, those of {} {:.0}",
                first.name, a.value, group.name, b.value
            ),
            runs: vec![run_a, run_b],
            lines: vec![(run_a, a.line), (run_b, b.line)],
        }
    });
    found.collect()
}

/// Bytes of a reply's body.
fn length(run: &PublishedRun) -> Option<At<f64>> {
    if run.tool.kind != ToolKind::Http {
        return None;
    }
    run.figure(Key::ReplyBytes).or_else(|| {
        let (bytes, operations) = run.figure(Key::BodyBytes).zip(run.operations())?;
        let each = bytes.value / operations.value;
        each.is_finite().then_some(At { value: each, line: bytes.line })
    })
}
