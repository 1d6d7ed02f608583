//! Logs of targets: their last lines for errors, and the masking of secrets.

pub mod bounded;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use text::blot::blot;
use text::shown::shown;

/// How many lines an error quotes. Some programs write much advice after the cause;
/// mariadb-install-db writes 20 lines.
pub const LINES: usize = 30;

/// How much of the end of a log is read for these lines.
const LAST: u64 = 64 * 1024;

/// The current length of a log; 0 if it does not exist.
pub fn length(log: &Path) -> u64 {
    std::fs::metadata(log).map_or(0, |found| found.len())
}

/// Opens a log. Links are not followed and pipes not waited for, because the target may have put them there.
///
/// # Errors
/// If it is not a plain file, or the system refuses.
pub fn open(log: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(log)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no longer a regular file"))
    }
}

/// Opens a log to read what follows byte `from`.
///
/// # Errors
/// As [`open`].
pub fn open_at(log: &Path, from: u64) -> io::Result<File> {
    let mut file = open(log, OpenOptions::new().read(true))?;
    file.seek(SeekFrom::Start(from))?;
    Ok(file)
}

/// The last lines after byte `from`, at most [`LINES`], without secrets and safe to show. Empty if
/// the log cannot be read.
pub fn tail(log: &Path, from: u64, secrets: &[String]) -> Vec<String> {
    last_lines(last_bytes(log, from).unwrap_or_default(), secrets)
}

/// The last lines of a text, in the same way.
pub fn last_lines(mut bytes: Vec<u8>, secrets: &[String]) -> Vec<String> {
    blot(&mut bytes, secrets);
    let text = bytes.trim_ascii_end();
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end());
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(shown).collect()
}

/// The first line after byte `from` that is not empty, in the same way.
pub fn first_line(log: &Path, from: u64, secrets: &[String]) -> Option<String> {
    let mut bytes = Vec::new();
    open_at(log, from).ok()?.take(LAST).read_to_end(&mut bytes).ok()?;
    blot(&mut bytes, secrets);
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
    lines.find(|line| !line.is_empty()).map(shown)
}

fn last_bytes(log: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = open_at(log, from)?;
    let start = from.max(file.metadata()?.len().saturating_sub(LAST));
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LAST).read_to_end(&mut bytes)?;
    if start > from {
        // A truncated line could begin with half a secret.
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        bytes.drain(..end);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn secrets(all: &[&str]) -> Vec<String> {
        all.iter().map(|secret| (*secret).to_owned()).collect()
    }

    #[test]
    fn a_link_or_a_pipe_in_place_of_a_log_is_neither_followed_nor_waited_for() {
        let directory = Scratch::new();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("precious"), "kept").expect("scratch");
        std::os::unix::fs::symlink(at("precious"), at("link")).expect("scratch");
        let pipe = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(pipe.is_ok_and(|status| status.success()));
        for name in ["link", "pipe"] {
            assert_eq!(tail(&at(name), 0, &[]), [""; 0], "{name}");
            assert_eq!(first_line(&at(name), 0, &[]), None, "{name}");
            assert!(
                open(&at(name), OpenOptions::new().append(true).create(true)).is_err(),
                "{name}"
            );
        }
        assert_eq!(std::fs::read(at("precious")).expect("there"), b"kept");
    }

    #[test]
    fn the_last_lines_are_harmless_and_hold_no_secret() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        let old = "from an earlier launch\n";
        let mut text = old.to_owned();
        text.extend((0..40).map(|number| format!("line {number}\r\n\n")));
        text.push_str("token=CANARY and \x1b[31m red 1234\n");
        std::fs::write(&log, text).expect("scratch");
        let lines = tail(&log, old.len() as u64, &secrets(&["CANARY", "12"]));
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[0], "line 11");
        assert_eq!(lines[LINES - 1], r"token=****** and \u{1b}[31m red 1234");
        assert_eq!(first_line(&log, old.len() as u64, &[]).as_deref(), Some("line 0"));
        assert_eq!(tail(&log, length(&log), &[]), [""; 0]);
        assert_eq!(first_line(&log, length(&log), &[]), None);
        assert_eq!(tail(&directory.path().join("none.log"), 0, &[]), [""; 0]);
        assert_eq!(length(&directory.path().join("none.log")), 0);
    }

    #[test]
    fn a_long_log_is_read_from_its_end() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        std::fs::write(&log, "x".repeat(1 << 20) + "\nlast\n").expect("scratch");
        let lines = tail(&log, 0, &[]);
        assert_eq!(lines, ["last"], "the line that was cut is left out");
    }
}
