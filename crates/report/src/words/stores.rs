//! What a store reported about itself, in words.

use super::load::loaded;
use judge::verdict::{Evicted, StoreSummary};
use record::{LoadMethod, Loaded};
use text::shown::{shown, shown_sentence};
use text::units;

/// One phrase for each thing that is known about it, or that is missing.
pub fn store(of: &StoreSummary) -> Vec<String> {
    let mut all: Vec<String> = of.loaded.iter().map(loaded).collect();
    let held = [
        of.items.map(|items| units::counted(items, "item")),
        of.bytes.map(|bytes| format!("{} as it reports", units::bytes(bytes))),
    ];
    let held: Vec<String> = held.into_iter().flatten().collect();
    if !held.is_empty() {
        all.push(format!("held {} at the end", held.join(", ")));
    }
    all.push(evicted(of.evicted));
    if !of.shared_with.is_empty() {
        let others: Vec<String> = of.shared_with.iter().map(shown).collect();
        all.push(format!(
            "these figures are for its whole server, which it shares with {}; its own part is not \
             known",
            others.join(", ")
        ));
    }
    if let Some(why) = &of.unreachable {
        all.push(format!("it reports nothing about itself: {}", shown_sentence(why)));
    }
    all
}

/// Whether it holds all the keys of its workload, as far as is known.
pub fn is_loaded(of: &StoreSummary) -> bool {
    let whole = |loaded: &Loaded| match loaded.how {
        LoadMethod::Found => true,
        _ => loaded.from + loaded.written >= loaded.keys,
    };
    of.loaded.as_ref().is_some_and(whole) && of.evicted.load.unwrap_or(0) == 0
}

/// `evicted 12 items in the load, none in the rounds`.
fn evicted(of: Evicted) -> String {
    let parts = [
        (of.load, "in the load"),
        (of.before, "between load and rounds"),
        (of.rounds, "in the rounds"),
    ];
    let known: Vec<(u64, &str)> =
        parts.into_iter().filter_map(|(count, when)| Some((count?, when))).collect();
    match known.as_slice() {
        [] => "whether it evicted anything is not known".to_owned(),
        known if known.iter().all(|(count, _)| *count == 0) => "evicted nothing".to_owned(),
        known => {
            let some = known.iter().filter(|(count, _)| *count > 0);
            let some =
                some.map(|(count, when)| format!("{} {when}", units::counted(*count, "item")));
            format!("evicted {}", some.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(of: &StoreSummary) -> String {
        store(of).join("; ").replace('\u{a0}', " ")
    }

    #[test]
    fn known_and_missing_figures_are_described() {
        let evicted = |load, before, rounds| Evicted { load, before, rounds };
        let mut store = StoreSummary {
            items: Some(12_345),
            bytes: Some(4_000_000),
            evicted: evicted(Some(0), Some(0), None),
            ..StoreSummary::default()
        };
        assert_eq!(
            described(&store),
            "held 12 345 items, 4 MB as it reports at the end; evicted nothing"
        );
        store.evicted = evicted(Some(3), Some(0), Some(1));
        store.bytes = None;
        assert_eq!(
            described(&store),
            "held 12 345 items at the end; evicted 3 items in the load, 1 item in the rounds"
        );
        let unreachable = StoreSummary {
            unreachable: Some("it did not reply in time\u{7}".to_owned()),
            shared_with: vec!["b\u{1b}".to_owned()],
            ..StoreSummary::default()
        };
        assert_eq!(
            described(&unreachable),
            "whether it evicted anything is not known; these figures are for its whole server, \
             which it shares with b\\u{1b}; its own part is not known; it reports nothing about \
             itself: it did not reply in time\\u{7}"
        );
    }
}
