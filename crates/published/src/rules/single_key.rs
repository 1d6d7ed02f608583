//! redis-benchmark on a single key.

use super::{Check, Checked, Rule, fine, found};
use crate::key::{Key, Label};
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "single_key",
    weight: Weight::Caution,
    threshold: "redis-benchmark only: looks for -r in the command line above the output. Without \
                -r: a caution. Without a command line, which the output does not repeat: a note. PING uses no key.",
    why: "Without -r all operations use one key with a value of 3 bytes: it stays in the processor's cache, \
          nothing is evicted, and a GET may find nothing without any indication.",
    remedy: "redis-benchmark -r 100000 -d 100 or more, and show the command line.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    if run.tool.name != "redis-benchmark" || run.figure(Key::Keys).is_some() {
        return fine();
    }
    // It reads and writes nothing.
    if run.text(Label::Subject).is_some_and(|at| at.value.starts_with("PING")) {
        return fine();
    }
    match run.text(Label::Command) {
        Some(at) => found(Weight::Caution, "without -r all operations use one key", [at.line]),
        None => found(
            Weight::Note,
            "the output shows neither whether several keys were used (-r) nor whether reads found \
             values",
            [run.first],
        ),
    }
}
