//! A program's output as it arrives: counted and digested in constant memory.

use crate::measured::Output;
use crate::protocol::KeptOutput;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

/// A last line longer than this is not kept.
const LONGEST_LINE: usize = 4096;

/// How much of standard error is kept: more than the quoted lines.
const TAIL: usize = 16 * 1024;

/// Reads standard output. What may be the last line is held back, so that the digest can exclude
/// it.
#[derive(Default)]
pub(super) struct OutputReader {
    digest: Digest,
    /// The data from the beginning of the last line that is not blank.
    held: Vec<u8>,
    /// Whether the beginning of that line was too long to be held.
    torn: bool,
}

impl OutputReader {
    pub(super) fn add(&mut self, piece: &[u8]) {
        let text = piece.trim_ascii_end();
        if text.is_empty() {
            return self.hold(piece);
        }
        let far = text.len().saturating_sub(LONGEST_LINE + 1);
        if let Some(end) = text[far..].iter().rposition(|byte| *byte == b'\n') {
            let end = far + end;
            self.release(self.held.len());
            self.digest.add(&piece[..=end]);
            self.torn = false;
            self.hold(&piece[end + 1..]);
        } else {
            if let Some(end) = self.held.iter().rposition(|byte| *byte == b'\n') {
                // Only blanks follow it, so the held line is complete.
                self.release(end + 1);
                self.torn = false;
            }
            self.hold(piece);
        }
    }

    pub(super) fn end(self) -> Output {
        let mut all = self.digest.clone();
        all.add(&self.held);
        let line = self.held.trim_ascii();
        let there = !self.torn && !line.is_empty();
        let before = if there { &self.digest } else { &all };
        Output {
            last_line: there.then(|| String::from_utf8_lossy(line).into_owned()),
            bytes: all.bytes,
            digest: all.value(),
            bytes_before: before.bytes,
            digest_before: before.value(),
        }
    }

    fn hold(&mut self, piece: &[u8]) {
        // No line that begins farther back is kept.
        let (far, near) = piece.split_at(piece.len().saturating_sub(LONGEST_LINE + 1));
        if !far.is_empty() {
            self.release(self.held.len());
            self.digest.add(far);
        }
        self.held.extend_from_slice(near);
        if self.held.len() <= LONGEST_LINE {
            return;
        }
        let begins = self.held.iter().rposition(|byte| *byte == b'\n').map(|end| end + 1);
        let begins = begins.filter(|begins| self.held.len() - begins <= LONGEST_LINE);
        self.torn = begins.is_none();
        self.release(begins.unwrap_or(self.held.len()));
    }

    fn release(&mut self, count: usize) {
        self.digest.add(&self.held[..count]);
        self.held.drain(..count);
    }
}

/// A copy of the beginning of standard output in a file, which only we can read.
pub(super) struct OutputCopy {
    /// None once it cannot be written. The file is then shorter than the output was.
    file: Option<File>,
    left: u64,
}

impl OutputCopy {
    pub(super) fn create(kept: KeptOutput) -> io::Result<OutputCopy> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(kept.file)?;
        Ok(OutputCopy { file: Some(file), left: kept.most_bytes })
    }

    pub(super) fn add(&mut self, piece: &[u8]) {
        let piece = &piece[..piece.len().min(usize::try_from(self.left).unwrap_or(usize::MAX))];
        self.left -= piece.len() as u64;
        if self.file.as_mut().is_some_and(|file| file.write_all(piece).is_err()) {
            self.file = None;
        }
    }
}

/// The end of standard error.
#[derive(Default)]
pub(super) struct Tail {
    kept: Vec<u8>,
    cut: bool,
}

impl Tail {
    pub(super) fn add(&mut self, piece: &[u8]) {
        self.kept.extend_from_slice(piece);
        let too_much = self.kept.len().saturating_sub(TAIL);
        self.cut |= too_much > 0;
        self.kept.drain(..too_much);
    }

    /// Returns what was kept, from the beginning of a line, because a truncated line could begin
    /// with half a secret.
    pub(super) fn end(mut self) -> Vec<u8> {
        if self.cut {
            let end = self.kept.iter().position(|byte| *byte == b'\n');
            self.kept.drain(..end.unwrap_or(self.kept.len()));
        }
        self.kept
    }
}

/// A digest of bytes, independent of how they are cut into pieces. It takes eight bytes at a time:
/// FNV takes them one by one, and a program with much output would wait for us. It distinguishes
/// outputs, but does not protect against forgery.
#[derive(Clone, Default)]
struct Digest {
    state: u64,
    /// The first bytes of the next eight.
    part: [u8; 8],
    bytes: u64,
}

impl Digest {
    fn add(&mut self, mut piece: &[u8]) {
        let filled = (self.bytes % 8) as usize;
        self.bytes += piece.len() as u64;
        if filled > 0 {
            let (first, rest) = piece.split_at(piece.len().min(8 - filled));
            self.part[filled..filled + first.len()].copy_from_slice(first);
            if filled + first.len() < 8 {
                return;
            }
            self.state = mixed(self.state, self.part);
            piece = rest;
        }
        let (words, rest) = piece.as_chunks::<8>();
        self.state = words.iter().fold(self.state, |state, word| mixed(state, *word));
        self.part = [0; 8];
        self.part[..rest.len()].copy_from_slice(rest);
    }

    fn value(&self) -> u64 {
        // Includes the length, because zeros at the end would not count otherwise.
        mixed(mixed(self.state, self.part), self.bytes.to_le_bytes())
    }
}

/// One step: multiplies by the golden ratio as an odd number, and folds the high bits, which depend
/// on all input bits, onto the low ones.
fn mixed(state: u64, word: [u8; 8]) -> u64 {
    let product = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn output_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Output {
        let mut reader = OutputReader::default();
        pieces.into_iter().for_each(|piece| reader.add(piece));
        reader.end()
    }

    #[test]
    fn the_last_line_is_the_last_that_is_not_blank() {
        for (text, line, before) in [
            ("", None, 0),
            ("\n \r\n", None, 4),
            ("operations 5", Some("operations 5"), 0),
            ("operations 5\r\n\n  \n", Some("operations 5"), 0),
            ("one\ntwo\n", Some("two"), 4),
            ("one\n\n\n  two ", Some("two"), 6),
        ] {
            let output = output_of([text.as_bytes()]);
            assert_eq!(output.last_line.as_deref(), line, "{text:?}");
            assert_eq!((output.bytes, output.bytes_before), (text.len() as u64, before));
        }
        let binary = output_of([b"\xff\xfe\n\xf0operations 5\n".as_slice()]);
        assert_eq!(binary.last_line.as_deref(), Some("\u{fffd}operations 5"));
    }

    #[test]
    fn a_line_that_is_too_long_is_counted_and_not_kept() {
        let long = "x".repeat(LONGEST_LINE);
        let fits = output_of([long.as_bytes()]);
        assert_eq!((fits.last_line.map(|line| line.len()), fits.bytes_before), (Some(4096), 0));
        let over = output_of([long.as_bytes(), b"y"]);
        assert_eq!((over.last_line, over.bytes_before), (None, 4097));
        let after = output_of([long.as_bytes(), b"y", b"\n", b"operations", b" 7\n"]);
        assert_eq!((after.last_line.as_deref(), after.bytes_before), (Some("operations 7"), 4098));
    }

    #[test]
    fn different_outputs_have_different_digests() {
        let digest = |text: &str| output_of([text.as_bytes()]).digest;
        let texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "12345678", "123456780", "12345687"];
        for (at, one) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                assert_ne!(digest(one), digest(other), "{one:?} {other:?}");
            }
        }
        let with = |n: u8| output_of([format!("same\noperations {n}\n").as_bytes()]).digest_before;
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), digest("same\n"));
    }

    #[test]
    fn the_end_of_standard_error_begins_with_a_line() {
        let mut tail = Tail::default();
        tail.add(b"short\n");
        assert_eq!(tail.end(), b"short\n");
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.add(format!("line {number}\n").as_bytes());
        }
        let kept = String::from_utf8(tail.end()).expect("text");
        assert!(kept.len() <= TAIL && kept.ends_with("\nline 9999\n"));
        assert!(kept.trim().lines().all(|line| line.starts_with("line ")));
    }

    #[test]
    fn a_copy_ends_at_its_limit() {
        let scratch = crate::scratch::Scratch::new();
        let file = scratch.path().join("output");
        let kept = || KeptOutput { file: file.clone(), most_bytes: 5 };
        let mut copy = OutputCopy::create(kept()).expect("a new file");
        for piece in ["abc", "def", "ghi"] {
            copy.add(piece.as_bytes());
        }
        assert_eq!(std::fs::read(&file).expect("written"), b"abcde");
        assert!(OutputCopy::create(kept()).is_err(), "a file that exists is not written");
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_output_is_cut(
            parts in prop::collection::vec(("[a \n]", prop::sample::select(vec![1, 2, 4090])), 0..12),
            cuts in prop::collection::vec(prop::sample::select(vec![0usize, 1, 3, 4095, 4097]), 0..20),
        ) {
            let text: String = parts.iter().map(|(c, count)| c.repeat(*count)).collect();
            let mut rest = text.as_bytes();
            let mut pieces = Vec::new();
            for cut in cuts {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = left;
            }
            pieces.push(rest);
            prop_assert_eq!(output_of(pieces), output_of([text.as_bytes()]));
        }
    }
}
