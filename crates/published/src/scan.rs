//! Finds runs in the bytes of a file.

use crate::json::{self, Depth};
use crate::key::{At, Fact, Label};
use crate::lines;
use crate::run::PublishedRun;
use crate::tools::{Facts, Lines, Section, TOOLS, Tool, named};

/// Longest line that is read, in bytes. A JSON report may be one line.
const LONGEST_LINE: usize = 1 << 20;
/// Largest JSON document that is read, in bytes.
const LARGEST_DOCUMENT: usize = 4 << 20;
/// The largest number of runs per file.
pub const MOST_RUNS: usize = 1000;
/// A part of every line of k6's `--out json`.
const POINT: &str = "\"type\":\"Point\"";
/// The largest distance of a run from its heading or command, in lines.
const NEAR: u64 = 8;

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
    /// The line from which on runs were ignored, because there are more than [`MOST_RUNS`].
    pub left_out: Option<u64>,
}

/// Reads one file, piece by piece, in bounded memory.
#[derive(Debug)]
pub struct Scan {
    file: usize,
    line: u64,
    rest: Vec<u8>,
    runs: Vec<PublishedRun>,
    /// The tool whose lines were read last.
    tool: Option<&'static Tool>,
    /// Whether the last run may continue.
    open: bool,
    sections: Vec<Section>,
    command: Option<(&'static Tool, Facts, At<String>)>,
    heading: Option<At<String>>,
    document: Option<Document>,
    scan_notes: ScanNotes,
}

#[derive(Debug, Default)]
struct Document {
    lines: Vec<(u64, String)>,
    bytes: usize,
    depth: Depth,
}

impl Scan {
    /// Scans the file with this index.
    pub fn new(file: usize) -> Scan {
        Scan {
            file,
            line: 0,
            rest: Vec::new(),
            runs: Vec::new(),
            tool: None,
            open: false,
            sections: vec![Section::new(); TOOLS.len()],
            command: None,
            heading: None,
            document: None,
            scan_notes: ScanNotes::default(),
        }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
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

    /// Ends the file; returns its runs and its peculiarities.
    pub fn finish(mut self) -> (Vec<PublishedRun>, ScanNotes) {
        if !self.rest.is_empty() {
            self.end_line();
        }
        if let Some(document) = self.document.take() {
            self.end_document(document);
        }
        (self.runs, self.scan_notes)
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
        } else if self.scan_notes.left_out.is_none() {
            lines::seen(&line).iter().for_each(|text| self.seen(text));
        }
        self.rest = line;
        self.rest.clear();
    }

    fn seen(&mut self, text: &str) {
        // There may be millions of such lines, and each would be a document.
        if self.document.is_none() && text.starts_with('{') && text.contains(POINT) {
            self.scan_notes.points.get_or_insert(self.line);
            return;
        }
        let begins = text.trim().strip_prefix('{').map(str::trim_start);
        if self.document.is_none()
            && begins.is_some_and(|rest| rest.is_empty() || rest.starts_with('"'))
        {
            self.document = Some(Document::default());
        }
        let Some(document) = &mut self.document else {
            return self.plain(text.trim(), self.line);
        };
        document.bytes += text.len();
        document.lines.push((self.line, text.to_owned()));
        let ends = document.depth.add(text) || document.bytes > LARGEST_DOCUMENT;
        if ends && let Some(document) = self.document.take() {
            self.end_document(document);
        }
    }

    fn end_document(&mut self, document: Document) {
        let (leaves, whole) = json::leaves(&document.lines);
        let (first, last) = match (document.lines.first(), document.lines.last()) {
            (Some(first), Some(last)) => (first.0, last.0),
            _ => return,
        };
        let mut lines = Lines::default();
        let tool = TOOLS.iter().find(|tool| {
            if let Some(read) = tool.document {
                read(&leaves, &mut lines);
            }
            !lines.0.is_empty()
        });
        let Some(tool) = tool else {
            // Braces of a program or of prose.
            return document.lines.iter().for_each(|(line, text)| self.plain(text.trim(), *line));
        };
        if !whole {
            self.scan_notes.cut_document.get_or_insert(first);
        }
        self.begin(tool, first);
        let Some(run) = self.runs.last_mut().filter(|_| self.open) else { return };
        run.last = last;
        for (line, fact) in lines.0 {
            let at = document.lines.partition_point(|(number, _)| *number < line);
            run.take(fact, line, document.lines.get(at).map_or("", |(_, text)| text));
        }
        self.open = false;
    }

    fn plain(&mut self, text: &str, line: u64) {
        if let Some((tool, facts)) = named(text) {
            self.command = Some((tool, facts, At { value: text.to_owned(), line }));
            return;
        }
        let owner = TOOLS.iter().find(|tool| (tool.owns)(text)).copied();
        if let Some(tool) = self.tool {
            let facts = self.facts(tool, text);
            let goes_on = !facts.0.is_empty() && !self.begins_another(&facts);
            if goes_on && self.open || owner.is_none() && !facts.0.is_empty() {
                return self.take(tool, facts, text, line);
            }
        }
        match owner {
            Some(tool) => {
                self.tool = Some(tool);
                let facts = self.facts(tool, text);
                if !facts.0.is_empty() {
                    self.take(tool, facts, text, line);
                }
            }
            None if text.starts_with('#') => {
                let value = text.trim_start_matches('#').trim().to_owned();
                self.heading = Some(At { value, line });
            }
            None => {}
        }
    }

    fn facts(&mut self, tool: &'static Tool, text: &str) -> Facts {
        let mut facts = Facts::default();
        let section = TOOLS.iter().position(|of| of.prints_like(tool));
        if let Some(section) = section.and_then(|at| self.sections.get_mut(at)) {
            (tool.line)(text, section, &mut facts);
        }
        facts
    }

    fn begins_another(&self, facts: &Facts) -> bool {
        let again = |fact: &Fact| self.runs.last().is_some_and(|run| run.has(fact));
        facts.0.iter().any(|fact| *fact == Fact::Begins || again(fact))
    }

    fn take(&mut self, tool: &'static Tool, facts: Facts, text: &str, line: u64) {
        let of_another = |run: &PublishedRun| !run.tool.prints_like(tool);
        if !self.open || self.begins_another(&facts) || self.runs.last().is_some_and(of_another) {
            self.begin(tool, line);
        }
        let Some(run) = self.runs.last_mut().filter(|_| self.open) else { return };
        for fact in facts.0 {
            if let Fact::Tool(name) = fact
                && let Some(tool) = TOOLS.iter().find(|tool| tool.name == name)
            {
                run.tool = tool;
            }
            run.take(fact, line, text);
        }
    }

    /// Begins a run, unless there are too many.
    fn begin(&mut self, tool: &'static Tool, line: u64) {
        if self.runs.len() == MOST_RUNS {
            self.scan_notes.left_out.get_or_insert(line);
            self.open = false;
            return;
        }
        let mut run = PublishedRun::new(tool, self.file, line);
        let is_near = |at: &At<String>| line.saturating_sub(at.line) <= NEAR;
        run.heading = self.heading.take().filter(is_near);
        if let Some((named, facts, at)) = self.command.take()
            && is_near(&at)
            && named.prints_like(tool)
        {
            // The output weighs more than the command line: it is read later, and the first text is
            // kept.
            let kept = facts.0.into_iter().filter(|fact| !states_target(tool, fact));
            kept.for_each(|fact| run.take(fact, at.line, &at.value));
        }
        self.runs.push(run);
        self.open = true;
    }
}

/// Whether a tool's own output names the target.
fn states_target(tool: &Tool, fact: &Fact) -> bool {
    let prints = ["ab", "wrk", "wrk2"].contains(&tool.name);
    prints && matches!(fact, Fact::Text(Label::Target, _))
}
