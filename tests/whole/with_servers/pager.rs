//! `tiebreak help` on a terminal, which the program `script` provides.

use crate::common::{TestDirectory, errors, stdout};
use std::process::{Command, Stdio};

/// Returns what a terminal shows. `script` gives the program a terminal.
fn on_a_terminal(directory: &TestDirectory, pager: &str) -> String {
    let words = format!("'{}' help interleaving", env!("CARGO_BIN_EXE_tiebreak"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &words, "/dev/null"]);
    command.env("PAGER", pager).env("TERM", "xterm").current_dir(directory.path());
    let output = command.stdin(Stdio::null()).output().expect("script (util-linux) runs");
    assert!(output.status.success(), "{}", errors(&output));
    stdout(&output)
}

#[test]
fn a_terminal_shows_chapters_in_the_pager_of_the_user() {
    let directory = TestDirectory::new();
    let paged = on_a_terminal(&directory, "sed 's/^/paged: /'");
    assert!(paged.contains("paged: ## Interleaving"), "{paged}");
    for pager in ["", "no-such-pager-4711"] {
        let plain = on_a_terminal(&directory, pager);
        assert!(
            plain.contains("\n## Interleaving") || plain.starts_with("## Interleaving"),
            "{pager}: {plain}"
        );
    }
}
