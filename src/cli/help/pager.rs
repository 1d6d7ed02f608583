//! Shows long texts: in a pager on a terminal, as they are elsewhere.

use crate::cli::outputs;
use protocol::Error;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write, stdout};
use std::process::{Command, Stdio};

/// The pager if the variable `PAGER` is not set.
const PAGER: &str = "less -R";

/// Exit code of a shell that does not find a command.
const NOT_FOUND: i32 = 127;

/// Shows a text in the pager on a terminal, and prints it elsewhere.
pub(in crate::cli) fn show(text: &str) -> Result<(), Error> {
    match pager(stdout().is_terminal(), std::env::var_os("PAGER")) {
        Some(pager) if paged(&pager, text) => Ok(()),
        _ => outputs::print(text),
    }
}

/// The command of the pager. None if standard output is no terminal or `PAGER` is empty.
fn pager(to_terminal: bool, chosen: Option<OsString>) -> Option<OsString> {
    let pager = chosen.unwrap_or_else(|| PAGER.into());
    (to_terminal && !pager.is_empty()).then_some(pager)
}

/// Runs the pager, and returns whether it was found. A shell runs the command, because it may
/// have arguments.
fn paged(pager: &OsStr, text: &str) -> bool {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut to) = child.stdin.take() {
        // A user may quit the pager before it has read all of the text.
        let _ = to.write_all(text.as_bytes());
    }
    child.wait().is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_has_a_pager() {
        assert_eq!(pager(true, None), Some("less -R".into()));
        assert_eq!(pager(true, Some("more".into())), Some("more".into()));
        assert_eq!(pager(true, Some("".into())), None);
        assert_eq!(pager(false, None), None);
        assert_eq!(pager(false, Some("more".into())), None);
    }

    #[test]
    fn a_pager_that_is_not_found_took_nothing() {
        assert!(!paged(OsStr::new("no-such-pager-4711"), "text"));
        assert!(paged(OsStr::new("cat >/dev/null"), "text"));
        // One that leaves early, and one that fails: the text was shown.
        assert!(paged(OsStr::new("true"), &"long\n".repeat(100_000)));
        assert!(paged(OsStr::new("cat >/dev/null; exit 1"), "text"));
    }
}
