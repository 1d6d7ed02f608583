//! pgbench with fewer branches than clients.

use super::{Check, Checked, Rule, fine, found};
use crate::key::{Key, Label};
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "row_locks",
    weight: Weight::Caution,
    threshold: "pgbench's own TPC-B: compares the scale with the number of clients. A smaller \
                scale is a caution.",
    why: "Every transaction updates one of the branch rows, whose number is the scale. With fewer \
          rows than clients, clients wait for each other's row locks, and these waits are \
          measured.",
    remedy: "pgbench -i -s with at least the number of clients, or -N or -S, which do not update \
             branches.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let is_tpcb = run.text(Label::Subject).is_some_and(|at| at.value.contains("TPC-B"));
    if run.tool.name != "pgbench" || !is_tpcb {
        return fine();
    }
    let (Some(scale), Some(clients)) = (run.figure(Key::Scale), run.connections()) else {
        return Err("scale and clients");
    };
    if scale.value >= clients.value {
        return fine();
    }
    let text = format!("{} clients update {} branch rows", clients.value, scale.value);
    found(Weight::Caution, text, [scale.line, clients.line])
}
