//! The load of a store, in words.

use record::{LoadHow, Loaded, Settled};
use text::shown::shown_sentence;
use text::units;

/// What is said before it begins; none where that is plain.
pub fn load_begins(of: &Loaded) -> Option<String> {
    let because = of.why.as_ref().map(|why| format!(": {}", shown_sentence(why)));
    match of.how {
        LoadHow::Found => None,
        LoadHow::Resumed => {
            let (from, keys) = (units::count(of.from), units::count(of.keys));
            let what = what(of);
            Some(format!("a load was broken off, and goes on at {from} of {keys} {what}"))
        }
        LoadHow::Written => because.map(|because| format!("loaded again{because}")),
    }
}

/// `100 000 keys loaded in 1.2 s (83k/s)`.
pub fn loaded(of: &Loaded) -> String {
    let what = what(of);
    if of.keys == 0 {
        return match of.how {
            LoadHow::Found => "its tables were made before".to_owned(),
            LoadHow::Resumed | LoadHow::Written => "its tables were made".to_owned(),
        };
    }
    if of.how == LoadHow::Found {
        let keys = units::count(of.keys);
        return format!("{keys} {what} were loaded before, and are as they were");
    }
    let seconds = of.took_ns as f64 / 1e9;
    let rate = (seconds > 0.0).then(|| of.written as f64 / seconds);
    let time = format!("in {} ({})", units::seconds(Some(seconds)), units::rate(rate));
    let keys = match (of.from, of.written == of.keys - of.from.min(of.keys)) {
        (0, true) => format!("{} {what}", units::count(of.keys)),
        (from, true) => {
            format!("{} {what} from {} on", units::count(of.written), units::count(from))
        }
        (_, false) => format!("{} of {} {what}", units::count(of.written), units::count(of.keys)),
    };
    let failed = match of.failed {
        0 => String::new(),
        n => format!("; {} not acknowledged", units::counted(n, "write")),
    };
    let ended = of.ended_at.map(|at| {
        let at = units::count(at);
        format!("; it was given up at key {at}: the store has no room left, or takes no writes")
    });
    let settled = of.settled.as_ref().map(|of| format!("; {}", settled(of)));
    let (ended, settled) = (ended.unwrap_or_default(), settled.unwrap_or_default());
    format!("{keys} loaded {time}{failed}{ended}{settled}")
}

/// How the wait ended for the work that a load left to its server.
fn settled(of: &Settled) -> String {
    let seconds = |ns: u64| units::seconds(Some(ns as f64 / 1e9));
    match of {
        Settled::Compactions { left, nodes, took_ns } => {
            let (took, nodes) = (seconds(*took_ns), units::counted(u64::from(*nodes), "node"));
            match left {
                0 => format!("waited {took} until its compactions were done ({nodes} asked)"),
                left => {
                    let left = units::counted(*left, "compaction");
                    format!("{left} not done {took} later, and not waited for any longer")
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
                    "it used {used} of a core {took} later, and was not waited for any longer: \
                     {why}"
                )
            }
        }
        Settled::Unseen { why } => {
            format!("its compactions were not waited for: {}", shown_sentence(why))
        }
    }
}

/// What was counted.
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
            how: LoadHow::Written,
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
    fn a_load_is_told_as_it_went() {
        type Change = fn(&mut Loaded);
        let table: [(Change, &str); 6] = [
            (|_| {}, "1000 keys loaded in 500 ms (2.00 k/s)"),
            (|of| of.how = LoadHow::Found, "1000 keys were loaded before, and are as they were"),
            (|of| (of.keys, of.written) = (0, 0), "its tables were made"),
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
    fn what_was_waited_for_is_told() {
        let why = || "Thrift\u{7}".to_owned();
        for (settled, text) in [
            (
                Settled::Compactions { left: 0, nodes: 3, took_ns: 1_200_000_000 },
                "waited 1.20 s until its compactions were done (3 nodes asked)",
            ),
            (
                Settled::Compactions { left: 12, nodes: 1, took_ns: 60_000_000_000 },
                "12 compactions not done 60.0 s later, and not waited for any longer",
            ),
            (
                Settled::Cpu { why: why(), permille: 12, limit: 60, took_ns: 3_000_000_000 },
                "waited 3.00 s until its CPU was at rest (1.2 % of a core): Thrift\\u{7}",
            ),
            (
                Settled::Cpu { why: why(), permille: 850, limit: 60, took_ns: 60_000_000_000 },
                "it used 85 % of a core 60.0 s later, and was not waited for any longer: \
                 Thrift\\u{7}",
            ),
            (Settled::Unseen { why: why() }, "its compactions were not waited for: Thrift\\u{7}"),
        ] {
            let told = plain(&loaded(&written(|of| of.settled = Some(settled.clone()))));
            assert_eq!(told, format!("1000 keys loaded in 500 ms (2.00 k/s); {text}"));
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
