//! Finds runs in the bytes of a file.

use crate::assembly::Assembly;
use crate::board::Kept;
use crate::json::{self, Depth};
use crate::lines::{self, beginning};
use crate::run::PublishedRun;
use crate::tools::{Lines, TOOLS};
use crate::wrapping;

/// Longest line that is read, in bytes. A JSON report may be one line.
const LONGEST_LINE: usize = 1 << 20;
/// Longest line outside a JSON document that is read, in bytes: no tool prints longer ones. With
/// it, the work for a line is bounded whatever a reader of a tool does with it.
const LONGEST_PLAIN: usize = 1000;
/// Shortest line that is read, in bytes: `Run 2` tells that a run is repeated.
const SHORTEST: usize = 5;
/// Largest JSON document that is read, in bytes.
const LARGEST_DOCUMENT: usize = 4 << 20;
/// What a line of a document costs in addition to its bytes.
const COST_OF_LINE: usize = 64;
/// A part of every line of k6's `--out json`.
const POINT: &str = "\"type\":\"Point\"";

/// Other peculiarities of a file, each with the first line that shows it.
#[derive(Clone, Debug, Default)]
pub struct ScanNotes {
    /// Binary data.
    pub binary: Option<u64>,
    /// A line longer than a mebibyte, of which only this much was read.
    pub long_line: Option<u64>,
    /// A JSON document that is incomplete, or larger than 4 MiB.
    pub cut_document: Option<u64>,
    /// Points of k6's `--out json`, which are not a summary.
    pub points: Option<u64>,
    /// The line from which on the file was not read, because it is too large.
    pub cut: Option<u64>,
    /// The line from which on runs were ignored, because there are more than [`crate::MOST_RUNS`].
    pub left_out: Option<u64>,
}

/// Reads one file, piece by piece, in bounded memory.
#[derive(Debug, Default)]
pub struct Scan {
    line: u64,
    rest: Vec<u8>,
    assembly: Assembly,
    document: Option<Document>,
    scan_notes: ScanNotes,
    /// The file as far as it may be a leaderboard.
    board: Kept,
}

#[derive(Debug, Default)]
struct Document {
    lines: Vec<(u64, String)>,
    bytes: usize,
    depth: Depth,
    /// Whether each of its lines has a mark in front.
    marked: bool,
}

fn begins_document(line: &str) -> bool {
    let rest = line.strip_prefix('{').map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('"'))
}

impl Scan {
    /// Scans the file with this index.
    pub fn new(file: usize) -> Scan {
        Scan { assembly: Assembly::new(file), ..Scan::default() }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        self.board.feed(bytes);
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            self.keep(&bytes[..at]);
            self.end_line();
            bytes = &bytes[at + 1..];
        }
        self.keep(bytes);
    }

    /// Records that the file continues but is not read further.
    pub fn cut(&mut self) {
        self.scan_notes.cut = Some(self.line + 1);
    }

    /// The file as far as it may be a leaderboard. The caller takes it before the end.
    pub(crate) fn take_board(&mut self) -> Kept {
        std::mem::take(&mut self.board)
    }

    /// Ends the file; returns its runs and its peculiarities.
    pub fn finish(mut self) -> (Vec<PublishedRun>, ScanNotes) {
        if !self.rest.is_empty() {
            self.end_line();
        }
        if let Some(document) = self.document.take() {
            self.end_document(document);
        }
        let (runs, left_out) = self.assembly.finish();
        self.scan_notes.left_out = left_out;
        (runs, self.scan_notes)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LONGEST_LINE - self.rest.len();
        if bytes.len() > room {
            self.scan_notes.long_line.get_or_insert(self.line + 1);
        }
        self.rest.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        self.line += 1;
        let line = std::mem::take(&mut self.rest);
        if line.contains(&0) {
            self.scan_notes.binary.get_or_insert(self.line);
        } else if self.is_noise(&line) {
            self.assembly.short(&line);
        } else if !self.assembly.is_full() {
            lines::seen(&line).iter().for_each(|text| self.seen(text));
        }
        self.rest = line;
        self.rest.clear();
    }

    /// Whether a line is too short to say anything. There may be millions of them.
    fn is_noise(&self, line: &[u8]) -> bool {
        let of_prompt = |byte: &u8| b"{$#`".contains(byte);
        line.len() < SHORTEST
            && self.document.is_none()
            && !self.assembly.expects_more()
            && !line.iter().any(of_prompt)
    }

    fn seen(&mut self, text: &str) {
        let text = wrapping::without_prefix(text.trim());
        // There may be millions of such lines, and each would be a document.
        if self.document.is_none() && text.starts_with('{') && text.contains(POINT) {
            self.scan_notes.points.get_or_insert(self.line);
            return;
        }
        if self.document.is_none() {
            let marked = !begins_document(text);
            if !marked || text.contains('{') && begins_document(wrapping::unmarked(text)) {
                self.document = Some(Document { marked, ..Document::default() });
            }
        }
        let Some(document) = &mut self.document else {
            return self.assembly.read(beginning(text, LONGEST_PLAIN), self.line);
        };
        let text = if document.marked { wrapping::unmarked(text) } else { text };
        document.bytes += text.len() + COST_OF_LINE;
        document.lines.push((self.line, text.to_owned()));
        let ends = document.depth.add(text) || document.bytes > LARGEST_DOCUMENT;
        if ends && let Some(document) = self.document.take() {
            self.end_document(document);
        }
    }

    fn end_document(&mut self, document: Document) {
        let (leaves, whole) = json::leaves(&document.lines);
        let mut lines = Lines::default();
        let tool = TOOLS.iter().find(|tool| {
            if let Some(read) = tool.document {
                read(&leaves, &mut lines);
            }
            !lines.0.is_empty()
        });
        match tool {
            Some(tool) => {
                if !whole && let Some((first, _)) = document.lines.first() {
                    self.scan_notes.cut_document.get_or_insert(*first);
                }
                self.assembly.document(tool, lines, &document.lines);
            }
            // Braces of a program or of prose.
            None => document.lines.iter().for_each(|(line, text)| {
                self.assembly.read(beginning(text, LONGEST_PLAIN), *line);
            }),
        }
    }
}
