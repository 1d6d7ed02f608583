//! Reading a journal, line by line: it may be larger than memory.

use super::version_2;
use protocol::{Error, input};
use record::limits::{TOO_LARGE, holds_a_number_too_large};
use record::{Event, journal::SCHEMA};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use text::fnv::fnv1a;
use text::shown::{shown, shown_sentence};

/// The longest line: a file that is not a journal must not fill the memory.
const LONGEST_LINE: u64 = 256 << 20;

/// The major version that is written, and the earliest that is read.
const VERSION: u32 = 3;
const EARLIEST: u32 = 2;

/// The kinds of events that this version knows.
const KINDS: [&str; 15] = [
    "header",
    "target",
    "target_done",
    "store",
    "loaded",
    "own_cost",
    "pilot",
    "cases",
    "second_stage",
    "trial",
    "agents",
    "clocks",
    "single_run",
    "withdrawn",
    "end",
];

/// Reads the events of one journal, in order.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    /// The file's name, for messages.
    name: String,
    line: u64,
    /// The major version of its schema, once the header was read.
    version: u32,
    buffer: Vec<u8>,
    torn: Option<u64>,
    unknown: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct JournalLine<'a> {
    seq: u64,
    #[serde(borrow)]
    sum: Cow<'a, str>,
    #[serde(borrow)]
    event: &'a RawValue,
}

impl Reader<BufReader<File>> {
    /// Opens a journal.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let name = shown(file.display().to_string());
        match input::plain_file(file) {
            Ok(opened) => Ok(Reader::new(BufReader::new(opened), name)),
            Err(why) => Err(Error::failed(format!("{name}: {why}"))),
        }
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from anything; `name` is for messages.
    pub fn new(from: R, name: String) -> Self {
        let unknown = BTreeMap::new();
        Reader { from, name, line: 0, version: VERSION, buffer: Vec::new(), torn: None, unknown }
    }

    /// The next event. Returns None at the end.
    ///
    /// # Errors
    /// If the file cannot be read, or if a line other than the last one is invalid.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        while self.read_line()? {
            match self.parse() {
                Ok(Parsed::Event(event)) => return Ok(Some(*event)),
                Ok(Parsed::Unknown(kind)) => *self.unknown.entry(shown(kind)).or_default() += 1,
                Err(_) if self.line > 1 && self.at_end()? => self.torn = Some(self.line),
                Err(wrong) => return Err(self.error(&wrong)),
            }
        }
        match self.line {
            0 => Err(Error::failed(format!("{} is empty: it must begin with a header", self.name))),
            _ => Ok(None),
        }
    }

    /// What was ignored so far, in sentences. Complete once [`Reader::next_event`] has returned
    /// None.
    pub fn notes(&self) -> Vec<String> {
        let torn = self.torn.map(|line| {
            format!(
                "line {line} of the journal, the last one, is incomplete and was \
                                 ignored"
            )
        });
        let unknown = self.unknown.iter().map(|(kind, count)| {
            format!(
                "{count} events of kind `{kind}`, which this version of tiebreak does not \
                     know, were ignored"
            )
        });
        torn.into_iter().chain(unknown).collect()
    }

    /// Reads the current line. The error message follows "line N".
    fn parse(&mut self) -> Result<Parsed, String> {
        let read: JournalLine<'_> = serde_json::from_slice(&self.buffer)
            .map_err(|error| because("is not an event", &error))?;
        let kinds: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(read.event.get())
            .map_err(|error| because("is not an event", &error))?;
        let kind = match kinds.keys().next() {
            Some(kind) if kinds.len() == 1 => kind.as_ref(),
            _ => return Err("is not an event: it must have exactly one kind".to_owned()),
        };
        if self.line == 1 {
            self.version = check_schema(kind, kinds[kind])?;
        }
        if format!("{:016x}", fnv1a(read.event.get().as_bytes())) != read.sum {
            return Err("is damaged: its checksum does not match".to_owned());
        }
        if read.seq != self.line - 1 {
            return Err(format!(
                "has the number {}, not {}: lines are missing",
                read.seq,
                self.line - 1
            ));
        }
        if !KINDS.contains(&kind) {
            return Ok(Parsed::Unknown(kind.to_owned()));
        }
        // The header contains a seed, which may be any number.
        if kind != "header" && holds_a_number_too_large(kinds[kind].get()) {
            return Err(format!("was not written by tiebreak: it contains {TOO_LARGE}"));
        }
        let event = match self.version {
            2 => version_2::translated(read.event).and_then(serde_json::from_value),
            _ => serde_json::from_str(read.event.get()),
        };
        let event: Event =
            event.map_err(|error| because(&format!("is not a valid `{kind}` event"), &error))?;
        if let Event::Header(header) = &event {
            let size = header.plan.check_size();
            size.map_err(|why| format!("was not written by tiebreak: the plan has {why}"))?;
        }
        if matches!(event, Event::Header(_)) == (self.line == 1) {
            Ok(Parsed::Event(Box::new(event)))
        } else {
            Err("is a header, but only line 1 may be one".to_owned())
        }
    }

    fn read_line(&mut self) -> Result<bool, Error> {
        self.buffer.clear();
        let limited = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer);
        let read = limited.map_err(|error| Error::failed(format!("{}: {error}", self.name)))?;
        if read == 0 {
            return Ok(false);
        }
        self.line += 1;
        if read as u64 == LONGEST_LINE {
            return Err(self.error(&format!("is longer than {} MiB", LONGEST_LINE >> 20)));
        }
        Ok(true)
    }

    fn at_end(&mut self) -> Result<bool, Error> {
        let ahead = self.from.fill_buf();
        Ok(ahead.map_err(|error| Error::failed(format!("{}: {error}", self.name)))?.is_empty())
    }

    fn error(&self, wrong: &str) -> Error {
        Error::failed(format!("{}: line {} {wrong}", self.name, self.line))
    }
}

enum Parsed {
    Event(Box<Event>),
    Unknown(String),
}

/// What is wrong with a line, and why. The reason may quote the line.
fn because(wrong: &str, error: &serde_json::Error) -> String {
    format!("{wrong}: {}", shown_sentence(error.to_string()))
}

/// Returns the major version of the journal's schema. One that cannot be read is refused before anything else
/// is interpreted, even the checksum: all of it may have changed.
fn check_schema(kind: &str, header: &RawValue) -> Result<u32, String> {
    #[derive(Deserialize)]
    struct SchemaFields {
        schema: String,
        #[serde(default)]
        version: String,
    }
    if kind != "header" {
        return Err("is not a header".to_owned());
    }
    let start: SchemaFields = serde_json::from_str(header.get())
        .map_err(|error| because("is not a valid header", &error))?;
    let schema = shown(&start.schema);
    let major = start.schema.strip_prefix("tiebreak.journal/");
    match major.and_then(|version| version.split('.').next()?.parse().ok()) {
        Some(version) if version > VERSION => Err(format!(
            "has the schema {schema}, but this version of tiebreak reads {SCHEMA}: use the version that \
             wrote it ({})",
            shown(&start.version)
        )),
        Some(version) if version < EARLIEST => Err(format!(
            "has the schema {schema} of an earlier, unreleased version of tiebreak, which can no longer \
             be read; this version reads {SCHEMA}"
        )),
        Some(version) => Ok(version),
        None => Err(format!("has the schema `{schema}`, which is not that of a journal")),
    }
}
