//! Operations without evidence that they were executed.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;

pub(super) const RULE: Rule = Rule {
    name: "nothing_executed",
    weight: Weight::Void,
    threshold: "Checks the operations, the queries that sysbench counts, and the rows per second \
                that cassandra-stress counts. 0 of any of them, or a rate of 0 that is not a rounded one: void. A rate of rows below nine \
                tenths of the rate of operations: a caution.",
    why: "A client that prepares a statement and never executes it, or reads rows that do not \
          exist, is fast.",
    remedy: "Load the data first, and check the database's own counters (pg_stat_database, \
             nodetool tablestats) before and after the run.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    for (key, what) in [
        (Key::Operations, "no operation ended"),
        (Key::Rate, "the rate is 0"),
        (Key::Queries, "no query was executed"),
        (Key::Rows, "no row was read or written"),
    ] {
        if let Some(at) = run.figure(key).filter(|at| at.value == 0.0) {
            return found(Weight::Void, what, [at.line]);
        }
    }
    match run.figure(Key::Rows).zip(run.figure(Key::Rate)) {
        Some((rows, rate)) if rows.value < 0.9 * rate.value => {
            let text =
                format!("{} rows per second for {} operations per second", rows.value, rate.value);
            found(Weight::Caution, text, [rows.line, rate.line])
        }
        _ => fine(),
    }
}
