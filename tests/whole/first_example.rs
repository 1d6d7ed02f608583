//! README's first example is what `docs/readme-example.sh` makes of a run.

use crate::common::{TestDirectory, errors};
use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const BEGINS: &str = "<!-- first example: docs/readme-example.sh writes it -->\n";
const ENDS: &str = "<!-- end of the first example -->\n";
const COMMAND: &str = "```\n$ tiebreak compare experiments/ten-percent.toml --out my-run --quiet\n";

/// What is before the example, the example, and what is after it.
fn parts(readme: &str) -> [&str; 3] {
    let (before, rest) = readme.split_once(BEGINS).expect("a first mark");
    let (example, after) = rest.split_once(ENDS).expect("a last mark");
    [before, example, after]
}

/// Splits the example into what tiebreak printed and the line about versions and machine.
fn printed_and_machine(example: &str) -> (&str, &str) {
    let printed = example.strip_prefix(COMMAND).unwrap_or_else(|| panic!("{example}"));
    let (printed, machine) = printed.split_once("```\n\n").expect("the end of the block");
    let words = ["tiebreak ", ", on ", " with ", " cores, Linux ", ", 20"];
    assert!(words.iter().all(|words| machine.contains(words)), "{machine}");
    assert!(machine.ends_with(".\n") && machine.lines().count() == 1, "{machine}");
    (printed, machine)
}

#[test]
fn the_script_makes_it_and_changes_nothing_else() {
    let directory = TestDirectory::new();
    fs::create_dir(directory.file("my-run")).expect("a directory");
    let recorded = Path::new(ROOT).join("tests/whole/recorded/closed.jsonl");
    fs::copy(recorded, directory.file("my-run/journal.jsonl")).expect("a copy");
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).expect("README.md");
    fs::write(directory.file("README.md"), &readme).expect("writes");
    let mut script = Command::new(Path::new(ROOT).join("docs/readme-example.sh"));
    script.env("TIEBREAK", env!("CARGO_BIN_EXE_tiebreak"));
    script.env("README", directory.file("README.md")).env("RUN", directory.file("my-run"));
    let output = script.output().expect("bash");
    assert!(output.status.success(), "{}", errors(&output));

    let made = directory.text("README.md");
    let ([before, _, after], [as_before, example, as_after]) = (parts(&readme), parts(&made));
    assert_eq!((before, after), (as_before, as_after));
    let report = directory.tiebreak(&["report", "my-run"]);
    let (printed, machine) = printed_and_machine(example);
    assert_eq!(printed, String::from_utf8_lossy(&report.stdout));
    let version = directory.tiebreak(&["--version"]).stdout;
    let version = String::from_utf8_lossy(&version);
    assert!(machine.starts_with(version.lines().next().expect("a line")), "{machine}");

    // One without the marks is left alone.
    fs::write(directory.file("README.md"), before).expect("writes");
    assert!(!script.output().expect("bash").status.success());
    assert_eq!(directory.text("README.md"), before);
}

#[test]
fn readme_has_it_in_this_form() {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).expect("README.md");
    let (printed, _) = printed_and_machine(parts(&readme)[1]);
    assert!(printed.starts_with("110us "), "{printed}");
    let lines = ["  100us ", "  110us ", "  audit: ", "  report   my-run/report.html"];
    for line in lines {
        assert!(printed.lines().any(|other| other.starts_with(line)), "`{line}`: {printed}");
    }
}
