//! A module of Go.

use super::Draft;
use super::source::Source;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn draft(source: &Source) -> Option<Draft> {
    let module = source.text("go.mod");
    let module = module.lines().find_map(|line| line.strip_prefix("module "))?.trim().to_owned();
    let name = module.rsplit('/').next().unwrap_or(&module).to_owned();
    let has_benchmarks = |file: &&std::path::PathBuf| source.text(file).contains("func Benchmark");
    let packages: BTreeSet<String> =
        source.ending("_test.go").filter(has_benchmarks).map(|file| package(file)).collect();
    if let [only] = Vec::from_iter(&packages)[..] {
        let draft = Draft::new(&name, "benchmarks of Go");
        // Its tests expect to run in the directory of their package.
        let binary = format!("{only}/bench.test").replace("./.", ".");
        let binary = binary.trim_start_matches("././");
        let draft = draft.build(&[&["go", "test", "-c", "-o", binary, only]]);
        let draft = match only.as_str() {
            "." => draft,
            directory => draft
                .comment("Where it runs: tests of Go expect the directory of their package.")
                .key("cwd", &super::quoted(directory.trim_start_matches("./"))),
        };
        return Some(draft.suite(
            "./bench.test -test.run '^$' -test.benchtime 100ms -test.bench {case}",
            "\"go\"",
        ));
    }
    if !packages.is_empty() {
        let draft = Draft::new(&name, "benchmarks of Go in several packages");
        // This compiles and keeps what the runs need.
        let draft = draft.build(&[&["go", "test", "-run", "^$", "./..."]]);
        return Some(
            draft.suite("go test -run '^$' -benchtime 100ms -bench {case} ./...", "\"go\""),
        );
    }
    let is_main = |file: &&std::path::PathBuf| {
        source.text(file).lines().any(|line| line.trim_end() == "package main")
    };
    let Some(main) = source.ending(".go").find(is_main) else {
        let draft = Draft::new(&name, "a library without benchmarks").unknown(
            "what is measured: add functions `BenchmarkX` and run `tiebreak init` again, or name a program",
        );
        return Some(draft.program(source, "./NAME"));
    };
    let package = package(main);
    let build: &[&str] = &["go", "build", "-o", "tiebreak-program", &package];
    let serves = source.ending(".go").any(|file| {
        let text = source.text(file);
        text.contains("ListenAndServe") || text.contains("net.Listen(") || text.contains(".Run(\":")
    });
    if serves {
        let draft = Draft::new(&name, "a server").build(&[build]);
        return Some(draft.service(source, &["./tiebreak-program"]));
    }
    Some(Draft::new(&name, "a program").build(&[build]).program(source, "./tiebreak-program"))
}

/// The package of a file, as go names it from the top of the module.
fn package(file: &Path) -> String {
    match file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => format!("./{}", parent.display()),
        None => ".".to_owned(),
    }
}
