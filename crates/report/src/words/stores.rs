//! What a store said of itself, in words.

use super::load::loaded;
use judge::verdict::{Evicted, StoreSummary};
use record::{LoadHow, Loaded};
use text::shown::{shown, shown_sentence};
use text::units;

/// A phrase for each thing that is known of it, or is not.
pub fn store(of: &StoreSummary) -> Vec<String> {
    let mut all: Vec<String> = of.loaded.iter().map(loaded).collect();
    let held = [
        of.items.map(|items| units::counted(items, "item")),
        of.bytes.map(|bytes| format!("{} by its own account", units::bytes(bytes))),
    ];
    let held: Vec<String> = held.into_iter().flatten().collect();
    if !held.is_empty() {
        all.push(format!("held {} at the end", held.join(", ")));
    }
    all.push(evicted(of.evicted));
    if !of.shared_with.is_empty() {
        let others: Vec<String> = of.shared_with.iter().map(shown).collect();
        all.push(format!(
            "all of that is its server's, which it shares with {}: its own part is not known",
            others.join(", ")
        ));
    }
    if let Some(why) = &of.silent {
        all.push(format!("it does not tell of itself: {}", shown_sentence(why)));
    }
    all
}

/// Whether it holds all the keys of its workload, as far as it told.
pub fn is_loaded(of: &StoreSummary) -> bool {
    let whole = |loaded: &Loaded| match loaded.how {
        LoadHow::Found => true,
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

    fn told(of: &StoreSummary) -> String {
        store(of).join("; ").replace('\u{a0}', " ")
    }

    #[test]
    fn what_is_known_is_told_and_what_is_not() {
        let evicted = |load, before, rounds| Evicted { load, before, rounds };
        let mut store = StoreSummary {
            items: Some(12_345),
            bytes: Some(4_000_000),
            evicted: evicted(Some(0), Some(0), None),
            ..StoreSummary::default()
        };
        assert_eq!(
            told(&store),
            "held 12 345 items, 4 MB by its own account at the end; evicted nothing"
        );
        store.evicted = evicted(Some(3), Some(0), Some(1));
        store.bytes = None;
        assert_eq!(
            told(&store),
            "held 12 345 items at the end; evicted 3 items in the load, 1 item in the rounds"
        );
        let silent = StoreSummary {
            silent: Some("it did not reply in time\u{7}".to_owned()),
            shared_with: vec!["b\u{1b}".to_owned()],
            ..StoreSummary::default()
        };
        assert_eq!(
            told(&silent),
            "whether it evicted anything is not known; all of that is its server's, which it \
             shares with b\\u{1b}: its own part is not known; it does not tell of itself: it did \
             not reply in time\\u{7}"
        );
    }
}
