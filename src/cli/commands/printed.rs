//! `tiebreak audit` of the printed output of other tools, and of leaderboards.

use crate::cli::outputs;
use crate::cli::outputs::{Copies, Format};
use protocol::{Error, Exit, input};
use published::{Audit, Scan};
use std::fs::File;
use std::io::{ErrorKind, Read, stdin};
use std::path::Path;
use text::shown::shown;

/// The largest part of a file that is read, in bytes. No load generator prints more.
const MOST_BYTES: u64 = 1 << 30;
/// The bytes at the beginning of a file in which a journal names its schema.
const HEAD: usize = 4096;

/// Standard input.
const STDIN: &str = "-";

/// Whether a path is a run of tiebreak itself (a directory or a journal) and not printed output. A
/// path that does not exist counts as a run, because the reader of runs reports it.
pub(in crate::cli) fn is_own(path: &Path) -> bool {
    if path == Path::new(STDIN) {
        return false;
    }
    if !path.exists() || path.is_dir() || path.ends_with(crate::run::journal::FILE) {
        return true;
    }
    let mut head = Vec::new();
    let read = input::plain_file(path)
        .map(|file| file.take(HEAD as u64).read_to_end(&mut head).unwrap_or(0));
    let mark = b"\"tiebreak.journal/";
    read.is_ok() && head.windows(mark.len()).any(|window| window == mark)
}

/// Audits files that hold printed output.
///
/// # Errors
/// If a file cannot be read, or if none contains output of a known tool.
pub(in crate::cli) fn perform<'a>(
    paths: impl Iterator<Item = &'a Path>,
    copies: &Copies,
) -> Result<Exit, Error> {
    let scans: Result<Vec<(String, Scan)>, Error> =
        paths.enumerate().map(|(at, path)| Ok((name(path), scanned(at, path)?))).collect();
    let audit = Audit::of(scans?);
    if let Some(error) = &audit.board_error {
        return Err(Error::usage(error.message(&audit.files)));
    }
    if audit.runs.is_empty() && audit.lists.is_empty() {
        return Err(nothing_known(&audit));
    }
    copies.write_with(|format| match format {
        Format::Html => report::printed_html(&audit),
        Format::Markdown => report::printed_markdown(&audit),
        _ => report::printed_json(&audit),
    })?;
    if !copies.any() {
        outputs::print(&report::printed_terminal(&audit, outputs::style()))?;
    }
    Ok(if audit.void() { Exit::Void } else { Exit::Sound })
}

fn name(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { path.display().to_string() }
}

fn scanned(at: usize, path: &Path) -> Result<Scan, Error> {
    let cannot = |why: String| Error::usage(format!("{} {why}", shown(name(path))));
    if path == Path::new(STDIN) {
        return read(at, stdin().lock()).map_err(cannot);
    }
    let file: File = input::plain_file(path).map_err(cannot)?;
    read(at, file).map_err(cannot)
}

fn read(at: usize, mut from: impl Read) -> Result<Scan, String> {
    let (mut scan, mut piece, mut left) = (Scan::new(at), vec![0; 1 << 16], MOST_BYTES);
    while left > 0 {
        match from.read(&mut piece) {
            Ok(0) => return Ok(scan),
            Ok(count) => {
                scan.feed(&piece[..count]);
                left = left.saturating_sub(count as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot be read: {error}")),
        }
    }
    scan.cut();
    Ok(scan)
}

/// The error if there is no run in any of the files.
fn nothing_known(audit: &Audit) -> Error {
    let files = audit.files.join(", ");
    let tools: Vec<&str> = published::tools::TOOLS.iter().map(|tool| tool.name).collect();
    let seen = report::printed_scan_notes(audit).join("; ");
    Error::usage(format!(
        "no output of a load generator was found in {files} ({seen}); supported: {}, the \
         leaderboards of the-benchmarker/web-frameworks and MDA2AV/HttpArena, and runs of tiebreak \
         itself (a directory or a journal)",
        tools.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn folders_and_journals_are_own_runs() {
        let scratch = Scratch::new();
        let file = |name: &str, text: &str| {
            let path = scratch.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        assert!(is_own(scratch.path()));
        assert!(is_own(&scratch.path().join("missing")));
        assert!(is_own(&file("journal.jsonl", "")));
        assert!(is_own(&file("copy", "{\"header\":{\"schema\":\"tiebreak.journal/2\"")));
        assert!(!is_own(&file("ab.txt", "Requests per second: 5\n")));
        assert!(!is_own(Path::new("-")));
    }

    #[test]
    fn a_file_without_output_names_what_is_supported() {
        let scratch = Scratch::new();
        let path = scratch.path().join("notes.txt");
        std::fs::write(&path, "nothing here\n").expect("a file");
        let copies = Copies::default();
        let error = perform([path.as_path()].into_iter(), &copies).unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        for tool in published::tools::TOOLS {
            assert!(error.text.contains(tool.name), "{}", error.text);
        }
    }
}
