//! `go test -bench`: its text. The figure is the time of an operation, which Go prints as a mean; repeats (`-count`)
//! are one case. Metrics that the benchmark reports itself are cases of their own, named with their unit.
//!
//! The last part of the package's path is always in the name, if the output has the path: with the whole of it, names
//! would be too long for a table. Benchmarks that it does not distinguish are an error.
//!
//! A case keeps the number of threads that Go adds to its name (`-8`): whether it is one cannot be seen.
//! `MB/s` is the same figure again. `B/op` and `allocs/op` are not read: they are whole numbers that may be 0 in one run
//! and 1 in the next.

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;
use crate::selection::escaped;
use std::collections::BTreeMap;
use text::shown::shown;

pub(super) static TOOL: Tool = Tool {
    name: "go",
    read,
    one_case,
    all_cases: Some("."),
    shorter_runs: Some("-benchtime 100ms"),
    twice: None,
    ..USUAL
};

/// Columns that are no cases.
const NO_CASES: [&str; 3] = ["MB/s", "B/op", "allocs/op"];

/// `BenchmarkSum/size=10-8   402622   19.45 ns/op   4114.01 MB/s`
fn read(documents: &[Document], rows: &mut Rows) {
    let mut package = "";
    let mut packages = BTreeMap::new();
    for line in documents.iter().flat_map(Document::lines) {
        if let Some(name) = line.strip_prefix("pkg: ") {
            package = name;
        } else if line.starts_with("Benchmark") {
            read_line(line, package, &mut packages, rows);
        }
    }
}

/// `packages` has those of the benchmarks so far, by their names and the last parts of the packages.
fn read_line<'a>(
    line: &'a str,
    package: &'a str,
    packages: &mut BTreeMap<(&'a str, &'a str), &'a str>,
    rows: &mut Rows,
) {
    let mut words = line.split_ascii_whitespace();
    let (Some(name), Some(iterations)) = (words.next(), words.next()) else { return };
    if iterations.parse::<u64>().is_err() {
        return;
    }
    let last = package.rsplit('/').next().unwrap_or("");
    if *packages.entry((name, last)).or_insert(package) != package {
        rows.problem(format!(
            "two packages called `{}` have the benchmark `{}`; let each contender run one of them",
            shown(last),
            shown(name)
        ));
    }
    while let (Some(figure), Some(unit)) = (words.next().and_then(text_number), words.next()) {
        if NO_CASES.contains(&unit) {
            rows.without_figure();
        } else if unit == "ns/op" {
            rows.add(name, last, figure, unit);
        } else {
            let qualifiers = [last, unit].into_iter().filter(|text| !text.is_empty());
            rows.add(name, &qualifiers.collect::<Vec<_>>().join(", "), figure, unit);
        }
    }
}

/// `^BenchmarkSum$/^size=10(-8)?$`: the end may be the number of threads, which Go adds to the name, or part of it.
fn one_case(case: &str) -> Option<String> {
    // Names have no spaces: what follows is the package and the unit.
    let name = case.split(' ').next()?;
    let (name, threads) = match name.rsplit_once('-') {
        Some((name, threads)) if threads.parse::<u32>().is_ok() => (name, format!("(-{threads})?")),
        _ => (name, String::new()),
    };
    let levels: Vec<String> = name.split('/').map(|level| format!("^{}", escaped(level))).collect();
    Some(format!("{}{threads}$", levels.join("$/")))
}
