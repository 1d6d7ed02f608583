//! The load of a store, in words.

use record::{LoadMethod, Loaded, Settled};
use text::shown::shown_sentence;
use text::units;

/// A message before the load begins. Returns None if there is nothing special about it.
pub fn load_begins(of: &Loaded) -> Option<String> {
    let because = of.why.as_ref().map(|why| format!(": {}", shown_sentence(why)));
    match of.how {
        LoadMethod::Found => None,
        LoadMethod::Resumed => {
            let (from, keys) = (units::count(of.from), units::count(of.keys));
            let what = what(of);
            Some(format!("an interrupted load continues at {from} of {keys} {what}"))
        }
        LoadMethod::Written => because.map(|because| format!("loaded again{because}")),
    }
}

/// `100 000 keys loaded in 1.2 s (83k/s)`.
pub fn loaded(of: &Loaded) -> String {
    let what = what(of);
    if of.keys == 0 {
        return match of.how {
            LoadMethod::Found => "its tables existed already".to_owned(),
            LoadMethod::Resumed | LoadMethod::Written => "its tables were created".to_owned(),
        };
    }
    if of.how == LoadMethod::Found {
        let keys = units::count(of.keys);
        return format!("{keys} {what} were loaded before and are unchanged");
    }
    let seconds = of.took_ns as f64 / 1e9;
    let rate = (seconds > 0.0).then(|| of.written as f64 / seconds);
    let time = format!("in {} ({})", units::seconds(Some(seconds)), units::rate(rate));
    let keys = match (of.from, of.written == of.keys - of.from.min(of.keys)) {
        (0, true) => format!("{} {what}", units::count(of.keys)),
        (from, true) => {
            format!("{} {what} from number {} on", units::count(of.written), units::count(from))
        }
        (_, false) => format!("{} of {} {what}", units::count(of.written), units::count(of.keys)),
    };
    let failed = match of.failed {
        0 => String::new(),
        n => format!("; {} not acknowledged", units::counted(n, "write")),
    };
    let ended = of.ended_at.map(|at| {
        let at = units::count(at);
        format!("; the load stopped at key {at}: the store is full, or rejects writes")
    });
    let settled = of.settled.as_ref().map(|of| format!("; {}", settled(of)));
    let (ended, settled) = (ended.unwrap_or_default(), settled.unwrap_or_default());
    format!("{keys} loaded {time}{failed}{ended}{settled}")
}

/// How the wait for the server's work after the load ended.
fn settled(of: &Settled) -> String {
    let seconds = |ns: u64| units::seconds(Some(ns as f64 / 1e9));
    match of {
        Settled::Compactions { left, nodes, took_ns } => {
            let (took, nodes) = (seconds(*took_ns), units::counted(u64::from(*nodes), "node"));
            match left {
                0 => format!("waited {took} until its compactions were done ({nodes} asked)"),
                left => {
                    let left = units::counted(*left, "compaction");
                    format!("{left} still not done after {took}, when the wait ended")
                }
            }
        }
        Settled::Cpu { why, permille, limit, took_ns } => {
            let (took, why) = (seconds(*took_ns), shown_sentence(why));
            let used = units::percent(*permille as f64 / 1e3);
            if permille <= limit {
                format!("waited {took} until its CPU was at rest ({used} of a core): {why}")
            } else {
                format!(
                    "it still used {used} of a core after {took}, when the wait ended: \
                     {why}"
                )
            }
        }
        Settled::Unseen { why } => {
            format!("did not wait for its compactions: {}", shown_sentence(why))
        }
    }
}

/// The unit of what was loaded.
fn what(of: &Loaded) -> &'static str {
    if of.are_columns { "columns" } else { "keys" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(change: impl Fn(&mut Loaded)) -> Loaded {
        let mut loaded = Loaded {
            contender: 0,
            launch: 0,
            how: LoadMethod::Written,
            why: None,
            keys: 1000,
            are_columns: false,
            from: 0,
            written: 1000,
            failed: 0,
            ended_at: None,
            took_ns: 500_000_000,
            settled: None,
        };
        change(&mut loaded);
        loaded
    }

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn a_load_is_described() {
        type Change = fn(&mut Loaded);
        let table: [(Change, &str); 6] = [
            (|_| {}, "1000 keys loaded in 500 ms (2.00 k/s)"),
            (|of| of.how = LoadMethod::Found, "1000 keys were loaded before and are unchanged"),
            (|of| (of.keys, of.written) = (0, 0), "its tables were created"),
            (
                |of| (of.how, of.from, of.written) = (LoadMethod::Resumed, 400, 600),
                "600 keys from number 400 on loaded in 500 ms (1.20 k/s)",
            ),
            (
                |of| (of.written, of.failed) = (999, 1),
                "999 of 1000 keys loaded in 500 ms (2.00 k/s); 1 write not acknowledged",
            ),
            (
                |of| (of.written, of.failed, of.ended_at) = (50, 50, Some(100)),
                "50 of 1000 keys loaded in 500 ms (100 /s); 50 writes not acknowledged; the load \
                 stopped at key 100: the store is full, or rejects writes",
            ),
        ];
        for (change, text) in table {
            assert_eq!(plain(&loaded(&written(change))), text);
        }
    }

    #[test]
    fn the_wait_after_a_load_is_described() {
        let why = || "Thrift\u{7}".to_owned();
        for (settled, text) in [
            (
                Settled::Compactions { left: 0, nodes: 3, took_ns: 1_200_000_000 },
                "waited 1.20 s until its compactions were done (3 nodes asked)",
            ),
            (
                Settled::Compactions { left: 12, nodes: 1, took_ns: 60_000_000_000 },
                "12 compactions still not done after 60.0 s, when the wait ended",
            ),
            (
                Settled::Cpu { why: why(), permille: 12, limit: 60, took_ns: 3_000_000_000 },
                "waited 3.00 s until its CPU was at rest (1.2 % of a core): Thrift\\u{7}",
            ),
            (
                Settled::Cpu { why: why(), permille: 850, limit: 60, took_ns: 60_000_000_000 },
                "it still used 85 % of a core after 60.0 s, when the wait ended: \
                 Thrift\\u{7}",
            ),
            (Settled::Unseen { why: why() }, "did not wait for its compactions: Thrift\\u{7}"),
        ] {
            let described = plain(&loaded(&written(|of| of.settled = Some(settled.clone()))));
            assert_eq!(described, format!("1000 keys loaded in 500 ms (2.00 k/s); {text}"));
        }
    }

    #[test]
    fn unusual_loads_are_announced() {
        assert_eq!(load_begins(&written(|_| {})), None);
        assert_eq!(load_begins(&written(|of| of.how = LoadMethod::Found)), None);
        let again = load_begins(&written(|of| of.why = Some("it is\u{7}".to_owned())));
        assert_eq!(again.as_deref(), Some(r"loaded again: it is\u{7}"));
        let resumed = load_begins(&written(|of| (of.how, of.from) = (LoadMethod::Resumed, 400)));
        let described = resumed.map(|described| plain(&described));
        assert_eq!(described.as_deref(), Some("an interrupted load continues at 400 of 1000 keys"));
    }
}
