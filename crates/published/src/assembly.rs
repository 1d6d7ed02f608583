//! Assigns lines to runs.
//!
//! A run begins with a line that no other tool prints, and a line is only added to the run that is
//! open. A command line, a heading, a line of another tool, or a figure that the run has already
//! ends it: what follows is not assigned to it.

use crate::command::{self, CommandLine};
use crate::key::{At, Fact, Key, Label};
use crate::run::PublishedRun;
use crate::surroundings::Surroundings;
use crate::tools::{Facts, Lines, Section, TOOLS, Tool};
use crate::wrapping;

/// The largest number of runs per file.
pub const MOST_RUNS: usize = 1000;
/// The largest distance of a run from a first line that several tools print.
const NEAR: u64 = 8;
/// The largest number of lines in a row that a tool prints after its rate and that are not read.
const MOST_UNREAD: u32 = 40;
/// Longest command line that is put together from several lines, in bytes.
const LONGEST_COMMAND: usize = 4000;

#[derive(Debug, Default)]
pub(crate) struct Assembly {
    file: usize,
    runs: Vec<PublishedRun>,
    /// Whether the last run may continue.
    open: bool,
    /// Lines since the last one that was read, after the rate.
    unread: u32,
    /// The first line that no other tool prints and that says nothing new of the open run, until
    /// something new follows. If a figure of the run follows, another run begins with this line.
    start: Option<At<String>>,
    /// The number of the last line that was read. Too short ones, and those that only begin or end a
    /// block of code, are not.
    previous: u64,
    /// The number of the last line, except too short ones.
    end: u64,
    /// The first run of the open repetition of a command.
    repetition: usize,
    /// The first character of the last line of a run, if it is not the tool's own: an author made the
    /// whole output bold, or a comment.
    mark: Option<char>,
    /// The line that is read, as objections quote it: with its mark.
    literal: String,
    section: Section,
    around: Surroundings,
    /// A command line that ends with a backslash.
    unfinished: Option<At<String>>,
    /// A first line that several tools print.
    opening: Option<At<String>>,
    left_out: Option<u64>,
}

impl Assembly {
    pub(crate) fn new(file: usize) -> Assembly {
        Assembly { file, ..Assembly::default() }
    }

    /// Whether the next line continues a command.
    pub(crate) fn expects_more(&self) -> bool {
        self.unfinished.is_some()
    }

    /// Whether there are too many runs.
    pub(crate) fn is_full(&self) -> bool {
        self.left_out.is_some()
    }

    /// The runs, and the line from which on runs were left out.
    pub(crate) fn finish(mut self) -> (Vec<PublishedRun>, Option<u64>) {
        let cut = self.runs.last_mut().filter(|run| run.last == self.end);
        if let Some(run) = cut.filter(|run| run.tool.rows_have_times) {
            run.forget_times_of_rows();
        }
        self.runs.iter_mut().for_each(PublishedRun::settle);
        self.runs.retain(PublishedRun::shows_something);
        let quoted: Vec<bool> = self.runs.iter().map(|run| self.is_quotation(run)).collect();
        let mut quoted = quoted.into_iter();
        self.runs.retain(|_| quoted.next() == Some(false));
        (self.runs, self.left_out)
    }

    /// Whether a run consists of nothing but lines about the load that an author quoted from another
    /// run.
    fn is_quotation(&self, run: &PublishedRun) -> bool {
        run.unclear.is_empty()
            && run.figures().all(|(key, _)| key.is_of_load())
            && self.runs.iter().any(|other| other.has_rate() && other.has_all_of(run))
    }

    /// A line that is too short to be read.
    pub(crate) fn short(&mut self, line: &[u8]) {
        self.around.short(line);
    }

    /// Reads a line outside a JSON document.
    pub(crate) fn read(&mut self, text: &str, line: u64) {
        self.end = line;
        if let Some(At { value: begun, line: first }) = self.unfinished.take() {
            let joined = format!("{} {text}", begun.trim_end_matches(['\\', ' ']));
            return self.command(joined, first);
        }
        if self.around.ends_block(text) {
            return;
        }
        self.literal.clear();
        self.literal.push_str(text);
        // A mark in front of a line can make its figures unreadable.
        let readings = wrapping::readings(text);
        // Behind a mark, the first line of sysbench looks like a command of root.
        let is_owned = |text: &&str| TOOLS.iter().any(|tool| (tool.owns)(text));
        if let Some(call) = readings.iter().find(|text| is_command(text))
            && !readings.iter().any(is_owned)
        {
            return self.command((*call).to_owned(), line);
        }
        let known = [false, true]
            .into_iter()
            .find_map(|unclear| readings.iter().find(|reading| self.known(reading, line, unclear)));
        match known {
            Some(reading) => {
                self.mark = text.chars().next().filter(|_| !text.starts_with(*reading));
            }
            None => self.unknown(text, line),
        }
        self.previous = line;
    }

    fn command(&mut self, text: String, line: u64) {
        self.open = false;
        if text.ends_with('\\') && text.len() < LONGEST_COMMAND {
            self.unfinished = Some(At { value: text, line });
        } else {
            self.around.command(command::parse(&text).map(|value| At { value, line }), line);
        }
    }

    /// Adds a line to a run. Returns false if no tool prints it, or if it has an unclear figure that
    /// may not be `unclear`.
    fn known(&mut self, text: &str, line: u64, unclear: bool) -> bool {
        if TOOLS.iter().any(|tool| (tool.opens)(text)) {
            self.open = false;
            self.opening = Some(At { value: text.to_owned(), line });
            return true;
        }
        let owner = TOOLS.iter().find(|tool| (tool.owns)(text)).copied();
        let open = self.runs.last().filter(|_| self.open).map(|run| run.tool);
        let Some(tool) = open else { return self.begin_with(owner, text, line, unclear) };
        let (mut facts, mut section) = (Facts::default(), self.section.clone());
        (tool.line)(text, &mut section, &mut facts);
        if facts.0.contains(&Fact::Unclear) && !unclear {
            return false;
        }
        if self.is_late(tool, &facts) {
            return owner.is_none() || self.begin_with(owner, text, line, unclear);
        }
        let heads_section = std::mem::replace(&mut self.section, section) != self.section;
        let owned = owner.is_some_and(|owner| owner.prints_like(tool));
        let repeats = self.repeats(&facts, owned);
        if facts.0.contains(&Fact::Begins) || !facts.0.is_empty() && !repeats {
            self.note_start(text, line, owned, &facts);
            self.take(tool, facts, line);
            return true;
        }
        if repeats && let Some(start) = self.start.take() {
            self.begin_at(tool, &start);
            self.take(tool, facts, line);
            return true;
        }
        if repeats && owner.is_none() {
            // A line of another run, whose beginning is missing.
            self.open = false;
            return true;
        }
        if facts.0.is_empty() && (owned || heads_section) {
            self.unread = 0;
            self.note_start(text, line, owned, &facts);
            return true;
        }
        self.begin_with(owner, text, line, unclear)
    }

    /// Whether a line shows the load of another run: most tools print it above the results.
    fn is_late(&self, tool: &Tool, facts: &Facts) -> bool {
        let of_load = |fact: &Fact| matches!(fact, Fact::Figure(key, _) if key.is_of_load());
        !tool.load_last
            && self.runs.last().is_some_and(PublishedRun::has_rate)
            && !facts.0.is_empty()
            && facts.0.iter().all(of_load)
    }

    fn note_start(&mut self, text: &str, line: u64, owned: bool, facts: &Facts) {
        let Some(run) = self.runs.last() else { return };
        let is_new = |fact: &Fact| match fact {
            Fact::Figure(key, value) => !run.shows(*key, *value),
            Fact::Adds(..) | Fact::Unclear => true,
            _ => false,
        };
        if facts.0.iter().any(is_new) {
            self.start = None;
        } else if owned && self.start.is_none() {
            self.start = Some(At { value: text.to_owned(), line });
        }
    }

    /// Begins another run of the tool at an earlier line, from which on nothing was new to the open
    /// run.
    fn begin_at(&mut self, tool: &'static Tool, start: &At<String>) {
        let parts = self.runs.last_mut().map(PublishedRun::take_parts).unwrap_or_default();
        let mut facts = Facts::default();
        let tool = TOOLS.iter().find(|tool| (tool.owns)(&start.value)).copied().unwrap_or(tool);
        (tool.line)(&start.value, &mut Section::new(), &mut facts);
        self.begin(tool, start.line);
        let Some(run) = self.runs.last_mut().filter(|_| self.open) else { return };
        run.give_parts(parts);
        for fact in facts.0 {
            run.take(fact, start.line, &start.value);
        }
    }

    /// Begins a run of the tool that owns a line. Returns false if there is none.
    fn begin_with(
        &mut self,
        owner: Option<&'static Tool>,
        text: &str,
        line: u64,
        unclear: bool,
    ) -> bool {
        let Some(tool) = owner else { return false };
        let (mut facts, mut section) = (Facts::default(), Section::new());
        (tool.line)(text, &mut section, &mut facts);
        if facts.0.contains(&Fact::Unclear) && !unclear {
            return false;
        }
        self.open = false;
        self.section = section;
        self.take(tool, facts, line);
        true
    }

    fn unknown(&mut self, text: &str, line: u64) {
        // A bold line is a heading only behind a blank one: an author can stress a line of the output.
        let apart = text.starts_with('#') || line > self.previous + 1;
        let ends = apart && self.mark != text.chars().next();
        if let Some(value) = heading(text).filter(|_| ends || !self.open) {
            self.open = false;
            return self.around.heading(value, text, line);
        }
        self.around.unknown(text, line);
        if text.starts_with("$ ") {
            self.open = false;
        } else if self.open && self.runs.last().is_some_and(PublishedRun::has_rate) {
            self.unread += 1;
            self.open = self.unread <= MOST_UNREAD;
        }
    }

    /// Whether a line repeats what every run states only once, so that it belongs to another run.
    fn repeats(&self, facts: &Facts, owned: bool) -> bool {
        let Some(run) = self.runs.last() else { return false };
        let smaller = |fact: &Fact| match fact {
            Fact::Figure(key @ (Key::Operations | Key::Failed | Key::Errors), value) => {
                run.figure(*key).is_some_and(|at| *value < at.value)
            }
            _ => false,
        };
        if facts.0.contains(&Fact::Restarts) {
            return facts.0.iter().any(smaller);
        }
        facts.0.iter().any(|fact| run.has(fact, owned, self.start.is_some()))
    }

    fn take(&mut self, tool: &'static Tool, facts: Facts, line: u64) {
        self.unread = 0;
        if !self.open || facts.0.contains(&Fact::Begins) {
            if self.around.announces_repetition() {
                self.repetition = self.runs.len();
            }
            let carried = self.carried(tool, &facts);
            self.begin(tool, line);
            if let Some(run) = self.runs.last_mut().filter(|_| self.open) {
                run.command = run.command.take().or(carried);
                run.quote_line(line, &self.literal);
            }
        }
        // Until it is known to which run the line belongs, what precedes it may separate the two.
        if self.start.is_none() {
            self.around.of_run(line);
        }
        let Some(run) = self.runs.last_mut().filter(|_| self.open) else { return };
        for fact in facts.0 {
            run.take(fact, line, &self.literal);
        }
    }

    /// The command of the open run, if one command of the tool makes several runs and this one is of
    /// a kind that the command has not made yet, or not in this repetition.
    fn carried(&self, tool: &Tool, facts: &Facts) -> Option<At<CommandLine>> {
        let last = self.runs.last().filter(|_| self.open && tool.runs_kinds)?;
        let command = last.command.as_ref()?;
        let subject = facts.0.iter().find_map(|fact| match fact {
            Fact::Text(Label::Subject, subject) => Some(subject),
            _ => None,
        })?;
        let is_of = |run: &&PublishedRun| {
            run.command.as_ref().is_some_and(|other| other.line == command.line)
        };
        let repetition = self.runs.iter().skip(self.repetition);
        let made = repetition
            .rev()
            .take_while(is_of)
            .any(|run| run.text(Label::Subject).is_some_and(|at| at.value == *subject));
        (!made).then(|| command.clone())
    }

    /// Adds a JSON document.
    pub(crate) fn document(&mut self, tool: &'static Tool, lines: Lines, of: &[(u64, String)]) {
        let (Some((first, _)), Some((last, _))) = (of.first(), of.last()) else { return };
        self.begin(tool, *first);
        let Some(run) = self.runs.last_mut().filter(|_| self.open) else { return };
        run.last = *last;
        self.around.of_run(*last);
        for (line, fact) in lines.0 {
            let at = of.partition_point(|(number, _)| *number < line);
            run.take(fact, line, of.get(at).map_or("", |(_, text)| text));
        }
        self.open = false;
    }

    /// Begins a run, unless there are too many.
    fn begin(&mut self, tool: &'static Tool, line: u64) {
        if self.runs.len() == MOST_RUNS {
            self.left_out.get_or_insert(line);
            self.open = false;
            return;
        }
        let near = |at: u64| line.saturating_sub(at) <= NEAR;
        let mut run = PublishedRun::new(tool, self.file, line);
        if let Some(At { value: text, line: first }) = self.opening.take()
            && near(first)
        {
            let mut facts = Facts::default();
            (tool.line)(&text, &mut Section::new(), &mut facts);
            run.first = first;
            facts.0.into_iter().for_each(|fact| run.take(fact, first, &text));
        }
        if let Some(At { value: command, line: at }) = self.around.command_of(line)
            && command.tool.prints_like(tool)
        {
            run.first = run.first.min(at);
            run.command = Some(At { value: command, line: at });
        }
        (run.heading, run.part) = self.around.heading_of(line, run.command.is_some());
        self.runs.push(run);
        self.open = true;
        self.start = None;
    }
}

fn is_command(text: &str) -> bool {
    command::parse(text).is_some() || text.ends_with('\\') && command::has_prompt(text)
}

/// Lines of wrk2, fortio, autocannon, siege and locust that are no headings.
const PRINTED: &[&str] = &[
    "#[",
    "# range, mid point",
    "# target ",
    "# of samples",
    "# Socket and IP used for each connection",
    "# Lifting the server siege",
    "# occurrences ",
];

/// The text of a heading: `## nginx`, `- ## nginx`, `**nginx**`, `=== nginx ===`. A comment with an
/// address is a line that a shell or a tool printed.
fn heading(text: &str) -> Option<&str> {
    let in_list = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
    let text = in_list.filter(|text| text.starts_with("##")).unwrap_or(text);
    let inside = if text.starts_with('#') && !PRINTED.iter().any(|line| text.starts_with(line)) {
        let inside = text.trim_start_matches('#');
        if inside.starts_with(['{', '[', '!']) || text.starts_with("# ") && text.contains("://") {
            return None;
        }
        inside
    } else if text.len() > 4 && text.starts_with("**") && text.ends_with("**") {
        text.trim_matches('*')
    } else {
        text.strip_prefix("==")?.strip_suffix("==")?.trim_matches('=')
    };
    let inside = inside.trim();
    inside.contains(char::is_alphanumeric).then_some(inside)
}
