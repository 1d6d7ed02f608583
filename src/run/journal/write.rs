//! Writing a journal.

use protocol::{private, secrets};
use record::Event;
use record::limits::{TOO_LARGE, holds_a_number_too_large};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use text::fnv::fnv1a;

/// Appends events. After an error it must not be used again: the line may be incomplete, and
/// another one after it would hide that.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    /// Returns when everything written is on the disk.
    sync: fn(&W) -> io::Result<()>,
    seq: u64,
}

impl<W: Write> Writer<W> {
    /// A journal without a line yet.
    pub fn new(to: W, sync: fn(&W) -> io::Result<()>) -> Self {
        Writer { to, sync, seq: 0 }
    }

    /// Appends one event with one `write`, without declared secrets. Returns the event as it was
    /// written.
    ///
    /// # Errors
    /// If the disk is full, or fails otherwise. If the event holds a number with which the journal could
    /// not be read again, nothing is written.
    pub fn write(&mut self, event: &Event) -> io::Result<String> {
        let mut text = serde_json::to_string(event)?;
        // The header contains a seed, which may be any number.
        if !matches!(event, Event::Header(_)) && holds_a_number_too_large(&text) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TOO_LARGE));
        }
        if secrets::appear_in(&text) {
            text = serde_json::to_string(&secrets::without_secrets(event.clone()))?;
        }
        let event = &text;
        let sum = fnv1a(event.as_bytes());
        let line = format!("{{\"seq\":{},\"sum\":\"{sum:016x}\",\"event\":{event}}}\n", self.seq);
        self.to.write_all(line.as_bytes())?;
        self.seq += 1;
        Ok(text)
    }

    /// Returns when everything written is on the disk.
    ///
    /// # Errors
    /// If the disk is full, or fails otherwise.
    pub fn sync(&self) -> io::Result<()> {
        (self.sync)(&self.to)
    }
}

impl Writer<File> {
    /// Creates the journal, readable by its owner only. An existing one is never touched.
    ///
    /// # Errors
    /// If it exists, or cannot be created.
    pub fn create(file: &Path) -> io::Result<Self> {
        let file = private::create_file(file)?;
        Ok(Writer::new(file, File::sync_data))
    }
}
