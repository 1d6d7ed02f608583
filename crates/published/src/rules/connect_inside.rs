//! Connections that are opened inside the measurement.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "connect_inside",
    weight: Weight::Caution,
    threshold: "Checks whether every operation opened a connection: ab without Keep-Alive requests \
                (no -k, or a server that closed), or with fewer than 9 in 10 kept alive; pgbench \
                -C. If so, that is a caution.",
    why: "The rate is that of opening a connection and sending one request. Between servers on one \
          machine, opening takes most of the kernel's work and hides their differences. Clients \
          that keep connections see a different performance.",
    remedy: "Use ab -k, or state with the figures that each request opened a connection. The \
             reverse is true as well: with -k the figures do not apply to clients that send a \
             single request.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let keeps_alive = run.figure(Key::KeptAlive);
    match (run.tool.name, run.operations(), keeps_alive) {
        ("ab", Some(all), None) if run.figure(Key::Connections).is_some() => found(
            Weight::Caution,
            "each request opened a connection: there is no line `Keep-Alive requests`",
            [all.line],
        ),
        ("ab", Some(all), Some(kept)) if kept.value < 0.9 * all.value => {
            let text = format!(
                "only {} of {} requests used a connection that was already open",
                kept.value, all.value
            );
            found(Weight::Caution, text, [kept.line])
        }
        ("pgbench", _, _) => match run.figure(Key::ConnectMean).or(keeps_alive) {
            Some(at) => {
                found(Weight::Caution, "each transaction opened a connection (-C)", [at.line])
            }
            None => fine(),
        },
        _ => fine(),
    }
}
