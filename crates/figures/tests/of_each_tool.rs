//! What real tools printed: the exact figures of all cases, with the kind named and without.

use figures::{Kind, Printed, Read, read};
use std::collections::BTreeSet;

/// The output of one run of a tool.
struct Output {
    file: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    /// Each case, its figure and its unit, `↑` if a larger figure is better; then those that failed.
    figures: &'static [&'static str],
}

/// An output that is one file.
macro_rules! output {
    ($kind:literal, $file:literal, $figures:expr) => {
        Output {
            file: $file,
            kind: $kind,
            bytes: include_bytes!(concat!("data/", $file)),
            figures: $figures,
        }
    };
}

const OUTPUTS: &[Output] = &[
    output!(
        "criterion",
        "criterion.txt",
        &[
            "fib 20: 13.668 ns",
            "parse/sum/1000: 956 ns",
            "parse/sum/100000: 67283 ns",
            "parse/a name that is so long that criterion breaks the line, <b>: 39.233 ns",
            "parse/flat: 1064800 ns"
        ]
    ),
    output!(
        "cargo-criterion",
        "cargo-criterion.json",
        &[
            "fib 20: 8.879140998831996 ns",
            "parse/sum/1000: 351.50538247213774 ns",
            "parse/sum/100000: 92672.3113790971 ns",
            "parse/a name that is so long that criterion breaks the line, <b>: 29.231534565748483 ns",
            "parse/flat: 1538748.3793103448 ns"
        ]
    ),
    output!(
        "libtest",
        "libtest.txt",
        &[
            "large: 1090595 ns",
            "small: 16 ns",
            "sums::large: 94824.23 ns",
            "sums::nothing: 0.28 ns",
            "sums::small: 3.79 ns"
        ]
    ),
    output!(
        "go",
        "go.txt",
        &[
            "BenchmarkSum/size=10-2 (sample): 19.07 ns",
            "BenchmarkSum/size=10-2-2 (sample): 1470 ns",
            "BenchmarkSum/with_spaces-2 (sample): 100.6 ns",
            "BenchmarkAlloc-2 (sample): 1003 ns",
            "BenchmarkCustom-2 (sample, ops/s): 1204848 ops/s ↑",
            "BenchmarkCustom-2 (sample, p99-ns): 12.5 p99-ns",
            "BenchmarkZero-2 (sample): 0.0000011 ns",
            "BenchmarkLogs-2 (sample): 3.806 ns",
            "BenchmarkAlloc-2 (inner): 11.73 ns"
        ]
    ),
    output!(
        "google-benchmark",
        "google-benchmark.txt",
        &[
            "BM_Sum/8: 2.46 ns",
            "BM_Sum/4096: 1521 ns",
            "BM_Sum_mean/64: 33 ns",
            "BM_Sort/64/real_time/threads:2: 20.6 ns",
            "BM_Sort/512/real_time/threads:2: 164 ns",
            "BM_Fails: failed"
        ]
    ),
    output!(
        "google-benchmark",
        "google-benchmark-repeated.txt",
        &[
            "BM_Sum/8: 2.55 ns",
            "BM_Sum/4096: 4526 ns",
            "BM_Sum_mean/64: 71 ns",
            "BM_Sort/64/real_time/threads:2: 15.2 ns",
            "BM_Sort/512/real_time/threads:2: 155 ns",
            "BM_Fails: failed"
        ]
    ),
    output!(
        "google-benchmark",
        "google-benchmark.json",
        &[
            "BM_Sum/8: 10.034952896937064 ns",
            "BM_Sum/4096: 4562.458734187367 ns",
            "BM_Sum_mean/64: 59.83506228198172 ns",
            "BM_Sort/64/real_time/threads:2: 54.85229490839073 ns",
            "BM_Sort/512/real_time/threads:2: 119.7780347088931 ns",
            "BM_Fails: failed"
        ]
    ),
    output!(
        "google-benchmark",
        "google-benchmark-aggregates.json",
        &[
            "BM_Sum/8: 8.706661911720014 ns",
            "BM_Sum/4096: 2761.295299272024 ns",
            "BM_Sum_mean/64: 98.65837000688771 ns",
            "BM_Sort/64/real_time/threads:2: 69.73107874550588 ns",
            "BM_Sort/512/real_time/threads:2: 160.20840207001694 ns",
            "BM_Fails: failed"
        ]
    ),
    output!(
        "pytest-benchmark",
        "pytest-benchmark.json",
        &[
            "sub/test_more.py::test_small: 525.6800068309531 ns",
            "test_sums.py::test_small: 197.38999981200323 ns",
            "test_sums.py::test_sizes[1000]: 10374.998964834958 ns",
            "test_sums.py::test_sizes[100000]: 1216906.9996161852 ns",
            "test_sums.py::test_text[a b]: 54.890999308554456 ns",
            "test_sums.py::test_text[[x]::y]: 55.7529992875061 ns"
        ]
    ),
    output!(
        "pytest-benchmark",
        "pytest-benchmark.txt",
        &[
            "test_sums.py::test_small: 199.7 ns",
            "sub/test_more.py::test_small: 521.87 ns",
            "test_sums.py::test_sizes[1000]: 10576.0009 ns",
            "test_sums.py::test_sizes[100000]: 1224609.0009 ns",
            "test_sums.py::test_text[[x]::y]: 55.993 ns",
            "test_sums.py::test_text[a b]: 58.887 ns"
        ]
    ),
    output!(
        "jmh",
        "jmh.json",
        &[
            "org.sample.Others.pair (thrpt): 227856898.94510543 ops/s ↑",
            "org.sample.Sums.twice size=10 (thrpt): 25760690.847906593 ops/s ↑",
            "org.sample.Sums.twice size=10000 (thrpt): 60815.18856732107 ops/s ↑",
            "org.sample.Others.tiny (avgt): 4.542660107691345 ns",
            "org.sample.Sums.twice size=10 (avgt): 96.8083817385469 ns",
            "org.sample.Sums.twice size=10000 (avgt): 52034.24796747967 ns",
            "org.sample.Sums.sampled size=10 (sample): 30 ns",
            "org.sample.Sums.sampled size=10000 (sample): 8240 ns",
            "org.sample.Others.once (ss): 1993 ns"
        ]
    ),
    output!(
        "jmh",
        "jmh.txt",
        &[
            "Others.pair (thrpt): 236116758 ops/s ↑",
            "Sums.twice size=10 (thrpt): 29810000 ops/s ↑",
            "Sums.twice size=10000 (thrpt): 60000 ops/s ↑",
            "Sums.twice size=10 (avgt): 80 ns",
            "Sums.twice size=10000 (avgt): 51331 ns",
            "Sums.sampled size=10 (sample): 30 ns",
            "Sums.sampled size=10000 (sample): 8240 ns",
            "Others.once (ss): 2000 ns"
        ]
    ),
    output!(
        "jmh",
        "jmh-gc.txt",
        &[
            "Others.pair (thrpt): 34187777 ops/s ↑",
            "Sums.twice size=10 (thrpt): 44351000 ops/s ↑",
            "Sums.twice size=10000 (thrpt): 75000 ops/s ↑",
            "Sums.twice size=10 (avgt): 19 ns",
            "Sums.twice size=10000 (avgt): 31370 ns",
            "Sums.sampled size=10 (sample): 30 ns",
            "Sums.sampled size=10000 (sample): 8400 ns",
            "Others.once (ss): 4000 ns"
        ]
    ),
    output!(
        "hyperfine",
        "hyperfine.json",
        &["sleep 0.001 (n=0.001): 9451418 ns", "sleep 0.003 (n=0.003): 8013197.000000002 ns"]
    ),
    output!(
        "hyperfine",
        "hyperfine-named.json",
        &["zz (n=0.001): 648721.9800000008 ns", "zz (n=0.003): 7649135.98 ns"]
    ),
    output!(
        "hyperfine",
        "hyperfine.txt",
        &["sleep 0.001: 12600000 ns", "sleep 0.003: 8300000.000000001 ns"]
    ),
    output!(
        "catch2",
        "catch2.xml",
        &[
            "small (sums): 6.49779 ns",
            "sum of a hundred thousand numbers, which has a very long name (sums / large & <slow>): 54134.4 ns",
            "small (sums / large & <slow>): 12.1824 ns",
            "small (others): 18.1364 ns",
            "throws (sums / fails): failed"
        ]
    ),
    output!(
        "catch2",
        "catch2.txt",
        &[
            "small (sums): 6.484845 ns",
            "sum of a hundred thousand numbers, which has a very long name (sums / large & <slow>): 54093 ns",
            "small (sums / large & <slow>): 12.158 ns",
            "small (others): 18.1128 ns",
            "throws (sums / fails): failed"
        ]
    ),
    output!(
        "catch2",
        "catch2-no-analysis.txt",
        &[
            "small (sums): 6.503165 ns",
            "sum of a hundred thousand numbers, which has a very long name (sums / large & <slow>): 54134.4 ns",
            "small (sums / large & <slow>): 11.9037 ns",
            "small (others): 18.138 ns",
            "throws (sums / fails): failed"
        ]
    ),
    output!(
        "nanobench",
        "nanobench.txt",
        &[
            "sum of | all (sums): 0.07 ns/byte",
            "mul (others): 0.54 ns",
            "sum (others): 1122.35 ns",
            "slow: 230000 ns"
        ]
    ),
    output!("nanobench", "nanobench-unstable.txt", &["ever `more` (unsteady): 16794.5 ns"]),
    output!(
        "nanobench",
        "nanobench.json",
        &["mul (others): 0.5417890423873241 ns", "sum (others): 1122.3488372093 ns"]
    ),
    output!(
        "nanobench",
        "nanobench-bytes.json",
        &["sum of | all (sums): 0.06853790283203125 ns/byte"]
    ),
    output!(
        "benchmarkjs",
        "benchmarkjs.txt",
        &["RegExp#test: 22509943 ops/s ↑", "String x 2: 438761957 ops/s ↑", "slow: 150 ops/s ↑"]
    ),
    output!(
        "tinybench",
        "tinybench.txt",
        &["sort: 120 ns", "a │ b's <name>: 81241 ns", "fails: failed"]
    ),
    output!(
        "tinybench",
        "tinybench.json",
        &["sort: 130 ns", "a │ b's <name>: 81260 ns", "fails: failed"]
    ),
    output!(
        "tinybench",
        "tinybench-2.txt",
        &["sort: 368.12932319754685 ns", "a │ b's <name>: 2127172.399999972 ns"]
    ),
    output!(
        "tinybench",
        "tinybench-2.json",
        &["sort: 2877.3928608489355 ns", "a │ b's <name>: 555167.7894736817 ns"]
    ),
    output!(
        "mitata",
        "mitata.txt",
        &[
            "sort: 331.75 ns",
            "join 1: 435.89 ns",
            "join 1000: 140290 ns",
            "a name that is much longer than the column (grouped <x>): 2069999.9999999998 ns",
            "fails (grouped <x>): failed"
        ]
    ),
    output!("mitata", "mitata-0.1.txt", &["sort: 388 ns", "a b (grouped): 2971000 ns"]),
    output!(
        "mitata",
        "mitata.json",
        &[
            "sort: 101.05322265625 ns",
            "join 1: 186.488037109375 ns",
            "join 1000: 183799.43041992188 ns",
            "sort (grouped <x>): 829431 ns",
            "fails (grouped <x>): failed"
        ]
    ),
];

/// The cases of `data/criterion`.
const CRITERION_DIRECTORY: [&str; 2] =
    ["fib 20: 12.433071909587945 ns", "parse/sum/1000: 541.3007783543366 ns"];

fn figures(kind: Option<&str>, output: &[Printed<'_>]) -> Vec<String> {
    let kind = kind.map(|name| Kind::named(name).expect("a kind"));
    let Read { figures, failed } = read(kind.as_ref(), output).expect("figures");
    let of = |case: record::CaseFigure| {
        let arrow = if case.larger_is_better { " ↑" } else { "" };
        format!("{}: {} {}{arrow}", case.case, case.value, case.unit)
    };
    let failed = failed.into_iter().map(|name| format!("{name}: failed"));
    figures.into_iter().map(of).chain(failed).collect()
}

fn printed(bytes: &[u8]) -> [Printed<'_>; 1] {
    [Printed { path: "", bytes }]
}

fn error(kind: Option<&str>, output: &[Printed<'_>]) -> String {
    let kind = kind.map(|name| Kind::named(name).expect("a kind"));
    read(kind.as_ref(), output).expect_err("no figures")
}

#[test]
fn the_figures_are_those_that_the_tool_printed() {
    for Output { file, kind, bytes, figures: expected } in OUTPUTS {
        assert_eq!(figures(Some(kind), &printed(bytes)), *expected, "{file}");
    }
    let tested: BTreeSet<&str> = OUTPUTS.iter().map(|output| output.kind).collect();
    assert_eq!(tested, Kind::NAMES.iter().copied().collect());
}

#[test]
fn the_kind_is_found_by_looking_at_the_output() {
    for Output { file, kind, bytes, figures: expected } in OUTPUTS {
        assert_eq!(figures(None, &printed(bytes)), *expected, "{file}");
        for other in Kind::NAMES.iter().filter(|name| *name != kind) {
            let error = error(Some(other), &printed(bytes));
            let expected =
                format!("has no usable figure of {other}, but of {kind}; name that kind");
            assert!(error.contains(&expected), "{file}: {error}");
        }
    }
}

#[test]
fn line_ends_colours_and_lines_around_it_change_nothing() {
    for Output { file, bytes, figures: expected, .. } in OUTPUTS {
        let text = std::str::from_utf8(bytes).expect("text");
        let windows = text.replace('\n', "\r\n");
        let around = format!("> sample@1.0.0 bench\n> node bench.js\n\n{text}\ndone in 3 s\n");
        let mut wrapped = vec![windows, around];
        if !file.ends_with(".json") && !file.ends_with(".xml") {
            wrapped.push(text.lines().map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect());
        }
        for text in wrapped {
            assert_eq!(figures(None, &printed(text.as_bytes())), *expected, "{file}");
        }
    }
}

/// The directory that criterion wrote, in any order.
fn criterion_directory() -> Vec<Printed<'static>> {
    macro_rules! file {
        ($path:literal) => {
            Printed { path: $path, bytes: include_bytes!(concat!("data/criterion/", $path)) }
        };
    }
    vec![
        file!("fib 20/new/benchmark.json"),
        file!("fib 20/new/estimates.json"),
        file!("parse/sum/1000/base/benchmark.json"),
        file!("parse/sum/1000/base/estimates.json"),
        file!("parse/sum/1000/new/estimates.json"),
        file!("parse/sum/1000/new/benchmark.json"),
    ]
}

#[test]
fn a_name_that_is_no_repeat_is_an_error_with_the_remedy() {
    let libtest = include_str!("data/libtest.txt").replace("sums::", "");
    let programs = error(None, &printed(libtest.as_bytes()));
    assert!(programs.contains("two cases with the name `large`; run one benchmark"), "{programs}");
    assert!(programs.contains("`cargo bench --bench NAME`"), "{programs}");
    let hyperfine = include_str!("data/hyperfine.txt").replace("0.003", "0.001");
    let commands = error(None, &printed(hyperfine.as_bytes()));
    assert!(
        commands.ends_with(
            "two cases with the name `sleep 0.001`; give one another name with --command-name"
        ),
        "{commands}"
    );
    let go = include_str!("data/go.txt").replace("example.com/sample/inner", "other.com/sample");
    let packages = error(None, &printed(go.as_bytes()));
    assert!(
        packages
            .starts_with("two packages called `sample` have the benchmark `BenchmarkAlloc-2`; let"),
        "{packages}"
    );
}

#[test]
fn a_case_keeps_its_name_when_others_are_added() {
    let one = "pkg: example.com/a\nBenchmarkX-2 1 5 ns/op\n";
    let more = "pkg: example.com/a\nBenchmarkX-2 1 5 ns/op 7 rows/s\npkg: example.com/b\nBenchmarkX-2 1 6 ns/op\n";
    let old = figures(Some("go"), &printed(one.as_bytes()));
    assert_eq!(old, ["BenchmarkX-2 (a): 5 ns"]);
    let new = figures(Some("go"), &printed(more.as_bytes()));
    assert_eq!(
        new,
        [
            "BenchmarkX-2 (a): 5 ns",
            "BenchmarkX-2 (a, rows/s): 7 rows/s ↑",
            "BenchmarkX-2 (b): 6 ns"
        ]
    );
    let bare = figures(Some("go"), &printed(b"BenchmarkX 1 5 ns/op 7 rows/s\n"));
    assert_eq!(bare, ["BenchmarkX: 5 ns", "BenchmarkX (rows/s): 7 rows/s ↑"]);
}

#[test]
fn commands_of_hyperfine_that_end_with_an_error_have_failed() {
    let json = include_str!("data/hyperfine.json");
    let first = json.find("        0,\n").expect("a code");
    for code in ["3", "null"] {
        let ended = format!("{}        {code}{}", &json[..first], &json[first + 9..]);
        assert_eq!(
            figures(None, &printed(ended.as_bytes())),
            ["sleep 0.003 (n=0.003): 8013197.000000002 ns", "sleep 0.001 (n=0.001): failed"]
        );
    }
    let ignored = include_bytes!("data/hyperfine-ignored.txt");
    assert_eq!(figures(None, &printed(ignored)), ["true: 3200000 ns", "false: failed"]);
    // Both at once, as `--export-json -` prints.
    let both = [include_bytes!("data/hyperfine.txt").as_slice(), json.as_bytes()].concat();
    assert_eq!(figures(None, &printed(&both)), figures(None, &printed(json.as_bytes())));
}

#[test]
fn a_metric_of_unknown_direction_is_read_if_the_direction_is_said() {
    let output = printed(b"BenchmarkX 1 5 ns/op 7 hits\n");
    assert_eq!(figures(Some("go"), &output), ["BenchmarkX: 5 ns"]);
    let go = || Kind::named("go").expect("a kind");
    for larger in [true, false] {
        let read = read(Some(&go().with_direction(larger)), &output).expect("figures");
        let of = |at: usize| (read.figures[at].case.as_str(), read.figures[at].larger_is_better);
        assert_eq!((of(0), of(1)), (("BenchmarkX", false), ("BenchmarkX (hits)", larger)));
    }
    let alone = error(Some("go"), &printed(b"BenchmarkX 1 7 hits\n"));
    assert!(
        alone.starts_with(
            "it does not follow from the unit `hits` whether a larger figure is better; say it"
        ),
        "{alone}"
    );
}

#[test]
fn criterions_directory_has_the_medians_of_the_latest_run() {
    let directory = criterion_directory();
    for kind in [None, Some("criterion")] {
        assert_eq!(figures(kind, &directory), CRITERION_DIRECTORY);
    }
    let criterion = Kind::named("criterion").expect("a kind");
    let read: Vec<&str> =
        directory.iter().map(|file| file.path).filter(|path| criterion.reads_file(path)).collect();
    assert!(read.len() == 4 && read.iter().all(|path| path.contains("/new/")), "{read:?}");
    assert!(!criterion.reads_file("parse/sum/1000/new/sample.json"));
    assert!(criterion.reads_file("estimates.json"));
    assert!(Kind::named("go").expect("a kind").reads_file("out.txt"));
}

#[test]
fn a_table_of_pytest_with_two_cases_of_one_name_is_an_error_with_the_remedy() {
    let short = include_bytes!("data/pytest-benchmark-short-names.txt");
    let compared = include_bytes!("data/pytest-benchmark-compared.txt");
    for bytes in [&short[..], compared] {
        for kind in [None, Some("pytest-benchmark")] {
            let error = error(kind, &printed(bytes));
            assert!(
                error.contains("two cases with the name `test_small`; add --benchmark-name=long"),
                "{error}"
            );
        }
    }
    // Rows of saved runs are left out, and without a median the mean is taken.
    let text = String::from_utf8_lossy(compared);
    let end = text.match_indices("test_small (0001").nth(1).expect("a row").0;
    assert_eq!(figures(None, &printed(&compared[..end])), ["test_small: 524.8921 ns"]);
}

#[test]
fn what_is_not_read_is_an_error_that_names_the_kinds_and_the_pattern() {
    let nothing = error(None, &printed(b"building\ndone\n"));
    assert!(
        nothing
            .contains("no figures of a known kind; known kinds are criterion, cargo-criterion, "),
        "{nothing}"
    );
    assert!(nothing.ends_with("for another tool write a `pattern`"), "{nothing}");
    assert_eq!(error(None, &[]), nothing);

    let both =
        [include_bytes!("data/go.txt").as_slice(), include_bytes!("data/libtest.txt")].concat();
    let ambiguous = error(None, &printed(&both));
    assert!(
        ambiguous.contains("has figures of libtest and go; name one of these kinds"),
        "{ambiguous}"
    );
    assert_eq!(figures(Some("libtest"), &printed(&both)).len(), 5);

    let zero = error(None, &printed(b"BenchmarkX \t 100 \t 0 ns/op\n"));
    assert!(zero.contains("no usable figure of go: run the program by hand"), "{zero}");

    let long = vec![b'\n'; usize::try_from(figures::LONGEST).expect("a length") / 2 + 1];
    let files = [Printed { path: "a", bytes: &long }, Printed { path: "b", bytes: &long }];
    assert!(error(Some("go"), &files).starts_with("the output is longer than 16 MiB"));
}

#[test]
fn a_program_is_told_to_run_one_case_in_the_syntax_of_its_tool() {
    for (kind, case, word) in [
        ("criterion", "parse/a (b)+[c]", Some("^parse/a \\(b\\)\\+\\[c\\]$")),
        ("cargo-criterion", "fib 20", Some("^fib 20$")),
        ("go", "BenchmarkSum/size=1.5-8", Some("^BenchmarkSum$/^size=1\\.5(-8)?$")),
        ("go", "BenchmarkAlloc", Some("^BenchmarkAlloc$")),
        ("go", "BenchmarkAlloc-2 (a-3)", Some("^BenchmarkAlloc(-2)?$")),
        ("go", "BenchmarkCustom (a, ops/s)", Some("^BenchmarkCustom$")),
        ("google-benchmark", "BM_Sum/8", Some("^BM_Sum/8$")),
        (
            "pytest-benchmark",
            "test_sums.py::test_text[[x]::y]",
            Some("test_sums.py::test_text[[x]::y]"),
        ),
        ("pytest-benchmark", "test_small", None),
        ("libtest", "sums::small", None),
        ("hyperfine", "sleep 1", None),
    ] {
        let kind = Kind::named(kind).expect("a kind");
        assert_eq!(kind.one_case(case).as_deref(), word, "{} {case}", kind.name());
    }
    let selecting: Vec<&str> = Kind::NAMES
        .iter()
        .copied()
        .filter(|name| Kind::named(name).and_then(|of| of.all_cases()).is_some())
        .collect();
    assert_eq!(
        selecting,
        ["criterion", "cargo-criterion", "go", "google-benchmark", "pytest-benchmark"]
    );
}

#[test]
fn a_pattern_reads_what_no_tool_prints() {
    let output =
        b"parse: 1,234.5 ns\nrate: 12.5 MB/s, later 13\nrate: 14.5 MB/s\nzero: 0 ns\nnone: - ns\n";
    let of = |pattern: &str, unit: Option<&str>, larger: Option<bool>| {
        let kind = Kind::pattern(pattern, unit, larger).expect("a pattern");
        assert_eq!((kind.name(), kind.all_cases(), kind.one_case("a")), ("pattern", None, None));
        let read = read(Some(&kind), &printed(output)).expect("figures");
        read.figures
            .into_iter()
            .map(|of| (of.case, of.value, of.unit, of.larger_is_better))
            .collect::<Vec<_>>()
    };
    let with_unit = r"^(?<name>\w+): (?<number>\S+) (?<unit>[\w/]+)";
    let own = |name: &str, value: f64, unit: &str, larger: bool| {
        (name.to_owned(), value, unit.to_owned(), larger)
    };
    assert_eq!(
        of(with_unit, None, None),
        [own("parse", 1234.5, "ns", false), own("rate", 13_500_000.0, "B/s", true)]
    );
    let without = r"^(?<name>rate): (?<number>\S+)";
    let no_unit = Kind::pattern(without, None, None).expect("a pattern");
    let error = read(Some(&no_unit), &printed(output)).expect_err("no direction");
    assert!(error.starts_with("it does not follow from the unit ``"), "{error}");
    assert_eq!(of(without, None, Some(false)), [own("rate", 13.5, "", false)]);
    assert_eq!(of(without, Some("ops/s"), None), [own("rate", 13.5, "ops/s", true)]);
    assert_eq!(of(without, Some("points"), Some(true)), [own("rate", 13.5, "points", true)]);

    for (pattern, unit, message) in [
        ("(", None, "is not a regular expression"),
        (r"(?<number>\d+)", None, "has no group `name`"),
        (r"(?<name>\w+)", None, "has no group `number`"),
        (with_unit, Some("ns"), "a unit was given as well; remove one"),
    ] {
        let error = Kind::pattern(pattern, unit, None).expect_err("refused");
        assert!(error.contains(message), "{error}");
    }
    assert!(Kind::named("pattern").is_none());
}
