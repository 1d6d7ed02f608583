//! Output that is cut, changed, mixed or made to be slow: no figure is made up, nothing panics, and every input ends.

use figures::{Kind, Printed, Read, read};
use proptest::prelude::*;

const ALL: &[&[u8]] = &[
    include_bytes!("data/criterion.txt"),
    include_bytes!("data/criterion/fib 20/new/estimates.json"),
    include_bytes!("data/cargo-criterion.json"),
    include_bytes!("data/libtest.txt"),
    include_bytes!("data/go.txt"),
    include_bytes!("data/google-benchmark-repeated.txt"),
    include_bytes!("data/google-benchmark-aggregates.json"),
    include_bytes!("data/pytest-benchmark.json"),
    include_bytes!("data/pytest-benchmark.txt"),
    include_bytes!("data/pytest-benchmark-compared.txt"),
    include_bytes!("data/jmh.json"),
    include_bytes!("data/jmh.txt"),
    include_bytes!("data/hyperfine.json"),
    include_bytes!("data/hyperfine.txt"),
    include_bytes!("data/catch2.xml"),
    include_bytes!("data/catch2.txt"),
    include_bytes!("data/catch2-no-analysis.txt"),
    include_bytes!("data/nanobench-unstable.txt"),
    include_bytes!("data/nanobench.json"),
    include_bytes!("data/benchmarkjs.txt"),
    include_bytes!("data/tinybench.txt"),
    include_bytes!("data/tinybench-2.json"),
    include_bytes!("data/mitata.txt"),
    include_bytes!("data/mitata.json"),
];

/// All kinds, a pattern, and none.
fn kinds() -> Vec<Option<Kind>> {
    let pattern = Kind::pattern(r"(?<name>\w+)\W+(?<number>[0-9.,e+-]+) *(?<unit>\S*)", None, None);
    let named = Kind::NAMES.iter().map(|name| Kind::named(name));
    named.chain([None, Some(pattern.expect("a pattern"))]).collect()
}

fn check(output: &[Printed<'_>]) {
    check_kinds(&kinds(), output);
}

/// Whatever is read is usable, each name is there once, and an error is a sentence.
fn check_kinds(kinds: &[Option<Kind>], output: &[Printed<'_>]) {
    for kind in kinds {
        match read(kind.as_ref(), output) {
            Ok(Read { figures: cases, .. }) => {
                let mut names: Vec<&str> = cases.iter().map(|of| of.case.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), cases.len());
                assert!((1..=record::figures::MOST_CASES).contains(&cases.len()));
                assert!(
                    cases
                        .iter()
                        .all(|of| of.value.is_finite() && of.value > 0.0 && !of.case.is_empty())
                );
                let words =
                    kind.iter().flat_map(|kind| cases.iter().map(|of| kind.one_case(&of.case)));
                words.for_each(drop);
            }
            Err(sentence) => {
                assert!(sentence.contains("; ") || sentence.contains(": "), "{sentence}")
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cut_and_changed_output_is_read(
        which in 0..ALL.len(),
        cut in 0.0..1.0f64,
        changes in proptest::collection::vec((0.0..1.0f64, any::<u8>()), 0..6),
    ) {
        let mut bytes = ALL[which].to_vec();
        let at = |share: f64, length: usize| (share * length as f64) as usize;
        for (share, byte) in changes {
            let at = at(share, bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(at(cut, bytes.len() + 1));
        for path in ["", "a/new/estimates.json"] {
            let name = Printed { path: "a/new/benchmark.json", bytes: b"{\"full_id\": \"a\"}" };
            check(&[Printed { path, bytes: &bytes }, name]);
        }
    }

    #[test]
    fn mixed_output_is_read(parts in proptest::collection::vec((0..ALL.len(), 0.0..1.0f64), 1..6)) {
        let mut mixed = Vec::new();
        for (which, share) in parts {
            let at = (share * ALL[which].len() as f64) as usize;
            mixed.extend_from_slice(&ALL[which][at..(at + 400).min(ALL[which].len())]);
        }
        check(&[Printed { path: "", bytes: &mixed }]);
    }

    #[test]
    fn any_words_of_the_tools_are_read(
        text in r#"(Benchmark|test |time: \[|\n|\r|  | x | ops/sec ±|/iter|1,234|0|\.5|-{45}|benchmark name |Name \(time in ns\)|Mode|Units|│|'|\| |`|err%|/s|<|>|="|<mean value="1"|ns|%|\(|\)|\{|\[|"|:|,|é|\x00){0,60}"#,
    ) {
        check(&[Printed { path: "", bytes: text.as_bytes() }]);
    }
}

#[test]
fn control_characters_and_other_bytes_stay_in_names() {
    let go = Kind::named("go").expect("a kind");
    let bytes = b"BenchmarkA\x01\xff/\x7f  10  5 ns/op\n";
    let read = read(Some(&go), &[Printed { path: "", bytes }]).expect("figures");
    assert_eq!(read.figures[0].case, "BenchmarkA\u{1}\u{fffd}/\u{7f}");
}

/// A reader whose work grew with the square of such a length would take minutes.
#[test]
fn long_lines_and_many_lines_end() {
    const LENGTH: usize = 1 << 16;
    let long = "a".repeat(LENGTH);
    let filled = |unit: &str| unit.repeat(LENGTH / unit.len());
    let long_context = [
        format!("{long}\n{}", filled(" time: [1 ns 2 ns 3 ns]\n")),
        format!("pkg: {long}\n{}", filled("BenchmarkA 1 2 ns/op\n")),
        format!(
            "--- benchmark '{long}': 1 tests ---\n{}",
            filled("Name (time in ns) Mean\na 1\n\n")
        ),
        format!(
            "Benchmark {} Mode Cnt Score Units\n{}",
            filled("(a) "),
            filled("a 1 avgt 1 ns/op\n")
        ),
        format!("| ns/op | op/s | err% | {long}\n{}", filled("| 1 | 1 | 1 | `a`\n")),
        format!("│ 'Task name' │ 'Latency med (ns)' │ {long}\n{}", filled("│ 'a' │ 1 │\n")),
        format!("benchmark (min … max)\n• {long}\n{}", filled("a 1 ns/iter\n")),
        format!("Benchmark 1: {long}\n{}", filled("Time (a): 1 ns\nBenchmark 1: a\n")),
        format!(
            "<Section name=\"{long}\">{}",
            filled("<BenchmarkResults name=\"a\"><mean value=\"1\"/>")
        ),
    ];
    let units = [
        "a",
        " ",
        "\u{1b}[",
        "│'",
        "│ 'Task name' ",
        "='\"",
        "=\"",
        "<Section name=\"a\">",
        "<BenchmarkResults ",
        "{",
        "[",
        "[\n",
        "{\"a\":",
        "[INFO]\n",
        "\"",
        "1,",
        "( ",
        " x 1 ops/sec ±",
        "/iter ",
        "Benchmark ",
        "`|",
        "1 ns 1 ns 1 ",
        "-",
        "---\n",
        "time: [",
        "test  ... bench:",
        "&",
        "\r",
        "name a_mean",
    ];
    // Without a kind all of them read it.
    let all_at_once = &kinds()[Kind::NAMES.len()..];
    let check =
        |text: &str| check_kinds(all_at_once, &[Printed { path: "", bytes: text.as_bytes() }]);
    long_context.iter().for_each(|text| check(text));
    units.iter().for_each(|unit| check(&filled(unit)));
    for unit in units {
        let filled = filled(unit);
        check(&format!("│ 'Task name' {filled}\nBenchmark Time CPU Iterations\n{filled}"));
    }
}
