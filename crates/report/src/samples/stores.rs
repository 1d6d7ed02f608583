//! Samples of stores: one that was loaded already, one that evicts, one that reports nothing.

use super::{Parts, compare, comparison, finding};
use judge::verdict::{Evicted, StoreSummary, Weight, Word};
use record::{LoadMethod, Loaded, Settled};

/// Three stores, the third of which reports nothing about itself.
pub(crate) fn stores() -> Parts {
    let mut parts = compare(&[("found", 81_000.0), ("small", 93_000.0), ("silent", 80_600.0)], 10);
    let ratios = [1.14, 1.15, 1.16, 1.15, 1.14, 1.15, 1.16, 1.14, 1.15, 1.15];
    let alike = [0.99, 1.01, 0.98, 1.0, 1.0, 0.99, 1.01, 0.97, 1.0, 0.99];
    parts.comparisons = vec![
        comparison("found", "small", Word::Faster, (1.15, 1.14, 1.16), &ratios),
        comparison("found", "silent", Word::Undecided, (0.995, 0.98, 1.01), &alike),
    ];
    let evidence = "it evicted 4120 items during the load and 37 items in the rounds";
    let remedy = "Give the store more memory.";
    parts.findings = vec![finding("evictions", Weight::Caution, Some("small"), evidence, remedy)];
    let none = Evicted { load: Some(0), before: Some(0), rounds: Some(0) };
    let held = |items, bytes, evicted, loaded| StoreSummary {
        loaded: Some(loaded),
        items: Some(items),
        bytes: Some(bytes),
        evicted,
        ..StoreSummary::default()
    };
    let some = Evicted { load: Some(4120), before: Some(0), rounds: Some(37) };
    let why = Some("it threw away 37 items since it was loaded".to_owned());
    let again = Loaded { why, ..loaded(1, LoadMethod::Written) };
    let settled = Some(Settled::Compactions { left: 0, nodes: 3, took_ns: 2_350_000_000 });
    let resumed =
        Loaded { from: 60_000, written: 40_000, settled, ..loaded(2, LoadMethod::Resumed) };
    let unreachable = Some("it did not reply in time".to_owned());
    let stores = [
        held(100_001, 9_100_000, none, loaded(0, LoadMethod::Found)),
        held(95_843, 8_700_000, some, again),
        StoreSummary { loaded: Some(resumed), unreachable, ..StoreSummary::default() },
    ];
    for (contender, store) in parts.contenders.iter_mut().zip(stores) {
        contender.store = Some(store);
    }
    parts
}

fn loaded(contender: u32, how: LoadMethod) -> Loaded {
    Loaded {
        contender,
        launch: 0,
        how,
        why: None,
        keys: 100_000,
        are_columns: false,
        from: 0,
        written: 100_000,
        failed: 0,
        ended_at: None,
        took_ns: 1_204_000_000,
        settled: None,
    }
}
