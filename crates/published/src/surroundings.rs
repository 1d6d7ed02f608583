//! What authors write around a run: headings, commands, and what tells that a run is repeated.

use crate::command::{self, CommandLine};
use crate::key::At;
use crate::tools::{Facts, Section, Tool};

/// The largest distance of a run from its command, and from a comment in a block of code, in lines.
const NEAR: u64 = 8;
/// The largest distance of a run from its heading, or from another run below the heading.
const FAR: u64 = 40;
/// The first line of hey, oha and redis-benchmark.
const SUMMARY: &str = "Summary:";
/// Longest line that is a label of what follows, in bytes.
const LONGEST_LABEL: usize = 40;

/// The text around the runs of a file, up to the line that is read.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// Whether the line is in a block of code in Markdown.
    in_block: bool,
    heading: Option<At<String>>,
    /// Whether the heading is a comment in a block of code.
    is_comment: bool,
    /// The last line with a heading of one `#`.
    plain: Option<u64>,
    /// The last line that the heading certainly refers to.
    heading_reaches: u64,
    command: Option<At<CommandLine>>,
    /// The last line that the command certainly refers to.
    command_reaches: u64,
    /// Whether a heading is below the command.
    command_ended: bool,
    /// Whether there is text that may name another contender since the last line of a run.
    prose: bool,
    /// Whether there is such text in a block of code: behind a command, a program may have printed it.
    text_in_block: bool,
    /// Whether the lines since the last one of a run are labels of repetitions.
    repetition: bool,
    /// Whether a run is below the heading.
    used: bool,
    /// How often such text was between the runs below the heading.
    part: u32,
}

impl Surroundings {
    /// Whether a line does nothing but begin or end a block of code.
    pub(crate) fn ends_block(&mut self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix("```") else {
            self.in_block &= !text.ends_with("```");
            return false;
        };
        if !rest.ends_with("```") {
            self.in_block = !self.in_block;
        }
        !rest.trim().contains(' ')
    }

    pub(crate) fn command(&mut self, command: Option<At<CommandLine>>, line: u64) {
        self.command = command;
        self.command_reaches = line;
        self.command_ended = false;
        self.repetition = false;
    }

    pub(crate) fn heading(&mut self, value: &str, text: &str, line: u64) {
        self.heading = None;
        if text.starts_with("# ") {
            // Several such lines in a row are a comment.
            let above = self.plain.replace(line);
            if above.is_some_and(|above| above + 1 == line) {
                return;
            }
        }
        self.heading = Some(At { value: value.to_owned(), line });
        self.command_ended |= !self.in_block;
        (self.used, self.prose, self.text_in_block, self.part) = (false, false, false, 0);
        self.is_comment = self.in_block;
        self.heading_reaches = line;
    }

    /// A line of a run.
    pub(crate) fn of_run(&mut self, line: u64) {
        self.heading_reaches = line;
        (self.prose, self.text_in_block) = (false, false);
        self.repetition = false;
    }

    /// A line that is too short to be read: it may still be a name.
    pub(crate) fn short(&mut self, line: &[u8]) {
        if line.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) {
            self.text();
        }
    }

    fn text(&mut self) {
        self.repetition = false;
        if self.in_block {
            self.text_in_block = true;
        } else {
            self.prose = true;
        }
    }

    /// A line that no tool prints.
    pub(crate) fn unknown(&mut self, text: &str, line: u64) {
        if is_repetition(text) {
            self.repetition |= !self.prose && !self.text_in_block;
        } else if !command::has_prompt(text) && text != SUMMARY {
            self.text();
        }
        let Some(At { value: command, line: of_command }) = &self.command else { return };
        let is_near = line <= self.command_reaches + NEAR;
        let is_short = text.len() <= LONGEST_LABEL && line <= of_command + FAR;
        let is_other = command::has_prompt(text) && !text.starts_with('#');
        let may = is_near && !is_other && !self.command_ended;
        if may && (self.in_block || is_short || reads(command.tool, text)) {
            self.command_reaches = line;
        }
    }

    /// Whether the text since the last run says that the run is repeated.
    pub(crate) fn announces_repetition(&self) -> bool {
        self.repetition
    }

    /// The heading of a run that begins at a line, and the number of times that text was between
    /// the runs which may have named another contender.
    pub(crate) fn heading_of(&mut self, line: u64, is_called: bool) -> (Option<At<String>>, u32) {
        let named = self.prose || self.text_in_block && !is_called;
        self.part += u32::from(named && self.used);
        self.used = true;
        let reach = if self.is_comment { NEAR } else { FAR };
        if line > self.heading_reaches + reach {
            self.heading = None;
        }
        let heading = self.heading.clone();
        if self.is_comment {
            self.heading = None;
        }
        (heading, self.part)
    }

    /// The command of a run that begins at a line.
    pub(crate) fn command_of(&mut self, line: u64) -> Option<At<CommandLine>> {
        self.command.take().filter(|_| line <= self.command_reaches + NEAR)
    }
}

/// Whether a tool reads a figure in a line.
fn reads(tool: &Tool, text: &str) -> bool {
    let mut facts = Facts::default();
    (tool.line)(text, &mut Section::new(), &mut facts);
    !facts.0.is_empty()
}

/// Words that number the repetitions of a run.
const REPETITIONS: &[&str] =
    &["attempt", "iteration", "no", "pass", "repeat", "round", "run", "test", "trial", "try"];

/// `iteration2:`, `Run 2`, `2nd run`
fn is_repetition(text: &str) -> bool {
    if text.len() > LONGEST_LABEL || !text.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| {
        let word = word.to_ascii_lowercase();
        REPETITIONS.contains(&word.as_str()) || ["st", "nd", "rd", "th"].contains(&word.as_str())
    })
}
