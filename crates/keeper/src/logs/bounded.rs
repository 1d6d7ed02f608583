//! Logs of targets keep their beginning and their end, 64 MiB in all, because a target that logs
//! every request would fill the disk.
//!
//! A target writes to its log directly, because a pipe in between would slow it down. So while it
//! runs, the disk space of the middle is freed if the file system supports holes. When it has
//! ended, the middle is cut out, and a line says so.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use sys::fs::{FallocateFlags, fallocate};
use text::blot::{blot_before, is_maskable};
use text::shown::shown;
use thiserror::Error;

/// The greatest length of a log, in bytes.
pub const MAX_LENGTH: u64 = 64 << 20;

/// How much of its beginning is kept.
const HEAD: u64 = MAX_LENGTH / 2;

/// Space for the line that states how much was left out.
const NOTICE: u64 = 128;

/// How much of its end is kept.
const TAIL: u64 = MAX_LENGTH - HEAD - NOTICE;

/// How much is read at once.
const PIECE: usize = 1 << 20;

/// The beginning of that line.
const NOTICE_PREFIX: &str = "\n[tiebreak left out ";

/// A log that could not be cleaned.
#[derive(Debug, Error)]
#[error("the log {} cannot be cleaned{}: {source}", shown(.log.as_os_str().as_encoded_bytes()),
    if *.may_contain_secrets { ", and may contain secrets" } else { "" })]
pub struct UncleanLog {
    /// The log.
    log: PathBuf,
    /// Secrets were to be masked.
    may_contain_secrets: bool,
    /// The answer of the system.
    source: io::Error,
}

/// Frees the disk space of what [`finish`] is going to leave out. If the file system does not
/// support that, the log takes its space until the target ends.
pub fn free_middle(log: &Path, secrets: &[String]) {
    let Ok(file) = super::open(log, &mut both_ways()) else { return };
    let Ok(found) = file.metadata() else { return };
    let margin = margin(secrets);
    let (from, to) = (HEAD + margin, found.len().saturating_sub(TAIL + margin));
    if to <= from {
        return;
    }
    let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let _ = fallocate(&file, mode, from, to - from);
}

/// Masks the secrets in a log that is no longer written, in place, and cuts out its middle if it is
/// too long.
///
/// # Errors
/// If it cannot be read or written.
pub fn finish(log: &Path, secrets: &[String]) -> Result<(), UncleanLog> {
    let done = match super::open(log, &mut both_ways()) {
        Ok(file) => clean(&file, secrets).and_then(|()| shorten(&file)),
        Err(error) => Err(error),
    };
    done.map_err(|source| UncleanLog {
        log: log.to_owned(),
        may_contain_secrets: is_maskable(secrets).next().is_some(),
        source,
    })
}

/// How far beyond the kept parts secrets are searched for, so that a secret across a cut is found
/// whole.
fn margin(secrets: &[String]) -> u64 {
    let longest = is_maskable(secrets).map(<[u8]>::len).max().unwrap_or(0);
    longest.max(PIECE) as u64
}

/// How a log is opened to be changed.
fn both_ways() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options
}

fn clean(file: &File, secrets: &[String]) -> io::Result<()> {
    let Some(longest) = is_maskable(secrets).map(<[u8]>::len).max() else { return Ok(()) };
    let (length, margin) = (file.metadata()?.len(), margin(secrets));
    if length <= MAX_LENGTH + 2 * margin {
        return blot_file(file, secrets, longest, 0, length);
    }
    blot_file(file, secrets, longest, 0, HEAD + margin)?;
    blot_file(file, secrets, longest, length - TAIL - margin, length)
}

/// Pieces overlap by the longest secret, so that none is missed at a boundary: a secret that begins
/// in the overlap is complete in the next piece, which handles it.
fn blot_file(
    file: &File,
    secrets: &[String],
    longest: usize,
    from: u64,
    to: u64,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE + longest];
    let mut at = from;
    loop {
        let wanted = piece.len().min(usize::try_from(to - at).unwrap_or(usize::MAX));
        let count = read_full(file, &mut piece[..wanted], at)?;
        let is_last = count < piece.len();
        let end = if is_last { count } else { count - longest };
        if blot_before(end, &mut piece[..count], secrets) {
            file.write_all_at(&piece[..count], at)?;
        }
        if is_last {
            return Ok(());
        }
        at += (count - longest) as u64;
    }
}

fn read_full(file: &File, piece: &mut [u8], at: u64) -> io::Result<usize> {
    let mut count = 0;
    while count < piece.len() {
        match file.read_at(&mut piece[count..], at + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Cuts out the middle of a log that is too long.
fn shorten(file: &File) -> io::Result<()> {
    let length = file.metadata()?.len();
    if length <= MAX_LENGTH {
        return Ok(());
    }
    let left_out = length - HEAD - TAIL + left_out_before(file)?;
    let notice = format!(
        "{NOTICE_PREFIX}{left_out} bytes here: only the beginning and the end of a log longer than \
         64 MiB are kept]\n"
    );
    file.write_all_at(notice.as_bytes(), HEAD)?;
    let (mut from, mut to) = (length - TAIL, HEAD + notice.len() as u64);
    let mut piece = vec![0; PIECE];
    loop {
        let count = read_full(file, &mut piece, from)?;
        file.write_all_at(&piece[..count], to)?;
        (from, to) = (from + count as u64, to + count as u64);
        if count < piece.len() {
            return file.set_len(to);
        }
    }
}

/// The number of bytes left out when an earlier launch with the same log ended.
fn left_out_before(file: &File) -> io::Result<u64> {
    let mut line = [0; NOTICE as usize];
    let count = read_full(file, &mut line, HEAD)?;
    let text = String::from_utf8_lossy(&line[..count]);
    let number = text.strip_prefix(NOTICE_PREFIX).and_then(|rest| rest.split(' ').next());
    Ok(number.and_then(|number| number.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::io::Write;

    fn secrets(all: &[&str]) -> Vec<String> {
        all.iter().map(|secret| (*secret).to_owned()).collect()
    }

    /// A log of lines of 16 bytes, each with its number.
    fn numbered(log: &Path, lines: u64) {
        let mut file = OpenOptions::new().append(true).create(true).open(log).expect("scratch");
        let mut text = Vec::new();
        for number in 0..lines {
            text.extend_from_slice(format!("line {number:010}\n").as_bytes());
            if text.len() > PIECE {
                file.write_all(&text).expect("scratch");
                text.clear();
            }
        }
        file.write_all(&text).expect("scratch");
    }

    #[test]
    fn a_log_up_to_64_mib_is_whole() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        numbered(&log, MAX_LENGTH / 16);
        let before = std::fs::read(&log).expect("scratch");
        free_middle(&log, &[]);
        finish(&log, &[]).expect("cleaned");
        assert!(std::fs::read(&log).expect("scratch") == before);
    }

    #[test]
    fn the_middle_of_a_longer_one_is_left_out_and_counted() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        let lines = MAX_LENGTH / 16 + 1_000_000;
        numbered(&log, lines);
        free_middle(&log, &[]);
        let space = |log: &Path| {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(log).expect("scratch").blocks() * 512
        };
        assert!(space(&log) <= MAX_LENGTH + 3 * PIECE as u64, "{}", space(&log));
        finish(&log, &[]).expect("cleaned");
        let text = std::fs::read_to_string(&log).expect("text");
        assert!(text.len() as u64 <= MAX_LENGTH, "{}", text.len());
        assert!(text.starts_with("line 0000000000\n"));
        assert!(text.ends_with(&format!("line {:010}\n", lines - 1)));
        let left_out = lines * 16 - HEAD - TAIL;
        let notice = format!("{NOTICE_PREFIX}{left_out} bytes here: ");
        assert_eq!(text.find(&notice), Some(HEAD as usize));
        assert!(!text.contains('\0'), "the hole is cut out");
        // Another launch writes to the same log; both amounts are counted.
        let kept = text.len() as u64;
        numbered(&log, 100_000);
        finish(&log, &[]).expect("cleaned");
        let text = std::fs::read_to_string(&log).expect("text");
        let left_out = left_out + kept + 1_600_000 - HEAD - TAIL;
        assert!(text.contains(&format!("{NOTICE_PREFIX}{left_out} bytes here: ")));
    }

    #[test]
    fn a_secret_across_a_cut_leaves_nothing() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        let length = MAX_LENGTH + 8 * PIECE as u64;
        // Wholly behind the cut, with the first byte before it, with the last one behind it, wholly before it.
        for shift in [0, 1, 5, 6] {
            let mut text = vec![b'x'; length as usize];
            for cut in [HEAD, length - TAIL] {
                let at = (cut - shift) as usize;
                text[at..at + 6].copy_from_slice(b"CANARY");
            }
            std::fs::write(&log, &text).expect("scratch");
            free_middle(&log, &secrets(&["CANARY"]));
            finish(&log, &secrets(&["CANARY"])).expect("cleaned");
            let left = std::fs::read(&log).expect("scratch");
            assert!(b"CNRY".iter().all(|byte| !left.contains(byte)), "{shift}");
        }
    }

    #[test]
    fn secrets_are_blotted_out_of_a_file_at_every_seam() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        for before in [0, (1 << 20) - 3, 1 << 20, (1 << 20) + 5] {
            let text = format!("{}CANARY and CANARYCANARY, 99\n", "x".repeat(before));
            std::fs::write(&log, &text).expect("scratch");
            finish(&log, &secrets(&["99", "CANARY"])).expect("cleaned");
            let left = std::fs::read_to_string(&log).expect("scratch");
            assert_eq!(left, text.replace("CANARY", "******"));
        }
    }

    #[test]
    fn overlapping_secrets_at_a_seam_leave_nothing() {
        let directory = Scratch::new();
        let log = directory.path().join("a.log");
        for before in (0..12).map(|less| (1 << 20) - 3 + less) {
            std::fs::write(&log, "x".repeat(before) + "abcdef").expect("scratch");
            finish(&log, &secrets(&["abcd", "abcdef"])).expect("cleaned");
            let left = std::fs::read_to_string(&log).expect("scratch");
            assert_eq!(&left[before..], "******", "{before}");
        }
    }

    #[test]
    fn a_link_is_not_followed_and_reported() {
        let directory = Scratch::new();
        let (file, link) = (directory.path().join("precious"), directory.path().join("a.log"));
        std::fs::write(&file, "CANARY").expect("scratch");
        std::os::unix::fs::symlink(&file, &link).expect("scratch");
        let why = finish(&link, &secrets(&["CANARY"])).expect_err("a link");
        assert!(why.to_string().contains("a.log cannot be cleaned, and may contain secrets: "));
        assert_eq!(std::fs::read_to_string(&file).expect("scratch"), "CANARY");
        std::fs::remove_file(&link).expect("scratch");
        std::fs::create_dir(&link).expect("scratch");
        finish(&link, &[]).expect_err("a directory");
    }
}
