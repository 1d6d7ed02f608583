//! The load of a store, in words.

use crate::report::units;
use crate::shown::shown_sentence;
use record::{LoadHow, Loaded};

/// What is said before it begins; none where that is plain.
pub(crate) fn load_begins(of: &Loaded) -> Option<String> {
    let because = of.why.as_ref().map(|why| format!(": {}", shown_sentence(why)));
    match of.how {
        LoadHow::Found => None,
        LoadHow::Resumed => {
            let (from, keys) = (units::count(of.from), units::count(of.keys));
            Some(format!("a load was broken off, and goes on at {from} of {keys} keys"))
        }
        LoadHow::Written => because.map(|because| format!("loaded again{because}")),
    }
}

/// `100 000 keys loaded in 1.2 s (83k/s)`.
pub(crate) fn loaded(of: &Loaded) -> String {
    if of.how == LoadHow::Found {
        return format!("{} keys were loaded before, and are as they were", units::count(of.keys));
    }
    let seconds = of.took_ns as f64 / 1e9;
    let rate = (seconds > 0.0).then(|| of.written as f64 / seconds);
    let time = format!("in {} ({})", units::seconds(Some(seconds)), units::rate(rate));
    let keys = match (of.from, of.written == of.keys - of.from.min(of.keys)) {
        (0, true) => format!("{} keys", units::count(of.keys)),
        (from, true) => {
            format!("{} keys from {} on", units::count(of.written), units::count(from))
        }
        (_, false) => format!("{} of {} keys", units::count(of.written), units::count(of.keys)),
    };
    let failed = match of.failed {
        0 => String::new(),
        n => format!("; {} not acknowledged", units::counted(n, "write")),
    };
    let ended = of.ended_at.map(|at| {
        let at = units::count(at);
        format!("; it was given up at key {at}: the store has no room left, or takes no writes")
    });
    format!("{keys} loaded {time}{failed}{}", ended.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(change: impl Fn(&mut Loaded)) -> Loaded {
        let mut loaded = Loaded {
            contender: 0,
            launch: 0,
            how: LoadHow::Written,
            why: None,
            keys: 1000,
            from: 0,
            written: 1000,
            failed: 0,
            ended_at: None,
            took_ns: 500_000_000,
        };
        change(&mut loaded);
        loaded
    }

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn a_load_is_told_as_it_went() {
        type Change = fn(&mut Loaded);
        let table: [(Change, &str); 5] = [
            (|_| {}, "1000 keys loaded in 500 ms (2.00 k/s)"),
            (|of| of.how = LoadHow::Found, "1000 keys were loaded before, and are as they were"),
            (
                |of| (of.how, of.from, of.written) = (LoadHow::Resumed, 400, 600),
                "600 keys from 400 on loaded in 500 ms (1.20 k/s)",
            ),
            (
                |of| (of.written, of.failed) = (999, 1),
                "999 of 1000 keys loaded in 500 ms (2.00 k/s); 1 write not acknowledged",
            ),
            (
                |of| (of.written, of.failed, of.ended_at) = (50, 50, Some(100)),
                "50 of 1000 keys loaded in 500 ms (100 /s); 50 writes not acknowledged; it was given \
                 up at key 100: the store has no room left, or takes no writes",
            ),
        ];
        for (change, text) in table {
            assert_eq!(plain(&loaded(&written(change))), text);
        }
    }

    #[test]
    fn what_is_not_plain_is_told_before() {
        assert_eq!(load_begins(&written(|_| {})), None);
        assert_eq!(load_begins(&written(|of| of.how = LoadHow::Found)), None);
        let again = load_begins(&written(|of| of.why = Some("it is\u{7}".to_owned())));
        assert_eq!(again.as_deref(), Some(r"loaded again: it is\u{7}"));
        let resumed = load_begins(&written(|of| (of.how, of.from) = (LoadHow::Resumed, 400)));
        let told = resumed.map(|told| plain(&told));
        assert_eq!(told.as_deref(), Some("a load was broken off, and goes on at 400 of 1000 keys"));
    }
}
