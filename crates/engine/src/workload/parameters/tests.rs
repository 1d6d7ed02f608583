use super::super::preset;
use super::*;
use crate::workload::{Argument, FeedRows, Operations};
use proptest::prelude::*;
use record::{CustomOperation, Feed, Kind, OperationText, Share, Table, Workload};

fn workload(parameters: &[&str]) -> Workload {
    let named = |(at, text): (usize, &&str)| Parameter {
        name: format!("p{at}"),
        from: text.parse().expect("a generator"),
    };
    let operation = CustomOperation {
        name: "mine".to_owned(),
        parameters: parameters.iter().enumerate().map(named).collect(),
        says: OperationText::Command(vec!["PING".to_owned()]),
    };
    let feed = |order| Feed {
        name: format!("{order:?}").to_lowercase(),
        file: "f.csv".to_owned(),
        columns: vec!["a".to_owned(), "b".to_owned()],
        rows: 3,
        order,
        hash: String::new(),
    };
    let table = |name: &str, keys_per_row| Table {
        name: name.to_owned(),
        keys_per_row,
        columns: vec![Parameter { name: "id".to_owned(), from: Generator::Key(1) }],
    };
    let custom = Custom {
        operations: vec![operation],
        setup: Vec::new(),
        tables: vec![table("accounts", 1), table("tellers", 100)],
        feeds: vec![feed(FeedOrder::Sequential), feed(FeedOrder::Uniform)],
    };
    let mix = vec![Share { kind: Kind::Custom(0), weight: 1.0 }];
    Workload { keys: 1000, prefix: "p:".to_owned(), mix, custom, ..preset("kv").expect("a preset") }
}

fn feeds() -> Feeds {
    let rows = || {
        let mut rows = FeedRows::new(2);
        ["a0", "b0", "a1", "b1", "", "b2"].iter().for_each(|cell| rows.push(cell.as_bytes()));
        rows
    };
    Feeds::new(vec![rows(), rows()])
}

/// Returns the parameters of operation `n` as text.
fn drawn(operations: &Operations, n: u64) -> Vec<Vec<u8>> {
    let mut to = Arguments::default();
    let drawn = operations.operation(n);
    operations.draw(0, &drawn, &operations.values(), &feeds(), &mut to);
    let text = |at| {
        let mut text = Vec::new();
        to.get(at).write(&mut text);
        text
    };
    (0..to.len()).map(text).collect()
}

#[test]
fn a_repeated_operation_has_its_key_and_parameters_of_its_own() {
    let parameters = ["seq(1)", "key(1)", "uniform(1, 1000000000)", "value()"];
    let operations = Operations::new(&workload(&parameters), 3).expect("sound");
    let values = |n, time, of| {
        let mut to = Arguments::default();
        let drawn = operations.operation(n).repeated(time, of);
        operations.draw(0, &drawn, &operations.values(), &feeds(), &mut to);
        let number = |at| match to.get(at) {
            Argument::Integer(number) => number,
            other => panic!("no number: {other:?}"),
        };
        (0..3).map(number).collect::<Vec<i64>>()
    };
    let once = |n| values(n, 0, 1);
    assert_eq!(once(7)[0], 8);
    assert_eq!(values(7, 0, 1)[2], values(7, 0, 10)[2], "the first time is the operation itself");
    let times: Vec<Vec<i64>> = (0..10).map(|time| values(7, time, 10)).collect();
    let each = |at: usize| times.iter().map(|of| of[at]).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(each(0), (71..81).collect(), "no number twice");
    assert_eq!(each(1), [once(7)[1]].into(), "one key");
    assert_eq!(each(2).len(), 10);
    assert!(times.iter().all(|of| of[2] != once(71)[2] && of[2] != once(8)[2]));
}

fn texts(parameter: &str, seed: u64) -> Vec<String> {
    let operations = Operations::new(&workload(&[parameter]), seed).expect("sound");
    let text = |n| String::from_utf8(drawn(&operations, n).remove(0)).expect("text");
    (0..2000).map(text).collect()
}

fn numbers(parameter: &str) -> Vec<i64> {
    texts(parameter, 1).iter().map(|text| text.parse().expect("a number")).collect()
}

#[test]
fn each_generator_makes_what_it_says() {
    let seq = numbers("seq(-2)");
    assert_eq!(seq[..4], [-2, -1, 0, 1]);
    assert!(numbers("key(1)").iter().all(|key| (1..=1000).contains(key)));
    assert!(numbers("row(tellers)").iter().all(|row| (1..=10).contains(row)));
    assert!(texts("name()", 1)[0].starts_with("p:x0"));
    let lengths: Vec<usize> = texts("text(3, 25)", 1).iter().map(String::len).collect();
    assert_eq!((lengths.iter().min(), lengths.iter().max()), (Some(&3), Some(&25)));
    for text in texts("pattern(\"x#-@\")", 1) {
        let [b'x', digit, b'-', letter] = *text.as_bytes() else { panic!("{text}") };
        assert!(digit.is_ascii_digit() && letter.is_ascii_lowercase(), "{text}");
    }
    let operations = Operations::new(&workload(&["bytes(380)", "value()"]), 1).expect("sound");
    assert_eq!(drawn(&operations, 7).iter().map(Vec::len).collect::<Vec<_>>(), [380, 32]);
    let now = numbers("now()")[0];
    assert!(now > 1_700_000_000_000, "milliseconds since 1970: {now}");
}

#[test]
fn integers_are_all_alike_whatever_the_range() {
    for (text, from, count) in [("uniform(-3, 6)", -3i64, 10usize), ("row(tellers)", 1, 10)] {
        let operations = Operations::new(&workload(&[text]), 3).expect("sound");
        let mut seen = vec![0f64; count];
        let draws = 100_000;
        for n in 0..draws {
            let text = String::from_utf8(drawn(&operations, n).remove(0)).expect("text");
            seen[(text.parse::<i64>().expect("a number") - from) as usize] += 1.0;
        }
        let expected = draws as f64 / count as f64;
        let squares: f64 = seen.iter().map(|n| (n - expected).powi(2) / expected).sum();
        assert!(squares < 9.0 + 4.0 * 18f64.sqrt(), "{text}: χ² {squares}");
    }
    // 3 · 2^62 numbers: a plain product would make a third of them twice as likely.
    let third = 1i64 << 62;
    let to = third - 1;
    let mut random = Random::new(1, 1);
    let draws = (0..30_000).map(|_| within(&mut random, i64::MIN, to));
    let low = draws.filter(|drawn| *drawn < i64::MIN + third).count();
    assert!((9_600..10_400).contains(&low), "{low}");
}

#[test]
fn zipf_gives_its_first_number_most_often() {
    let seen = numbers("zipf(5, 104, 1.2)");
    let count = |number| seen.iter().filter(|seen| **seen == number).count();
    assert!(seen.iter().all(|number| (5..=104).contains(number)));
    assert!(count(5) > 2 * count(6) && count(6) > count(12), "{} {}", count(5), count(6));
}

#[test]
fn picks_reach_all_and_feeds_keep_their_rows_together() {
    let mut picked = texts("pick(\"a\", 'b', 3)", 1);
    picked.sort();
    picked.dedup();
    assert_eq!(picked, ["3", "a", "b"]);
    assert_eq!(texts("feed(sequential, a)", 1)[..5], ["a0", "a1", "", "a0", "a1"]);
    let both = ["feed(uniform, a)", "seq()", "feed(uniform, b)"];
    let operations = Operations::new(&workload(&both), 1).expect("sound");
    let rows: std::collections::BTreeSet<_> = (0..200)
        .map(|n| drawn(&operations, n))
        .map(|all| (all[0].clone(), all[2].clone()))
        .collect();
    let row = |a: &str, b: &str| (a.as_bytes().to_vec(), b.as_bytes().to_vec());
    assert_eq!(
        rows.into_iter().collect::<Vec<_>>(),
        [row("", "b2"), row("a0", "b0"), row("a1", "b1")]
    );
}

#[test]
fn seeds_differ_and_parameters_of_one_operation_do_too() {
    assert_eq!(texts("uniform(1, 1_000_000)", 4), texts("uniform(1, 1_000_000)", 4));
    assert_ne!(texts("uniform(1, 1_000_000)", 4), texts("uniform(1, 1_000_000)", 5));
    let two = Operations::new(&workload(&["text(20)", "text(20)"]), 4).expect("sound");
    let [first, second] = &drawn(&two, 0)[..] else { panic!("two") };
    assert_ne!(first, second);
}

#[test]
fn what_cannot_be_names_its_parameter() {
    for (text, message) in [
        ("row(nowhere)", "operation `mine`: p0 = row(nowhere): there is no table `nowhere`"),
        ("parent(tellers)", "operation `mine`: p0 = parent(tellers): parent() can be used only in"),
        ("feed(x, a)", "operation `mine`: p0 = feed(\"x\", \"a\"): there is no feed `x`"),
        (
            "feed(uniform, c)",
            "operation `mine`: p0 = feed(\"uniform\", \"c\"): the feed `uniform` has no column `c`: a, b",
        ),
    ] {
        let wrong = Operations::new(&workload(&[text]), 1).expect_err(text);
        assert!(wrong.to_string().starts_with(message), "{wrong}");
    }
}

#[test]
fn rows_of_tables_are_loaded_in_turn_and_read_back() {
    let mut of = workload(&[]);
    let column = |name: &str, text: &str| Parameter {
        name: name.to_owned(),
        from: text.parse().expect("a generator"),
    };
    of.custom.tables[0].columns =
        vec![column("id", "key(1)"), column("of", "parent(tellers)"), column("c", "text(9)")];
    of.custom.tables[1].columns = vec![column("id", "key(1)")];
    assert_eq!(of.to_load(), 1010);
    let operations = Operations::new(&of, 1).expect("sound");
    assert_eq!(operations.loading(999).space, Space::Rows(0));
    assert_eq!((operations.loading(1000).space, operations.loading(1009).key), (Space::Rows(1), 9));
    let drawn = operations.loading(999);
    let mut row = Arguments::default();
    operations.draw_row(0, &drawn, &operations.values(), &mut row);
    assert_eq!((row.get(0), row.get(1)), (Argument::Integer(1000), Argument::Integer(10)));
    // With another seed, and one column alone, the result is the same.
    let later = Operations::new(&of, 9).expect("sound");
    let mut alone = Arguments::default();
    assert_eq!(later.loaded((0, 2), 999, &later.values(), &mut alone), row.get(2));
    of.custom.tables[0].columns[0] = column("id", "now()");
    assert!(
        Operations::new(&of, 1)
            .is_err_and(|why| why.to_string().contains("table `accounts`: id = now()"))
    );
}

proptest! {
    #[test]
    fn every_integer_is_within_its_ends(a in any::<i64>(), b in any::<i64>(), seed in any::<u64>()) {
        let mut random = Random::new(seed, 0);
        for _ in 0..20 {
            let drawn = within(&mut random, a.min(b), a.max(b));
            prop_assert!((a.min(b)..=a.max(b)).contains(&drawn));
        }
    }
}
