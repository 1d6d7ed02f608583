//! One run as its output shows it: figures with their lines.

use crate::command::CommandLine;
use crate::key::{At, Fact, Figures, Key, Label};
use crate::tools::{TOOLS, Tool, ToolKind};
use std::collections::BTreeMap;
use text::shown::shown;

/// One run of a tool.
#[derive(Clone, Debug)]
pub struct PublishedRun {
    /// The tool that printed it.
    pub tool: &'static Tool,
    /// The file that contains it, by index.
    pub file: usize,
    /// Its first line.
    pub first: u64,
    /// Its last line.
    pub last: u64,
    /// The line above it, if that is a heading or a sentence.
    pub heading: Option<At<String>>,
    /// How often text that may name another contender was between the runs before it.
    pub(crate) part: u32,
    pub(crate) figures: Figures,
    pub(crate) texts: BTreeMap<Label, At<String>>,
    /// Lines with a figure that cannot be read.
    pub(crate) unclear: Vec<u64>,
    /// Sums over the rows of a table, which count if the row with the totals is missing.
    parts: Figures,
    /// The line with which a table began again.
    table: Option<u64>,
    /// The command line above the output.
    pub(crate) command: Option<At<CommandLine>>,
    /// Whether an older version of the tool printed it, with fewer figures.
    older: bool,
    /// Whether its times are those of one of several kinds of operations.
    mixed: bool,
    /// Whether several rows of a table have times, of which there is no sum.
    mixed_parts: bool,
    /// The text of its lines with figures, escaped.
    quotes: BTreeMap<u64, String>,
}

/// Rounds to twelve digits: printed figures have fewer, and a unit's factor adds rounding errors.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn add(to: &mut Figures, key: Key, value: f64, line: u64) {
    to.entry(key).or_insert(At { value: 0.0, line }).value += value;
}

/// The largest number of quoted lines per run.
const MOST_QUOTES: usize = 200;

impl PublishedRun {
    pub(crate) fn new(tool: &'static Tool, file: usize, line: u64) -> PublishedRun {
        PublishedRun {
            tool,
            file,
            first: line,
            last: line,
            heading: None,
            part: 0,
            figures: BTreeMap::new(),
            texts: BTreeMap::new(),
            unclear: Vec::new(),
            parts: BTreeMap::new(),
            table: None,
            command: None,
            older: false,
            mixed: false,
            mixed_parts: false,
            quotes: BTreeMap::new(),
        }
    }

    /// Whether a fact repeats what every run states only once, so that it belongs to another run. An
    /// owned line is one that no other tool prints: it repeats if its figure is another one. Behind
    /// a line that may begin a run (`started`), any figure repeats.
    pub(crate) fn has(&self, fact: &Fact, owned: bool, started: bool) -> bool {
        match fact {
            Fact::Figure(key @ (Key::Rate | Key::Operations | Key::Duration), _) => {
                self.figures.contains_key(key)
            }
            // locust prints the median in one table, and again in another.
            Fact::Figure(Key::Percentile(_), _) if started => false,
            Fact::Figure(key, value) => {
                self.figures.contains_key(key) && (started || owned && !self.shows(*key, *value))
            }
            _ => false,
        }
    }

    /// Whether an older version of the tool printed it, with fewer figures.
    pub(crate) fn is_older(&self) -> bool {
        self.older
    }

    /// Whether the run shows this very figure.
    pub(crate) fn shows(&self, key: Key, value: f64) -> bool {
        self.figure(key).is_some_and(|at| at.value == rounded(value))
    }

    /// Removes the sums over a table whose last row belongs to another run.
    pub(crate) fn take_parts(&mut self) -> Figures {
        self.table = None;
        std::mem::take(&mut self.parts)
    }

    pub(crate) fn give_parts(&mut self, parts: Figures) {
        self.parts = parts;
    }

    /// Whether it has the figures and the texts of another run.
    pub(crate) fn has_all_of(&self, other: &PublishedRun) -> bool {
        other.figures().all(|(key, at)| self.shows(key, at.value))
            && other
                .texts
                .iter()
                .all(|(label, at)| self.text(*label).is_some_and(|own| own.value == at.value))
    }

    pub(crate) fn has_rate(&self) -> bool {
        self.figures.contains_key(&Key::Rate)
    }

    /// Whether the run shows more than its beginning.
    pub(crate) fn shows_something(&self) -> bool {
        let of_load = |key: &Key| matches!(key, Key::AskedDuration | Key::AskedRate | Key::Keys);
        self.figures.keys().any(|key| !of_load(key)) || !self.unclear.is_empty()
    }

    pub(crate) fn take(&mut self, fact: Fact, line: u64, quote: &str) {
        self.last = self.last.max(line);
        match fact {
            Fact::Begins => {}
            Fact::Restarts => {
                self.figures.clear();
                self.unclear.clear();
            }
            Fact::ClearsParts => {
                self.parts.clear();
                self.table = Some(line);
            }
            Fact::Older => self.older = true,
            Fact::Mixed => self.mixed = true,
            Fact::Tool(name) => {
                if let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) {
                    self.tool = tool;
                }
            }
            // Without a limit, tools print or are given a rate of 0.
            Fact::Figure(Key::AskedRate, 0.0) => {}
            Fact::Figure(key, value) => {
                let value = rounded(value);
                self.figures.entry(key).or_insert(At { value, line });
            }
            Fact::Adds(key, value) => add(&mut self.figures, key, value, line),
            Fact::Part(key, _) if key.is_time() && self.parts.contains_key(&key) => {
                self.mixed_parts = true;
            }
            Fact::Part(key, value) => add(&mut self.parts, key, value, line),
            Fact::Text(label, value) => {
                self.texts.entry(label).or_insert(At { value: shown(value), line });
            }
            Fact::Unclear if self.unclear.len() < MOST_QUOTES => self.unclear.push(line),
            Fact::Unclear => {}
        }
        self.quote_line(line, quote);
    }

    /// Keeps the text of a line, for objections that refer to it.
    pub(crate) fn quote_line(&mut self, line: u64, text: &str) {
        if self.quotes.len() < MOST_QUOTES {
            self.quotes.entry(line).or_insert_with(|| shown(text.trim()));
        }
    }

    /// Drops the times of a table of which rows may be missing.
    pub(crate) fn forget_times_of_rows(&mut self) {
        self.mixed_parts = true;
    }

    /// Draws what follows from all lines of the run together.
    pub(crate) fn settle(&mut self) {
        // Rows of a newer table count more than the last row of an older one.
        if let Some(table) = self.table.filter(|_| !self.parts.is_empty()) {
            self.figures.retain(|_, at| at.line > table);
        }
        if self.mixed_parts {
            self.parts.retain(|key, _| !key.is_time());
        }
        for (key, at) in std::mem::take(&mut self.parts) {
            self.figures.entry(key).or_insert(At { value: rounded(at.value), line: at.line });
        }
        if self.mixed {
            self.figures.retain(|key, _| !key.is_time());
        }
        // The output weighs more than the command line: a figure or text is kept if there is one.
        if let Some(At { value: command, line }) = self.command.take() {
            if command.tool.name != self.tool.name && command.tool.prints_like(self.tool) {
                self.tool = command.tool;
            }
            let last = self.last;
            command.facts.0.into_iter().for_each(|fact| self.take(fact, line, &command.text));
            self.last = last;
        }
        (self.tool.settle)(&mut self.figures);
        self.settle_rate();
    }

    /// Replaces a rate that was rounded to 0 by operations ÷ duration, or removes it.
    fn settle_rate(&mut self) {
        let Some(rate) = self.figure(Key::Rate).filter(|rate| rate.value == 0.0) else { return };
        let Some(operations) = self.figure(Key::Operations).filter(|at| at.value > 0.0) else {
            return;
        };
        self.figures.remove(&Key::Rate);
        let Some(duration) = self.figure(Key::Duration).filter(|at| at.value > 0.0) else { return };
        let exact = operations.value / duration.value;
        // If it does not round to 0, the two contradict each other.
        let value = if exact < 0.5 { rounded(exact) } else { 0.0 };
        self.figures.insert(Key::Rate, At { value, line: rate.line });
    }

    /// A figure of the run.
    pub fn figure(&self, key: Key) -> Option<At<f64>> {
        self.figures.get(&key).copied()
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = (Key, At<f64>)> {
        self.figures.iter().map(|(key, at)| (*key, *at))
    }

    /// A text of the run, escaped.
    pub fn text(&self, label: Label) -> Option<&At<String>> {
        self.texts.get(&label)
    }

    /// Operations that ended: as printed; else the sum of the printed results; else the number
    /// requested per client, or rate × requested duration.
    pub fn operations(&self) -> Option<At<f64>> {
        // ab prints an error when it gives up, but no count.
        let counts_errors = self.tool.name != "ab";
        let is_end = |key: Key| {
            matches!(key, Key::Status(_) | Key::Aborted) || key == Key::Errors && counts_errors
        };
        let product = |a: Option<At<f64>>, b: Option<At<f64>>| {
            a.zip(b).map(|(a, b)| At { value: a.value * b.value, line: a.line })
        };
        let ends = self.figures().filter(|(key, _)| is_end(*key)).map(|(_, at)| at);
        self.figure(Key::Operations)
            .or_else(|| ends.reduce(|sum, at| At { value: sum.value + at.value, line: sum.line }))
            .or_else(|| product(self.figure(Key::PerClient), self.connections()))
            .or_else(|| product(self.figure(Key::Rate), self.figure(Key::AskedDuration)))
    }

    /// The duration: as printed, else operations ÷ rate, else as requested.
    pub fn duration(&self) -> Option<At<f64>> {
        let quotient = || {
            if self.tool.samples_rate {
                return None;
            }
            let rate = self.figure(Key::Rate).filter(|rate| rate.value > 0.0)?;
            let operations = self.operations()?;
            Some(At { value: operations.value / rate.value, line: rate.line })
        };
        let printed = self.figure(Key::Duration);
        // Below a step of the tool's clock the printed duration is 0.
        let precise = printed.filter(|at| at.value >= self.tool.clock);
        precise.or_else(quotient).or(printed).or_else(|| self.figure(Key::AskedDuration))
    }

    /// Concurrent connections.
    pub fn connections(&self) -> Option<At<f64>> {
        let product = || {
            let (each, threads) =
                self.figure(Key::ConnectionsPerThread).zip(self.figure(Key::Threads))?;
            Some(At { value: each.value * threads.value, line: each.line })
        };
        self.figure(Key::Connections).or_else(product)
    }

    /// The samples behind its percentiles.
    pub fn samples(&self) -> Option<At<f64>> {
        self.figure(Key::Samples).or_else(|| self.operations())
    }

    /// Percentiles in ascending order: (share, seconds).
    pub fn percentiles(&self) -> impl Iterator<Item = (f64, At<f64>)> {
        self.figures().filter_map(|(key, at)| match key {
            Key::Percentile(part) => Some((f64::from(part) / 1e6, at)),
            _ => None,
        })
    }

    /// The text of a line of the run, escaped.
    pub fn quote(&self, line: u64) -> &str {
        self.quotes.get(&line).map_or("", String::as_str)
    }

    /// The names of the figures that a complete output of this tool contains and this one does not.
    pub fn missing(&self) -> Vec<String> {
        let shown = |key: &&Key| match key {
            Key::Operations => self.operations().is_some(),
            Key::Connections => self.connections().is_some(),
            Key::Percentile(_) => self.percentiles().next().is_some(),
            _ => self.figures.contains_key(key),
        };
        let complete = if self.older { self.tool.older } else { self.tool.prints };
        let missing = complete.iter().filter(|key| !shown(key));
        let name = |key: &Key| match key {
            Key::Percentile(_) => "percentiles".to_owned(),
            _ => key.name().0,
        };
        missing.map(name).collect()
    }

    /// The names of the figures without which the rate does not show how fast a server was at work:
    /// the rate itself, and what the tool always prints about the number of operations and failures.
    pub(crate) fn missing_for_conclusion(&self) -> Vec<String> {
        // The short forms of benchmarks of stores show nothing but the rate.
        let counts = self.tool.kind != ToolKind::Store;
        let needed = |key: &&Key| match key {
            Key::Succeeded | Key::Failed | Key::Errors | Key::Hits | Key::Misses => true,
            Key::Operations => counts,
            _ => false,
        };
        let complete = if self.older { self.tool.older } else { self.tool.prints };
        let needed = complete.iter().filter(needed).copied();
        let main = if self.tool.kind == ToolKind::Program { Key::Mean } else { Key::Rate };
        let all = std::iter::once(main).chain(needed);
        let absent = all.filter(|key| match key {
            Key::Operations => self.operations().is_none(),
            key => !self.figures.contains_key(key),
        });
        let mut names: Vec<String> = absent.map(|key| key.name().0).collect();
        let of_ends = |key: &Key| matches!(key, Key::Status(_) | Key::Errors | Key::Failed);
        if self.tool.shows_statuses && !self.figures.keys().any(of_ends) {
            names.push("the statuses of the replies".to_owned());
        }
        if self.lacks_results() {
            names.push("the results of all operations".to_owned());
        }
        names
    }

    /// Whether fewer operations succeeded and failed than there were.
    fn lacks_results(&self) -> bool {
        let value = |key| self.figure(key).map_or(0.0, |at| at.value);
        self.figure(Key::Succeeded)
            .is_some_and(|good| good.value + value(Key::Errors) < value(Key::Operations))
    }

    /// What was driven, as far as the run shows it.
    pub(crate) fn about(&self) -> String {
        let text = |label| self.text(label).map_or("", |at| at.value.as_str());
        let port = match text(Label::Port) {
            "" => String::new(),
            port => format!(":{port}"),
        };
        let target = format!("{}{port}{}", text(Label::Target), text(Label::Path));
        let parts = [target.as_str(), text(Label::Server), text(Label::Subject)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<&str>>().join(", ")
    }
}
