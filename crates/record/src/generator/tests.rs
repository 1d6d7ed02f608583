use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Generator, GeneratorError> {
    text.parse()
}

#[test]
fn written_generators_are_read_back() {
    let lengths = |from, to| Lengths { from, to };
    let text = |of: &str| Picked::Text(of.to_owned());
    for (written, wanted) in [
        ("uniform(1, 5_000_000)", Generator::Uniform { from: 1, to: 5_000_000 }),
        (" uniform ( -5 ,5 ) ", Generator::Uniform { from: -5, to: 5 }),
        ("zipf(1000, 0.99)", Generator::Zipf { from: 1, to: 1000, theta: 0.99 }),
        ("zipf(5, 9, 1)", Generator::Zipf { from: 5, to: 9, theta: 1.0 }),
        ("seq()", Generator::Seq(0)),
        ("seq(7)", Generator::Seq(7)),
        ("bytes(380)", Generator::Bytes(lengths(380, 380))),
        ("text(5, 20)", Generator::Text(lengths(5, 20))),
        ("pattern('##-@@')", Generator::Pattern("##-@@".to_owned())),
        ("now()", Generator::Now),
        (
            "pick(\"a, b\", 'it''s', -3)",
            Generator::Pick(vec![text("a, b"), text("it's"), Picked::Integer(-3)]),
        ),
        ("key(1)", Generator::Key(1)),
        ("name()", Generator::Name),
        ("value()", Generator::Value),
        ("row(tellers)", Generator::Row("tellers".to_owned())),
        ("parent(branches)", Generator::Parent("branches".to_owned())),
        (
            "feed(users, 'e mail')",
            Generator::Feed { feed: "users".to_owned(), column: "e mail".to_owned() },
        ),
    ] {
        assert_eq!(read(written).as_ref(), Ok(&wanted), "{written}");
    }
}

#[test]
fn errors_say_what_is_expected() {
    for (written, expected) in [
        ("uniform", "`uniform` is not a generator; use one of uniform(1, 5_000_000), zipf("),
        ("unifrom(1, 2)", "`unifrom(1, 2)` is not a generator; use one of uniform("),
        ("uniform(1, 2", "`uniform(1, 2` must end in `)`"),
        ("uniform(1)", "`uniform(1)`: write two whole numbers: uniform(1, 5_000_000)"),
        (
            "uniform(9, 1)",
            "`uniform(9, 1)`: the first number must not be above the second (9 to 1)",
        ),
        ("uniform(1, 2.5)", "`uniform(1, 2.5)`: write two whole numbers"),
        ("uniform(1 2)", "`uniform(1 2)`: `1 2` is not a number"),
        ("uniform(1,)", "`uniform(1,)`: an argument is missing after the last comma"),
        ("zipf(9)", "`zipf(9)`: write zipf(1000, 0.99) or zipf(1, 1000, 0.99)"),
        ("zipf(9, 0)", "`zipf(9, 0)`: θ must be above 0 and at most 10, not 0"),
        (
            "zipf(-9223372036854775807, 9, 1)",
            "`zipf(-9223372036854775807, 9, 1)`: the range must not have more",
        ),
        ("bytes(-1)", "`bytes(-1)`: the length must be from 0 to 16777216 bytes"),
        ("bytes(99_999_999)", "`bytes(99_999_999)`: the length must be from 0 to"),
        ("bytes()", "`bytes()`: write bytes(380) or bytes(10, 400)"),
        ("pick()", "`pick()`: write texts in quotes, or whole numbers"),
        ("pick(a)", "`pick(a)`: write texts in quotes"),
        ("pick('a' 'b')", "`pick('a' 'b')`: a comma is missing before `'b'`"),
        ("pick('a)", "`pick('a)`: a quote is not closed"),
        ("now(1)", "`now(1)`: write now()"),
        ("pattern(3)", "`pattern(3)`: write # for a digit and @ for a letter"),
        ("row(a b)", "`row(a b)`: `a b` is neither a number nor a quoted text"),
    ] {
        let wrong = read(written).expect_err(written).to_string();
        assert!(wrong.starts_with(expected), "{written}: {wrong}");
    }
}

fn any_generator() -> impl Strategy<Value = Generator> {
    let ordered = || (any::<i64>(), any::<i64>()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let lengths =
        || (0u32..5000, 0u32..5000).prop_map(|(a, more)| Lengths { from: a, to: a + more });
    let picked =
        prop_oneof![any::<i64>().prop_map(Picked::Integer), any::<String>().prop_map(Picked::Text)];
    prop_oneof![
        ordered().prop_map(|(from, to)| Generator::Uniform { from, to }),
        (-1000i64..1000, 0i64..1 << 40, 0.001f64..10.0)
            .prop_map(|(from, more, theta)| { Generator::Zipf { from, to: from + more, theta } }),
        any::<i64>().prop_map(Generator::Seq),
        lengths().prop_map(Generator::Bytes),
        lengths().prop_map(Generator::Text),
        any::<String>().prop_map(Generator::Pattern),
        Just(Generator::Now),
        prop::collection::vec(picked, 1..9).prop_map(Generator::Pick),
        any::<i64>().prop_map(Generator::Key),
        "[a-z_]{1,9}".prop_map(Generator::Row),
        (any::<String>(), any::<String>())
            .prop_map(|(feed, column)| Generator::Feed { feed, column }),
    ]
}

proptest! {
    #[test]
    fn the_journal_gives_back_what_was_asked(of in any_generator()) {
        let line = serde_json::to_string(&of).expect("it can be written");
        prop_assert_eq!(serde_json::from_str::<Generator>(&line).expect("and read"), of);
    }

    #[test]
    fn no_text_panics(text in "[a-z]{0,8}\\(?[-0-9a-z_.,'\" #)]{0,30}") {
        let _ = text.parse::<Generator>();
    }
}
